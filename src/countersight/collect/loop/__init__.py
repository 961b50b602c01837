"""The model in the loop: people write what it gets wrong."""

from countersight.collect.loop.checking import Checked, OwnRanker, RankingModel, answers_blind, check, open_loop
from countersight.collect.loop.ranker import TextRanker, train

__all__ = [
    "Checked",
    "OwnRanker",
    "RankingModel",
    "TextRanker",
    "answers_blind",
    "check",
    "open_loop",
    "train",
]
