"""Sets of questions and pictures: what is right of a whole question, a whole picture, a whole set.

Two questions asked of two pictures, each with another answer for each, cannot be answered without looking: whoever says
the same of both pictures has no question right for both (NaturalBench, VisMin, MMVP; HallusionBench's qAcc and fAcc).
"""

from array import array
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import ASKINGS, Asking, Case
from countersight.scoring.figures import ALL, Rate, rate
from countersight.scoring.outcome import Outcomes

_Mask = NDArray[np.bool_]
_Numbers = NDArray[np.int32]
NONE: Final = -1
_THREE: Final[tuple[Asking, ...]] = ("factual", "shown", "counterfactual")  # in the order of _PLACES
_PLACES: Final = {4: ((0, 0, 1, 1), (0, 1, 0, 1)), 3: ((0, 0, NONE), (0, NONE, 0))}
"""Which question and which picture of a case each of these is, and the fourth: the question with "if" of the changed
picture. Without it that question and that picture have one answer, which is no whole: they are nowhere."""


class Cells(msgspec.Struct, frozen=True, eq=False):
    """Where each case stands: by number, the set, the question of a set and the picture of a set; -1 where nowhere."""

    sets: _Numbers
    questions: _Numbers
    pictures: _Numbers

    def only(self, mask: _Mask) -> "Cells":
        """Those of some of the cases."""
        return Cells(self.sets[mask], self.questions[mask], self.pictures[mask])


class Whole(msgspec.Struct, frozen=True):
    """How often all of something is right, and how often guessing would have it so."""

    rate: Rate
    chance: float
    size: float
    """Answers that go into one, on average."""


class SetScores(msgspec.Struct, frozen=True):
    """How one group of sets was answered. A set counts once every question of it is scored."""

    group: str
    answers: Rate
    question: Whole | None
    """Questions right for all their pictures; None where each has one picture."""
    picture: Whole | None
    """Pictures of which all questions are right; None where each has one question, or there are none."""
    whole: Whole
    """Sets of which everything is right."""
    fours: int | None = None
    """Cases with all four answers, of a run that was shown both worlds: they are the sets where there are any."""
    threes: int = 0
    """Cases of such a run that have all but the fourth."""


class Placing:
    """Looks at cases as they go by, for where they stand in sets."""

    def __init__(self) -> None:
        self._columns = (array("i"), array("i"), array("i"))
        self._known: tuple[dict[tuple[str, ...], int], ...] = ({}, {}, {})
        self._wanted: dict[int, int] = {}
        """How many cases a set has when it is whole, by its number, where that is known."""

    def watch(self, cases: Iterable[tuple[int, Case]]) -> Iterator[tuple[int, Case]]:
        """The same cases, looked at."""
        for row, case in cases:
            cell = case.cell
            keys = ((cell.set,), (cell.set, cell.question), (cell.set, cell.picture)) if cell else (None, None, None)
            for column, known, key in zip(self._columns, self._known, keys, strict=True):
                named = key is not None and key[-1] != ""
                column.append(known.setdefault(key, len(known)) if named and key else NONE)
            if cell and cell.of:
                self._wanted[self._columns[0][-1]] = cell.of
            yield row, case

    def cells(self) -> Cells | None:
        """Where all cases stand, those of a set that is not whole nowhere; None where none is in a set."""
        if not self._known[0]:
            return None
        found = Cells(*(np.array(column, dtype=np.int32) for column in self._columns))
        sizes = np.bincount(found.sets[found.sets >= 0], minlength=len(self._known[0]))
        short = np.isin(found.sets, [number for number, wanted in self._wanted.items() if sizes[number] < wanted])
        for column in (found.sets, found.questions, found.pictures):
            column[short] = NONE
        return found


def set_scores(outcomes: Outcomes, cells: Cells, more: Iterable[tuple[str, _Mask]] = ()) -> tuple[SetScores, ...]:
    """The scores of sets, by group and in all; `more` lines are scored too if no set has cases on and off the line."""
    asked, right, guess = _any_asking(outcomes)
    complete = (cells.sets >= 0) & ~np.isin(cells.sets, cells.sets[(cells.sets >= 0) & ~asked])
    whole = [(name, mask) for name, mask in more if not np.isin(cells.sets[complete & mask], cells.sets[~mask]).any()]
    lines = [(name, complete & mask) for name, mask in (*_groups(outcomes), *whole)]
    return tuple(
        _scores(name, mask, right, guess, cells, outcomes.pictures)
        for name, mask in (*lines, (ALL, complete))
        if mask.any()
    )


def _groups(outcomes: Outcomes) -> list[tuple[str, _Mask]]:
    """The groups with their cases, where there are several."""
    names = outcomes.group_names
    return [(name, outcomes.groups == place) for place, name in enumerate(names)] if len(names) > 1 else []


def as_fourth(case: Case) -> Case:
    """The case as if the fourth of its questions were the only one: the one with "if", of the changed picture."""
    return msgspec.structs.replace(case, factual=None, counterfactual=case.twice, shown=None, twice=None)


def shown_sets(outcomes: Outcomes, fourths: Outcomes) -> tuple[SetScores, ...]:
    """Of a run that was shown both worlds: its questions and pictures as a whole, by group and in all.

    A case is a set of two questions, as it is and with "if", and two pictures, before and after the change. Where no
    case has the fourth of them answered (the change cannot be made twice, or another tool asked), it is a set of three.
    """
    three: list[tuple[Outcomes, Asking]] = [(outcomes, asking) for asking in _THREE]
    four: list[tuple[Outcomes, Asking]] = [*three, (fourths, "counterfactual")]
    has_three, has_four = (
        np.logical_and.reduce([each.scored(asking) for each, asking in all_]) for all_ in (three, four)
    )
    square, known = (four, has_four) if has_four.any() else (three, has_three)
    lines = [*_groups(outcomes), (ALL, np.ones_like(known))]
    return tuple(
        msgspec.structs.replace(
            _square_scores(name, square, known & mask),
            fours=int((has_four & mask).sum()),
            threes=int((has_three & ~has_four & mask).sum()),
        )
        for name, mask in lines
        if (known & mask).any()
    )


def _square_scores(name: str, square: list[tuple[Outcomes, Asking]], mask: _Mask) -> SetScores:
    right = np.concatenate([each.right(asking) for each, asking in square])
    guess = np.concatenate([each.guess(asking) for each, asking in square])
    number = np.arange(len(mask), dtype=np.int32)
    questions, pictures = (
        np.concatenate([np.full_like(number, NONE) if place == NONE else 2 * number + place for place in places])
        for places in _PLACES[len(square)]
    )
    cells = Cells(np.tile(number, len(square)), questions, pictures)
    together = np.tile(square[0][0].pictures, len(square))
    return _scores(name, np.tile(mask, len(square)), right, guess, cells, together)


def _any_asking(outcomes: Outcomes) -> tuple[_Mask, _Mask, NDArray[np.float64]]:
    """Whether each case is scored in all that it asks, whether all of that is right, and how often by guessing."""
    scored, right = (np.ones(len(outcomes), dtype=np.bool_) for _ in range(2))
    guess, anything = np.ones(len(outcomes)), np.zeros(len(outcomes), dtype=np.bool_)
    for asking in ASKINGS:
        has = outcomes.asked(asking)
        anything |= has
        scored &= ~has | outcomes.scored(asking)
        right &= ~has | outcomes.right(asking)
        guess *= np.where(has, outcomes.guess(asking), 1.0)
    return scored & anything, right, guess


def _scores(
    name: str, mask: _Mask, right: _Mask, guess: NDArray[np.float64], cells: Cells, together: _Numbers
) -> SetScores:
    whole = _whole(cells.sets, mask, right, guess, together)
    question, picture = (_whole(column, mask, right, guess, together) for column in (cells.questions, cells.pictures))
    assert whole is not None
    return SetScores(
        name,
        rate(right[mask], together[mask]),
        question if question and question.size > 1 else None,
        picture if picture and picture.size > 1 else None,
        whole,
    )


def _whole(
    numbers: _Numbers, mask: _Mask, right: _Mask, guess: NDArray[np.float64], together: _Numbers
) -> Whole | None:
    mask = mask & (numbers >= 0)
    if not mask.any():
        return None
    _, firsts, places, sizes = np.unique(numbers[mask], return_index=True, return_inverse=True, return_counts=True)
    wrong = np.bincount(places, weights=~right[mask])
    chance = np.ones(len(sizes))
    np.multiply.at(chance, places, guess[mask])
    return Whole(rate(wrong == 0, together[mask][firsts]), float(chance.mean()), float(sizes.mean()))
