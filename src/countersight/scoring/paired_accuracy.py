"""Accuracy in each world, and over both worlds of a case: CFMM's acc+ (both answers right) and the drop."""

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import TWO_WORLDS, QuestionVariant
from countersight.figures import Figure, Interval
from countersight.scoring.estimates import Difference, difference, rate
from countersight.scoring.outcome import Outcomes

Mask = NDArray[np.bool_]
"""Which cases are selected."""


def accuracy(outcomes: Outcomes, variant: QuestionVariant, mask: Mask) -> Figure:
    """Return the accuracy of selected cases on one variant, or their mean credit if answers can be partly right."""
    scored = outcomes.scored(variant) & mask
    credits = None if outcomes.credits is None else outcomes.credit(variant)[scored]
    unread = int(outcomes.unread(variant)[scored].sum())
    return rate(outcomes.right(variant)[scored], outcomes.pictures[scored], credits, unread=unread)


def correctness(outcomes: Outcomes, variant: QuestionVariant) -> NDArray[Any]:
    """Return for each case whether the answer is right, or its credit if answers can be partly right."""
    return outcomes.right(variant) if outcomes.credits is None else outcomes.credit(variant)


def paired_difference(
    outcomes: Outcomes, first: QuestionVariant, second: QuestionVariant, scored: Mask
) -> Difference | None:
    """Return the accuracy on one variant minus the accuracy on another, over cases that are scored on both."""
    if not (outcomes.is_read(first, scored) and outcomes.is_read(second, scored)):
        return None
    minuend, subtrahend = (correctness(outcomes, variant)[scored] for variant in (first, second))
    found = difference(minuend, subtrahend, outcomes.pictures[scored])
    first_unread, second_unread = (outcomes.unread(variant)[scored] for variant in (first, second))
    if found is None or not (first_unread.any() or second_unread.any()):
        return found
    least = float((minuend - np.where(second_unread, 1.0, subtrahend)).mean())
    most = float((np.where(first_unread, 1.0, minuend) - subtrahend).mean())
    return msgspec.structs.replace(found, bounds=Interval(least, most))


def acc_plus(outcomes: Outcomes, in_both: Mask) -> Figure:
    """Return acc+, whose upper bound counts unread replies as right."""
    right = outcomes.both_right()
    factual, counterfactual = (outcomes.right(world) | outcomes.unread(world) for world in TWO_WORLDS)
    unread = int((factual & counterfactual & ~right & in_both).sum())
    return rate(right[in_both], outcomes.pictures[in_both], unread=unread)
