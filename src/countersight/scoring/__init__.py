"""Accuracy, drops, pairs and intervals. Knows nothing of how an answer was got."""

from countersight.scoring.divisions import Axis, Dividing, Division, Roles, RoleShare, role_shares
from countersight.scoring.intervals import Interval, wilson
from countersight.scoring.outcome import CaseOutcome, Outcome, Outcomes, outcomes
from countersight.scoring.pairs import RESAMPLES, mcnemar, paired_bootstrap, sign_flips
from countersight.scoring.parquet import write_parquet
from countersight.scoring.scores import (
    Comparison,
    Difference,
    LetterShare,
    Rate,
    Row,
    Scores,
    compare,
    score,
    score_line,
)
from countersight.scoring.soft import soft_accuracy
from countersight.scoring.sums import Sum, summed

__all__ = [
    "RESAMPLES",
    "Axis",
    "CaseOutcome",
    "Comparison",
    "Difference",
    "Dividing",
    "Division",
    "Interval",
    "LetterShare",
    "Outcome",
    "Outcomes",
    "Rate",
    "RoleShare",
    "Roles",
    "Row",
    "Scores",
    "Sum",
    "compare",
    "mcnemar",
    "outcomes",
    "paired_bootstrap",
    "role_shares",
    "score",
    "score_line",
    "sign_flips",
    "soft_accuracy",
    "summed",
    "wilson",
    "write_parquet",
]
