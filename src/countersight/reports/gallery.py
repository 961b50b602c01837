"""Which cases the gallery shows, and under which heading each stands."""

from typing import Literal

from countersight.reports.data import Verdict

PairOutcome = Literal[
    "lost", "gained", "both-right", "both-wrong", "right", "wrong", "unread", "empty", "cut", "failed", "missing"
]

PAIR_OUTCOMES: dict[PairOutcome, str] = {
    "lost": "factual right, counterfactual wrong",
    "gained": "factual wrong, counterfactual right",
    "both-right": "both right",
    "both-wrong": "both wrong",
    "right": "right (asked in one world)",
    "wrong": "wrong (asked in one world)",
    "unread": "unread",
    "empty": "empty",
    "cut": "cut off",
    "failed": "failed",
    "missing": "not asked yet",
}
"""What can become of a case in a run, in words. Every case stands under exactly one of them."""


def pair_outcome(factual: Verdict | None, counterfactual: Verdict | None) -> PairOutcome:
    """The heading of a case: what went amiss if anything did, or right and wrong before and after the change."""
    verdicts = [verdict for verdict in (factual, counterfactual) if verdict is not None] or ["missing"]
    for amiss in ("failed", "missing", "cut", "empty", "unread"):
        if amiss in verdicts:
            return amiss
    if len(verdicts) < 2:
        return "right" if verdicts == ["right"] else "wrong"
    match factual == "right", counterfactual == "right":
        case True, True:
            return "both-right"
        case True, False:
            return "lost"
        case False, True:
            return "gained"
        case _:
            return "both-wrong"
