"""Scores of audits as words and as cells of tables: numbers from 0 to 1 with three digits, as the paper prints them."""

from countersight.audits.clusters import Mean
from countersight.audits.paired import Difference
from countersight.audits.scores import MEASURES, Trio
from countersight.html import NOTHING, Cell, Line, count, name, p_value
from countersight.text import several

CALLED = {"pcs": "PCS", "ncc": "NCC", "ccs": "CCS"}


def number(value: float | None) -> str:
    """A score, or a dash where there is none; a real minus before a difference below zero."""
    if value is None:
        return "–"
    text = f"{value:.3f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def interval(mean: Mean) -> str:
    """The ends of the 95% interval."""
    return f"{number(mean.low)} to {number(mean.high)}"


def mean_cell(mean: Mean, expected: int | None = None) -> Cell:
    """A score with its interval; how many tests it rests on is said where that is not what the line says."""
    if mean.value is None:
        return NOTHING
    details = [interval(mean)]
    if expected is not None and mean.concepts != expected:
        details.append(f"n = {count(mean.concepts)}")
    return Cell(number(mean.value), tuple(details))


def difference_cell(difference: Difference) -> Cell:
    """A difference with its interval, its p and the cases it rests on."""
    ends = f"{number(difference.low)} to {number(difference.high)}"
    return Cell(number(difference.value), (ends, p_value(difference.p), several(difference.cases, "case")))


def trio_line(called: Cell | str, trio: Trio, *, total: bool = False) -> Line:
    """A line of a table: what it is of, the tests, cases and pictures it rests on, and the three scores."""
    widest = max((getattr(trio, measure) for measure in MEASURES), key=lambda mean: mean.concepts)
    counts = (Cell(count(each)) for each in (widest.concepts, widest.cases, widest.pictures))
    cells = (mean_cell(getattr(trio, measure), widest.concepts) for measure in MEASURES)
    return Line((Cell(name(called)) if isinstance(called, str) else called, *counts, *cells), total=total)


HEAD = ("tests", "cases", "pictures", *CALLED.values())
"""The heads of what `trio_line` writes behind the name of the line."""
