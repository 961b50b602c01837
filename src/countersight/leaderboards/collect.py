"""The data of a leaderboard: scored runs in tiers, suite by suite and dataset by dataset."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from countersight import __version__
from countersight.blindness import load_stored, summary
from countersight.dataset import Dataset
from countersight.engine import RunFolder
from countersight.errors import CountersightError
from countersight.figures import Figure
from countersight.reports import LoadedRun, load_runs, refuse_twice
from countersight.scoring import CONFIDENCE, Comparison, Gold, GroupScores, Measure, Outcomes, compare_all, tiers
from countersight.suites import ALL, RUN_MEASURES, TOTAL, PaperTable, Terms, known_suite, papers, tables, terms
from countersight.text import several

RANKED_BY: Final[tuple[Measure, ...]] = ("counterfactual", "factual", "both_right")
"""A board is ranked by the first of these measures that it has; counterfactual accuracy matters most."""


class LeaderboardRow(msgspec.Struct, frozen=True, kw_only=True):
    """A run on one line of a suite's tables."""

    model: str
    named: str
    """The full name of the run's model; `model` may be a shorter label."""
    prompt: str
    answering: str
    """Whether answers were written (generate) or options ranked (rank)."""
    n: int
    """The number of cases on the board's line."""
    version: str
    """The version of Countersight that ran the model."""
    started: str
    standing: str
    """Problems of the run: unfinished, cut, unread."""
    run: str
    """The folder of the run."""
    scores: Mapping[str, Figure]
    unread_rate: float | None
    """The share of the run's replies to these cases without a readable answer."""
    failed: int
    """The number of questions about these cases without a reply; they are not scored."""
    tier: int | None = None
    """The tier by the ranking measure: differences within a tier are not significant."""


class RankedRuns(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of one dataset from best to worst."""

    title: str
    dataset: str
    fingerprint: str
    entries: tuple[LeaderboardRow, ...]


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a suite's tables: all cases, one group, or the total of the groups."""

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
    """The number of runs measured here; a board includes only runs with a figure for its line."""
    papers: tuple[PaperTable, ...] = ()
    """The tables of papers with figures that a run of the suite has too."""
    blind: tuple[str, ...] = ()
    """The accuracy without the pictures, one sentence for each dataset where it was measured."""

    @property
    def datasets(self) -> int:
        """The number of datasets of the runs."""
        return len({pool.fingerprint for board in self.boards for pool in board.pools})


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """A leaderboard: the boards of every suite that has runs."""

    suites: tuple[SuiteBoards, ...]
    runs: int
    confidence: float
    version: str
    unscored: tuple[str, ...] = ()
    """Runs without scores, which are on no board, each with its progress."""


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
    runs = []
    for folder in map(RunFolder.open, paths):
        runs += load_runs([folder], dataset=moved.get(folder.manifest.dataset.fingerprint), gold=corrected)
    suites: dict[str, list[LoadedRun]] = {}
    for run in runs:
        suites.setdefault(run.divided.suite or f"dataset {run.judged.dataset.fingerprint}", []).append(run)
    return Leaderboard(
        suites=tuple(_suite(found) for found in suites.values()),
        runs=len(runs),
        confidence=CONFIDENCE,
        version=__version__,
        unscored=tuple(
            f"{run.label}: {run.progress}"
            for run in runs
            if run.overall.unread == run.overall.scored  # no reply could be read
        ),
    )


_Runs = Mapping[str, Sequence[LoadedRun]]
"""The runs of each dataset, by its fingerprint."""
_Compared = Mapping[frozenset[str], Mapping[str, Comparison]]
"""The comparisons of two runs, named by their folders, by group."""


def _suite(runs: Sequence[LoadedRun]) -> SuiteBoards:
    suite = runs[0].divided.suite
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
        title=(known and known.title) or runs[0].judged.dataset.name,
        boards=tuple(board for board in boards if board.pools),
        runs=len(runs),
        papers=tuple(each for paper in papers() for each in tables(paper) if each.suite == suite and each.measured),
        blind=tuple(map(summary, blind)),
    )


def _compared(runs: _Runs) -> _Compared:
    """Compare every two runs of a dataset case by case, with Holm's correction for multiple comparisons."""
    outcomes: list[dict[str, Outcomes]] = [{_folder(run): run.outcomes for run in each} for each in runs.values()]
    pairs = [pair for of_dataset in outcomes for pair in compare_all(of_dataset)]
    return {frozenset((pair.first, pair.second)): {row.group: row for row in pair.rows} for pair in pairs}


def _folder(run: LoadedRun) -> str:
    return str(run.judged.run.path)


def _lines(runs: Sequence[LoadedRun], terms: Terms) -> list[str]:
    """Return the lines of all runs: the total, all cases, then the groups, first those of the paper in its order."""
    found = dict.fromkeys(row.group for run in runs for row in run.groups)
    known = [line for line in (ALL, *terms.groups) if line in found]
    total = [TOTAL] if any(run.total for run in runs) else []
    return [*total, *known, *(line for line in found if line not in known)]


def _board(line: str, runs: _Runs, terms: Terms, compared: _Compared) -> Board:
    rows = {fingerprint: list(_rows(line, each, terms)) for fingerprint, each in runs.items()}
    present = {key for found in rows.values() for _, entry in found for key in entry.scores}
    ranked_by = next((key for key in RANKED_BY if key in present), RANKED_BY[0])
    titles = {TOTAL: "Total of all groups", ALL: "All cases"}
    return Board(
        line=line,
        title=titles.get(line) or f"{terms.group}: {terms.groups.get(line, line)}",
        ranked_by=ranked_by,
        measures={key: words for key, words in terms.measures.items() if key in present},
        pools=tuple(_ranked(found, ranked_by, line, compared) for found in rows.values() if found),
    )


def _rows(line: str, runs: Sequence[LoadedRun], terms: Terms) -> Iterator[tuple[LoadedRun, LeaderboardRow]]:
    """Yield the row of each run that has scores on a line."""
    for run in runs:
        row = next((each for each in run.groups if each.group == (ALL if line == TOTAL else line)), None)
        scores = _scores(run, row, line, terms) if row else {}
        if row and scores:
            yield (
                run,
                LeaderboardRow(
                    model=run.label,
                    named=run.model,
                    prompt=run.prompt,
                    answering=run.answering,
                    n=row.n,
                    version=run.version,
                    started=run.started,
                    standing=run.progress,
                    run=run.judged.run.path.resolve().name,
                    scores=scores,
                    unread_rate=row.unread_rate,
                    failed=row.failed,
                ),
            )


def _scores(run: LoadedRun, row: GroupScores, line: str, terms: Terms) -> dict[str, Figure]:
    found = run.total if line == TOTAL else {key: row.figure(key) for key in RUN_MEASURES}
    return {key: each for key, each in found.items() if key in terms.measures and each and each.value is not None}


def _ranked(
    found: Sequence[tuple[LoadedRun, LeaderboardRow]], measure: Measure, line: str, compared: _Compared
) -> RankedRuns:
    """Return the rows of a dataset from best to worst, with their tiers; rows without a score come last."""
    first = found[0][0]
    dataset, fingerprint = first.judged.dataset.name, first.judged.dataset.fingerprint
    scored = [(run, entry, entry.scores[measure].value or 0.0) for run, entry in found if measure in entry.scores]

    def is_better(above: int, below: int) -> bool:
        rows = compared[frozenset(_folder(scored[place][0]) for place in (above, below))]
        row = rows.get(ALL if line == TOTAL else line)
        difference = row and getattr(row, measure)
        return bool(difference and difference.p < 0.05 and scored[above][2] > scored[below][2])

    numbers = tiers([value for _, _, value in scored], is_better)
    tiered = [msgspec.structs.replace(entry, tier=tier) for (_, entry, _), tier in zip(scored, numbers, strict=True)]
    tiered.sort(key=lambda entry: -(entry.scores[measure].value or 0.0))
    return RankedRuns(
        title=f"Measured on {dataset}, {several(first.overall.n, 'case')}, fingerprint {fingerprint[:12]}",
        dataset=dataset,
        fingerprint=fingerprint,
        entries=(*tiered, *(entry for _, entry in found if measure not in entry.scores)),
    )
