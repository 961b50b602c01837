"""Write a leaderboard: a page, and its rows as CSV, each completely or not at all."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict

from countersight.figures import Figure
from countersight.files import refuse_foreign_folder, write_text
from countersight.html import NOTHING, Grid, TableCell, csv_text, document, figure_cell, name, table_line
from countersight.leaderboards.collect import collect
from countersight.leaderboards.data import Board, ComparableRows, Leaderboard, LeaderboardRow, ReportedScore
from countersight.number_formats import count, interval, percent
from countersight.scoring import NOTABLE_UNREAD_DIFFERENCE, Interval
from countersight.suites import RUN_MEASURES, TOTAL, papers, tables


class LeaderboardFiles(msgspec.Struct, frozen=True):
    """The paths of a written leaderboard, and its data."""

    html: Path
    csv: Path
    data: Leaderboard

    def __repr__(self) -> str:
        return f"LeaderboardFiles({str(self.html)!r})"


def write_leaderboard(
    runs: Sequence[Path], out: Path, *, datasets: Sequence[Path] = (), gold: Path | None = None
) -> LeaderboardFiles:
    """Write a leaderboard of runs of any suites and datasets, with the papers' results, to the folder `out`.

    `datasets` are the current folders of datasets that were moved; `gold` has corrected answers.
    """
    refuse_foreign_folder(out, "leaderboard.html")
    board = collect(runs, datasets, gold=gold)
    out.mkdir(parents=True, exist_ok=True)
    return LeaderboardFiles(
        html=write_text(out / "leaderboard.html", render(board)),
        csv=write_text(out / "leaderboard.csv", comma_separated(board)),
        data=board,
    )


_COLUMNS = (
    *("suite", "line", "ranked_by", "kind", "tier", "rank", "model", "prompt", "answering"),
    *("dataset", "fingerprint", "source", "n", "unread_rate", "failed", "standing", "version", "started"),
)
_PARTS = ("", "_low", "_high", "_n", "_if_unread_right", "_unread_low", "_unread_high")
"""The suffixes of the columns of each measure."""


def comma_separated(board: Leaderboard) -> str:
    """Return CSV with the rows of every board; shares are from 0 to 1."""
    columns = (*_COLUMNS, *(f"{key}{part}" for key in RUN_MEASURES for part in _PARTS))
    return csv_text(columns, _csv_rows(board))


def _csv_rows(board: Leaderboard) -> Iterator[list[Any]]:
    for suite in board.suites:
        for each in suite.boards:
            for pool in each.pools:
                for entry in pool.entries:
                    known = asdict(pool) | asdict(each) | asdict(entry)
                    known |= {"suite": suite.suite or suite.title, "model": entry.named or entry.model}
                    scores = [entry.scores.get(key) for key in RUN_MEASURES]
                    yield [*(known[key] for key in _COLUMNS), *(part for score in scores for part in _parts(score))]


def _parts(score: Figure | ReportedScore | None) -> tuple[float | None, ...]:
    """Return the values of a measure's columns."""
    if isinstance(score, Figure):
        bounds = (score.bounds.low, score.bounds.high) if score.bounds else (None, None)
        return score.value, score.low, score.high, score.n, score.if_right, *bounds
    return (score.value, score.low, score.high, *[None] * 4) if score else (None,) * len(_PARTS)


def render(board: Leaderboard) -> str:
    """Return the leaderboard as an HTML page."""
    suites = {suite.suite for suite in board.suites}
    reported = {
        (suite.suite, pool.title, entry.model, entry.prompt)
        for suite in board.suites
        for each in suite.boards
        for pool in each.pools
        if pool.kind == "reported"
        for entry in pool.entries
    }
    level = percent(board.confidence, 0)
    return document(
        __package__,
        "page.html",
        title="Leaderboard – Countersight",
        style="page.css",
        script="sorting.js page.js",
        board=board,
        reported=len(reported),
        grids=lambda each: [pool_grid(pool, each, level) for pool in each.pools],
        level=level,
        cited=dict.fromkeys(each.citation for paper in papers() for each in tables(paper) if each.suite in suites),
    )


def pool_grid(pool: ComparableRows, board: Board, level: str) -> Grid:
    """Return the table of comparable rows, with the measure that ranks them first."""
    measures = [board.ranked_by, *(key for key in board.measures if key != board.ranked_by)]
    place = "tier" if pool.kind == "measured" else "rank"
    what = "The groups' shares in per cent, added up," if board.line == TOTAL else "Shares in per cent"
    note = f"{what} with their {level}% interval. Tiers by {board.measures[board.ranked_by]}."
    rates = [entry.unread_rate for entry in pool.entries if entry.unread_rate is not None]
    if rates and max(rates) - min(rates) > NOTABLE_UNREAD_DIFFERENCE:
        note += (
            f" Between {percent(min(rates))}% and {percent(max(rates))}% of the replies are unread, which counts as "
            "not right: some differences may be due to the wording of replies or to models that decline."
        )
    lines = (
        table_line(
            _model_cell(entry, pool),
            getattr(entry, place),
            *(_score_cell(entry.scores.get(key), entry.n) for key in measures),
            None if entry.unread_rate is None else percent(entry.unread_rate),
            _cases_cell(entry),
            reported=entry.kind == "reported",
        )
        for entry in pool.entries
    )
    head = ("model", place, *(board.measures[key] for key in measures), "unread", "n")
    return Grid(
        name(f"{board.title}. {pool.title}"), head, tuple(lines), note if pool.kind == "measured" else "", main=2
    )


def _model_cell(entry: LeaderboardRow, pool: ComparableRows) -> TableCell:
    prompt = name(entry.prompt) + ", options ranked" * (entry.answering == "rank")
    if entry.kind == "reported":
        facts = [pool.source]
    else:
        full_name = entry.named if entry.named != entry.model else ""
        facts = [full_name, entry.standing, entry.started[:10], f"Countersight {entry.version}", entry.run]
    return TableCell(name(entry.model), (prompt,) if prompt else (), folded=tuple(name(fact) for fact in facts if fact))


def _cases_cell(entry: LeaderboardRow) -> TableCell:
    """Return the number of cases; if some were not answered, the number behind the figures and the total."""
    counts = {score.n for score in entry.scores.values() if isinstance(score, Figure)}
    failed = (f"{count(entry.failed)} failed",) * bool(entry.failed)
    if entry.n is None:
        return NOTHING
    answered = f"{count(min(counts))} of " if len(counts) == 1 and counts != {entry.n} else ""
    return TableCell(f"{answered}{count(entry.n)}", failed)


def _score_cell(score: Figure | ReportedScore | None, n: int | None) -> TableCell:
    if not isinstance(score, ReportedScore):
        return figure_cell(score, n)
    details = () if score.low is None or score.high is None else (interval(Interval(score.low, score.high)),)
    return TableCell(score.printed.replace("-", "−"), details)
