"""What became of a test, in words, and which cases the page of an audit shows."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from countersight.audits.bundle.cases import CaseSheet, ConceptSheet
from countersight.html import balanced_sample

Outcome = Literal["consistent", "answer-only", "explanation-only", "neither", "in-part", "undecided", "excluded"]

OUTCOMES: dict[Outcome, str] = {
    "neither": "neither follows",
    "answer-only": "only the answer follows",
    "explanation-only": "only the explanation follows",
    "in-part": "judges differ in part",
    "consistent": "both follow",
    "undecided": "undecided",
    "excluded": "excluded",
}
"""What can become of a test. Every test stands under exactly one of them."""


def outcome(test: ConceptSheet) -> Outcome:
    """Under which heading a test stands."""
    if test.excluded:
        return "excluded"
    if test.pcs is None or test.ncc is None:
        return "undecided"
    if not {test.pcs, test.ncc} <= {0.0, 1.0}:
        return "in-part"
    if test.pcs:
        return "consistent" if test.ncc else "answer-only"
    return "explanation-only" if test.ncc else "neither"


def shown(cases: Sequence[CaseSheet], most: int, seed: int = 0) -> tuple[CaseSheet, ...]:
    """At most so many cases, in order, so that every outcome of every kind of concept is among them."""
    if len(cases) <= most:
        return tuple(cases)
    longest = max((len(case.tests) for case in cases), default=0)
    strata = [_strata(cases, place) for place in range(max(1, longest))]
    return tuple(cases[place] for place in balanced_sample(strata, most, seed))


def _strata(cases: Sequence[CaseSheet], place: int) -> NDArray[np.int64]:
    names = [_stratum(case.tests[place]) if place < len(case.tests) else ("", "") for case in cases]
    known = {stratum: number for number, stratum in enumerate(dict.fromkeys(names))}
    return np.array([known[stratum] for stratum in names], dtype=np.int64)


def _stratum(test: ConceptSheet) -> tuple[str, str]:
    return test.instruction.kind, outcome(test)
