"""How many cases a difference needs to be seen, when two models are asked the same ones."""

from math import ceil, sqrt
from statistics import NormalDist

LEVEL, POWER = 0.05, 0.8
DISCORDANT = (0.1, 0.2, 0.3, 0.5)
"""Shares of cases on which two models differ: 0.1 for two versions of one model, 0.5 for two that guess."""


def cases_needed(difference: float, discordant: float, *, level: float = LEVEL, power: float = POWER) -> int:
    """Cases for McNemar's test to see a difference of two accuracies (Connor 1987).

    `discordant` is the share of cases that one of the two answers right and the other does not.
    """
    if not 0 < difference <= discordant <= 1:
        raise ValueError("a difference is above 0 and no larger than the share of cases on which the two differ")
    normal = NormalDist()
    reach = normal.inv_cdf(1 - level / 2) * sqrt(discordant)
    reach += normal.inv_cdf(power) * sqrt(discordant - difference**2)
    return ceil(reach**2 / difference**2)
