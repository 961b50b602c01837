"""Divisions of the cases of a suite by criteria other than the group: kind of change, rung, form of the answer.

A case may belong to several categories of a division; each category is a line of a table.
"""

from array import array
from collections.abc import Callable, Iterable

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import Case

OTHER = "other"
"""The category for values that an axis does not list."""


class Axis(msgspec.Struct, frozen=True):
    """A criterion by which the cases of a suite are divided."""

    name: str
    lines: tuple[str, ...]
    """The categories, in the order of the table."""
    of: Callable[[Case], Iterable[str]]
    """A function that returns the categories of a case; none if its value is unknown."""
    note: str = ""
    """A note for readers on how cases are assigned to categories."""


class DividedCases(msgspec.Struct, frozen=True, eq=False):
    """The divisions of the cases of a dataset along the axes of their suite."""

    suite: str = ""
    """The suite of the cases; empty if there is none or more than one."""
    divisions: dict[str, dict[str, NDArray[np.bool_]]] = {}
    """For each axis, the cases of each non-empty category, in the order of the axis; empty for several suites."""


def divide(cases: Iterable[Case], axes_of: Callable[[str], tuple[Axis, ...]]) -> DividedCases:
    """Divide cases along the axes of their suite."""
    suite = ""
    axes: tuple[Axis, ...] = ()
    found: list[dict[str, array[int]]] = []
    count = 0
    for position, case in enumerate(cases):
        if position == 0:
            suite, axes = case.suite, axes_of(case.suite)
            found = [{line: array("i") for line in (*axis.lines, OTHER)} for axis in axes]
        elif case.suite != suite:
            return DividedCases()
        for axis, lines in zip(axes, found, strict=True):
            for line in {line if line in axis.lines else OTHER for line in axis.of(case)}:
                lines[line].append(position)
        count = position + 1
    rows = np.arange(count)
    named = zip((axis.name for axis in axes), found, strict=True)
    return DividedCases(
        suite, {axis: {line: np.isin(rows, cases) for line, cases in lines.items() if cases} for axis, lines in named}
    )
