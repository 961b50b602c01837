"""Write a leaderboard: a page, and its rows as CSV and JSON, each completely or not at all."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec.structs import asdict

from countersight.files import write_text
from countersight.html import Figure, TableCell, count, csv_safe, document, figure_cell, interval
from countersight.leaderboards.collect import collect
from countersight.leaderboards.data import Leaderboard, LeaderboardRow, ReportedScore
from countersight.scoring import NOTABLE_UNREAD_DIFFERENCE, Interval
from countersight.suites import RUN_MEASURES, papers, tables


class LeaderboardFiles(msgspec.Struct, frozen=True):
    """The paths of a written leaderboard, and its data."""

    html: Path
    csv: Path
    json: Path
    data: Leaderboard

    def __repr__(self) -> str:
        return f"LeaderboardFiles({str(self.html)!r})"


def write_leaderboard(
    runs: Sequence[Path], out: Path, *, datasets: Sequence[Path] = (), gold: Path | None = None
) -> LeaderboardFiles:
    """Write a leaderboard of runs of any suites and datasets, with the papers' results, to the folder `out`.

    `datasets` are the current folders of datasets that were moved; `gold` has corrected answers.
    """
    board = collect(runs, datasets, gold=gold)
    out.mkdir(parents=True, exist_ok=True)
    return LeaderboardFiles(
        html=write_text(out / "leaderboard.html", render(board)),
        csv=write_text(out / "leaderboard.csv", comma_separated(board)),
        json=write_text(out / "leaderboard.json", msgspec.json.format(msgspec.json.encode(board)).decode() + "\n"),
        data=board,
    )


_COLUMNS = (
    *("suite", "axis", "line", "ranked_by", "kind", "tier", "rank", "model", "prompt", "answering"),
    *("dataset", "fingerprint", "source", "n", "unread_rate", "failed", "standing", "version", "started"),
)
_PARTS = ("", "_low", "_high", "_n", "_if_unread_right", "_unread_low", "_unread_high")
"""The suffixes of the columns of each measure."""


def comma_separated(board: Leaderboard) -> str:
    """Return CSV with the rows of every board; shares are from 0 to 1."""
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow([*_COLUMNS, *(f"{key}{part}" for key in RUN_MEASURES for part in _PARTS)])
    for suite in board.suites:
        for each in suite.boards:
            for pool in each.pools:
                for entry in pool.entries:
                    known = asdict(pool) | asdict(each) | asdict(entry)
                    known |= {"suite": suite.suite or suite.title, "model": entry.named or entry.model}
                    scores = [entry.scores.get(key) for key in RUN_MEASURES]
                    figures = (part for score in scores for part in _parts(score))
                    row = (*(known[key] for key in _COLUMNS), *figures)
                    table.writerow([csv_safe(cell) if isinstance(cell, str) else cell for cell in row])
    return file.getvalue()


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
    return document(
        __package__,
        "page.html",
        title="Leaderboard – Countersight",
        style="page.css",
        script="page.js",
        board=board,
        reported=len(reported),
        cited=dict.fromkeys(each.citation for paper in papers() for each in tables(paper) if each.suite in suites),
        unread_apart=NOTABLE_UNREAD_DIFFERENCE,
        place=_place,
        score=_score,
        cases=_cases,
        shown=_shown,
    )


def _shown(value: float | None, words: str, *details: str) -> tuple[float | None, TableCell]:
    """Return a number to sort by, and the cell that shows it."""
    return value, TableCell(words or "–", details)


def _place(entry: LeaderboardRow) -> tuple[int | None, str]:
    if entry.kind == "measured":
        return entry.tier, "" if entry.tier is None else count(entry.tier)
    return entry.rank, "" if entry.rank is None else f"({count(entry.rank)})"


def _cases(entry: LeaderboardRow) -> tuple[float | None, TableCell]:
    """Return the number of cases of a row; if some were not answered, the number behind its figures and the total."""
    counts = {score.n for score in entry.scores.values() if isinstance(score, Figure)}
    failed = (f"{count(entry.failed)} failed",) * bool(entry.failed)
    if len(counts) != 1 or entry.n is None or counts == {entry.n}:
        return _shown(entry.n, "" if entry.n is None else count(entry.n), *failed)
    [n] = counts
    return _shown(n, f"{count(n)} of {count(entry.n)}", *failed)


def _score(entry: LeaderboardRow, key: str) -> tuple[float | None, TableCell]:
    score = entry.scores.get(key)
    if score is None:
        return _shown(None, "")
    if isinstance(score, Figure):
        return score.value, figure_cell(score, entry.n)
    details = [] if score.low is None or score.high is None else [interval(Interval(score.low, score.high))]
    return _shown(score.value, score.printed.replace("-", "−"), *details)
