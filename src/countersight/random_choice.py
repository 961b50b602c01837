"""Balanced random choices: letters of right answers, yes and no, colours."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def balanced(items: Sequence[T], key: str, index: int) -> T:
    """Choose an item at random so that all items are chosen almost equally often over indexes counted from 0.

    Every len(items) indexes share one shuffled order, so the choice depends only on key and index.
    """
    block, position = divmod(index, len(items))
    order = list(items)
    Random(f"{key}/{block}").shuffle(order)
    return order[position]
