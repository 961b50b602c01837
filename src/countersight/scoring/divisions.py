"""Divisions of the cases of a suite by criteria other than the group: kind of change, rung, form of the answer.

A case may belong to several categories of a division; each category is a line of a table.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence

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


Divisions = dict[str, dict[str, NDArray[np.bool_]]]
"""For each axis, the cases of each category that has any, in the order of the axis."""


def divide(cases: Iterable[Case], axes: Sequence[Axis]) -> Divisions:
    """Divide the cases of one suite along its axes."""
    if not axes:
        return {}
    found: list[dict[str, array[int]]] = [{line: array("i") for line in (*axis.lines, OTHER)} for axis in axes]
    count = 0
    for position, case in enumerate(cases):
        for axis, lines in zip(axes, found, strict=True):
            for line in {line if line in axis.lines else OTHER for line in axis.of(case)}:
                lines[line].append(position)
        count = position + 1
    rows = np.arange(count)
    return {
        axis.name: {line: np.isin(rows, cases) for line, cases in lines.items() if cases}
        for axis, lines in zip(axes, found, strict=True)
    }
