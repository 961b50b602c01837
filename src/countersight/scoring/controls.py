"""Misses and false alarms: an answer must change if the change matters, and stay the same if it does not.

A control is a case with a change that does not affect the answer. A model that ignores all changes misses all of them
and raises no false alarms; a model that always changes its answer misses few changes but always raises a false alarm.
The balance combines both, so neither strategy scores well. If the old answer is not among the options, a model that
ignores changes can still guess; the expected balance of such a model is also reported.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import Case, QuestionVariant
from countersight.figures import Figure
from countersight.scoring.estimates import rate
from countersight.scoring.outcome import Outcomes

_CHANGED_VARIANTS: Final[tuple[QuestionVariant, ...]] = ("counterfactual", "shown")


class Controls(msgspec.Struct, frozen=True, eq=False):
    """The outcomes of controls, and the case of each control."""

    outcomes: Outcomes
    of: NDArray[np.int64]
    """For each control, the position of its case; -1 if there is none."""
    guessed: NDArray[np.float64]
    """For each control, the probability that a model that ignores changes gets the case right by chance."""


class FalseAlarmRates(msgspec.Struct, frozen=True):
    """The results for a group of cases and their controls, over those with right factual answers."""

    group: str
    variant: QuestionVariant
    """Whether changes were described in words (counterfactual) or shown in the picture."""
    misses: Figure
    """The share of cases (the change matters) in which the model did not give the new answer."""
    false_alarms: Figure
    """The share of controls (the change does not matter) in which the model did not give the old answer."""
    unread: Figure
    """The share of pairs with an unread answer: neither a miss nor a false alarm, and not right either."""
    balance: Figure
    """The mean of the accuracy on cases and the accuracy on controls."""
    ignoring: float
    """The balance of a model that never changes its answer, and guesses if the old one is not among the options."""


def split_controls(
    outcomes: Outcomes, control_of: Sequence[str], guessed: NDArray[np.float64]
) -> tuple[Outcomes, Controls | None]:
    """Split outcomes into those of cases and those of controls, if there are any.

    For each case, `control_of` is the id of the case that it is a control of, and `guessed` the result of
    `chance_if_ignored`.
    """
    is_case = np.array([not of for of in control_of], dtype=np.bool_)
    if is_case.all():
        return outcomes, None
    cases, controls = outcomes.only(is_case), outcomes.only(~is_case)
    names = [of for of in control_of if of]
    wanted = set(names)
    places = {name: place for place in range(len(cases)) if (name := cases.case(place)) in wanted}
    of = np.array([places.get(name, -1) for name in names], dtype=np.int64)
    of_cases = guessed[is_case]
    return cases, Controls(controls, of, np.array([of_cases[place] if place >= 0 else 0.0 for place in of]))


def chance_if_ignored(case: Case) -> float:
    """Return the probability that a guess is right if the old answer is not among the options, otherwise 0."""
    before, after = case.factual, case.counterfactual
    if before is None or after is None or not after.options:
        return 0.0
    return 0.0 if before.right_text in (option.text for option in after.options) else 1 / len(after.options)


def false_alarm_rates(cases: Outcomes, controls: Controls) -> tuple[FalseAlarmRates, ...]:
    """Compute misses and false alarms by group and overall, for changes in words and, if there are any, in pictures."""
    paired = controls.of >= 0
    first, second = cases.only_at(controls.of[paired]), controls.outcomes.only(paired)
    guessed = controls.guessed[paired]
    return tuple(
        line
        for variant in _CHANGED_VARIANTS
        if first.asked(variant).any()
        for line in _lines(first, second, variant, guessed)
    )


def _lines(
    cases: Outcomes, controls: Outcomes, variant: QuestionVariant, guessed: NDArray[np.float64]
) -> Iterator[FalseAlarmRates]:
    known = cases.right("factual") & controls.right("factual") & cases.scored(variant) & controls.scored(variant)
    for name, of_line in cases.lines():
        mask = known & of_line
        if mask.any() and not (cases.is_read(variant, mask) and controls.is_read(variant, mask)):
            continue
        ignoring = float(1 + guessed[mask].mean()) / 2 if mask.any() else 0.5
        pictures = cases.pictures[mask]
        (hit, missed), (kept, alarmed) = (
            (each.right(variant)[mask], (~each.right(variant) & ~each.unread(variant))[mask])
            for each in (cases, controls)
        )
        unread = (cases.unread(variant) | controls.unread(variant))[mask]
        misses, false_alarms, unread_pairs = (rate(each, pictures) for each in (missed, alarmed, unread))
        balance = rate(hit & kept, pictures, (hit.astype(np.float64) + kept) / 2)
        yield FalseAlarmRates(name, variant, misses, false_alarms, unread_pairs, balance, ignoring)
