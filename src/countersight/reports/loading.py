"""Load run folders with their dataset as the data of a report. Nothing is written here."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight import __version__
from countersight.blindness import load_stored
from countersight.case import TWO_WORLDS, World
from countersight.dataset import Dataset
from countersight.engine import RunFolder
from countersight.errors import CountersightError
from countersight.html import name, shortened
from countersight.reports.advice import advice
from countersight.reports.analysed_run import AnalysedRun, short_name
from countersight.reports.analyses import analyses
from countersight.reports.data import MAX_NAME_LENGTH, DividedScores, GalleryCase, ReportData, RunScores
from countersight.reports.gallery import gallery_cases
from countersight.reports.image_groups import GroupsFile, picture_groups
from countersight.reports.programs import ReplyRecorder
from countersight.scoring import (
    CONFIDENCE,
    NO_GROUP,
    CaseDivider,
    Comparison,
    Gold,
    GroupScores,
    JudgedRun,
    Outcomes,
    Sum,
    compare_all,
    judge_run,
    score_line,
    stopping_status,
    summed,
)
from countersight.suites import Terms, comparable_tables, terms


class LoadedReport(msgspec.Struct, frozen=True):
    """A report, the cases of its gallery, the names of their pictures, and the dataset that contains them."""

    report: ReportData
    cases: tuple[GalleryCase, ...]
    pictures: tuple[str, ...]
    dataset: Dataset
    judged: tuple[JudgedRun, ...]
    """The runs with every answer, in the order of the report."""


class JudgedRuns(msgspec.Struct, frozen=True):
    """Scored runs of one dataset, whose cases are divided along the axes of the suite."""

    judged: tuple[JudgedRun, ...]
    recorders: tuple[ReplyRecorder, ...]
    divider: CaseDivider

    @property
    def worlds(self) -> tuple[World, ...]:
        """The worlds of the questions; both if there are no cases."""
        return tuple(world for world in TWO_WORLDS if self.judged[0].outcomes.asked(world).any()) or TWO_WORLDS

    def lines(self) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Iterate over the lines of all divisions, each with a mask of its cases."""
        for division in self.divider.divisions():
            yield from division.masks(len(self.judged[0].outcomes))

    @property
    def terms(self) -> Terms:
        """The terms of their suite's scores."""
        return terms(self.divider.suite, self.worlds)


def judge_runs(runs: Sequence[RunFolder], *, dataset: Path | None = None, gold: Gold | None = None) -> JudgedRuns:
    """Score runs of one dataset."""
    recorders = tuple(ReplyRecorder() for _ in runs)
    divider = CaseDivider(lambda suite: terms(suite).axes)
    judged = [
        judge_run(
            run,
            dataset=dataset,
            gold=gold,
            watch_cases=iter if number else divider.watch,
            watch_replies=recorder.watch,
        )
        for number, (run, recorder) in enumerate(zip(runs, recorders, strict=True))
    ]
    return JudgedRuns(tuple(judged), recorders, divider)


def load(
    paths: Sequence[Path],
    *,
    dataset: Path | None = None,
    gold: Path | None = None,
    gallery: int = 3000,
    seed: int = 0,
    reference: Sequence[str] | None = None,
    groups: GroupsFile | None = None,
) -> LoadedReport:
    """Score runs of one dataset, compare each pair of them, and choose the cases to show.

    `gold` is a dataset or a table with corrected answers. `reference` names tables of papers to show with the runs; if
    it is empty, all tables of their suite are shown. `groups` is a table of groups of pictures to compare.
    """
    runs = _same_dataset([RunFolder.open(path) for path in paths])
    if reference and gold is None:  # report a misspelled name before scoring, which may take long
        comparable_tables(next((case.suite for _, case in runs[0].dataset(dataset).cases()), ""), tuple(reference))
    found = judge_runs(runs, dataset=dataset, gold=Gold.open(gold) if gold else None)
    source = found.judged[0].dataset
    joined = picture_groups(groups, (case for _, case in found.judged[0].cases())) if groups else ()
    references = () if reference is None else comparable_tables(found.divider.suite, tuple(reference))
    scored = [
        AnalysedRun(label, judged, judged.scores(found.lines()), number)
        for (number, label), judged in zip(numbered_labels(runs), found.judged, strict=True)
    ]
    results = {run.label: run.outcomes for run in scored}
    first = found.judged[0].outcomes
    measured = load_stored(source)
    unseen = {world: total for world in found.worlds if measured and (total := measured.total(world))}
    report = ReportData(
        dataset=source.name,
        fingerprint=source.fingerprint,
        cases=len(first),
        controls=found.judged[0].control_count,
        bad_rows=source.count - len(first) - found.judged[0].control_count,
        runs=tuple(as_run(run, found) for run in scored),
        comparisons=tuple(
            msgspec.structs.replace(pair, rows=_in_order(pair.rows, found.terms)) for pair in compare_all(results)
        ),
        seed=seed,
        confidence=CONFIDENCE,
        version=__version__,
        suite=found.divider.suite,
        worlds=found.worlds,
        soft=first.credits is not None,
        references=references,
        blind={world: total.blind.right for world, total in unseen.items()},
        knowledge={world: total.knowledge.right for world, total in unseen.items() if total.knowledge},
        analyses=analyses(scored, found.recorders, found.terms, joined, suite=found.divider.suite),
    )
    shown, pictures = gallery_cases(found.judged, gallery, seed)
    return LoadedReport(report, shown, pictures, source, found.judged)


def refuse_twice(paths: Sequence[Path]) -> None:
    """Raise an error if a run is listed more than once, since it would be counted repeatedly."""
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise CountersightError(f"{path} is given twice; give each run once")
        seen.add(path.resolve())


def _same_dataset(runs: list[RunFolder]) -> list[RunFolder]:
    if not runs:
        raise CountersightError("a report needs at least one run")
    refuse_twice([run.path for run in runs])
    first = runs[0].manifest.dataset
    for run in runs[1:]:
        other = run.manifest.dataset
        if other.fingerprint != first.fingerprint:
            raise CountersightError(
                f"{runs[0].path} is a run of {first.name} and {run.path} is a run of {other.name}, which is another "
                "dataset; write a report for each"
            )
    return runs


def labels(runs: Sequence[RunFolder]) -> list[str]:
    """Return a unique short name for each run: the model, then what else distinguishes the runs."""
    models = [short_name(run.manifest.model) for run in runs]
    ranked = [", ranked" if run.manifest.answering == "rank" else "" for run in runs]
    ways = [model + way for model, way in zip(models, ranked, strict=True)]
    prompts = [f"{words}, {run.manifest.prompt.name}" for words, run in zip(ways, runs, strict=True)]
    folders = [f"{words} ({run.path.resolve().name})" for words, run in zip(prompts, runs, strict=True)]
    for names in (models, ways, prompts, folders):
        if len(set(names)) == len(names):
            return names
    return [f"{number}: {words}" for number, words in enumerate(folders, 1)]


def numbered_labels(runs: Sequence[RunFolder]) -> list[tuple[int, str]]:
    """Return the number and the label of each run; if all names are short, numbers are 0 and not part of the label."""
    names = labels(runs)
    if len(names) == 1 or all(shortened(each, MAX_NAME_LENGTH) == each for each in map(name, names)):
        return [(0, each) for each in names]
    return [(number, f"#{number} {each}") for number, each in enumerate(names, 1)]


def _divided(outcomes: Outcomes, divider: CaseDivider) -> Iterator[DividedScores]:
    n = len(outcomes)
    for division in divider.divisions():
        lines = tuple(score_line(outcomes, line, mask) for line, mask in division.masks(n))
        if lines:
            yield DividedScores(division.name, lines, division.unplaced(n))


_Line = TypeVar("_Line", GroupScores, Comparison)


def _in_order(rows: tuple[_Line, ...], terms: Terms) -> tuple[_Line, ...]:
    """Return the rows of the groups in the order of the suite's paper, then the row of all cases."""
    *groups, everything = rows
    if [row.group for row in groups] == [""]:  # a dataset without groups
        return (everything,)
    order = list(terms.groups)
    groups.sort(key=lambda row: order.index(row.group) if row.group in order else len(order))
    return (*(row if row.group else msgspec.structs.replace(row, group=NO_GROUP) for row in groups), everything)


def _total(rows: Sequence[GroupScores], terms: Terms) -> dict[str, Sum]:
    """Return the sums over the groups; empty unless the run has exactly the groups that the paper adds up."""
    if not terms.adds_up or {row.group for row in rows} != set(terms.groups):
        return {}
    sums = {key: summed([row.figure(key) for row in rows]) for key in ("factual", "counterfactual", "both_right")}
    return {key: found for key, found in sums.items() if found}


def as_run(run: AnalysedRun, found: JudgedRuns) -> RunScores:
    """Return a run as shown in reports and leaderboards."""
    manifest, rows = run.manifest, _in_order(run.scores.rows, found.terms)
    folder = run.judged.run
    rule = stopping_status(folder)
    return RunScores(
        label=run.label,
        number=run.number,
        model=manifest.model,
        prompt=manifest.prompt.name,
        started=manifest.started,
        version=manifest.countersight,
        answering=manifest.answering,
        settings=tuple((key, str(value)) for key, value in manifest.answer_settings().items()),
        shows_pictures=manifest.prompt.picture,
        groups=rows,
        letters=run.scores.letters,
        total=_total(rows[:-1], found.terms),
        divisions=tuple(_divided(run.outcomes, found.divider)),
        roles=found.divider.role_shares(run.outcomes),
        advice=tuple(advice(folder, run.scores.overall, run.scores.damaged)),
        damaged=run.scores.damaged,
        sets=run.scores.sets,
        stopping_note=rule.describe(sum(reply.cost for reply in folder.replies())) if rule else "",
    )
