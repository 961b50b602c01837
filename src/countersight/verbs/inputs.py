"""The arguments of the public functions: checks, and conversion of objects, names and paths."""

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeAlias, TypeVar, Union, cast, get_args, get_origin

import msgspec

from countersight.bounds import check, whole_from
from countersight.dataset import Dataset
from countersight.engine import run_folders
from countersight.errors import CountersightError
from countersight.models import Function, Model, ModelSettings
from countersight.results import Audit, Run

SomeDataset: TypeAlias = Dataset | Path | str
SomeModel: TypeAlias = Model | Function | str
SomeRun: TypeAlias = Run | Path | str
Verb = TypeVar("Verb", bound=Callable[..., Any])


def checked(verb: Verb) -> Verb:
    """Wrap a function so that an invalid value for a `Literal` argument raises an error that lists the valid ones."""
    signature = inspect.signature(verb)
    choices = {name: _choices(parameter.annotation) for name, parameter in signature.parameters.items()}

    @functools.wraps(verb)
    def call(*arguments: Any, **named: Any) -> Any:
        for name, value in signature.bind(*arguments, **named).arguments.items():
            if isinstance(value, str) and choices[name] and value not in choices[name]:
                raise CountersightError(f"{name} must be {' or '.join(map(repr, choices[name]))}, not {value!r}")
        return verb(*arguments, **named)

    return cast("Verb", call)


def _choices(annotation: Any) -> tuple[str, ...]:
    """Return the strings that an annotation allows; empty if it allows any string."""
    kinds = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return (
        () if str in kinds else tuple(each for kind in kinds if get_origin(kind) is Literal for each in get_args(kind))
    )


def check_from(least: int, **numbers: int | None) -> None:
    """Raise an error if a number is given and is too small, or is not a whole number."""
    check(whole_from(least), **numbers)


def dataset_of(dataset: SomeDataset) -> Dataset:
    """Return the given dataset, or open the dataset at the given path."""
    if isinstance(dataset, Dataset):
        return dataset
    if not isinstance(dataset, Path | str):
        raise CountersightError(f"{dataset!r} is not a dataset: pass its folder, or what `make` or `Dataset` returned")
    return Dataset(dataset)


def run_of(run: SomeRun) -> Run:
    """Return the given run, or open the run at the given path."""
    if isinstance(run, Run):
        return run
    if not isinstance(run, Path | str):
        raise CountersightError(f"{run!r} is not a run: pass its folder, or what `run` returned")
    return Run(run)


def folder_of(given: "Dataset | Run | Audit | Path | str") -> Path:
    """Return the folder of an object, or the given path."""
    return given.path if isinstance(given, Dataset | Run | Audit) else Path(given)


def path_of(given: SomeDataset | None) -> Path | None:
    """Return the folder of a dataset, the given path, or None if nothing is given."""
    return None if given is None else folder_of(given)


def folders_of(runs: SomeRun | Audit | Sequence[SomeRun | Audit]) -> Iterator[Path]:
    """Iterate over the folders of runs and audits; a folder of several runs contributes all of them."""
    for run in [runs] if isinstance(runs, Run | Audit | Path | str) else runs:
        yield from [run.path] if isinstance(run, Run | Audit) else run_folders(Path(run))


def settings_of(settings: ModelSettings | None, usual: ModelSettings) -> ModelSettings:
    """Return the given settings or the defaults; an invalid field raises an error that names it."""
    try:
        return msgspec.convert(msgspec.to_builtins(settings or usual), ModelSettings)
    except msgspec.ValidationError as error:
        raise CountersightError(f"settings: {error}") from None
