"""Large packages, imported without what only takes time."""

import gc
import importlib
import importlib.metadata
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from typing import Any

_NEVER_USED = ("is_scipy_available", "is_sklearn_available")
"""So some versions of transformers ask, as they are imported, for packages with which they train or draft words.
Nothing here does either, and where they are installed they take longer than all of transformers."""

_list_all = importlib.metadata.packages_distributions


@contextmanager
def uncollected() -> Iterator[None]:
    """While this lasts nobody looks for garbage, and what was imported is not looked through later either.

    Modules are none, and there is a million things in those of torch and transformers: looking takes an eighth of the
    time that importing them does.
    """
    was_on, modules = gc.isenabled(), len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > modules:
            gc.freeze()
        if was_on:
            gc.enable()


class Distributions(Mapping[str, list[str]]):
    """Which distributions bring each package, found when somebody asks.

    To list them all, as transformers has it done when it is imported, every file of every distribution is looked at.
    """

    def __getitem__(self, package: str) -> list[str]:
        with suppress(importlib.metadata.PackageNotFoundError):
            importlib.metadata.distribution(package)
            return [package]  # most are called what they bring
        return self._all[package]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @cached_property
    def _all(self) -> Mapping[str, list[str]]:
        return _list_all()


def import_transformers() -> Any:
    """Transformers, with what finds the class of a model and what every model is built on."""
    with _instead(importlib.metadata, "packages_distributions", Distributions):
        package = importlib.import_module("transformers")
        utils = importlib.import_module("transformers.utils")
    with ExitStack() as asked:
        for name in filter(utils.__dict__.__contains__, _NEVER_USED):
            asked.enter_context(_instead(utils, name, bool))  # which says no to whoever asks
        importlib.import_module("transformers.models.auto.modeling_auto")
        importlib.import_module("transformers.modeling_utils")
    return package


@contextmanager
def _instead(holder: Any, name: str, value: Any) -> Iterator[None]:
    """While this lasts, a name stands for something else."""
    usual = getattr(holder, name)
    setattr(holder, name, value)
    try:
        yield
    finally:
        setattr(holder, name, usual)
