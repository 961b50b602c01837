"""Options ranked by how little the model expected them, in the fastest way that gives the losses of the plain one."""

from collections.abc import Sequence

from countersight.errors import AskingFailed
from countersight.models.local.loading import Loaded
from countersight.models.local.probing import plan_of
from countersight.models.local.sharing import Losses, rank_by
from countersight.models.protocol import Loss, Request

__all__ = ["plan_of", "rank"]


def rank(loaded: Loaded, requests: Sequence[Request], loss: Loss = "mean") -> list[Losses | AskingFailed]:
    """The losses of each request's options, the `mean` or the `sum` over their tokens, or why it has none."""
    return rank_by(plan_of(loaded), loaded, requests, loss)
