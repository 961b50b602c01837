"""Tiny models of every family; each is written and loaded once for all tests."""

import gc
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import torch
from models.local import every_family, tiny

from countersight.models.local.loading import Loaded, load

torch.set_num_threads(1)  # on a shared machine, threads of models this small wait for each other most of the time


@pytest.fixture(scope="module", autouse=True)
def light_to_sweep() -> Iterator[None]:
    """Exclude existing objects from garbage collection, which took most of the time."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of the tiny model of a family."""
    made: dict[str, Path] = {}

    def folder(family: str) -> Path:
        if family not in made:
            write = tiny.FAMILIES.get(family) or partial(every_family.write, family)
            made[family] = write(tmp_path_factory.mktemp(family))
        return made[family]

    return folder


@pytest.fixture(scope="session")
def tiny_model(tiny_folder: Callable[[str], Path]) -> Callable[[str], Loaded]:
    """Return the tiny model of a family, loaded in float32."""
    made: dict[str, Loaded] = {}

    def model(family: str) -> Loaded:
        if family not in made:
            made[family] = load(str(tiny_folder(family)), device="cpu")
        return made[family]

    return model
