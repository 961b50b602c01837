"""Leaderboards: runs in tiers, suite by suite and dataset by dataset, as a page and as CSV."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from countersight import __version__
from countersight.blindness import load_stored, summary
from countersight.dataset import Dataset
from countersight.errors import CountersightError
from countersight.figures import Figure
from countersight.files import refuse_foreign_folder, write_text
from countersight.html import Grid, TableCell, csv_text, document, figure_cell, name, table_line
from countersight.number_formats import count, percent
from countersight.reports import (
    DamagedRun,
    LoadedRun,
    listing_damage,
    load_runs,
    open_runs,
    paper_table,
    refuse_twice,
    short_name,
)
from countersight.scoring import (
    CONFIDENCE,
    NOTABLE_UNREAD_DIFFERENCE,
    Comparison,
    Gold,
    GroupScores,
    Measure,
    Outcomes,
    compare_all,
    tiers,
)
from countersight.suites import ALL, RUN_MEASURES, TOTAL, PaperTable, Terms, known_suite, papers, tables, terms
from countersight.text import several

RANKED_BY: Final[tuple[Measure, ...]] = ("counterfactual", "factual", "both_right")
"""A board is ranked by the first of these measures that it has; counterfactual accuracy matters most."""


class LeaderboardRow(msgspec.Struct, frozen=True, eq=False):
    """The row of a run on a board."""

    run: LoadedRun
    group: GroupScores
    """The scores of the run on the cases of the board; on all cases if the board ranks totals."""
    scores: Mapping[str, Figure]
    """The figures shown, by measure."""
    tier: int | None = None
    """The tier by the ranking measure: differences within a tier are not significant."""


class RankedRuns(msgspec.Struct, frozen=True):
    """The runs of one dataset from best to worst."""

    dataset: Dataset
    entries: tuple[LeaderboardRow, ...]

    @property
    def title(self) -> str:
        """The dataset with its number of cases and its fingerprint."""
        cases = several(self.entries[0].run.overall.n, "case")
        return f"Measured on {self.dataset.name}, {cases}, fingerprint {self.dataset.fingerprint[:12]}"


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """A ranking of runs on all cases, on one group, or by the total of the groups."""

    line: str
    title: str
    ranked_by: Measure
    measures: dict[str, str]
    """The measures of the board, with the suite's names for them."""
    pools: tuple[RankedRuns, ...]


class SuiteBoards(msgspec.Struct, frozen=True):
    """The boards of one suite, or of a dataset whose cases belong to no suite or to several."""

    suite: str
    title: str
    boards: tuple[Board, ...]
    runs: int
    """The number of runs listed here; a board includes only runs with a figure for its line."""
    papers: tuple[PaperTable, ...] = ()
    """The papers' tables that have at least one figure in common with a run of the suite."""
    blind: tuple[str, ...] = ()
    """The accuracy without the pictures, one sentence for each dataset where it was measured."""

    @property
    def datasets(self) -> int:
        """The number of datasets of the runs."""
        return len({pool.dataset.fingerprint for board in self.boards for pool in board.pools})


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """A leaderboard: the boards of every suite that has runs."""

    suites: tuple[SuiteBoards, ...]
    runs: int
    """The number of listed runs."""
    unscored: tuple[str, ...] = ()
    """Runs without scores, which are on no board, each with its progress."""
    damaged: tuple[tuple[str, str], ...] = ()
    """The paths of runs that cannot be read, each with the reason."""


def collect(paths: Sequence[Path], datasets: Sequence[Path], *, gold: Path | None = None) -> Leaderboard:
    """Score runs of any datasets and rank those of each dataset, suite by suite.

    `datasets` are the current folders of datasets that were moved; they are matched with runs by fingerprint.
    `gold` has corrected answers.
    """
    if not paths:
        raise CountersightError("a leaderboard needs at least one run")
    refuse_twice(paths)
    moved = {Dataset.open(path).fingerprint: path for path in datasets}
    corrected = Gold.open(gold) if gold else None
    runs: list[LoadedRun] = []
    damaged: list[DamagedRun] = []
    for folder in open_runs(paths, damaged):
        place = moved.get(folder.manifest.dataset.fingerprint)
        with listing_damage(folder.path, damaged):
            runs += load_runs([folder], [], dataset=place, gold=corrected)
    if not runs:
        raise damaged[0].error
    suites: dict[str, list[LoadedRun]] = {}
    for run in runs:
        suites.setdefault(run.judged.suite or f"dataset {run.judged.dataset.fingerprint}", []).append(run)
    unscored = [run for run in runs if _is_unscored(run)]
    return Leaderboard(
        suites=tuple(_suite(found) for found in suites.values()),
        runs=len(runs) - len(unscored),
        unscored=tuple(f"{short_name(run.model)} on {run.judged.dataset.name}: {run.progress}" for run in unscored),
        damaged=tuple((str(each.path), str(each.error)) for each in damaged),
    )


def _is_unscored(run: LoadedRun) -> bool:
    """Whether no reply of a run could be read."""
    return run.overall.unread == run.overall.scored


_Runs = Mapping[str, Sequence[LoadedRun]]
"""The runs of each dataset, by its fingerprint."""
_Compared = Mapping[frozenset[str], Mapping[str, Comparison]]
"""The comparisons of each pair of runs (identified by their folders), by group."""


def _suite(runs: Sequence[LoadedRun]) -> SuiteBoards:
    suite = runs[0].judged.suite
    suite_terms = terms(suite, {world: None for run in runs for world in run.worlds})
    by_dataset: dict[str, list[LoadedRun]] = {}
    for run in runs:
        by_dataset.setdefault(run.judged.dataset.fingerprint, []).append(run)
    compared = _compared(by_dataset)
    boards = (_board(line, by_dataset, suite_terms, compared) for line in _lines(runs, suite_terms))
    known = known_suite(suite)
    blind = [measured for each in by_dataset.values() if (measured := load_stored(each[0].judged.dataset))]
    return SuiteBoards(
        suite,
        title=(known and known.heading) or runs[0].judged.dataset.name,
        boards=tuple(board for board in boards if board.pools),
        runs=sum(not _is_unscored(run) for run in runs),
        papers=tuple(each for paper in papers() for each in tables(paper) if each.suite == suite and each.measured),
        blind=tuple(map(summary, blind)),
    )


def _compared(runs: _Runs) -> _Compared:
    """Compare each pair of runs of a dataset case by case, with Holm's correction for multiple comparisons."""
    outcomes: list[dict[str, Outcomes]] = [{_folder(run): run.outcomes for run in each} for each in runs.values()]
    pairs = [pair for of_dataset in outcomes for pair in compare_all(of_dataset)]
    return {frozenset((pair.first, pair.second)): {row.group: row for row in pair.rows} for pair in pairs}


def _folder(run: LoadedRun) -> str:
    return str(run.judged.run.path)


def _lines(runs: Sequence[LoadedRun], terms: Terms) -> list[str]:
    """Return the lines of all runs: the total, all cases, then the groups, first those of the paper in its order."""
    found = dict.fromkeys(row.group for run in runs for row in run.rows)
    known = [line for line in (ALL, *terms.groups) if line in found]
    total = [TOTAL] if any(run.total for run in runs) else []
    return [*total, *known, *(line for line in found if line not in known)]


def _board(line: str, runs: _Runs, terms: Terms, compared: _Compared) -> Board:
    rows = {fingerprint: list(_rows(line, each, terms)) for fingerprint, each in runs.items()}
    present = {key for found in rows.values() for entry in found for key in entry.scores}
    ranked_by = next((key for key in RANKED_BY if key in present), RANKED_BY[0])
    titles = {TOTAL: "Total of all groups", ALL: "All cases"}
    return Board(
        line=line,
        title=titles.get(line) or f"{terms.group}: {terms.groups.get(line, line)}",
        ranked_by=ranked_by,
        measures={key: words for key, words in terms.measures.items() if key in present},
        pools=tuple(_ranked(found, ranked_by, line, compared) for found in rows.values() if found),
    )


def _rows(line: str, runs: Sequence[LoadedRun], terms: Terms) -> Iterator[LeaderboardRow]:
    """Yield the row of each run that has scores on a line."""
    for run in runs:
        row = next((each for each in run.rows if each.group == (ALL if line == TOTAL else line)), None)
        if row:
            found = run.total if line == TOTAL else {key: row.figure(key) for key in RUN_MEASURES}
            known = {key: each for key, each in found.items() if key in terms.measures and each}
            if scores := {key: each for key, each in known.items() if each.value is not None}:
                yield LeaderboardRow(run, row, scores)


def _ranked(found: Sequence[LeaderboardRow], measure: Measure, line: str, compared: _Compared) -> RankedRuns:
    """Return the rows of a dataset from best to worst, with their tiers; rows without a score come last."""
    scored = [entry for entry in found if measure in entry.scores]
    values = [entry.scores[measure].value or 0.0 for entry in scored]

    def is_better(above: int, below: int) -> bool:
        rows = compared[frozenset(_folder(scored[place].run) for place in (above, below))]
        row = rows.get(ALL if line == TOTAL else line)
        difference = row and getattr(row, measure)
        return bool(difference and difference.p < 0.05 and values[above] > values[below])

    numbers = tiers(values, is_better)
    tiered = [msgspec.structs.replace(entry, tier=tier) for entry, tier in zip(scored, numbers, strict=True)]
    tiered.sort(key=lambda entry: -(entry.scores[measure].value or 0.0))
    unscored = (entry for entry in found if measure not in entry.scores)
    return RankedRuns(found[0].run.judged.dataset, (*tiered, *unscored))


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


def _csv_rows(board: Leaderboard) -> Iterator[list[str | float | None]]:
    for suite in board.suites:
        for each in suite.boards:
            for pool in each.pools:
                for entry in pool.entries:
                    run, group = entry.run, entry.group
                    yield [
                        *(suite.suite or suite.title, each.line, each.ranked_by, entry.tier),
                        *(run.model, run.prompt, run.answering, pool.dataset.name, pool.dataset.fingerprint),
                        *(group.n, group.unread_rate, group.failed, run.progress, run.version, run.started),
                        *(part for key in RUN_MEASURES for part in _parts(entry.scores.get(key))),
                    ]


def _parts(score: Figure | None) -> tuple[float | None, ...]:
    """Return the values of a measure's columns."""
    if score is None:
        return (None,) * len(_PARTS)
    bounds = (score.bounds.low, score.bounds.high) if score.bounds else (None, None)
    return score.value, score.low, score.high, score.n, score.if_right, *bounds


def render(board: Leaderboard) -> str:
    """Return the leaderboard as an HTML page."""
    level = percent(CONFIDENCE, 0)
    return document(
        __package__,
        "page.html",
        title="Leaderboard – Countersight",
        style="page.css",
        script="sorting.js page.js",
        board=board,
        version=__version__,
        reported=sum(len(each.systems) for suite in board.suites for each in suite.papers),
        grids=lambda each: [pool_grid(pool, each, level) for pool in each.pools],
        paper_table=paper_table,
        level=level,
        cited=dict.fromkeys(each.citation for suite in board.suites for each in suite.papers),
    )


def pool_grid(pool: RankedRuns, board: Board, level: str) -> Grid:
    """Return the table of the runs of a dataset; its first figure is the measure that ranks the runs."""
    measures = [board.ranked_by, *(key for key in board.measures if key != board.ranked_by)]
    what = "Sums of the groups' shares in per cent" if board.line == TOTAL else "Shares in per cent"
    note = f"{what} with {level}% intervals. Tiers by {board.measures[board.ranked_by]}."
    rates = [rate for entry in pool.entries if (rate := entry.group.unread_rate) is not None]
    if rates and max(rates) - min(rates) > NOTABLE_UNREAD_DIFFERENCE:
        note += (
            f" Between {percent(min(rates))}% and {percent(max(rates))}% of the replies are unread and do not count "
            f"as right. Some differences may be due to the wording of replies or to models that decline."
        )
    lines = (
        table_line(
            _model_cell(entry),
            entry.tier,
            *(figure_cell(entry.scores.get(key), entry.group.n) for key in measures),
            None if entry.group.unread_rate is None else percent(entry.group.unread_rate),
            _cases_cell(entry),
        )
        for entry in pool.entries
    )
    head = ("model", "tier", *(board.measures[key] for key in measures), "unread", "n")
    return Grid(name(f"{board.title}. {pool.title}"), head, tuple(lines), note, main=2)


def _model_cell(entry: LeaderboardRow) -> TableCell:
    run = entry.run
    prompt = name(run.prompt) + ", options ranked" * (run.answering == "rank")
    called = short_name(run.model)
    full_name = run.model if run.model != called else ""
    folder = run.judged.run.path.resolve().name
    facts = [full_name, run.progress, run.started[:10], f"Countersight {run.version}", folder]
    return TableCell(name(called), (prompt,), folded=tuple(name(fact) for fact in facts if fact))


def _cases_cell(entry: LeaderboardRow) -> TableCell:
    """Return the number of cases; if some were not answered, the number behind the figures and the total."""
    counts, n, failures = {score.n for score in entry.scores.values()}, entry.group.n, entry.group.failed
    failed = (f"{count(failures)} failed",) * bool(failures)
    answered = f"{count(min(counts))} of " if len(counts) == 1 and counts != {n} else ""
    return TableCell(f"{answered}{count(n)}", failed)
