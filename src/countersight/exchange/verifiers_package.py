"""`export --to verifiers`: write a package whose environment generates new cases of the dataset's suite for training.

The dataset itself is reserved for testing: its seed is never used for training.
"""

import re
from pathlib import Path
from typing import Final

from countersight.errors import ExchangeError
from countersight.exchange.exported_questions import dataset_at
from countersight.exchange.formats import Export, Exported
from countersight.files import Staging, write_text
from countersight.suites import known_suite

_MODULE: Final = '''"""New cases of {suite} for verifiers; written by `countersight export`."""

from countersight.errors import ExchangeError
from countersight.exchange.verifiers_environment import FreshCases, OneReply, QuestionEnv, open_environment

__all__ = ["Cases", "OneReply", "QuestionEnv", "load_environment"]


class Cases(FreshCases):
    """Cases generated from seeds; the seed of the exported dataset is reserved for testing."""

    SUITE = "{suite}"
    TEST_SEEDS = ({seed},)


def load_environment(
    suite: str = "{suite}", seed: int = {first}, size: int = 600, controls: bool = False, paired: bool = False
) -> QuestionEnv:
    """Return the environment with `size` cases, from this seed on; `paired` rewards only if both replies are right."""
    if seed in Cases.TEST_SEEDS:
        raise ExchangeError(f"the seed {{seed}} is reserved for testing; choose another one")
    return open_environment("{package}", suite=suite, seed=seed, size=size, controls=controls, paired=paired)
'''
_PROJECT: Final = """[project]
name = "{package}"
version = "0.1.0"
description = "Counterfactual visual questions of {suite} as an environment with verifiable rewards."
requires-python = ">=3.11"
dependencies = ["countersight", "verifiers==0.4.0"]

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build.targets.wheel]
packages = ["{package}"]
"""
_README: Final = """# {package}

New cases of `{suite}`, generated from seeds {first} and up; the seed {seed} is reserved for testing and cannot be used.

    pip install -e .
    vf-eval {package} -n 20 --env.taskset.paired true

Rewards: `right` (1 for a right reply) or, in pairs, `both_right`. Metrics: `factual`, `counterfactual`, `control`,
`unread`, `cut`, `empty`, and in pairs `drop` and `both_right`; their means are the figures of `countersight score`.
"""


def export_verifiers(order: Export) -> Exported:
    """Write the package: pyproject.toml, README.md and one module."""
    dataset = dataset_at(order.source, "verifiers")
    provenance = dataset.provenance()
    suite = known_suite(provenance.get("suite", ""))
    if suite is None or not suite.maker or "seed" not in provenance or "file" in provenance:
        raise ExchangeError(f"{dataset.path} was not made from a seed, so no new cases can be generated")
    package = re.sub(r"\W+", "_", order.out.name).strip("_").lower()
    if not package.isidentifier():
        raise ExchangeError(f"{order.out.name!r} cannot be the name of a Python package; choose another one")
    seed = int(provenance["seed"])
    values = {"suite": provenance["suite"], "seed": seed, "first": seed + 1, "package": package}
    with Staging(order.out) as folder:
        (folder / package).mkdir()
        for name, text in {"pyproject.toml": _PROJECT, "README.md": _README, f"{package}/__init__.py": _MODULE}.items():
            write_text(folder / Path(name), text.format(**values))
    note = f"pip install -e {order.out}, then: vf-eval {package}; the seed {seed} is never used for training"
    return Exported(1, "package", note)
