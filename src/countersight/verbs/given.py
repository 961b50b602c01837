"""What a verb is given: a noun, or the name or path of one."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from countersight.dataset import Dataset
from countersight.errors import CountersightError
from countersight.models import Function, Model
from countersight.results import Audit, Run
from countersight.runs import run_folders

SomeDataset: TypeAlias = Dataset | Path | str
SomeModel: TypeAlias = Model | Function | str
SomeRun: TypeAlias = Run | Path | str


def dataset_of(dataset: SomeDataset) -> Dataset:
    return dataset if isinstance(dataset, Dataset) else Dataset(folder_of(dataset, Dataset))


def run_of(run: SomeRun) -> Run:
    return run if isinstance(run, Run) else Run(folder_of(run, Run))


def folder_of(given: "Dataset | Run | Audit | Path | str", noun: "type[Dataset | Run | Audit]") -> Path:
    """The folder of a noun, or the path that names it."""
    if isinstance(given, noun):
        return given.path
    if isinstance(given, Path | str):
        return Path(given)
    name = noun.__name__
    article = "an" if name[0] in "AEIOU" else "a"
    raise CountersightError(f"here stands {article} {name} or the path of its folder, not {type(given).__name__}")


def runs_of(runs: "SomeRun | Sequence[SomeRun]") -> Iterator[SomeRun]:
    """Each run; of a folder in which everything was asked several times, all."""
    for run in [runs] if isinstance(runs, Run | Path | str) else runs:
        yield from [run] if isinstance(run, Run) else run_folders(Path(run))
