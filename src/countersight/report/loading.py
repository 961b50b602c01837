"""Run folders joined with their dataset into what a report shows."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from countersight import __version__
from countersight.blind import known
from countersight.case import Case, World
from countersight.dataset import Dataset
from countersight.errors import CountersightError
from countersight.pages import Figure
from countersight.report.analyses import analyses
from countersight.report.cases import gallery_cases
from countersight.report.data import (
    ComparedGroup,
    Comparison,
    DividedScores,
    GalleryCase,
    GroupScores,
    LetterShare,
    ReportData,
    RoleChosen,
    RunScores,
    asking_of,
)
from countersight.report.image_groups import GroupsFile, picture_groups
from countersight.report.observations import AnalysedRun
from countersight.report.scored import as_difference, as_share
from countersight.report.short_names import short_name
from countersight.report.watching import Watched
from countersight.runs import RunFolder
from countersight.scoring import (
    ASKED,
    RESAMPLES,
    Difference,
    Dividing,
    Outcomes,
    Rate,
    Row,
    Scores,
    Sum,
    compare,
    outcomes,
    role_shares,
    score,
    score_line,
    summed,
    write_parquet,
)
from countersight.scoring import Comparison as Compared
from countersight.suites import TOTAL, Terms, beside, terms

SCORES = "scores.parquet"
"""What became of every case, in the run folder."""


class Loaded(msgspec.Struct, frozen=True):
    """A report, but for its pictures: these are named, and the dataset has them."""

    report: ReportData
    cases: tuple[GalleryCase, ...]
    pictures: tuple[str, ...]
    dataset: Dataset
    unwritten: tuple[str, ...]
    """Why scores.parquet could not be left in a run folder, where it could not."""


def load(
    paths: Sequence[Path],
    *,
    dataset: Path | None,
    gallery: int,
    seed: int,
    reference: Sequence[str] | None = None,
    groups: GroupsFile | None = None,
) -> Loaded:
    """Score runs of one dataset, compare each with the first, and choose the cases to show.

    Leaves scores.parquet in each run folder that can be written to. `reference` names tables of papers to set beside
    the runs; when it names none, all of their suite. `groups` names a table of groups of pictures to compare.
    """
    runs = _same_dataset([RunFolder.open(path) for path in paths])
    source = runs[0].dataset(dataset)
    if reference is not None:  # a mistake in a name is told before a million cases are scored
        beside(next((case.suite for _, case in source.cases()), ""), tuple(reference))
    joined = picture_groups(groups, (case for _, case in source.cases())) if groups else ()
    results: list[Outcomes] = []
    unwritten = []
    kept = [Watched() for _ in runs]
    dividing = Dividing(lambda suite: terms(suite).axes)
    for run, seen in zip(runs, kept, strict=True):
        cases = _asked(source, run)
        watched = cases if results else dividing.watch(cases)
        results.append(outcomes(watched, seen.watch(run.replies()), run.manifest.prompt.reads))
        try:
            write_parquet(results[-1], run.path / SCORES)
        except OSError as error:
            unwritten.append(f"{run.path / SCORES}: {error.strerror}")
    names = labels(runs)
    worlds = _worlds(results[0])
    telling = terms(dividing.suite, worlds)
    scores = [score(result, seed=seed) for result in results]
    report = ReportData(
        dataset=source.name,
        fingerprint=source.fingerprint,
        cases=len(results[0]),
        bad_rows=source.count - len(results[0]),
        runs=tuple(
            _run(name, run, scored, telling, *_divided(result, dividing, seed))
            for name, run, scored, result in zip(names, runs, scores, results, strict=True)
        ),
        comparisons=tuple(
            _comparison(names[0], label, results[0], result, telling, seed)
            for label, result in zip(names[1:], results[1:], strict=True)
        ),
        seed=seed,
        resamples=RESAMPLES,
        confidence=scores[0].confidence,
        version=__version__,
        suite=dividing.suite,
        worlds=worlds,
        soft=results[0].credits is not None,
        references=() if reference is None else beside(dividing.suite, tuple(reference)),
        blind=_answered_blind(source, worlds),
        analyses=analyses(_analysed(names, runs, results, scores), kept, telling, joined, seed=seed),
    )
    shown, pictures = gallery_cases(source, runs, results, gallery, seed)
    return Loaded(report, shown, pictures, source, tuple(unwritten))


def _analysed(
    names: Sequence[str], runs: Sequence[RunFolder], results: Sequence[Outcomes], scores: Sequence[Scores]
) -> list[AnalysedRun]:
    return [
        AnalysedRun(label, run.manifest.model, run.manifest.prompt.name, run.manifest.answering, result, scored.rows)
        for label, run, result, scored in zip(names, runs, results, scores, strict=True)
    ]


def _answered_blind(source: Dataset, worlds: Sequence[World]) -> dict[World, float]:
    found = known(source)
    totals = {world: found.total(world) for world in worlds} if found else {}
    return {world: total.blind.right for world, total in totals.items() if total}


def refuse_twice(paths: Sequence[Path]) -> None:
    """Say which run is named more than once: it would be counted as often."""
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise CountersightError(f"{path} is named twice; name each run once")
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
                f"{runs[0].path} asked {first.name} and {run.path} asked {other.name}, which is not the same dataset; "
                "write a report for each"
            )
    return runs


def _asked(source: Dataset, run: RunFolder) -> Iterator[tuple[int, Case]]:
    """The cases as the run asked them: what it did not mean to ask is not missing."""
    for row, case in source.cases():
        yield row, case if run.manifest.shown or case.shown is None else msgspec.structs.replace(case, shown=None)


def labels(runs: Sequence[RunFolder]) -> list[str]:
    """A short name for each run that no other has: the model, then what else tells the runs apart."""
    models = [short_name(run.manifest.model) for run in runs]
    ranked = [", ranked" if run.manifest.answering == "rank" else "" for run in runs]
    ways = [model + way for model, way in zip(models, ranked, strict=True)]
    prompts = [f"{words}, {run.manifest.prompt.name}" for words, run in zip(ways, runs, strict=True)]
    folders = [f"{words} ({run.path.resolve().name})" for words, run in zip(prompts, runs, strict=True)]
    for names in (models, ways, prompts, folders):
        if len(set(names)) == len(names):
            return names
    return [f"{number}: {words}" for number, words in enumerate(folders, 1)]


def _worlds(result: Outcomes) -> tuple[World, ...]:
    """The worlds that the cases ask about; both where there is no case to tell."""
    both: tuple[World, World] = ("factual", "counterfactual")
    return tuple(world for world in both if (result.codes[:, ASKED.index(world)] > 0).any()) or both


def _divided(
    result: Outcomes, dividing: Dividing, seed: int
) -> tuple[tuple[DividedScores, ...], tuple[RoleChosen, ...]]:
    divisions = tuple(
        DividedScores(
            division.name,
            tuple(_group(score_line(result, line, mask, seed=seed)) for line, mask in division.masks(len(result))),
            division.unplaced(len(result)),
        )
        for division in dividing.divisions()
    )
    roles = dividing.roles()
    chosen = [(share.role, _share(share.chosen)) for share in role_shares(result, roles)] if roles else []
    return (
        tuple(division for division in divisions if division.lines),
        tuple(RoleChosen(role, figure) for role, figure in chosen if figure),
    )


_Line = TypeVar("_Line", Row, Compared)


def _in_order(rows: tuple[_Line, ...], terms: Terms) -> tuple[_Line, ...]:
    """The rows of the groups in the order of the suite's paper, then the row of all cases."""
    *groups, everything = rows
    if [row.group for row in groups] == [""]:  # a dataset without groups
        return (everything,)
    order = list(terms.groups)
    groups.sort(key=lambda row: order.index(row.group) if row.group in order else len(order))
    return (*groups, everything)


def _total(rows: Sequence[Row], terms: Terms) -> GroupScores | None:
    """The groups added up: only of all groups of the paper together is that what it calls the total."""
    if {row.group for row in rows} != set(terms.groups):
        return None
    sums = [summed([getattr(row, key) for row in rows]) for key in ("factual", "counterfactual", "both_right")]
    if not any(sums):
        return None
    factual, counterfactual, both_right = (_sum(found) for found in sums)
    return GroupScores(
        group=TOTAL,
        n=sum(row.n for row in rows),
        factual=factual,
        counterfactual=counterfactual,
        drop=None,
        both_right=both_right,
    )


def _run(
    label: str,
    run: RunFolder,
    scores: Scores,
    terms: Terms,
    divisions: tuple[DividedScores, ...],
    roles: tuple[RoleChosen, ...],
) -> RunScores:
    rows = _in_order(scores.rows, terms)
    return RunScores(
        label=label,
        model=run.manifest.model,
        prompt=run.manifest.prompt.name,
        started=run.manifest.started,
        version=run.manifest.countersight,
        answering=run.manifest.answering,
        settings=tuple((key, str(value)) for key, value in run.manifest.ways().items()),
        groups=tuple(map(_group, rows)),
        letters=tuple(
            LetterShare(asking_of(share.world, share.telling), share.letter, share.answered, share.gold, share.n)
            for share in scores.letters
        ),
        total=_total(rows[:-1], terms) if terms.adds_up else None,
        divisions=divisions,
        roles=roles,
    )


def _group(row: Row) -> GroupScores:
    return GroupScores(
        group=row.group or "(no group)",
        n=row.n,
        factual=_share(row.factual),
        counterfactual=_share(row.counterfactual),
        drop=_difference(row.drop),
        both_right=_share(row.both_right),
        shown=_share(row.shown),
        imagination_gap=_difference(row.imagination_gap),
        unread=row.unread,
        failed=row.failed,
        missing=row.missing,
    )


def _comparison(first: str, second: str, one: Outcomes, other: Outcomes, terms: Terms, seed: int) -> Comparison:
    groups = _in_order(compare(one, other, seed=seed), terms)
    return Comparison(
        first,
        second,
        tuple(
            ComparedGroup(
                group.group or "(no group)",
                _difference(group.factual),
                _difference(group.counterfactual),
                _difference(group.both_right),
                _difference(group.shown),
            )
            for group in groups
        ),
    )


def _share(rate: Rate | None) -> Figure | None:
    return as_share(rate) if rate and rate.n else None


def _difference(found: Difference | None) -> Figure | None:
    return as_difference(found) if found else None


def _sum(found: Sum | None) -> Figure | None:
    return Figure(found.value, found.low, found.high, found.n, method="Wilson, squared and added") if found else None
