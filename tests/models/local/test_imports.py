"""Large packages, imported without what only takes time."""

import importlib.metadata
import subprocess
import sys

import pytest

from countersight.models.local.finding import Distributions


def test_what_brings_a_package_is_what_a_list_of_all_says() -> None:
    listed, found = importlib.metadata.packages_distributions(), Distributions()
    for package in ("torch", "transformers", "numpy", "PIL", "yaml"):
        assert [name.lower() for name in found[package]] == [name.lower() for name in dict.fromkeys(listed[package])]
    assert found.get("no_such_package", []) == []


@pytest.mark.slow
def test_transformers_comes_without_what_it_would_only_train_with() -> None:
    told = "import sys; from countersight.models.local.finding import import_transformers; import_transformers(); "
    told += "from transformers.utils import is_torch_available, is_vision_available; "
    told += "print(is_torch_available(), is_vision_available(), 'scipy.optimize' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "False"]
