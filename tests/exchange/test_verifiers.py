"""The package for verifiers. `make peers` loads it with the real verifiers and rolls it out."""

import importlib
import sys
import tomllib
from types import ModuleType

import pytest
from making import case, dataset

import countersight as cs
from countersight.errors import ExchangeError
from countersight.exchange import Export, export_to


def test_the_package_never_uses_the_test_seed(tmp_path, monkeypatch):
    cs.make("cvqa-synthetic", tmp_path / "flowers", size=2, seed=7)
    written = export_to("verifiers", Export(tmp_path / "flowers", tmp_path / "fresh-flowers"))
    assert (written.count, written.noun) == (1, "package")
    project = tomllib.loads((tmp_path / "fresh-flowers/pyproject.toml").read_text())["project"]
    assert project["name"] == "fresh_flowers"
    assert {"countersight", "verifiers==0.4.0"} == set(project["dependencies"])
    without = ModuleType("countersight.exchange.verifiers_environment")  # it needs verifiers
    without.FreshCases = without.OneReply = without.QuestionEnv = type("Base", (), {})
    without.open_environment = lambda package, **config: config
    monkeypatch.setitem(sys.modules, without.__name__, without)
    monkeypatch.syspath_prepend(tmp_path / "fresh-flowers")
    package = importlib.import_module("fresh_flowers")
    assert (package.Cases.SUITE, package.Cases.TEST_SEEDS) == ("cvqa-synthetic", (7,))
    usual = {"suite": "cvqa-synthetic", "seed": 8, "size": 600, "controls": False, "paired": False}
    assert package.load_environment() == usual
    with pytest.raises(ExchangeError, match="the seed 7 is reserved for testing"):
        package.load_environment(seed=7)


def test_a_dataset_without_a_seed_is_refused(tmp_path):
    with pytest.raises(ExchangeError, match="was not made from a seed"):
        export_to("verifiers", Export(dataset(tmp_path / "own", [case(0)]), tmp_path / "out"))
    assert not (tmp_path / "out").exists()
