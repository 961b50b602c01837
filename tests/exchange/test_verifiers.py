"""The package for verifiers. `make peers` loads it with the real verifiers and rolls it out."""

import ast
import importlib
import sys
import tomllib
from types import ModuleType

import pytest
from making import case, dataset

import countersight as cs
from countersight.errors import ExchangeError
from countersight.exchange import Export, export_to


def test_the_package_never_uses_the_test_seed(tmp_path):
    cs.make("cvqa-synthetic", tmp_path / "flowers", size=6, seed=7)
    written = export_to("verifiers", Export(tmp_path / "flowers", tmp_path / "flowers-rl"))
    assert (written.count, written.noun) == (1, "package")
    project = tomllib.loads((tmp_path / "flowers-rl/pyproject.toml").read_text())["project"]
    assert project["name"] == "flowers_rl"
    assert {"countersight", "verifiers==0.4.0"} == set(project["dependencies"])
    module = ast.parse((tmp_path / "flowers-rl/flowers_rl/__init__.py").read_text())
    known = {
        node.targets[0].id: ast.literal_eval(node.value) for node in ast.walk(module) if isinstance(node, ast.Assign)
    }
    assert (known["SUITE"], known["TEST_SEEDS"]) == ("cvqa-synthetic", (7,))
    load = next(node for node in module.body if isinstance(node, ast.FunctionDef))
    assert [argument.arg for argument in load.args.args] == ["suite", "seed", "size", "controls", "paired"]
    assert [ast.literal_eval(default) for default in load.args.defaults] == ["cvqa-synthetic", 8, 600, False, False]


def test_the_test_seed_is_refused(tmp_path, monkeypatch):
    cs.make("cvqa-synthetic", tmp_path / "flowers", size=2, seed=7)
    export_to("verifiers", Export(tmp_path / "flowers", tmp_path / "fresh_flowers"))
    without = ModuleType("countersight.exchange.verifiers_environment")  # it needs verifiers
    without.FreshCases = without.OneReply = without.QuestionEnv = type("Base", (), {})
    without.open_environment = lambda package, **config: config
    monkeypatch.setitem(sys.modules, without.__name__, without)
    monkeypatch.syspath_prepend(tmp_path / "fresh_flowers")
    package = importlib.import_module("fresh_flowers")
    assert package.load_environment(seed=9)["seed"] == 9
    with pytest.raises(ExchangeError, match="the seed 7 is reserved for testing"):
        package.load_environment(seed=7)


def test_a_dataset_without_a_seed_is_refused(tmp_path):
    with pytest.raises(ExchangeError, match="was not made from a seed"):
        export_to("verifiers", Export(dataset(tmp_path / "own", [case(0)]), tmp_path / "out"))
    assert not (tmp_path / "out").exists()
