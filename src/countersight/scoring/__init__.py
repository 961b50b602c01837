"""Accuracy, drops, pairs and intervals. Knows nothing of how an answer was got."""

from countersight.scoring.intervals import Interval, wilson
from countersight.scoring.outcome import CaseOutcome, Outcome, Outcomes, outcomes
from countersight.scoring.pairs import RESAMPLES, mcnemar, paired_bootstrap
from countersight.scoring.parquet import write_parquet
from countersight.scoring.scores import Comparison, Difference, LetterShare, Rate, Row, Scores, compare, score

__all__ = [
    "RESAMPLES",
    "CaseOutcome",
    "Comparison",
    "Difference",
    "Interval",
    "LetterShare",
    "Outcome",
    "Outcomes",
    "Rate",
    "Row",
    "Scores",
    "compare",
    "mcnemar",
    "outcomes",
    "paired_bootstrap",
    "score",
    "wilson",
    "write_parquet",
]
