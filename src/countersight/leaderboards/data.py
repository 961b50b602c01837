"""What a leaderboard shows: plain values."""

from typing import Literal

import msgspec

Kind = Literal["measured", "reported"]


class Score(msgspec.Struct, frozen=True, omit_defaults=True):
    """A share, or a sum of shares; with its interval where there is one, and as a paper prints it where one does."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    if_unread_right: float | None = None
    """The share if every unread reply were right, where there are any; `value` is the share if all were wrong."""
    printed: str = ""


class LeaderboardRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row: a run that was measured here, or what a paper reports of a model."""

    kind: Kind
    model: str
    named: str = ""
    """The model as the run names it, where that is longer."""
    prompt: str = ""
    answering: str = ""
    """Whether answers were written (generate) or options ranked (rank)."""
    n: int | None
    """Cases of the line."""
    version: str = ""
    """Of Countersight, when it asked."""
    started: str = ""
    standing: str = ""
    """What is amiss with the run: unfinished, cut, unread."""
    run: str = ""
    """The folder of the run."""
    scores: dict[str, Score]
    unread_rate: float | None = None
    """The share of the run's replies to these cases in which no answer was found."""
    tier: int | None = None
    """Of a run that was measured, by the measure that the board ranks by: within a tier nothing is known to differ."""
    rank: int | None = None
    """Of a row of a paper: 1 + the number of rows of its table with a higher score. Nothing tests that order."""


class ComparableRows(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Comparable rows: runs of one dataset, or rows of one table of a paper."""

    kind: Kind
    title: str
    dataset: str = ""
    fingerprint: str = ""
    source: str = ""
    """The table of the paper, and what it shows."""
    entries: tuple[LeaderboardRow, ...]


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a suite's tables, such as all cases or one group: every row that has a figure for it."""

    line: str
    axis: str
    title: str
    ranked_by: str
    measures: dict[str, str]
    """The figures it shows, and what the suite calls them."""
    pools: tuple[ComparableRows, ...]

    @property
    def has_reported(self) -> bool:
        """Whether rows of papers stand on it."""
        return any(pool.kind == "reported" for pool in self.pools)

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return sum(len(pool.entries) for pool in self.pools)


class SuiteBoards(msgspec.Struct, frozen=True):
    """The boards of one suite; a dataset of no suite or of several stands alone."""

    suite: str
    title: str
    boards: tuple[Board, ...]
    runs: int
    """How many were measured here; a board has only those with a figure for its line."""
    blind: tuple[str, ...] = ()
    """What is answered without the pictures, a sentence for each dataset where it was measured."""

    @property
    def datasets(self) -> int:
        """How many datasets they were measured on."""
        return len({pool.fingerprint for board in self.boards for pool in board.pools if pool.fingerprint})


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """All suites that any run was asked."""

    suites: tuple[SuiteBoards, ...]
    runs: int
    confidence: float
    version: str
    unscored: tuple[str, ...] = ()
    """Runs that gave nothing to score, each with how far it came: they stand on no board."""
