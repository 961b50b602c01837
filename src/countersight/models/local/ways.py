"""How the options of a model can be ranked: what of them is computed once."""

from dataclasses import dataclass
from typing import Literal

from countersight.models.local.masks import Sight

Way = Literal["shared prefix", "shared question", "continued", "plain"]
"""What options have in common when they are ranked: everything up to where they differ, pictures and the questions
about them; the picture as it was looked at and the question, since the model reads pictures and question to and fro;
the question, which the model remembers while each option continues it; or nothing."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A way of ranking that was found to give a model's own losses."""

    way: Way
    sight: Sight = "behind"
    """What a token of a picture or a question sees beside what leads to it."""
    longest: float = float("inf")
    """Rows with as many tokens are not shared: beyond it a model counts places by itself."""
    together: bool = True
    """Whether several rows are computed in one batch."""
