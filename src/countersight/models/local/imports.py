"""Large packages, imported without what only takes time."""

import gc
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_NEVER_USED = ("is_scipy_available", "is_sklearn_available")
"""So some versions of transformers ask, as they are imported, for packages with which they train or draft words.
Nothing here does either, and where they are installed they take longer than all of transformers."""


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


def import_transformers() -> Any:
    """Transformers, with what finds the class of a model."""
    package = importlib.import_module("transformers")
    utils = importlib.import_module("transformers.utils")
    usual = {name: getattr(utils, name) for name in _NEVER_USED if hasattr(utils, name)}
    try:
        for name in usual:
            setattr(utils, name, bool)  # which says no to whoever asks
        importlib.import_module("transformers.models.auto.modeling_auto")
    finally:
        for name, asked in usual.items():
            setattr(utils, name, asked)
    return package
