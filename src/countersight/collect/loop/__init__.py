"""The model in the loop: people write what it gets wrong."""

from countersight.collect.loop.checking import Checked, OwnRanker, RankingModel, check, context_of, open_loop
from countersight.collect.loop.ranker import Instance, TextRanker, train

__all__ = [
    "Checked",
    "Instance",
    "OwnRanker",
    "RankingModel",
    "TextRanker",
    "check",
    "context_of",
    "open_loop",
    "train",
]
