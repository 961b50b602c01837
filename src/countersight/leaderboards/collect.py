"""Collect the rows of a leaderboard: scored runs in tiers, and results reported in papers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight import __version__
from countersight.blindness import load_stored, summary
from countersight.case import World
from countersight.dataset import Dataset
from countersight.engine import RunFolder
from countersight.errors import CountersightError
from countersight.html import Measured
from countersight.leaderboards.data import Board, ComparableRows, Leaderboard, LeaderboardRow, Score, SuiteBoards
from countersight.reports import AnalysedRun, RunScores, as_run, judge_runs, labels, refuse_twice
from countersight.scoring import CONFIDENCE, CaseDivider, Gold, GroupScores, Measure, Outcomes, compare_on, holm, tiers
from countersight.suites import ALL, RUN_MEASURES, TOTAL, PaperTable, Printed, Terms, known_suite, papers, tables, terms
from countersight.text import several

BoardLine = tuple[str, str]
"""An axis of a suite (empty for groups) and the name of one of its lines."""
RANKED_BY: Final[tuple[Measure, ...]] = ("counterfactual", "factual", "both_right")
"""A board is ranked by the first of these measures that it has; counterfactual accuracy matters most."""
_MODEL_COLUMNS = ("model", "code model", "group", "scene change type", "number of scene change types")
"""The columns of papers' tables whose cells are not appended to the model name in the first column."""


_ScoredLine = tuple[GroupScores, Mapping[str, Measured]]
"""The scores of a run's cases on a line, and its figures by measure."""


class _ScoredRun(msgspec.Struct, frozen=True, eq=False):
    path: Path
    scores: RunScores
    worlds: tuple[World, ...]
    dataset: Dataset
    outcomes: Outcomes
    divider: CaseDivider

    @property
    def suite(self) -> str:
        """The suite of the run's cases; if there is none or several, a name for the dataset."""
        return self.divider.suite or f"dataset {self.dataset.fingerprint}"

    def lines(self) -> dict[BoardLine, _ScoredLine]:
        """Return every line for which the run has figures."""
        found: dict[BoardLine, _ScoredLine] = {}
        if self.scores.total:
            found["", TOTAL] = self.scores.overall, self.scores.total
        rows = [("", row) for row in self.scores.groups]
        rows += [(division.name, row) for division in self.scores.divisions for row in division.lines]
        for axis, row in rows:
            found[axis, row.group] = row, {key: figure for key in RUN_MEASURES if (figure := row.figure(key))}
        return found

    def cases(self, line: BoardLine) -> NDArray[np.bool_]:
        """Return a mask of the cases that count on a line; all cases count on a total."""
        axis, name = line
        count, names = len(self.outcomes), self.outcomes.group_names
        if axis:
            divisions = (division for division in self.divider.divisions() if division.name == axis)
            masks = {words: mask for division in divisions for words, mask in division.masks(count)}
            return masks.get(name, np.zeros(count, dtype=np.bool_))
        if name in (ALL, TOTAL):
            return np.ones(count, dtype=np.bool_)
        return np.equal(self.outcomes.groups, names.index(name) if name in names else -1)


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
    runs = [_scored(RunFolder.open(path), moved, corrected) for path in paths]
    suites: dict[str, list[_ScoredRun]] = {}
    for run in runs:
        suites.setdefault(run.suite, []).append(run)
    return Leaderboard(
        suites=tuple(_suite(found) for found in suites.values()),
        runs=len(runs),
        confidence=CONFIDENCE,
        version=__version__,
        unscored=tuple(
            f"{run.scores.label}: {run.scores.progress}"
            for run in runs
            if run.scores.overall.unread == run.scores.overall.scored  # no reply could be read
        ),
    )


def _scored(run: RunFolder, moved: dict[str, Path], gold: Gold | None) -> _ScoredRun:
    found = judge_runs([run], dataset=moved.get(run.manifest.dataset.fingerprint), gold=gold)
    [judged] = found.judged
    scores = as_run(AnalysedRun(labels([run])[0], judged, judged.scores()), found)
    return _ScoredRun(run.path, scores, found.worlds, judged.dataset, judged.outcomes, found.divider)


def _suite(runs: Sequence[_ScoredRun]) -> SuiteBoards:
    suite = runs[0].divider.suite
    suite_terms = terms(suite, {world: None for run in runs for world in run.worlds})
    reported = [table for paper in papers() for table in tables(paper) if table.suite == suite and table.measured]
    scored = [(run, run.lines()) for run in runs]
    boards = [_board(line, scored, reported, suite_terms) for line in _lines(scored, reported, suite_terms)]
    known = known_suite(suite)
    title = (known and known.title) or runs[0].dataset.name
    unseen = {run.dataset.fingerprint: measured for run in runs if (measured := load_stored(run.dataset))}
    blind_sentences = tuple(summary(one) for one in unseen.values())
    return SuiteBoards(suite, title, tuple(board for board in boards if board.pools), len(runs), blind_sentences)


_Scored = Sequence[tuple[_ScoredRun, Mapping[BoardLine, _ScoredLine]]]


def _lines(scored: _Scored, reported: Sequence[PaperTable], terms: Terms) -> list[BoardLine]:
    """Return the lines of all rows: the total, all cases, the groups in the paper's order, then other divisions."""
    printed = [(place.axis, place.line) for table in reported for place in table.places if place.measure]
    known: list[BoardLine] = [("", TOTAL), ("", ALL), *(("", group) for group in terms.groups)]
    known += [(axis.name, line) for axis in terms.axes for line in axis.lines]
    found = dict.fromkeys([*(line for _, lines in scored for line in lines), *printed])
    return [*(line for line in known if line in found), *(line for line in found if line not in known)]


def _board(line: BoardLine, scored: _Scored, reported: Sequence[PaperTable], terms: Terms) -> Board:
    measured = [each for each in _measured_pools(line, scored, terms) if each[0].entries]
    printed = list(_reported_pools(line, reported, terms))
    pools = [*(pool for pool, _ in measured), *printed]
    present = {key for pool in pools for entry in pool.entries for key in entry.scores}
    ranked_by = next((key for key in RANKED_BY if key in present), RANKED_BY[0])
    axis, name = line
    titles = {TOTAL: "Total of all groups", ALL: "All cases"}
    return Board(
        line=name,
        axis=axis,
        title=f"{axis}: {name}" if axis else titles.get(name) or f"{terms.group}: {terms.groups.get(name, name)}",
        ranked_by=ranked_by,
        measures={key: words for key, words in terms.measures.items() if key in present},
        pools=(
            *(_tiered(pool, found, ranked_by, line) for pool, found in measured),
            *(_ranked(pool, ranked_by) for pool in printed),
        ),
    )


def _measured_pools(
    line: BoardLine, scored: _Scored, terms: Terms
) -> Iterator[tuple[ComparableRows, list[_ScoredRun]]]:
    """Yield the rows of each dataset with their runs."""
    by_dataset: dict[str, list[tuple[LeaderboardRow, _ScoredRun]]] = {}
    for run, lines in scored:
        if line in lines:
            entry = _measured_row(run, lines[line], terms)
            if entry.scores:
                by_dataset.setdefault(run.dataset.fingerprint, []).append((entry, run))
    for fingerprint, found in by_dataset.items():
        first = found[0][1]
        dataset, cases = first.dataset.name, several(first.scores.overall.n, "case")
        pool = ComparableRows(
            kind="measured",
            title=f"Measured on {dataset}, {cases}, fingerprint {fingerprint[:12]}",
            dataset=dataset,
            fingerprint=fingerprint,
            entries=tuple(entry for entry, _ in found),
        )
        yield pool, [run for _, run in found]


def _measured_row(run: _ScoredRun, line: _ScoredLine, terms: Terms) -> LeaderboardRow:
    row, figures = line
    scores = {}
    for key, each in figures.items():
        if key in terms.measures and each.value is not None:
            bounds = (each.bounds.low, each.bounds.high) if each.bounds else ()
            scores[key] = Score(each.value, each.low, each.high, each.n, each.if_right, *bounds)
    return LeaderboardRow(
        kind="measured",
        model=run.scores.label,
        named=run.scores.model,
        prompt=run.scores.prompt,
        answering=run.scores.answering,
        n=row.n,
        version=run.scores.version,
        started=run.scores.started,
        standing=run.scores.progress,
        run=run.path.resolve().name,
        scores=scores,
        unread_rate=row.unread_rate,
        failed=row.failed,
    )


def _reported_pools(line: BoardLine, reported: Iterable[PaperTable], terms: Terms) -> Iterator[ComparableRows]:
    for table in reported:
        entries = []
        for system in table.systems:
            scores = {
                place.measure: _printed(cell, table, negated=place.negated)
                for place, cell in zip(table.places, system.cells, strict=True)
                if (place.axis, place.line) == line and cell and place.measure in terms.measures
            }
            said = dict(zip(table.labels, system.names, strict=False))
            model = [
                system.names[0],
                *(text for label, text in said.items() if label not in (*_MODEL_COLUMNS, "prompt")),
            ]
            n = table.sizes.get(line[1], system.n if line[1] in (ALL, TOTAL) else None)
            prompt = said.get("prompt", "")
            if scores:
                entries.append(
                    LeaderboardRow(kind="reported", model=", ".join(model), prompt=prompt, n=n, scores=scores)
                )
        if entries:
            title, source = f"Reported in {table.source}: {table.what}", f"{table.source} ({table.citation})"
            yield ComparableRows(kind="reported", title=title, source=source, entries=tuple(entries))


def _printed(cell: Printed, table: PaperTable, *, negated: bool) -> Score:
    whole = 100 if table.unit == "per cent" else 1
    value = (-cell.value if negated else cell.value) / whole
    # A drop of zero has no sign: a minus would look like a gain.
    printed = f"{-cell.value:f}" if negated and cell.value else cell.text.lstrip("+-") if negated else cell.text
    spread = None if cell.spread is None else cell.spread / whole
    low, high = (None, None) if spread is None else (float(value - spread), float(value + spread))
    return Score(float(value), low, high, printed=printed)


def _tiered(pool: ComparableRows, runs: Sequence[_ScoredRun], measure: Measure, line: BoardLine) -> ComparableRows:
    """Return the rows of a dataset from best to worst, with their tiers; rows without a score come last.

    All pairs of runs are compared case by case, with Holm's correction for multiple comparisons.
    """
    scored = [place for place, entry in enumerate(pool.entries) if measure in entry.scores]
    values = [pool.entries[place].scores[measure].value for place in scored]
    pairs = list(combinations(range(len(scored)), 2))
    ps = []
    for one, other in ((runs[scored[one]], runs[scored[other]]) for one, other in pairs):
        found = compare_on(one.outcomes, other.outcomes, one.cases(line), measure)
        ps.append(found.p if found else 1.0)
    apart = {frozenset(pair) for pair, each in zip(pairs, holm(ps), strict=True) if each.p < 0.05}
    numbers = tiers(values, lambda above, below: frozenset((above, below)) in apart and values[above] > values[below])
    tier = dict(zip(scored, numbers, strict=True))
    entries = [msgspec.structs.replace(entry, tier=tier.get(place)) for place, entry in enumerate(pool.entries)]
    entries.sort(key=lambda entry: -entry.scores[measure].value if measure in entry.scores else 1.0)
    return msgspec.structs.replace(pool, entries=tuple(entries))


def _ranked(pool: ComparableRows, ranked_by: str) -> ComparableRows:
    """Return the rows of a paper from best to worst, with their ranks; rows without a score come last."""
    scores = [entry.scores[ranked_by].value for entry in pool.entries if ranked_by in entry.scores]
    ranked = [
        msgspec.structs.replace(entry, rank=1 + sum(score > entry.scores[ranked_by].value for score in scores))
        if ranked_by in entry.scores
        else entry
        for entry in pool.entries
    ]
    ranked.sort(key=lambda entry: entry.rank or len(ranked) + 1)
    return msgspec.structs.replace(pool, entries=tuple(ranked))
