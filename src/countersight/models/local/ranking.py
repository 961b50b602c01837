"""Options ranked by how little the model expected them, in the fastest way that gives the losses of the plain one."""

from collections.abc import Iterator, Sequence

from countersight.models.local.loading import Loaded
from countersight.models.local.probing import plan_of
from countersight.models.local.queue import Feed
from countersight.models.local.sharing import Ranked, rank_by
from countersight.models.protocol import Loss, Request

__all__ = ["plan_of", "rank", "ranked"]


def ranked(loaded: Loaded, requests: Feed, loss: Loss = "mean") -> Iterator[tuple[int, Ranked]]:
    """The losses of each request's options, the `mean` or the `sum` over their tokens, or why it has none.

    They come as they are computed, and so may further requests.
    """
    return rank_by(plan_of(loaded), loaded, requests, loss)


def rank(loaded: Loaded, requests: Sequence[Request], loss: Loss = "mean") -> list[Ranked]:
    """The same for some requests, in their order."""
    found = dict(ranked(loaded, Feed(requests), loss))
    return [found[number] for number in range(len(requests))]
