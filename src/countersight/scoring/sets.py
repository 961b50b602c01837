"""Scores of sets of questions and pictures: how often all answers to a question, about a picture or in a set are right.

Two questions about two pictures, each with a different answer for each, cannot be answered without looking: a model
that gives the same answer for both pictures has no question right for both (NaturalBench, VisMin, MMVP;
HallusionBench's qAcc and fAcc).
"""

from collections.abc import Iterable, Sequence
from typing import Final

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


class SetPositions(msgspec.Struct, frozen=True, eq=False):
    """The position of each case: the numbers of its set, question and picture; -1 for none."""

    sets: _Numbers
    questions: _Numbers
    pictures: _Numbers


class SetMetric(msgspec.Struct, frozen=True):
    """How often all answers of a unit (a question, picture or set) are right, and how often guessing achieves that."""

    rate: Figure
    chance: float
    size: float
    """The average number of answers in a unit."""


class SetScores(msgspec.Struct, frozen=True):
    """The scores of one group of sets. A set counts if all of its questions are scored."""

    group: str
    answers: Figure
    question: SetMetric | None
    """The questions that are right for all their pictures; None if every question has one picture."""
    picture: SetMetric | None
    """The pictures whose questions are all right; None if every picture has one question, or there are no pictures."""
    whole: SetMetric
    """The sets whose answers are all right."""


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


def set_scores(
    outcomes: Outcomes, positions: SetPositions, extra_lines: Iterable[tuple[str, _Mask]] = ()
) -> tuple[SetScores, ...]:
    """Compute the scores of sets by group and overall, and for each line in `extra_lines` that contains only whole
    sets."""
    asked, right, guess = _all_variants(outcomes)
    complete = (positions.sets >= 0) & ~np.isin(positions.sets, positions.sets[(positions.sets >= 0) & ~asked])
    whole = [
        (name, mask)
        for name, mask in extra_lines
        if not np.isin(positions.sets[complete & mask], positions.sets[~mask]).any()
    ]
    *groups, everything = _lines(outcomes)
    return tuple(
        _scores(name, complete & mask, right, guess, positions, outcomes.pictures)
        for name, mask in (*groups, *whole, everything)
        if (complete & mask).any()
    )


def _lines(outcomes: Outcomes) -> list[tuple[str, _Mask]]:
    """Return each group with its cases, if there are several groups, then all cases together."""
    lines = outcomes.lines()
    return lines if len(outcomes.group_names) > 1 else lines[-1:]


def as_fourth(case: Case) -> Case:
    """Return the case with its fourth question, the one with "if" about the changed picture, as the only one."""
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
    positions, clusters = SetPositions(np.tile(number, 4), questions, pictures), np.tile(outcomes.pictures, 4)
    return tuple(
        _scores(name, np.tile(complete & mask, 4), right, guess, positions, clusters)
        for name, mask in _lines(outcomes)
        if (complete & mask).any()
    )


def _all_variants(outcomes: Outcomes) -> tuple[_Mask, _Mask, NDArray[np.float64]]:
    """Return for each case whether all questions are scored, whether all are right, and the probability of guessing
    them all."""
    scored, right = (np.ones(len(outcomes), dtype=np.bool_) for _ in range(2))
    guess, anything = np.ones(len(outcomes)), np.zeros(len(outcomes), dtype=np.bool_)
    for variant in VARIANTS:
        has = outcomes.asked(variant)
        anything |= has
        scored &= ~has | outcomes.scored(variant)
        right &= ~has | outcomes.right(variant)
        guess *= np.where(has, outcomes.guess(variant), 1.0)
    return scored & anything, right, guess


def _scores(
    name: str, mask: _Mask, right: _Mask, guess: NDArray[np.float64], positions: SetPositions, clusters: _Numbers
) -> SetScores:
    whole = _set_metric(positions.sets, mask, right, guess, clusters)
    question, picture = (
        _set_metric(column, mask, right, guess, clusters) for column in (positions.questions, positions.pictures)
    )
    assert whole is not None
    return SetScores(
        name,
        rate(right[mask], clusters[mask]),
        question if question and question.size > 1 else None,
        picture if picture and picture.size > 1 else None,
        whole,
    )


def _set_metric(
    numbers: _Numbers, mask: _Mask, right: _Mask, guess: NDArray[np.float64], clusters: _Numbers
) -> SetMetric | None:
    mask = mask & (numbers >= 0)
    if not mask.any():
        return None
    _, firsts, places, sizes = np.unique(numbers[mask], return_index=True, return_inverse=True, return_counts=True)
    wrong = np.bincount(places, weights=~right[mask])
    chance = np.ones(len(sizes))
    np.multiply.at(chance, places, guess[mask])
    return SetMetric(rate(wrong == 0, clusters[mask][firsts]), float(chance.mean()), float(sizes.mean()))
