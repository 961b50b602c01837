"""The results reported in papers: their tables as data, one file per paper, each cell as printed.

A table is named by its paper and its number, as in `cfmm-2`. All of these figures were reported by others; we measured
none of them.
"""

import re
import tomllib
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from countersight.errors import ReferenceTableError
from countersight.suggestions import unknown
from countersight.suites.registry import suites

ALL = "all"
"""The value of `TablePlace.line` for all cases."""
TOTAL = "total"
"""The value of `TablePlace.line` for the sum of the other lines (CFMM's totals)."""

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
    """One of `RUN_MEASURES`, or another name for the figure; empty if Countersight has no such measure."""
    negated: bool = False
    """Whether the paper prints the figure with the opposite sign."""


class System(msgspec.Struct, frozen=True):
    """A paper's results for one model: a cell, or None, for each place of the table."""

    names: tuple[str, ...]
    """The model, and what else distinguishes the row: a prompt, a kind, an editor."""
    cells: tuple[Printed | None, ...]
    n: int | None

    @property
    def name(self) -> str:
        """The model and what else distinguishes the row, in one line."""
        return ", ".join(self.names)


class PaperTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a paper, as stored in `reference.toml`."""

    number: int
    what: str
    suite: str
    unit: Unit
    labels: tuple[str, ...]
    """The headings of the first columns, which name a row."""
    places: tuple[TablePlace, ...] = msgspec.field(name="columns")
    """The other columns."""
    printed: tuple[tuple[str, ...], ...] = msgspec.field(name="rows")
    """The texts of the rows. If the paper has a row for each group of a single model, these rows are combined here."""
    note: str = ""
    n: int | None = None
    row_n: dict[str, int] = {}
    """The number of cases of a row, if it is not `n`."""
    sizes: dict[str, int] = {}
    """The number of cases in each group, if the paper gives it."""
    asked: dict[str, str] = {}
    """Our prompts that match the paper's, with the paper's names; empty if the paper does not describe its prompt."""
    answering: str = ""
    """How the paper obtained answers: generate or rank; empty if the paper does not say."""
    key: str = ""
    """The table's name: the paper and the number, as in `cfmm-2`."""
    paper: str = ""
    citation: str = ""

    @property
    def systems(self) -> tuple[System, ...]:
        """The rows of the table."""
        width = len(self.labels)
        return tuple(
            System(row[:width], tuple(map(_cell, row[width:])), self.row_n.get(row[0], self.n)) for row in self.printed
        )

    @property
    def source(self) -> str:
        """The paper and the number of the table, as shown to readers."""
        return f"{self.paper}, Table {self.number}"

    @property
    def measured(self) -> bool:
        """Whether a run of the suite has figures to compare with the table."""
        return any(place.measure in RUN_MEASURES for place in self.places)

    def cell(self, row: str, column: str) -> Printed | None:
        """Return a cell by the name of its row (its first label, or all of them) and the heading of its column."""
        systems = {system.names[0]: system for system in self.systems} | {each.name: each for each in self.systems}
        columns = [place.name for place in self.places]
        if row not in systems:
            raise ReferenceTableError(unknown(f"row of {self.source}", row, systems))
        if column not in columns:
            raise ReferenceTableError(unknown(f"column of {self.source}", column, columns))
        return systems[row].cells[columns.index(column)]


class _Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    paper: str
    title: str
    authors: str
    tables: list[PaperTable]


_EDCT: Final = {"edct": "countersight.audits"}
"""The only paper that does not belong to a suite."""


@cache
def papers() -> dict[str, str]:
    """Return the papers with tables, and the package of each: those named by suites, and EDCT's."""
    homes = (suite.tables for suite in suites().values() if suite.tables)
    return {home.rpartition(".")[2]: home for home in homes} | _EDCT


@cache
def tables(paper: str) -> tuple[PaperTable, ...]:
    """Return all available tables of a paper, in the order of the paper."""
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
    (found,) = _named(name)
    return found


def comparable_tables(suite: str, names: tuple[str, ...] = ()) -> tuple[PaperTable, ...]:
    """Return the tables to compare with runs of a suite: all with a common figure, or the named ones.

    A name refers to a table or to a whole paper.
    """
    measured = [each for paper in papers() for each in tables(paper) if each.measured]
    fitting = {each.key: each for each in measured if each.suite == suite}
    if not fitting:
        reported = ", ".join(sorted({each.suite for each in measured}))
        raise ReferenceTableError(
            f"there are no published results for {suite or 'this dataset'}; there are tables for {reported}"
        )
    chosen: dict[str, PaperTable] = {}
    for name in names:
        comparable = {each.key: each for each in _named(name) if each.key in fitting}
        if not comparable:
            raise ReferenceTableError(
                f"{name} has no results that can be compared with a run of {suite}; choose one of {', '.join(fitting)}"
            )
        chosen |= comparable
    return tuple((chosen if names else fitting).values())


def _named(name: str) -> tuple[PaperTable, ...]:
    """Return the table with a name, or all tables of a paper."""
    if name in papers():
        return tables(name)
    every = {each.key: each for paper in papers() for each in tables(paper)}
    if name not in every:
        raise ReferenceTableError(unknown("reported table", name, [*papers(), *every]))
    return (every[name],)


def _cell(text: str) -> Printed | None:
    number = _PRINTED.fullmatch(text)
    if number is None:  # "-": the paper has no figure
        return None
    value, spread = number.groups()
    return Printed(text, Decimal(value), Decimal(spread) if spread else None)
