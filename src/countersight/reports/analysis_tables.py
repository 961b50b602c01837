"""The tables of an analysis as grids of words and as rows of a file."""

from collections.abc import Iterator
from typing import NamedTuple

from countersight.pages import (
    NOTHING,
    Cell,
    Figure,
    Grid,
    Line,
    count,
    figure_cell,
    name,
    number,
    p_value,
    plain_interval,
)
from countersight.reports.data import Analysis, AnalysisTable


def analysis_grids(analysis: Analysis) -> list[Grid]:
    """The tables of an analysis."""
    return [_grid(table) for table in analysis.tables]


def _grid(table: AnalysisTable) -> Grid:
    lines = []
    for line in table.lines:
        cells = [Cell(name(line.name))]
        for measure, cell in zip(table.measures, line.cells, strict=True):
            if isinstance(cell, str):
                cells.append(Cell(name(cell)) if cell else NOTHING)
            else:
                cells.append(_plain(cell, line.n) if measure in table.plain else figure_cell(cell, line.n))
        lines.append(Line(tuple(cells), total=line.total))
    return Grid(name(table.title), tuple(map(name, table.head)), tuple(lines), table.note)


def _plain(figure: Figure, expected_n: int | None) -> Cell:
    if figure.value is None:
        return NOTHING
    details = [plain_interval(figure)]
    if figure.p is not None:
        details.append(p_value(figure.p))
    if figure.n != expected_n:
        details.append(f"n = {count(figure.n)}")
    return Cell(number(figure.value), tuple(details))


class AnalysisRecord(NamedTuple):
    """A figure of an analysis, as a row of a file has it."""

    table: str
    run: str
    minus_run: str
    group: str
    measure: str
    figure: Figure


def analysis_records(analysis: Analysis) -> Iterator[AnalysisRecord]:
    """Every figure of an analysis with what it is of; a table that only gathers figures of others has no measures."""
    for table in analysis.tables:
        for line in table.lines:
            for measure, cell in zip(table.measures, line.cells, strict=True):
                if measure and isinstance(cell, Figure) and cell.value is not None:
                    yield AnalysisRecord(analysis.key, line.run, line.minus_run, line.group, measure, cell)
