"""Whatever judges a test: the truth where it is known, rules where words decide, or any language model."""

from countersight.audit.judges.panel import Opinion, Pool, by_judge, opinion, panel
from countersight.audit.judges.protocol import Evidence, Judge, Judged

JUDGES = {
    "exact": "counts in our own scenes: the right new answer and the true sentences are known",
    "rules": "what the words alone decide; abstains elsewhere",
    "MODEL": "any model that reads text; see: countersight list models",
}
"""How judges are named, with a word on each; `countersight list judges` prints it."""

__all__ = ["JUDGES", "Evidence", "Judge", "Judged", "Opinion", "Pool", "by_judge", "opinion", "panel"]
