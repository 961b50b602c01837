"""Two tiers of one parametrized test: a few values in `make test`, all of them in `make test-all`."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def mostly_slow(values: Iterable[Any], fast: Collection[Any]) -> list[Any]:
    """The values of a parametrized test, all marked slow but the fast ones."""
    values = list(values)
    assert set(fast) <= set(values), f"not among the values: {set(fast) - set(values)}"
    return [value if value in fast else pytest.param(value, marks=pytest.mark.slow) for value in values]
