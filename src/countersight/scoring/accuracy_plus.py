"""acc+ of CFMM (`both_right`): the share of cases answered right in both worlds."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import TWO_WORLDS
from countersight.scoring.estimates import Rate, rate
from countersight.scoring.outcome import Outcomes

_Mask = NDArray[np.bool_]


def in_both_worlds(outcomes: Outcomes) -> _Mask:
    """Return which cases are scored in both worlds; acc+ is over these."""
    return outcomes.scored("factual") & outcomes.scored("counterfactual")


def both_right(outcomes: Outcomes) -> _Mask:
    """Return which cases are right in both worlds."""
    return outcomes.right("factual") & outcomes.right("counterfactual")


def accuracy_plus(outcomes: Outcomes, mask: _Mask) -> Rate:
    """Return acc+ of selected cases; its `unread` counts those that may be right in both worlds, if they were read."""
    both, right = in_both_worlds(outcomes) & mask, both_right(outcomes)
    factual, counterfactual = (outcomes.right(world) | outcomes.unread(world) for world in TWO_WORLDS)
    unread = int((factual & counterfactual & ~right & both).sum())
    return msgspec.structs.replace(rate(right[both], outcomes.pictures[both]), unread=unread)
