"""Rows of a leaderboard: runs scored and put into tiers, and what papers report about their suites."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight import __version__
from countersight.blindness import known as blind_known
from countersight.blindness import summary
from countersight.case import World
from countersight.dataset import Dataset
from countersight.engine import RunFolder
from countersight.errors import CountersightError
from countersight.html import Figure
from countersight.leaderboards.data import Board, Entry, Leaderboard, Pool, Score, SuiteBoards
from countersight.reports import GroupScores, RunScores, as_run, judge_runs, labels, refuse_twice
from countersight.scoring import (
    CONFIDENCE,
    Difference,
    Dividing,
    Gold,
    Interval,
    Measure,
    Outcomes,
    compare_on,
    holm,
    p_of,
    tiers,
)
from countersight.suites import ALL, RUN_MEASURES, TOTAL, PaperTable, Printed, Terms, known_suite, papers, tables, terms
from countersight.text import several

Line = tuple[str, str]
"""An axis (empty for groups) and a line of it."""


class Lined(msgspec.Struct, frozen=True, eq=False):
    """What became of a run's cases, and how they are divided."""

    outcomes: Outcomes
    dividing: Dividing

    def cases(self, line: Line) -> NDArray[np.bool_]:
        """Which cases count on a line."""
        axis, name = line
        count = len(self.outcomes)
        if axis:
            divisions = (division for division in self.dividing.divisions() if division.name == axis)
            masks = {words: mask for division in divisions for words, mask in division.masks(count)}
            return masks.get(name, np.zeros(count, dtype=np.bool_))
        if name == ALL:
            return np.ones(count, dtype=np.bool_)
        return self._group(name)

    def groups(self) -> list[NDArray[np.bool_]]:
        """The cases of each group."""
        return [self._group(name) for name in self.outcomes.group_names]

    def _group(self, name: str) -> NDArray[np.bool_]:
        names = self.outcomes.group_names
        return np.equal(self.outcomes.groups, names.index(name) if name in names else -1)


def standings(runs: Sequence[Lined], values: Sequence[float], line: Line, measure: Measure) -> tuple[int, ...]:
    """The tier of each run, by a measure on a line; all pairs are compared case by case, and corrected by Holm."""
    pairs = list(combinations(range(len(runs)), 2))
    adjusted = holm([_p(runs[i], runs[j], line, measure) for i, j in pairs])
    apart = {frozenset(pair) for pair, each in zip(pairs, adjusted, strict=True) if each.p < 0.05}
    return tiers(values, lambda above, below: frozenset((above, below)) in apart and values[above] > values[below])


def _p(one: Lined, other: Lined, line: Line, measure: Measure) -> float:
    if line == ("", TOTAL):
        return _p_of_sum([compare_on(one.outcomes, other.outcomes, mask, measure) for mask in one.groups()])
    found = compare_on(one.outcomes, other.outcomes, one.cases(line), measure)
    return found.p if found else 1.0


def _p_of_sum(parts: Sequence[Difference | None]) -> float:
    """The p of a sum of differences of different cases, out of the intervals of each (Zou and Donner, 2008)."""
    known = [part for part in parts if part is not None]
    total = sum(part.value for part in known)

    def between(confidence: float) -> Interval:
        ends = [part.at(confidence, part.p).interval for part in known]
        below = sqrt(sum((part.value - end.low) ** 2 for part, end in zip(known, ends, strict=True)))
        above = sqrt(sum((end.high - part.value) ** 2 for part, end in zip(known, ends, strict=True)))
        return Interval(total - below, total + above)

    return p_of(between) if known else 1.0


RANKED_BY: Final[tuple[Measure, ...]] = ("counterfactual", "factual", "both_right")
"""Rows are ranked by the first of these that a board has: the question is how well models imagine."""


class _Run(msgspec.Struct, frozen=True, eq=False):
    path: Path
    scores: RunScores
    worlds: tuple[World, ...]
    dataset: Dataset
    lined: Lined

    @property
    def suite(self) -> str:
        """The suite; a dataset of none, or of several, is its own."""
        return self.lined.dividing.suite or f"dataset {self.dataset.fingerprint}"


def collect(paths: Sequence[Path], datasets: Sequence[Path], *, gold: Path | None = None) -> Leaderboard:
    """Score runs of any datasets and set them beside what papers report, suite by suite.

    `datasets` are folders where datasets are now, if they were moved: each run finds its own by the fingerprint.
    `gold` has right answers that were corrected since.
    """
    if not paths:
        raise CountersightError("a leaderboard needs at least one run")
    refuse_twice(paths)
    moved = {Dataset.open(path).fingerprint: path for path in datasets}
    corrected = Gold.open(gold) if gold else None
    runs = [_scored(RunFolder.open(path), moved, corrected) for path in paths]
    suites: dict[str, list[_Run]] = {}
    for run in runs:
        suites.setdefault(run.suite, []).append(run)
    return Leaderboard(
        suites=tuple(_suite(found) for found in suites.values()),
        runs=len(runs),
        confidence=CONFIDENCE,
        version=__version__,
        unscored=tuple(f"{run.scores.label}: {run.scores.standing}" for run in runs if not run.scores.overall.scored),
    )


def _scored(run: RunFolder, moved: dict[str, Path], gold: Gold | None) -> _Run:
    found = judge_runs([run], dataset=moved.get(run.manifest.dataset.fingerprint), gold=gold)
    [judged] = found.judged
    scores = as_run(labels([run])[0], judged, judged.scores(), found)
    return _Run(run.path, scores, found.worlds, judged.dataset, Lined(judged.outcomes, found.dividing))


def _suite(runs: Sequence[_Run]) -> SuiteBoards:
    suite = runs[0].lined.dividing.suite
    worlds = {world: None for run in runs for world in run.worlds}
    telling = terms(suite, worlds)
    reported = [table for paper in papers() for table in tables(paper) if table.suite == suite and table.measured]
    boards = [_board(line, runs, reported, telling) for line in _lines(runs, reported, telling)]
    known = known_suite(suite)
    title = (known and known.title) or runs[0].dataset.name
    unseen = {run.dataset.fingerprint: measured for run in runs if (measured := blind_known(run.dataset))}
    told = tuple(summary(one) for one in unseen.values())
    return SuiteBoards(suite, title, tuple(board for board in boards if board.pools), len(runs), told)


def _lines(runs: Sequence[_Run], reported: Sequence[PaperTable], terms: Terms) -> list[Line]:
    """Every line that any row has: the total, all cases, the groups in the paper's order, then the other divisions."""
    printed = [(place.axis, place.line) for table in reported for place in table.places if place.measure]
    measured = [(axis, scores.group) for run in runs for axis, scores in _measured(run.scores)]
    known: list[Line] = [("", TOTAL), ("", ALL), *(("", group) for group in terms.groups)]
    known += [(axis.name, line) for axis in terms.axes for line in axis.lines]
    found = dict.fromkeys([*measured, *printed])
    return [*(line for line in known if line in found), *(line for line in found if line not in known)]


def _measured(run: RunScores) -> Iterator[tuple[str, GroupScores]]:
    if run.total:
        yield "", run.total
    yield from (("", scores) for scores in run.groups)
    yield from ((division.name, scores) for division in run.divisions for scores in division.lines)


def _board(line: Line, runs: Sequence[_Run], reported: Sequence[PaperTable], terms: Terms) -> Board:
    measured = [pool for pool in _measured_pools(line, runs, terms) if pool[0].entries]
    pools = [*(pool for pool, _ in measured), *_reported_pools(line, reported, terms)]
    present = {key for pool in pools for entry in pool.entries for key in (*entry.scores, *entry.unread)}
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
            *(_ranked(pool, ranked_by) for pool in pools if pool.kind == "reported"),
        ),
    )


def _measured_pools(line: Line, runs: Iterable[_Run], terms: Terms) -> Iterator[tuple[Pool, list[_Run]]]:
    """The rows of each dataset, and the runs they are of."""
    by_dataset: dict[str, list[tuple[_Run, GroupScores]]] = {}
    for run in runs:
        for axis, scores in _measured(run.scores):
            if (axis, scores.group) == line:
                by_dataset.setdefault(run.dataset.fingerprint, []).append((run, scores))
    for fingerprint, found in by_dataset.items():
        dataset, cases = found[0][0].dataset.name, found[0][0].scores.overall.n
        entries = [(_measured_entry(run, scores, terms), run) for run, scores in found]
        entries = [
            (entry, run) for entry, run in entries if entry.scores or (entry.unread and run.scores.overall.scored)
        ]
        pool = Pool(
            kind="measured",
            title=f"Measured on {dataset}, {several(cases, 'case')}, fingerprint {fingerprint[:12]}",
            dataset=dataset,
            fingerprint=fingerprint,
            entries=tuple(entry for entry, _ in entries),
        )
        yield pool, [run for _, run in entries]


def _measured_entry(run: _Run, scores: GroupScores, terms: Terms) -> Entry:
    figures = {key: getattr(scores, key) for key in terms.measures if key in RUN_MEASURES}
    return Entry(
        kind="measured",
        model=run.scores.label,
        named=run.scores.model,
        prompt=run.scores.prompt,
        answering=run.scores.answering,
        n=scores.n,
        version=run.scores.version,
        started=run.scores.started,
        standing=run.scores.standing,
        run=run.path.resolve().name,
        scores={key: _score(figure) for key, figure in figures.items() if figure and figure.value is not None},
        unread={key: figure.unheard for key, figure in figures.items() if figure and figure.unheard},
        unread_rate=scores.unread_rate,
    )


def _score(figure: Figure) -> Score:
    return Score(figure.value or 0.0, figure.low, figure.high, figure.n, figure.if_right)


def _reported_pools(line: Line, reported: Iterable[PaperTable], terms: Terms) -> Iterator[Pool]:
    for table in reported:
        entries = []
        for system in table.systems:
            scores = {
                place.measure: _printed(cell, table, negated=place.negated)
                for place, cell in zip(table.places, system.cells, strict=True)
                if (place.axis, place.line) == line and cell and place.measure in terms.measures
            }
            if scores:
                said = dict(zip(table.labels, system.names, strict=False))
                model = [system.names[0], *(text for label, text in said.items() if label not in (*_MODEL, "prompt"))]
                entries.append(
                    Entry(
                        kind="reported",
                        model=", ".join(model),
                        prompt=said.get("prompt", ""),
                        n=table.sizes.get(line[1], system.n if line[1] in (ALL, TOTAL) else None),
                        scores=scores,
                    )
                )
        if entries:
            yield Pool(
                kind="reported",
                title=f"Reported in {table.source}: {table.what}",
                source=f"{table.source} ({table.citation})",
                entries=tuple(entries),
            )


_MODEL = ("model", "code model", "group", "scene change type", "number of scene change types")
"""Heads under which a paper's table has the model, or what is a line here; the first name is shown in any case."""


def _printed(cell: Printed, table: PaperTable, *, negated: bool) -> Score:
    whole = 100 if table.unit == "per cent" else 1
    value = (-cell.value if negated else cell.value) / whole
    # A minus for a drop of nothing would be read as a rise.
    printed = f"{-cell.value:f}" if negated and cell.value else cell.text.lstrip("+-") if negated else cell.text
    spread = cell.spread / whole if cell.spread is not None else None
    return Score(
        float(value),
        None if spread is None else float(value - spread),
        None if spread is None else float(value + spread),
        printed=printed,
    )


def _tiered(pool: Pool, runs: Sequence[_Run], measure: Measure, line: Line) -> Pool:
    """The rows of a dataset from the best to the worst, with their tiers; those without a score at the end."""
    scored = [place for place, entry in enumerate(pool.entries) if measure in entry.scores]
    values = [pool.entries[place].scores[measure].value for place in scored]
    found = standings([runs[place].lined for place in scored], values, line, measure)
    tier = dict(zip(scored, found, strict=True))
    entries = [msgspec.structs.replace(entry, tier=tier.get(place)) for place, entry in enumerate(pool.entries)]
    entries.sort(key=lambda entry: -entry.scores[measure].value if measure in entry.scores else 1.0)
    return msgspec.structs.replace(pool, entries=tuple(entries))


def _ranked(pool: Pool, ranked_by: str) -> Pool:
    """The rows of a paper from the best to the worst, with their ranks; those without a score at the end."""
    scores = [entry.scores[ranked_by].value for entry in pool.entries if ranked_by in entry.scores]
    ranked = [
        msgspec.structs.replace(entry, rank=1 + sum(score > entry.scores[ranked_by].value for score in scores))
        if ranked_by in entry.scores
        else entry
        for entry in pool.entries
    ]
    ranked.sort(key=lambda entry: entry.rank or len(ranked) + 1)
    return msgspec.structs.replace(pool, entries=tuple(ranked))
