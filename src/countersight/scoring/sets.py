"""Scores of sets of questions and pictures: how often all answers to a question, about a picture or in a set are right.

Two questions about two pictures, each with a different answer for each, cannot be answered without looking: a model
that gives the same answer for both pictures has no question right for both (NaturalBench, VisMin, MMVP;
HallusionBench's qAcc and fAcc).
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import VARIANTS, Case, Cell, QuestionVariant
from countersight.figures import Figure
from countersight.scoring.estimates import rate
from countersight.scoring.outcome import Outcomes

_Mask = NDArray[np.bool_]
_Numbers = NDArray[np.int32]
NONE: Final = -1
UNITS: Final = ("question", "picture", "set")
"""The units of `SetScores`, whose answers must all be right."""


class SetPositions(msgspec.Struct, frozen=True, eq=False):
    """The position of each case: the numbers of its set, question and picture; -1 for none."""

    sets: _Numbers
    questions: _Numbers
    pictures: _Numbers


class SetMetric(msgspec.Struct, frozen=True):
    """How often all answers for a question, picture or set are right, and how often that happens by guessing."""

    rate: Figure
    chance: float
    size: float
    """The average number of answers in a unit."""
    left_out: int = 0
    """The number of units that are not counted, because an answer is missing."""


class SetScores(msgspec.Struct, frozen=True):
    """The scores of one group of sets. A question, picture or set counts if all of its answers are scored."""

    group: str
    answers: Figure
    question: SetMetric | None
    """The questions that are right for all their pictures; None if every question has one picture."""
    picture: SetMetric | None
    """The pictures whose questions were all answered correctly; None if no picture has more than one."""
    whole: SetMetric | None
    """The sets whose answers are all right; None if no set is completely scored."""

    @property
    def metrics(self) -> dict[str, SetMetric]:
        """The metrics by unit, if there are any."""
        every = zip(UNITS, (self.question, self.picture, self.whole), strict=True)
        return {unit: metric for unit, metric in every if metric}

    @property
    def rates(self) -> dict[str, Figure]:
        """The rates of the metrics, by unit."""
        return {unit: metric.rate for unit, metric in self.metrics.items()}


def set_positions(cells: Sequence[Cell | None]) -> SetPositions | None:
    """Return the positions of cases in sets, without incomplete sets; None if no case is in a set."""
    if not any(cells):
        return None
    keys = [
        ((cell.set,), (cell.set, cell.question), (cell.set, cell.picture)) if cell else (None,) * 3 for cell in cells
    ]
    found = SetPositions(*(_numbered(column) for column in zip(*keys, strict=True)))
    wanted = {number: cell.of for number, cell in zip(found.sets.tolist(), cells, strict=True) if cell and cell.of}
    sizes = np.bincount(found.sets[found.sets >= 0])
    short = np.isin(found.sets, [number for number, size in wanted.items() if sizes[number] < size])
    for column in (found.sets, found.questions, found.pictures):
        column[short] = NONE
    return found


def _numbered(keys: Iterable[tuple[str, ...] | None]) -> _Numbers:
    """Return the number of each key, in order of first appearance; -1 for a key without a value."""
    known: dict[tuple[str, ...], int] = {}
    return np.array([known.setdefault(key, len(known)) if key and key[-1] else NONE for key in keys], dtype=np.int32)


class _Answers(NamedTuple):
    """For each case: whether it was asked, and whether all its questions are scored and right; the probability of
    guessing them all; and the number of its picture, within which answers are not independent."""

    asked: _Mask
    scored: _Mask
    right: _Mask
    guess: NDArray[np.float64]
    clusters: _Numbers


def set_scores(
    outcomes: Outcomes, positions: SetPositions, extra_lines: Iterable[tuple[str, _Mask]] = ()
) -> tuple[SetScores, ...]:
    """Compute the scores of sets by group and overall, and for each line in `extra_lines` that contains only whole
    sets."""
    answers = _all_variants(outcomes)
    placed = positions.sets >= 0
    whole = [
        (name, mask)
        for name, mask in extra_lines
        if not np.isin(positions.sets[placed & mask], positions.sets[~mask]).any()
    ]
    *groups, everything = _lines(outcomes)
    return tuple(
        _scores(name, placed & mask, answers, positions)
        for name, mask in (*groups, *whole, everything)
        if (placed & mask & answers.scored).any()
    )


def _lines(outcomes: Outcomes) -> list[tuple[str, _Mask]]:
    """Return each group with its cases, if there are several groups, then all cases together."""
    lines = outcomes.lines()
    return lines if len(outcomes.group_names) > 1 else lines[-1:]


def as_fourth(case: Case) -> Case:
    """Return the case with its fourth question (the one with "if" about the changed picture) as its only question."""
    return msgspec.structs.replace(case, factual=None, counterfactual=case.twice, shown=None, twice=None)


def shown_sets(outcomes: Outcomes, fourths: Outcomes) -> tuple[SetScores, ...]:
    """Compute the scores of sets for a run with pictures of both worlds, by group and overall.

    A case with all four answers is a set of two questions, without and with "if", and two pictures, before and after
    the change.
    """
    four: list[tuple[Outcomes, QuestionVariant]] = [
        (outcomes, "factual"),
        (outcomes, "shown"),
        (outcomes, "counterfactual"),
        (fourths, "counterfactual"),
    ]
    complete = np.logical_and.reduce([each.scored(variant) for each, variant in four])
    right = np.concatenate([each.right(variant) for each, variant in four])
    guess = np.concatenate([each.guess(variant) for each, variant in four])
    number = np.arange(len(outcomes), dtype=np.int32)
    before, after = 2 * number, 2 * number + 1
    questions, pictures = np.concatenate([before, before, after, after]), np.concatenate([before, after, before, after])
    positions, every = SetPositions(np.tile(number, 4), questions, pictures), np.tile(complete, 4)
    answers = _Answers(every, every, right, guess, np.tile(outcomes.pictures, 4))
    return tuple(
        _scores(name, np.tile(complete & mask, 4), answers, positions)
        for name, mask in _lines(outcomes)
        if (complete & mask).any()
    )


def _all_variants(outcomes: Outcomes) -> _Answers:
    scored, right = (np.ones(len(outcomes), dtype=np.bool_) for _ in range(2))
    guess, anything = np.ones(len(outcomes)), np.zeros(len(outcomes), dtype=np.bool_)
    for variant in VARIANTS:
        has = outcomes.asked(variant)
        anything |= has
        scored &= ~has | outcomes.scored(variant)
        right &= ~has | outcomes.right(variant)
        guess *= np.where(has, outcomes.guess(variant), 1.0)
    return _Answers(anything, scored & anything, right, guess, outcomes.pictures)


def _scores(name: str, mask: _Mask, answers: _Answers, positions: SetPositions) -> SetScores:
    question, picture, whole = (
        _set_metric(column, mask, answers) for column in (positions.questions, positions.pictures, positions.sets)
    )
    scored = mask & answers.scored
    return SetScores(
        name,
        rate(answers.right[scored], answers.clusters[scored]),
        question if question and question.size > 1 else None,
        picture if picture and picture.size > 1 else None,
        whole,
    )


def _set_metric(numbers: _Numbers, mask: _Mask, answers: _Answers) -> SetMetric | None:
    mask = mask & (numbers >= 0)
    incomplete = np.unique(numbers[mask & ~answers.scored])
    left_out = np.intersect1d(incomplete, numbers[mask & answers.asked])
    mask &= ~np.isin(numbers, incomplete)
    if not mask.any():
        return None
    _, firsts, places, sizes = np.unique(numbers[mask], return_index=True, return_inverse=True, return_counts=True)
    wrong = np.bincount(places, weights=~answers.right[mask])
    chance = np.ones(len(sizes))
    np.multiply.at(chance, places, answers.guess[mask])
    found = rate(wrong == 0, answers.clusters[mask][firsts])
    return SetMetric(found, float(chance.mean()), float(sizes.mean()), len(left_out))
