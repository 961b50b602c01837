"""Choices by chance that come out even: letters of right answers, yes and no, colours."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def balanced(items: Sequence[T], key: str, index: int) -> T:
    """An item by chance such that, over any run of indexes from 0, no item is chosen twice more than another.

    Every len(items) indexes share one shuffled order, so the choice depends on nothing but key and index.
    """
    block, position = divmod(index, len(items))
    order = list(items)
    Random(f"{key}/{block}").shuffle(order)
    return order[position]
