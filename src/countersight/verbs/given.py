"""What a verb is given: a noun, or the name or path of one."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from countersight.dataset import Dataset
from countersight.errors import CountersightError
from countersight.models import Function, Model, ModelSettings
from countersight.results import Audit, Run
from countersight.runs import run_folders

SomeDataset: TypeAlias = Dataset | Path | str
SomeModel: TypeAlias = Model | Function | str
SomeRun: TypeAlias = Run | Path | str


def dataset_of(dataset: SomeDataset) -> Dataset:
    """The dataset, opened where a path was given."""
    return dataset if isinstance(dataset, Dataset) else Dataset(folder_of(dataset, Dataset))


def run_of(run: SomeRun) -> Run:
    """The run, opened where a path was given."""
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


def path_of(dataset: SomeDataset | None) -> Path | None:
    """The folder of a dataset that may be given, or the file that stands in its place."""
    return None if dataset is None else folder_of(dataset, Dataset)


def folders_of(runs: SomeRun | Audit | Sequence[SomeRun | Audit]) -> Iterator[Path]:
    """The folder of each run or audit; of one in which everything was asked several times, all."""
    for run in [runs] if isinstance(runs, Run | Audit | Path | str) else runs:
        yield from [run.path] if isinstance(run, Run | Audit) else run_folders(Path(run))


def settings_of(settings: ModelSettings | None, usual: ModelSettings) -> ModelSettings:
    """What was given, or else the usual."""
    if settings is None:
        return usual
    check_kind(settings, ModelSettings, "settings")
    return settings


def check_kind(given: object, kind: type, what: str) -> None:
    """Say in a sentence that something else stands where a noun of ours must."""
    if not isinstance(given, kind):
        raise CountersightError(f"{what} is a {kind.__name__}, not {type(given).__name__}")
