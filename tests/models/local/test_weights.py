"""Weights read by ourselves: those that transformers reads, or none at all."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from countersight.models.local import loading
from countersight.models.local.finding import read_config
from countersight.models.local.loading import Ahead, read_weights

Folders = Callable[[str], Path]


@pytest.fixture
def folder(tiny_folder: Folders, tmp_path: Path) -> Path:
    """A model of our own, to be changed."""
    for file in tiny_folder("qwen2_5_vl").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def divided(folder: Path) -> None:
    """The same weights in two files."""
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    where = {name: f"{nth % 2}.safetensors" for nth, name in enumerate(weights)}
    for file in set(where.values()):
        save_file({name: weights[name] for name in where if where[name] == file}, folder / file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))


@pytest.mark.parametrize("change", [lambda folder: None, divided])
def test_a_model_made_of_them_is_the_one_that_transformers_makes(folder: Path, change: Callable[[Path], None]) -> None:
    config = read_config(folder)
    usual = loading._model(folder, config, "float32", None, None)
    change(folder)
    weights = read_weights(folder, "cpu", "float32")
    assert weights is not None
    ours = loading._model(folder, config, "float32", None, weights)
    assert same(usual.state_dict(), ours.state_dict())
    assert same(dict(usual.named_buffers()), dict(ours.named_buffers()))
    assert usual.generation_config.to_dict() == ours.generation_config.to_dict()


def torn(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])


def quantised(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_bytes())
    (folder / "config.json").write_text(json.dumps({**config, "quantization_config": {"bits": 4}}))


def of_two_kinds(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    name = next(iter(weights))
    save_file({**weights, name: weights[name].bfloat16()}, folder / "model.safetensors")


@pytest.mark.parametrize(
    "change", [torn, quantised, of_two_kinds, lambda folder: (folder / "model.safetensors").unlink()]
)
def test_where_they_are_not_plain_it_is_left_to_transformers(folder: Path, change: Callable[[Path], None]) -> None:
    change(folder)
    assert read_weights(folder, "cpu", "float32") is None


def test_nor_are_they_turned_into_other_numbers(folder: Path) -> None:
    assert read_weights(folder, "cpu", "bfloat16") is None


def test_weights_that_begin_anywhere_are_read_rightly(folder: Path) -> None:
    weights = {"a": torch.arange(3.0), "b": torch.arange(5.0), "c": torch.arange(4.0)}
    save_file(weights, folder / "model.safetensors")
    found = read_weights(folder, "cpu", "float32")
    assert found is not None
    assert same(found, weights)


def test_ahead_are_read_those_that_a_model_will_be_computed_with(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(loading, "read_weights", lambda *asked: {"asked": asked})
    ahead = Ahead(folder, "auto", "auto")
    assert ahead.take("cuda", "float32") == {"asked": (folder, "cuda", "float32")}
    assert ahead.take("cuda", "bfloat16") is None
    assert Ahead(folder, "cpu", "float32").take("cpu", "float32") is None  # there it is computing that takes the time
    assert Ahead(folder / "nowhere", "auto", "auto").take("cuda", "float32") is None
