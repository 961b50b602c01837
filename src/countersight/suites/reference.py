"""What the papers report: their tables as data, one file a paper, each cell as it is printed.

A table is named by its paper and its number, as in `cfmm-2`. What is in here was reported by others; nothing of it was
measured by us.
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
"""The line over all cases, in `TablePlace.line`."""
TOTAL = "total"
"""The line that adds the others up (CFMM's totals), in `TablePlace.line`."""

RUN_MEASURES = ("factual", "counterfactual", "drop", "both_right")
"""What a run is scored for; a figure of an audit (EDCT) has another name."""

_PRINTED = re.compile(r"([+-]?\d+(?:\.\d+)?)(?: ± (\d+(?:\.\d+)?))?")

Unit = Literal["per cent", "score", "words"]


class Printed(msgspec.Struct, frozen=True):
    """A cell: what is printed, the number it is, and the half width of its interval where the paper gives one."""

    text: str
    value: Decimal
    spread: Decimal | None = None

    @property
    def rounding(self) -> Decimal:
        """The largest error from rounding to the printed digits."""
        return Decimal(5).scaleb(int(self.value.as_tuple().exponent) - 1)


class TablePlace(msgspec.Struct, frozen=True):
    """Where a figure of the paper stands among the scores of a run: a measure on a line of a table."""

    name: str
    """The head of the column."""
    axis: str = ""
    """The division of the cases that the line is of; empty for their groups."""
    line: str = ALL
    measure: str = ""
    """One of `RUN_MEASURES`, or what else the figure is; empty where nothing of ours is like it."""
    negated: bool = False
    """Whether the paper prints it with the sign turned around."""


class System(msgspec.Struct, frozen=True):
    """What a paper reports of one model: a cell, or None, for each place of the table."""

    names: tuple[str, ...]
    """The model, then whatever else tells it apart: its prompt, its kind, its editor."""
    cells: tuple[Printed | None, ...]
    n: int | None

    @property
    def name(self) -> str:
        """The model and what tells it apart, in one line."""
        return ", ".join(self.names)


class PrintedColumn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The head of a column, and where its figures stand among the scores of a run."""

    name: str
    group: str = ALL
    measure: str = ""
    negated: bool = False


class PaperTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """A table of a paper, as it is printed in its `reference.toml`, and as it can be set beside runs."""

    number: int
    what: str
    suite: str
    unit: Unit
    labels: tuple[str, ...]
    heads: tuple[PrintedColumn, ...] = msgspec.field(name="columns")
    printed: tuple[tuple[str, ...], ...] = msgspec.field(name="rows")
    note: str = ""
    n: int | None = None
    row_n: dict[str, int] = {}
    """How many cases a row is of, where it is not `n`."""
    sizes: dict[str, int] = {}
    """How many cases a line is of, where the paper says so."""
    of: str = ""
    """The model all rows are of, where a row is a line of the table (a group) and not a model."""
    axis: str = ""
    asked: dict[str, str] = {}
    """Our prompts that ask as the paper does, and what it calls each way; empty where it does not say."""
    answering: str = ""
    """How the paper got answers: generate or rank; empty where it does not say."""
    lines: tuple[str, ...] = ()
    """With `of`: what the rows are called in a run."""
    key: str = ""
    """Its name here: the paper and the number, as in `cfmm-2`."""
    paper: str = ""
    citation: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The heads of the columns."""
        return tuple(head.name for head in self.heads)

    @cached_property
    def rows(self) -> tuple[tuple[tuple[str, ...], tuple[Printed | None, ...]], ...]:
        """For each row what stands in the columns of `labels`, then the cells."""
        width = len(self.labels)
        rows = tuple((row[:width], tuple(map(_printed, row[width:]))) for row in self.printed)
        for labels, cells in rows:
            if len(labels) != width or len(cells) != len(self.heads):
                raise ValueError(f"{self.key}: {labels} does not have a cell for every column")
        return rows

    @cached_property
    def places(self) -> tuple[TablePlace, ...]:
        """Where each cell of a system stands among the scores of a run."""
        if not self.of:
            return tuple(
                TablePlace(head.name, self.axis, head.group, head.measure, head.negated) for head in self.heads
            )
        return tuple(
            TablePlace(f"{labels[0]}, {head.name}" if len(self.heads) > 1 else labels[0],
                  self.axis, line, head.measure, head.negated)
            for (labels, _), line in zip(self.rows, self.lines, strict=True)
            for head in self.heads
        )  # fmt: skip

    @cached_property
    def systems(self) -> tuple[System, ...]:
        """The same cells with one row per model, also where the paper has a row for each group of one model."""
        if self.of:
            return (System((self.of,), tuple(cell for _, cells in self.rows for cell in cells), self.n),)
        return tuple(System(labels, cells, self.row_n.get(labels[0], self.n)) for labels, cells in self.rows)

    @property
    def source(self) -> str:
        """The paper and the number of the table, as shown to readers."""
        return f"{self.paper}, Table {self.number}"

    @property
    def measured(self) -> bool:
        """Whether a run of the suite has figures to set beside it."""
        return any(place.measure in RUN_MEASURES for place in self.places)

    def cell(self, row: str, column: str) -> Printed | None:
        """A cell by the first label of its row (or all of them with commas between) and the head of its column."""
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
"""The paper that is no benchmark's."""


@cache
def papers() -> dict[str, str]:
    """The papers whose tables we have, and the package of each: those that suites name, and EDCT's."""
    homes = (suite.tables for suite in suites().values() if suite.tables)
    return {home.rpartition(".")[2]: home for home in homes} | _EDCT


@cache
def tables(paper: str) -> tuple[PaperTable, ...]:
    """All tables of a paper that we have, in its order."""
    if paper not in papers():
        raise ReferenceTableError(unknown("paper", paper, papers()))
    text = (files(papers()[paper]) / "reference.toml").read_text(encoding="utf-8")
    read = msgspec.convert(tomllib.loads(text), _Paper)
    citation = f"{read.authors}, {read.title}"
    return tuple(
        replace(table, key=f"{paper}-{table.number}", paper=read.paper, citation=citation) for table in read.tables
    )


def table(name: str) -> PaperTable:
    """A table by its name, as in `cfmm-2`."""
    known = {each.key: each for paper in papers() for each in tables(paper)}
    if name not in known:
        raise ReferenceTableError(unknown("reported table", name, known))
    return known[name]


def beside(suite: str, names: tuple[str, ...] = ()) -> tuple[PaperTable, ...]:
    """The tables to set beside runs of a suite: all that have a figure in common with them, or those that are named.

    A name is a table's or a paper's.
    """
    everything = [each for paper in papers() for each in tables(paper)]
    fitting = [each for each in everything if each.suite == suite and each.measured]
    if not fitting:
        reported = sorted({each.suite for each in everything if each.measured})
        asked = suite or "this dataset"
        raise ReferenceTableError(
            f"there are no published results for {asked}; there are tables for {', '.join(reported)}"
        )
    chosen: list[PaperTable] = []
    for name in names:
        meant = [each for each in everything if name in (each.key, each.key.partition("-")[0])]
        if not meant:
            raise ReferenceTableError(unknown("reported table", name, [*papers(), *(each.key for each in everything)]))
        found = [each for each in meant if each in fitting]
        if not found:
            keys = ", ".join(each.key for each in fitting)
            raise ReferenceTableError(
                f"{name} has no results that can be compared with a run of {suite}; choose one of {keys}"
            )
        chosen += [each for each in found if each not in chosen]
    return tuple(chosen if names else fitting)


def _printed(text: str) -> Printed | None:
    if text == "-":
        return None
    found = _PRINTED.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a valid number of a reference table")
    value, spread = found.groups()
    return Printed(text, Decimal(value), Decimal(spread) if spread else None)
