"""Run folders joined with their dataset into what a report shows."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from countersight import __version__
from countersight.asking.folder import RunFolder
from countersight.case import Case
from countersight.dataset import Dataset
from countersight.errors import CountersightError
from countersight.report.cases import gallery_cases
from countersight.report.data import (
    ComparedGroup,
    Comparison,
    Figure,
    GalleryCase,
    GroupScores,
    LetterShare,
    ReportData,
    RunScores,
    asking_of,
)
from countersight.scoring import (
    RESAMPLES,
    Difference,
    Outcomes,
    Rate,
    Scores,
    compare,
    outcomes,
    score,
    write_parquet,
)

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


def load(paths: Sequence[Path], *, dataset: Path | None, gallery: int, seed: int) -> Loaded:
    """Score runs of one dataset, compare each with the first, and choose the cases to show.

    Leaves scores.parquet in each run folder that can be written to.
    """
    runs = _same_dataset([RunFolder.open(path) for path in paths])
    source = runs[0].dataset(dataset)
    results = []
    unwritten = []
    for run in runs:
        results.append(outcomes(_asked(source, run), run.replies()))
        try:
            write_parquet(results[-1], run.path / SCORES)
        except OSError as error:
            unwritten.append(f"{run.path / SCORES}: {error.strerror}")
    names = labels(runs)
    scores = [score(result, seed=seed) for result in results]
    report = ReportData(
        dataset=source.name,
        fingerprint=source.fingerprint,
        cases=len(results[0]),
        bad_rows=source.count - len(results[0]),
        runs=tuple(map(_run, names, runs, scores)),
        comparisons=tuple(
            _comparison(names[0], label, results[0], result, seed)
            for label, result in zip(names[1:], results[1:], strict=True)
        ),
        seed=seed,
        resamples=RESAMPLES,
        confidence=scores[0].confidence,
        version=__version__,
    )
    shown, pictures = gallery_cases(source, runs, results, gallery, seed)
    return Loaded(report, shown, pictures, source, tuple(unwritten))


def _same_dataset(runs: list[RunFolder]) -> list[RunFolder]:
    if not runs:
        raise CountersightError("a report needs at least one run")
    if len({run.path.resolve() for run in runs}) < len(runs):
        raise CountersightError("a run is named twice; name each once")
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
    models = [_short(run.manifest.model) for run in runs]
    ranked = [", ranked" if run.manifest.answering == "rank" else "" for run in runs]
    ways = [model + way for model, way in zip(models, ranked, strict=True)]
    prompts = [f"{words}, {run.manifest.prompt.name}" for words, run in zip(ways, runs, strict=True)]
    folders = [f"{words} ({run.path.resolve().name})" for words, run in zip(prompts, runs, strict=True)]
    for names in (models, ways, prompts, folders):
        if len(set(names)) == len(names):
            return names
    return [f"{number}: {words}" for number, words in enumerate(folders, 1)]


def _short(model: str) -> str:
    """gpt-4o for openai:gpt-4o, qwen for endpoint:http://127.0.0.1:8000/v1#qwen."""
    _, mark, served = model.rpartition("#")
    return served if mark else model.removeprefix("openai:")


def _run(label: str, run: RunFolder, scores: Scores) -> RunScores:
    rows = scores.rows
    if [row.group for row in rows[:-1]] == [""]:  # a dataset without groups
        rows = rows[-1:]
    return RunScores(
        label=label,
        model=run.manifest.model,
        prompt=run.manifest.prompt.name,
        started=run.manifest.started,
        version=run.manifest.countersight,
        answering=run.manifest.answering,
        settings=tuple((key, str(value)) for key, value in run.manifest.settings.items()),
        groups=tuple(
            GroupScores(
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
            for row in rows
        ),
        letters=tuple(
            LetterShare(asking_of(share.world, share.telling), share.letter, share.answered, share.gold, share.n)
            for share in scores.letters
        ),
    )


def _comparison(first: str, second: str, one: Outcomes, other: Outcomes, seed: int) -> Comparison:
    groups = compare(one, other, seed=seed)
    if [group.group for group in groups[:-1]] == [""]:
        groups = groups[-1:]
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
    return Figure(rate.value, rate.low, rate.high, rate.n) if rate and rate.n else None


def _difference(found: Difference | None) -> Figure | None:
    return Figure(found.value, found.low, found.high, found.n, found.p) if found else None
