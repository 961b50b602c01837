"""Write a leaderboard: a page, and its rows as CSV, each completely or not at all."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict

from countersight.figures import Figure
from countersight.files import refuse_foreign_folder, write_text
from countersight.html import Grid, TableCell, csv_text, document, figure_cell, name, table_line
from countersight.leaderboards.collect import Board, Leaderboard, LeaderboardRow, RankedRuns, collect
from countersight.number_formats import count, percent
from countersight.reports import paper_table
from countersight.scoring import NOTABLE_UNREAD_DIFFERENCE
from countersight.suites import RUN_MEASURES, TOTAL


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
    *("suite", "line", "ranked_by", "tier", "model", "prompt", "answering"),
    *("dataset", "fingerprint", "n", "unread_rate", "failed", "standing", "version", "started"),
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
                    known |= {"suite": suite.suite or suite.title, "model": entry.named}
                    scores = [entry.scores.get(key) for key in RUN_MEASURES]
                    yield [*(known[key] for key in _COLUMNS), *(part for score in scores for part in _parts(score))]


def _parts(score: Figure | None) -> tuple[float | None, ...]:
    """Return the values of a measure's columns."""
    if score is None:
        return (None,) * len(_PARTS)
    bounds = (score.bounds.low, score.bounds.high) if score.bounds else (None, None)
    return score.value, score.low, score.high, score.n, score.if_right, *bounds


def render(board: Leaderboard) -> str:
    """Return the leaderboard as an HTML page."""
    level = percent(board.confidence, 0)
    return document(
        __package__,
        "page.html",
        title="Leaderboard – Countersight",
        style="page.css",
        script="sorting.js page.js",
        board=board,
        reported=sum(len(each.systems) for suite in board.suites for each in suite.papers),
        grids=lambda each: [pool_grid(pool, each, level) for pool in each.pools],
        paper_table=paper_table,
        level=level,
        cited=dict.fromkeys(each.citation for suite in board.suites for each in suite.papers),
    )


def pool_grid(pool: RankedRuns, board: Board, level: str) -> Grid:
    """Return the table of the runs of a dataset, with the measure that ranks them first."""
    measures = [board.ranked_by, *(key for key in board.measures if key != board.ranked_by)]
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
            _model_cell(entry),
            entry.tier,
            *(figure_cell(entry.scores.get(key), entry.n) for key in measures),
            None if entry.unread_rate is None else percent(entry.unread_rate),
            _cases_cell(entry),
        )
        for entry in pool.entries
    )
    head = ("model", "tier", *(board.measures[key] for key in measures), "unread", "n")
    return Grid(name(f"{board.title}. {pool.title}"), head, tuple(lines), note, main=2)


def _model_cell(entry: LeaderboardRow) -> TableCell:
    prompt = name(entry.prompt) + ", options ranked" * (entry.answering == "rank")
    full_name = entry.named if entry.named != entry.model else ""
    facts = [full_name, entry.standing, entry.started[:10], f"Countersight {entry.version}", entry.run]
    return TableCell(name(entry.model), (prompt,), folded=tuple(name(fact) for fact in facts if fact))


def _cases_cell(entry: LeaderboardRow) -> TableCell:
    """Return the number of cases; if some were not answered, the number behind the figures and the total."""
    counts = {score.n for score in entry.scores.values()}
    failed = (f"{count(entry.failed)} failed",) * bool(entry.failed)
    answered = f"{count(min(counts))} of " if len(counts) == 1 and counts != {entry.n} else ""
    return TableCell(f"{answered}{count(entry.n)}", failed)
