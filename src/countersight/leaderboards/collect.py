"""Collect the rows of a leaderboard: scored runs in tiers, and results reported in papers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from countersight import __version__
from countersight.blindness import load_stored, summary
from countersight.dataset import Dataset
from countersight.engine import RunFolder
from countersight.errors import CountersightError
from countersight.figures import Figure
from countersight.leaderboards.data import (
    Board,
    ComparableRows,
    Leaderboard,
    LeaderboardRow,
    ReportedScore,
    SuiteBoards,
)
from countersight.reports import LoadedRun, load_runs, refuse_twice
from countersight.scoring import CONFIDENCE, Comparison, Gold, GroupScores, Measure, Outcomes, compare_all, tiers
from countersight.suites import ALL, RUN_MEASURES, TOTAL, PaperTable, Printed, Terms, known_suite, papers, tables, terms
from countersight.text import several

RANKED_BY: Final[tuple[Measure, ...]] = ("counterfactual", "factual", "both_right")
"""A board is ranked by the first of these measures that it has; counterfactual accuracy matters most."""
_MODEL_COLUMNS = ("model", "code model", "group", "scene change type", "number of scene change types")
"""The columns of papers' tables whose cells are not appended to the model name in the first column."""


_ScoredLine = tuple[GroupScores, Mapping[str, Figure]]
"""The scores of a run's cases on a line, and its figures by measure."""
_Compared = Mapping[frozenset[str], Mapping[str, Comparison]]
"""The comparisons of two runs, named by their folders, by group."""


def _lines_of(run: LoadedRun) -> dict[str, _ScoredLine]:
    """Return every line for which a run has figures: its groups, all cases, and the total if the suite has one."""
    found: dict[str, _ScoredLine] = {TOTAL: (run.overall, run.total)} if run.total else {}
    for row in run.groups:
        found[row.group] = row, {key: figure for key in RUN_MEASURES if (figure := row.figure(key))}
    return found


def collect(paths: Sequence[Path], datasets: Sequence[Path], *, gold: Path | None = None) -> Leaderboard:
    """Score runs of any datasets and combine them with the papers' results, suite by suite.

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


def _suite(runs: Sequence[LoadedRun]) -> SuiteBoards:
    suite = runs[0].divided.suite
    suite_terms = terms(suite, {world: None for run in runs for world in run.worlds})
    reported = [table for paper in papers() for table in tables(paper) if table.suite == suite and table.measured]
    scored = [(run, _lines_of(run)) for run in runs]
    compared = _compared(runs)
    boards = [_board(line, scored, reported, suite_terms, compared) for line in _lines(scored, reported, suite_terms)]
    known = known_suite(suite)
    title = (known and known.title) or runs[0].judged.dataset.name
    unseen = {run.judged.dataset.fingerprint: measured for run in runs if (measured := load_stored(run.judged.dataset))}
    blind_sentences = tuple(summary(one) for one in unseen.values())
    return SuiteBoards(suite, title, tuple(board for board in boards if board.pools), len(runs), blind_sentences)


_Scored = Sequence[tuple[LoadedRun, Mapping[str, _ScoredLine]]]


def _lines(scored: _Scored, reported: Sequence[PaperTable], terms: Terms) -> list[str]:
    """Return the lines of all rows: the total, all cases, then the groups, first those of the paper in its order."""
    printed = [place.line for table in reported for place in table.places if place.measure and not place.axis]
    found = dict.fromkeys([*(line for _, lines in scored for line in lines), *printed])
    known = [line for line in (TOTAL, ALL, *terms.groups) if line in found]
    return [*known, *(line for line in found if line not in known)]


def _board(line: str, scored: _Scored, reported: Sequence[PaperTable], terms: Terms, compared: _Compared) -> Board:
    measured = [each for each in _measured_pools(line, scored, terms) if each[0].entries]
    printed = list(_reported_pools(line, reported, terms))
    pools = [*(pool for pool, _ in measured), *printed]
    present = {key for pool in pools for entry in pool.entries for key in entry.scores}
    ranked_by = next((key for key in RANKED_BY if key in present), RANKED_BY[0])
    titles = {TOTAL: "Total of all groups", ALL: "All cases"}
    return Board(
        line=line,
        title=titles.get(line) or f"{terms.group}: {terms.groups.get(line, line)}",
        ranked_by=ranked_by,
        measures={key: words for key, words in terms.measures.items() if key in present},
        pools=(
            *(_tiered(pool, found, ranked_by, line, compared) for pool, found in measured),
            *(_ranked(pool, ranked_by) for pool in printed),
        ),
    )


def _measured_pools(line: str, scored: _Scored, terms: Terms) -> Iterator[tuple[ComparableRows, list[LoadedRun]]]:
    """Yield the rows of each dataset with their runs."""
    by_dataset: dict[str, list[tuple[LeaderboardRow, LoadedRun]]] = {}
    for run, lines in scored:
        if line in lines:
            entry = _measured_row(run, lines[line], terms)
            if entry.scores:
                by_dataset.setdefault(run.judged.dataset.fingerprint, []).append((entry, run))
    for fingerprint, found in by_dataset.items():
        first = found[0][1]
        dataset, cases = first.judged.dataset.name, several(first.overall.n, "case")
        pool = ComparableRows(
            kind="measured",
            title=f"Measured on {dataset}, {cases}, fingerprint {fingerprint[:12]}",
            dataset=dataset,
            fingerprint=fingerprint,
            entries=tuple(entry for entry, _ in found),
        )
        yield pool, [run for _, run in found]


def _measured_row(run: LoadedRun, line: _ScoredLine, terms: Terms) -> LeaderboardRow:
    row, figures = line
    return LeaderboardRow(
        kind="measured",
        model=run.label,
        named=run.model,
        prompt=run.prompt,
        answering=run.answering,
        n=row.n,
        version=run.version,
        started=run.started,
        standing=run.progress,
        run=run.judged.run.path.resolve().name,
        scores={key: each for key, each in figures.items() if key in terms.measures and each.value is not None},
        unread_rate=row.unread_rate,
        failed=row.failed,
    )


def _reported_pools(line: str, reported: Iterable[PaperTable], terms: Terms) -> Iterator[ComparableRows]:
    for table in reported:
        entries = []
        for system in table.systems:
            scores = {
                place.measure: _printed(cell, table, negated=place.negated)
                for place, cell in zip(table.places, system.cells, strict=True)
                if (place.axis, place.line) == ("", line) and cell and place.measure in terms.measures
            }
            said = dict(zip(table.labels, system.names, strict=False))
            model = [
                system.names[0],
                *(text for label, text in said.items() if label not in (*_MODEL_COLUMNS, "prompt")),
            ]
            n = table.sizes.get(line, system.n if line in (ALL, TOTAL) else None)
            prompt = said.get("prompt", "")
            if scores:
                entries.append(
                    LeaderboardRow(kind="reported", model=", ".join(model), prompt=prompt, n=n, scores=scores)
                )
        if entries:
            title, source = f"Reported in {table.source}: {table.what}", f"{table.source} ({table.citation})"
            yield ComparableRows(kind="reported", title=title, source=source, entries=tuple(entries))


def _printed(cell: Printed, table: PaperTable, *, negated: bool) -> ReportedScore:
    whole = 100 if table.unit == "per cent" else 1
    value = (-cell.value if negated else cell.value) / whole
    # A drop of zero has no sign: a minus would look like a gain.
    printed = f"{-cell.value:f}" if negated and cell.value else cell.text.lstrip("+-") if negated else cell.text
    spread = None if cell.spread is None else cell.spread / whole
    low, high = (None, None) if spread is None else (float(value - spread), float(value + spread))
    return ReportedScore(float(value), printed, low, high)


def _compared(runs: Sequence[LoadedRun]) -> _Compared:
    """Compare every two runs of the same dataset case by case, with Holm's correction for multiple comparisons."""
    datasets: dict[str, dict[str, Outcomes]] = {}
    for run in runs:
        datasets.setdefault(run.judged.dataset.fingerprint, {})[_folder(run)] = run.outcomes
    pairs = [pair for outcomes in datasets.values() for pair in compare_all(outcomes)]
    return {frozenset((pair.first, pair.second)): {row.group: row for row in pair.rows} for pair in pairs}


def _folder(run: LoadedRun) -> str:
    return str(run.judged.run.path)


def _tiered(
    pool: ComparableRows, runs: Sequence[LoadedRun], measure: Measure, line: str, compared: _Compared
) -> ComparableRows:
    """Return the rows of a dataset from best to worst, with their tiers; rows without a score come last."""
    scored = [place for place, entry in enumerate(pool.entries) if measure in entry.scores]
    values = [pool.entries[place].scores[measure].value or 0.0 for place in scored]

    def is_better(above: int, below: int) -> bool:
        rows = compared[frozenset(_folder(runs[scored[place]]) for place in (above, below))]
        row = rows.get(ALL if line == TOTAL else line)
        found = row and getattr(row, measure)
        return bool(found and found.p < 0.05 and values[above] > values[below])

    tier = dict(zip(scored, tiers(values, is_better), strict=True))
    entries = [msgspec.structs.replace(entry, tier=tier.get(place)) for place, entry in enumerate(pool.entries)]
    entries.sort(key=lambda entry: -(entry.scores[measure].value or 0.0) if measure in entry.scores else 1.0)
    return msgspec.structs.replace(pool, entries=tuple(entries))


def _ranked(pool: ComparableRows, ranked_by: str) -> ComparableRows:
    """Return the rows of a paper from best to worst, with their ranks; rows without a score come last."""
    scores = [entry.scores[ranked_by].value or 0.0 for entry in pool.entries if ranked_by in entry.scores]
    ranked = [
        msgspec.structs.replace(entry, rank=1 + sum(score > (entry.scores[ranked_by].value or 0.0) for score in scores))
        if ranked_by in entry.scores
        else entry
        for entry in pool.entries
    ]
    ranked.sort(key=lambda entry: entry.rank or len(ranked) + 1)
    return msgspec.structs.replace(pool, entries=tuple(ranked))
