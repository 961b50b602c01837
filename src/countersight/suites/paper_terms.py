"""The terms of a suite's scores: the names of its figures, and how its cases are grouped.

A suite without its own terms (`Suite.terms`), or a dataset of several suites, is reported in the default terms:
factual, counterfactual, drop and both right, by group. The worlds are called factual and counterfactual in every suite,
even if its paper uses other names (C-VQA: original); only figures keep the paper's own names (CFMM: acc_b).
"""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

import msgspec

from countersight.case import Case

if TYPE_CHECKING:
    from countersight.scoring import Axis  # which imports numpy

BOTH_WORLDS: Final = "about the factual picture and about the picture under a change"
AS_IT_IS: Final = "about the factual picture"
UNDER_A_CHANGE: Final = "about the picture under a change"
ACCURACY: Final = {"factual": "accuracy"}

PLAIN_MEASURES: Final = {
    "factual": "factual",
    "counterfactual": "counterfactual",
    "drop": "drop",
    "both_right": "both right",
    "shown": "shown",
    "imagination_gap": "imagination gap",
    "fell_back": "fell back on the prior",
}
"""The figures of a line of scores, in order, with their default names."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """How a suite's scores are presented."""

    about: str = ""
    """The text after "was tested on 100 cases …"; if empty, it is derived from the worlds."""
    group: str = "group"
    groups: dict[str, str] = {}
    """The groups in the paper's order, and their names in the paper."""
    measures: dict[str, str] = msgspec.field(default_factory=lambda: PLAIN_MEASURES)
    """The figures to show, in order, and their names in the paper."""
    axes: "tuple[Axis, ...]" = ()
    adds_up: bool = False
    """Whether the paper reports a total, which is the sum over the groups with at most 100 points each."""
    counts: bool = False
    """Whether every share is also shown as a count."""
    wholes: dict[str, str] = {}
    """The paper's names for completely right questions, pictures and sets (by "question", "picture", "set")."""


PLAIN: Final = Terms()


def plain_name(text: str) -> str:
    """Return a name from a file in lower case, with single spaces instead of hyphens and underscores."""
    return re.sub(r"[\s_-]+", " ", text[:100]).strip().casefold()


def by_provenance(key: str) -> Callable[[Case], Iterable[str]]:
    """Return a function that groups cases by a key of their provenance."""
    return lambda case: (str(case.provenance[key]),) if key in case.provenance else ()
