"""Divisions of the cases of a suite by criteria other than the group: kind of change, rung, form of the answer.

A case may count on several lines of a division. Divisions need only a few bytes for each case.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import LETTERS, VARIANTS, Case
from countersight.figures import Figure
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
        """Iterate over the rows that have cases, each with a mask of `count` cases."""
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


class DividedCases(msgspec.Struct, frozen=True, eq=False):
    """The divisions of the cases of a dataset along the axes of their suite."""

    suite: str = ""
    """The suite of the cases; empty if they have none or several."""
    divisions: tuple[Division, ...] = ()
    """Empty if the cases are of several suites."""
    has_roles: bool = False
    """Whether options have roles."""


def divide(cases: Iterable[Case], axes_of: Callable[[str], tuple[Axis, ...]]) -> DividedCases:
    """Divide cases along the axes of their suite."""
    suite, has_roles = "", False
    axes: tuple[Axis, ...] = ()
    found: list[tuple[array[int], bytearray]] = []
    for position, case in enumerate(cases):
        if position == 0:
            suite, axes = case.suite, axes_of(case.suite)
            found = [(array("i"), bytearray()) for _ in axes]
        elif case.suite != suite:
            return DividedCases()
        for axis, (positions, places) in zip(axes, found, strict=True):
            for line in dict.fromkeys(line if line in axis.lines else OTHER for line in axis.of(case)):
                positions.append(position)
                places.append((*axis.lines, OTHER).index(line))
        has_roles = has_roles or any(_roles(case))
    divisions = (
        Division(axis.name, (*axis.lines, OTHER), np.array(positions, dtype=np.int32), np.array(places, dtype=np.uint8))
        for axis, (positions, places) in zip(axes, found, strict=True)
    )
    return DividedCases(suite, tuple(divisions), has_roles)


def role_shares(cases: Iterable[Case], outcomes: Outcomes) -> tuple[RoleShare, ...]:
    """Return how often options of each role (CELLO: right, image, graph, text) were chosen.

    A role counts once per question, however many of its options have it.
    """
    chosen, offered = Counter[str](), Counter[str]()
    scored = outcomes.scored("counterfactual")
    answers = outcomes.answers[:, VARIANTS.index("counterfactual")]
    for position, case in enumerate(cases):
        if not scored[position]:
            continue
        roles = [role if not role or role in offered or len(offered) < _MAX_ROLES else OTHER for role in _roles(case)]
        offered.update(list(dict.fromkeys(filter(None, roles))))
        letter = outcomes.answer_texts[answers[position]]
        chosen.update(role for place, role in zip(LETTERS, roles, strict=False) if role and place == letter)
    return tuple(RoleShare(role, share(chosen[role], n)) for role, n in offered.items())


def _roles(case: Case) -> list[str]:
    """Return the roles of the options of the question under a change."""
    return [option.role for option in case.counterfactual.options] if case.counterfactual else []
