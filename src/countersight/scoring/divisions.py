"""Divisions of the cases of a suite by criteria other than the group: kind of change, rung, form of the answer.

A case may count on several lines of a division. Divisions need only a few bytes for each case.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import Case

OTHER = "other"
"""The name of the line for values that an axis does not list."""


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


class DividedCases(msgspec.Struct, frozen=True, eq=False):
    """The divisions of the cases of a dataset along the axes of their suite."""

    suite: str = ""
    """The suite of the cases; empty if they have none or several."""
    divisions: tuple[Division, ...] = ()
    """Empty if the cases are of several suites."""


def divide(cases: Iterable[Case], axes_of: Callable[[str], tuple[Axis, ...]]) -> DividedCases:
    """Divide cases along the axes of their suite."""
    suite = ""
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
    divisions = (
        Division(axis.name, (*axis.lines, OTHER), np.array(positions, dtype=np.int32), np.array(places, dtype=np.uint8))
        for axis, (positions, places) in zip(axes, found, strict=True)
    )
    return DividedCases(suite, tuple(divisions))
