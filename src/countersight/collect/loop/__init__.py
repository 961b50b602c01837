"""The model in the loop (human and model in the loop: HAMLET): people write examples that it gets wrong."""

from countersight.collect.loop.hamlet import ModelCheck, OwnRanker, RankingModel, answers_blind, check, open_loop
from countersight.collect.loop.proposing import Proposer, open_proposer
from countersight.collect.loop.ranker import TextRanker, train

__all__ = [
    "ModelCheck",
    "OwnRanker",
    "Proposer",
    "RankingModel",
    "TextRanker",
    "answers_blind",
    "check",
    "open_loop",
    "open_proposer",
    "train",
]
