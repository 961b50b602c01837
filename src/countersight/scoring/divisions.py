"""Divisions of the cases of a suite by criteria other than the group: kind of change, rung, form of the answer.

A case may count on several lines of a division. Cases are divided while they are streamed for scoring, and stored in a
few bytes each.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import LETTERS, VARIANTS, Case
from countersight.html import Figure
from countersight.scoring.estimates import share
from countersight.scoring.outcome import Outcomes

OTHER = "other"
"""The name of the line for values that an axis does not list."""
_MAX_ROLES = 30


class Axis(msgspec.Struct, frozen=True):
    """A criterion by which the cases of a suite are divided."""

    name: str
    lines: tuple[str, ...]
    """The lines, in the order of the table."""
    of: Callable[[Case], Iterable[str]]
    """A function that returns the lines that a case counts on; none if its value is unknown."""
    note: str = ""
    """A note for readers on how cases are assigned to lines."""


class Division(msgspec.Struct, frozen=True, eq=False):
    """The assignment of cases to the lines of an axis."""

    name: str
    lines: tuple[str, ...]
    cases: NDArray[np.int32]
    """The positions of cases; a position occurs once for each line of its case."""
    places: NDArray[np.uint8]
    """The index in `lines` of each entry in `cases`."""

    def masks(self, count: int) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Iterate over the lines that have cases, each with a mask of `count` cases."""
        for place in np.unique(self.places):
            mask = np.zeros(count, dtype=np.bool_)
            mask[self.cases[self.places == place]] = True
            yield self.lines[place], mask

    def unplaced(self, count: int) -> int:
        """Return how many of `count` cases are on no line."""
        return count - np.unique(self.cases).size


class RoleShare(msgspec.Struct, frozen=True):
    """How often an option of a role was chosen, among scored questions that offer one."""

    role: str
    chosen: Figure


class CaseDivider:
    """Divide cases along the axes of their suite while they are streamed."""

    def __init__(self, axes_of: Callable[[str], tuple[Axis, ...]]) -> None:
        self.suite = ""
        """The suite of the cases; empty if they have none or several."""
        self._axes_of = axes_of
        self._axes: tuple[Axis, ...] = ()
        self._count = 0
        self._mixed = False
        self._lines: list[tuple[array[int], bytearray]] = []
        self._roles: dict[str, int] = {"": 0}
        self._codes = bytearray()
        self._ends = array("q")

    def watch(self, cases: Iterable[tuple[int, Case]]) -> Iterator[tuple[int, Case]]:
        """Yield the given cases unchanged, and record their lines and roles on the way."""
        for row, case in cases:
            if not case.control_of:  # controls are scored separately
                self._add(case)
            yield row, case

    def divisions(self) -> tuple[Division, ...]:
        """Return the divisions along all axes of the suite; empty if the cases are of several suites."""
        if self._mixed:
            return ()
        return tuple(
            Division(
                axis.name,
                (*axis.lines, OTHER),
                np.array(cases, dtype=np.int32),
                np.frombuffer(bytes(places), dtype=np.uint8),
            )
            for axis, (cases, places) in zip(self._axes, self._lines, strict=True)
        )

    def role_shares(self, outcomes: Outcomes) -> tuple[RoleShare, ...]:
        """Return how often options of each role (CELLO: right, image, graph, text) were chosen, if they have roles."""
        if self._mixed or len(self._roles) == 1:
            return ()
        names, codes = tuple(self._roles), np.frombuffer(bytes(self._codes), dtype=np.uint8)
        ends = np.array(self._ends, dtype=np.int64)
        starts = np.concatenate(([0], ends[:-1]))
        lengths = ends - starts
        answers = outcomes.answers[:, VARIANTS.index("counterfactual")]
        letters = np.array([_letter(text) for text in outcomes.answer_texts], dtype=np.int64)[answers]
        scored = outcomes.scored("counterfactual") & (lengths > 0)
        answered = scored & (letters >= 0) & (letters < lengths)
        chosen = np.bincount(codes[(starts + letters)[answered]], minlength=len(names))
        # A role counts once per question, however many of its options have it.
        asked = np.repeat(np.arange(len(outcomes)), lengths)
        offers = np.unique(asked[scored[asked]] * len(names) + codes[scored[asked]])
        offered = np.bincount(offers % len(names), minlength=len(names))
        found = zip(names, chosen.tolist(), offered.tolist(), strict=True)
        return tuple(RoleShare(role, share(times, of)) for role, times, of in found if role and of)

    def _add(self, case: Case) -> None:
        if not self._count:
            self.suite = case.suite
            self._axes = self._axes_of(case.suite)
            self._lines = [(array("i"), bytearray()) for _ in self._axes]
        elif case.suite != self.suite:
            self.suite, self._mixed = "", True
        position, self._count = self._count, self._count + 1
        if self._mixed:
            return
        for axis, (cases, places) in zip(self._axes, self._lines, strict=True):
            for line in dict.fromkeys(line if line in axis.lines else OTHER for line in axis.of(case)):
                cases.append(position)
                places.append((*axis.lines, OTHER).index(line))
        if case.counterfactual:
            self._codes += bytes(self._role(option.role) for option in case.counterfactual.options)
        self._ends.append(len(self._codes))

    def _role(self, role: str) -> int:
        if role in self._roles or len(self._roles) < _MAX_ROLES:
            return self._roles.setdefault(role, len(self._roles))
        return self._roles.setdefault(OTHER, len(self._roles))


def _letter(text: str | None) -> int:
    return LETTERS.index(text) if text and len(text) == 1 and text in LETTERS else -1
