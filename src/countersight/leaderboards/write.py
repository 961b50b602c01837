"""Write a leaderboard: a page, and its rows as CSV and JSON, each completely or not at all."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec.structs import asdict

from countersight.files import write_text
from countersight.html import guarded
from countersight.leaderboards.collect import collect
from countersight.leaderboards.data import Leaderboard, LeaderboardRow
from countersight.leaderboards.page import render
from countersight.suites import RUN_MEASURES


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
    """Write a leaderboard of runs, of any suites and datasets, with the papers' results; in `out`.

    `datasets` are folders where datasets are now, if they were moved; `gold` has answers corrected since.
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
    *("dataset", "fingerprint", "source", "n", "unread_rate", "standing", "version", "started"),
)
_PARTS = ("", "_low", "_high", "_n", "_if_unread_right")


def comma_separated(board: Leaderboard) -> str:
    """Return CSV with a row for each row of each board: shares from 0 to 1."""
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow([*_COLUMNS, *(f"{key}{part}" for key in RUN_MEASURES for part in _PARTS)])
    for suite in board.suites:
        for each in suite.boards:
            for pool in each.pools:
                for entry in pool.entries:
                    known = asdict(pool) | asdict(each) | asdict(entry)
                    known |= {"suite": suite.suite or suite.title, "model": entry.named or entry.model}
                    figures = (value for key in RUN_MEASURES for value in _figures(entry, key))
                    row = (*(known[key] for key in _COLUMNS), *figures)
                    table.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in row])
    return file.getvalue()


def _figures(entry: LeaderboardRow, key: str) -> tuple[float | None, ...]:
    """A score, its interval, n, and what it would be if every unread reply were right."""
    score = entry.scores.get(key)
    return (score.value, score.low, score.high, score.n, score.if_unread_right) if score else (None,) * len(_PARTS)
