"""The results reported in papers: their tables as data, one file per paper, each cell as printed.

A table is named by its paper and its number, as in `cfmm-2`. All of these figures were reported by others; we measured
none of them.
"""

import re
import tomllib
from decimal import Decimal
from functools import cache, cached_property
from importlib.resources import files
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from countersight.errors import ReferenceTableError
from countersight.suites.registry import suites
from countersight.text import unknown

ALL = "all"
"""The line of all cases, in `TablePlace.line`."""
TOTAL = "total"
"""The line with the sum of the others (CFMM's totals), in `TablePlace.line`."""

RUN_MEASURES = ("factual", "counterfactual", "drop", "both_right")
"""The measures of runs; figures of an audit (EDCT) have other names."""

_PRINTED = re.compile(r"([+-]?\d+(?:\.\d+)?)(?: ± (\d+(?:\.\d+)?))?")

Unit = Literal["per cent", "score", "words"]


class Printed(msgspec.Struct, frozen=True):
    """A table cell: the printed text, its numeric value, and the half-width of its interval if the paper gives one."""

    text: str
    value: Decimal
    spread: Decimal | None = None


class TablePlace(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The place of a paper's figure among the scores of a run: a measure on a line of a table."""

    name: str
    """The heading of the column."""
    axis: str = ""
    """The axis along which the line divides the cases; empty for groups."""
    line: str = msgspec.field(default=ALL, name="group")
    measure: str = ""
    """One of `RUN_MEASURES`, or another name for the figure; empty if we have no counterpart."""
    negated: bool = False
    """Whether the paper prints it with the opposite sign."""


class System(msgspec.Struct, frozen=True):
    """A paper's results for one model: a cell, or None, for each place of the table."""

    names: tuple[str, ...]
    """The model, then what else distinguishes it: its prompt, its kind, its editor."""
    cells: tuple[Printed | None, ...]
    n: int | None

    @property
    def name(self) -> str:
        """The model and what distinguishes it, in one line."""
        return ", ".join(self.names)


class PaperTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """A table of a paper, as stored in `reference.toml` and as compared with runs."""

    number: int
    what: str
    suite: str
    unit: Unit
    labels: tuple[str, ...]
    heads: tuple[TablePlace, ...] = msgspec.field(name="columns")
    printed: tuple[tuple[str, ...], ...] = msgspec.field(name="rows")
    note: str = ""
    n: int | None = None
    row_n: dict[str, int] = {}
    """The number of cases of a row, if it is not `n`."""
    sizes: dict[str, int] = {}
    """The number of cases of a line, if the paper gives it."""
    of: str = ""
    """The model of all rows, if a row is a line of the table (a group) and not a model."""
    axis: str = ""
    asked: dict[str, str] = {}
    """Our prompts that match the paper's, with the paper's names; empty if the paper does not describe its prompt."""
    answering: str = ""
    """How the paper obtained answers: generate or rank; empty if the paper does not say."""
    lines: tuple[str, ...] = ()
    """With `of`: the names of the rows in a run."""
    key: str = ""
    """The table's name: the paper and the number, as in `cfmm-2`."""
    paper: str = ""
    citation: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The headings of the columns."""
        return tuple(head.name for head in self.heads)

    @cached_property
    def rows(self) -> tuple[tuple[tuple[str, ...], tuple[Printed | None, ...]], ...]:
        """The labels and the cells of each row."""
        width = len(self.labels)
        rows = tuple((row[:width], tuple(map(_printed, row[width:]))) for row in self.printed)
        if any(len(row) != width + len(self.heads) for row in self.printed):
            raise ValueError(f"{self.key}: a row does not have a cell for every column")
        return rows

    @cached_property
    def places(self) -> tuple[TablePlace, ...]:
        """The place of each cell of a system among the scores of a run."""
        heads = [replace(head, axis=self.axis) for head in self.heads]
        if not self.of:
            return tuple(heads)
        return tuple(
            replace(head, name=f"{labels[0]}, {head.name}" if len(heads) > 1 else labels[0], line=line)
            for (labels, _), line in zip(self.rows, self.lines, strict=True)
            for head in heads
        )

    @cached_property
    def systems(self) -> tuple[System, ...]:
        """The cells with one row per model, even if the paper has a row for each group of one model."""
        if self.of:
            return (System((self.of,), tuple(cell for _, cells in self.rows for cell in cells), self.n),)
        return tuple(System(labels, cells, self.row_n.get(labels[0], self.n)) for labels, cells in self.rows)

    @property
    def source(self) -> str:
        """The paper and the number of the table, as shown to readers."""
        return f"{self.paper}, Table {self.number}"

    @property
    def measured(self) -> bool:
        """Whether a run of the suite has comparable figures."""
        return any(place.measure in RUN_MEASURES for place in self.places)

    def cell(self, row: str, column: str) -> Printed | None:
        """Return a cell by the first label of its row (or all of them, separated by commas) and its column heading."""
        if column not in self.columns:
            raise ReferenceTableError(unknown(f"column of {self.source}", column, self.columns))
        for labels, cells in self.rows:
            if row in (labels[0], ", ".join(labels)):
                return cells[self.columns.index(column)]
        raise ReferenceTableError(unknown(f"row of {self.source}", row, [", ".join(labels) for labels, _ in self.rows]))


class _Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    paper: str
    title: str
    authors: str
    tables: list[PaperTable]


_EDCT: Final = {"edct": "countersight.audits"}
"""The paper that does not belong to a suite."""


@cache
def papers() -> dict[str, str]:
    """Return the papers with tables, and the package of each: those named by suites, and EDCT's."""
    homes = (suite.tables for suite in suites().values() if suite.tables)
    return {home.rpartition(".")[2]: home for home in homes} | _EDCT


@cache
def tables(paper: str) -> tuple[PaperTable, ...]:
    """Return all available tables of a paper, in its order."""
    if paper not in papers():
        raise ReferenceTableError(unknown("paper", paper, papers()))
    text = (files(papers()[paper]) / "reference.toml").read_text(encoding="utf-8")
    read = msgspec.convert(tomllib.loads(text), _Paper)
    citation = f"{read.authors}, {read.title}"
    return tuple(
        replace(table, key=f"{paper}-{table.number}", paper=read.paper, citation=citation) for table in read.tables
    )


def table(name: str) -> PaperTable:
    """Return a table by its name, as in `cfmm-2`."""
    all_tables = {each.key: each for paper in papers() for each in tables(paper)}
    if name not in all_tables:
        raise ReferenceTableError(unknown("reported table", name, all_tables))
    return all_tables[name]


def comparable_tables(suite: str, names: tuple[str, ...] = ()) -> tuple[PaperTable, ...]:
    """Return the tables to compare with runs of a suite: all with a common figure, or the named ones.

    A name refers to a table or to a whole paper.
    """
    everything = [each for paper in papers() for each in tables(paper)]
    fitting = [each for each in everything if each.suite == suite and each.measured]
    if not fitting:
        reported = sorted({each.suite for each in everything if each.measured})
        dataset_name = suite or "this dataset"
        raise ReferenceTableError(
            f"there are no published results for {dataset_name}; there are tables for {', '.join(reported)}"
        )
    chosen: list[PaperTable] = []
    for name in names:
        matching = [each for each in everything if name in (each.key, each.key.partition("-")[0])]
        if not matching:
            raise ReferenceTableError(unknown("reported table", name, [*papers(), *(each.key for each in everything)]))
        comparable = [each for each in matching if each in fitting]
        if not comparable:
            keys = ", ".join(each.key for each in fitting)
            raise ReferenceTableError(
                f"{name} has no results that can be compared with a run of {suite}; choose one of {keys}"
            )
        chosen += [each for each in comparable if each not in chosen]
    return tuple(chosen if names else fitting)


def _printed(text: str) -> Printed | None:
    if text == "-":
        return None
    number = _PRINTED.fullmatch(text)
    if number is None:
        raise ValueError(f"{text!r} is not a valid number of a reference table")
    value, spread = number.groups()
    return Printed(text, Decimal(value), Decimal(spread) if spread else None)
