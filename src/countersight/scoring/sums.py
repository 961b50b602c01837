"""Scores that are added up: CFMM's total is the sum of six accuracies, out of 600 (CFMM 3.4)."""

from collections.abc import Sequence
from math import sqrt

import msgspec

from countersight.scoring.figures import Rate


class Sum(msgspec.Struct, frozen=True):
    """A sum of shares, with its interval."""

    value: float
    low: float
    high: float
    n: int
    """Answers scored in all of them."""
    shares: int
    """How many were added: the most the sum can be."""


def summed(rates: Sequence[Rate]) -> Sum | None:
    """The sum of shares of different cases, or None where one of them has no case.

    The interval is made of theirs by squaring and adding (Zou and Donner, 2008): like theirs, it is never empty and
    never leaves what is possible.
    """
    if not rates or any(rate.value is None for rate in rates):
        return None
    values = [rate.value or 0.0 for rate in rates]
    total = sum(values)
    below = sqrt(sum((value - rate.low) ** 2 for value, rate in zip(values, rates, strict=True)))
    above = sqrt(sum((rate.high - value) ** 2 for value, rate in zip(values, rates, strict=True)))
    return Sum(total, total - below, total + above, sum(rate.n for rate in rates), len(rates))
