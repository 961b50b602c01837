"""Converts the arguments of verbs: objects, names or paths."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from countersight.dataset import Dataset
from countersight.engine import run_folders
from countersight.errors import CountersightError
from countersight.models import Function, Model, ModelSettings
from countersight.results import Audit, Run

SomeDataset: TypeAlias = Dataset | Path | str
SomeModel: TypeAlias = Model | Function | str
SomeRun: TypeAlias = Run | Path | str


def dataset_of(dataset: SomeDataset) -> Dataset:
    """The dataset, opened where a path was given."""
    return dataset if isinstance(dataset, Dataset) else Dataset(dataset)


def run_of(run: SomeRun) -> Run:
    """The run, opened where a path was given."""
    return run if isinstance(run, Run) else Run(run)


def folder_of(given: "Dataset | Run | Audit | Path | str") -> Path:
    """The folder of a noun, or the path that names it."""
    return given.path if isinstance(given, Dataset | Run | Audit) else Path(given)


def path_of(dataset: SomeDataset | None) -> Path | None:
    """The folder of a dataset that may be given, or the file that stands in its place."""
    return None if dataset is None else folder_of(dataset)


def folders_of(runs: SomeRun | Audit | Sequence[SomeRun | Audit]) -> Iterator[Path]:
    """The folder of each run or audit; of one in which everything was asked several times, all."""
    for run in [runs] if isinstance(runs, Run | Audit | Path | str) else runs:
        yield from [run.path] if isinstance(run, Run | Audit) else run_folders(Path(run))


def maybe_path(path: Path | str | None) -> Path | None:
    """The path that may be given."""
    return None if path is None else Path(path)


def settings_of(settings: ModelSettings | None, usual: ModelSettings) -> ModelSettings:
    """What was given, or else the usual; a field that holds something else than it should is named."""
    try:
        return msgspec.convert(msgspec.to_builtins(settings or usual), ModelSettings)
    except msgspec.ValidationError as error:
        raise CountersightError(f"settings: {error}") from None
