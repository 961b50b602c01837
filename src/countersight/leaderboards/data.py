"""The data of a leaderboard as plain values."""

from typing import Literal

import msgspec

Kind = Literal["measured", "reported"]


class Score(msgspec.Struct, frozen=True, omit_defaults=True):
    """A share, or a sum of shares, with its interval if there is one, and as printed if from a paper."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    if_unread_right: float | None = None
    """The share if every unread reply were right, if there are any; `value` counts them as wrong."""
    unread_low: float | None = None
    """The smallest and the largest value possible, depending on how the unread replies are counted."""
    unread_high: float | None = None
    printed: str = ""


class LeaderboardRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row: a run measured here, or a paper's result of a model."""

    kind: Kind
    model: str
    named: str = ""
    """The full model name of the run, if it is longer."""
    prompt: str = ""
    answering: str = ""
    """Whether answers were written (generate) or options ranked (rank)."""
    n: int | None
    """The number of cases of the line."""
    version: str = ""
    """The version of Countersight that ran the model."""
    started: str = ""
    standing: str = ""
    """Problems of the run: unfinished, cut, unread."""
    run: str = ""
    """The folder of the run."""
    scores: dict[str, Score]
    unread_rate: float | None = None
    """The share of the run's replies to these cases without a readable answer."""
    failed: int = 0
    """Questions about these cases without a reply, which are not scored."""
    tier: int | None = None
    """The tier of a measured run by the ranking measure: differences within a tier are not established."""
    rank: int | None = None
    """The rank of a paper's row: 1 + the number of rows of its table with a higher score, without a test."""


class ComparableRows(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Comparable rows: runs of one dataset, or rows of one table of a paper."""

    kind: Kind
    title: str
    dataset: str = ""
    fingerprint: str = ""
    source: str = ""
    """The table of the paper, and its content."""
    entries: tuple[LeaderboardRow, ...]


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a suite's tables, such as all cases or one group, with every row that has a figure for it."""

    line: str
    axis: str
    title: str
    ranked_by: str
    measures: dict[str, str]
    """Its figures, and the suite's names of them."""
    pools: tuple[ComparableRows, ...]

    @property
    def has_reported(self) -> bool:
        """Whether it has rows from papers."""
        return any(pool.kind == "reported" for pool in self.pools)

    @property
    def rows(self) -> int:
        """The number of its rows."""
        return sum(len(pool.entries) for pool in self.pools)


class SuiteBoards(msgspec.Struct, frozen=True):
    """The boards of one suite; a dataset of no suite or of several has its own."""

    suite: str
    title: str
    boards: tuple[Board, ...]
    runs: int
    """The number of runs measured here; a board has only those with a figure for its line."""
    blind: tuple[str, ...] = ()
    """The accuracy without the pictures, one sentence for each dataset where it was measured."""

    @property
    def datasets(self) -> int:
        """The number of datasets of the runs."""
        return len({pool.fingerprint for board in self.boards for pool in board.pools if pool.fingerprint})


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """All suites with runs."""

    suites: tuple[SuiteBoards, ...]
    runs: int
    confidence: float
    version: str
    unscored: tuple[str, ...] = ()
    """Runs without scores, each with its progress: they are on no board."""
