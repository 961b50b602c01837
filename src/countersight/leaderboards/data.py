"""The data of a leaderboard as plain values."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from countersight.figures import Figure

Kind = Literal["measured", "reported"]


class ReportedScore(msgspec.Struct, frozen=True):
    """A share, or a sum of shares, from a paper, with its printed form, and its interval if the paper has one."""

    value: float
    printed: str
    low: float | None = None
    high: float | None = None


class LeaderboardRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row: a run measured here, or the result of a model reported in a paper."""

    kind: Kind
    model: str
    named: str = ""
    """The full name of the run's model; `model` may be a shorter label."""
    prompt: str = ""
    answering: str = ""
    """Whether answers were written (generate) or options ranked (rank)."""
    n: int | None
    """The number of cases on the board's line."""
    version: str = ""
    """The version of Countersight that ran the model."""
    started: str = ""
    standing: str = ""
    """Problems of the run: unfinished, cut, unread."""
    run: str = ""
    """The folder of the run."""
    scores: Mapping[str, Figure | ReportedScore]
    unread_rate: float | None = None
    """The share of the run's replies to these cases without a readable answer."""
    failed: int = 0
    """The number of questions about these cases without a reply; they are not scored."""
    tier: int | None = None
    """The tier of a measured run by the ranking measure: differences within a tier are not significant."""
    rank: int | None = None
    """The rank of a paper's row: 1 + the number of rows of its table with a higher score, without a test."""


class ComparableRows(msgspec.Struct, frozen=True, kw_only=True):
    """Comparable rows: runs of one dataset, or rows of one table of a paper."""

    kind: Kind
    title: str
    dataset: str = ""
    fingerprint: str = ""
    source: str = ""
    """The table of the paper, with a description of its content."""
    entries: tuple[LeaderboardRow, ...]


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a suite's tables, such as all cases or one group, with every row that has a figure for it."""

    line: str
    title: str
    ranked_by: str
    measures: dict[str, str]
    """The measures of the board, with the suite's names for them."""
    pools: tuple[ComparableRows, ...]

    @property
    def has_reported(self) -> bool:
        """Whether the board has rows from papers."""
        return any(pool.kind == "reported" for pool in self.pools)


class SuiteBoards(msgspec.Struct, frozen=True):
    """The boards of one suite, or of a dataset whose cases belong to no suite or to several."""

    suite: str
    title: str
    boards: tuple[Board, ...]
    runs: int
    """The number of runs measured here; a board includes only runs with a figure for its line."""
    blind: tuple[str, ...] = ()
    """The accuracy without the pictures, one sentence for each dataset where it was measured."""

    @property
    def datasets(self) -> int:
        """The number of datasets of the runs."""
        return len({pool.fingerprint for board in self.boards for pool in board.pools if pool.fingerprint})


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """A leaderboard: the boards of every suite that has runs."""

    suites: tuple[SuiteBoards, ...]
    runs: int
    confidence: float
    version: str
    unscored: tuple[str, ...] = ()
    """Runs without scores, which are on no board, each with its progress."""
