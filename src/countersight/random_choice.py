"""Balanced random choices: letters of right answers, difficulties, phrasings, colours."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")
_ROUNDS = 25


def balanced(items: Sequence[T], key: str, index: int, rounds: int = 1) -> T:
    """Choose an item at random so that all items are chosen almost equally often over indexes counted from 0.

    Each block of `rounds * len(items)` indexes shares one shuffled order; the choice depends only on the arguments.
    """
    block, position = divmod(index, rounds * len(items))
    order = [*items] * rounds
    Random(f"{key}/{block}").shuffle(order)
    return order[position]


def balanced_answer(answers: Sequence[T], key: str, index: int) -> T:
    """Choose the right answer, balanced over blocks so large that earlier answers do not reveal the next one."""
    return balanced(answers, key, index, _ROUNDS)
