"""Load run folders with their dataset as the data of a report. This module writes no files."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from countersight import __version__
from countersight.blindness import load_stored
from countersight.dataset import Dataset
from countersight.engine import RunFolder
from countersight.errors import CountersightError, RunError
from countersight.html import name
from countersight.reports.analyses import analyses
from countersight.reports.data import GalleryCase, ReportData
from countersight.reports.gallery import gallery_cases
from countersight.reports.loaded_run import DamagedRun, LoadedRun, in_order, load_runs, open_runs
from countersight.reports.picture_groups import picture_groups
from countersight.scoring import (
    CONFIDENCE,
    Gold,
    compare_all,
)
from countersight.suites import comparable_tables, terms


class LoadedReport(msgspec.Struct, frozen=True):
    """A report, the cases of its gallery, the names of their pictures, and the dataset that contains them."""

    report: ReportData
    cases: tuple[GalleryCase, ...]
    pictures: tuple[str, ...]
    dataset: Dataset
    runs: tuple[LoadedRun, ...]
    """The runs with every answer, in the order of the report."""


def load(
    paths: Sequence[Path],
    *,
    dataset: Path | None = None,
    gold: Path | None = None,
    gallery: int = 3000,
    seed: int = 0,
    reference: Sequence[str] | None = None,
    groups: Path | None = None,
) -> LoadedReport:
    """Score runs of one dataset, compare each pair of them, and choose the cases to show.

    `dataset` is the current path of the dataset if it was moved. `gold` is a dataset or a table with corrected answers.
    `gallery` is the maximum number of cases to show. `reference` names tables of papers to show with the runs; if it is
    empty, all tables of their suite are shown. `groups` is a table of groups of pictures to compare.
    """
    damaged: list[DamagedRun] = []
    folders = _same_dataset(open_runs(paths, damaged))
    if reference and gold is None:  # report a misspelled name before scoring, which may take long
        with suppress(RunError):
            cases = folders[0].dataset(dataset).cases()
            comparable_tables(next((case.suite for _, case in cases), ""), tuple(reference))
    corrected = Gold.open(gold) if gold else None
    runs = load_runs(folders, damaged, dataset=dataset, gold=corrected)
    first, worlds, suite = runs[0].judged, runs[0].worlds, runs[0].judged.suite
    source, case_count = first.dataset, len(first.outcomes)
    joined = picture_groups(groups, (case for _, case in first.cases())) if groups else ()
    suite_terms = terms(suite, worlds)
    compared = compare_all({run.label: run.outcomes for run in runs})
    measured = load_stored(source)
    unseen = {world: total for world in worlds if measured and (total := measured.total(world))}
    report = ReportData(
        dataset=source.name,
        fingerprint=source.fingerprint,
        cases=case_count,
        controls=first.control_count,
        bad_rows=source.count - case_count - first.control_count,
        runs=tuple(runs),
        comparisons=tuple(msgspec.structs.replace(pair, rows=in_order(pair.rows, suite_terms)) for pair in compared),
        seed=seed,
        confidence=CONFIDENCE,
        version=__version__,
        suite=suite,
        worlds=worlds,
        gold=name(str(corrected)) if corrected else "",
        soft=first.outcomes.credits is not None,
        references=() if reference is None else comparable_tables(suite, tuple(reference)),
        blind={world: total.blind.right for world, total in unseen.items()},
        knowledge={world: total.knowledge.right for world, total in unseen.items() if total.knowledge},
        analyses=analyses(runs, suite_terms, joined, suite=suite),
        damaged=tuple((str(each.path), str(each.error)) for each in damaged),
    )
    shown, pictures = gallery_cases([run.judged for run in runs], gallery, seed)
    return LoadedReport(report, shown, pictures, source, tuple(runs))


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
