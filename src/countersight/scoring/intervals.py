"""How sure a share is."""

from math import sqrt
from statistics import NormalDist

import msgspec


class Interval(msgspec.Struct, frozen=True):
    """A confidence interval."""

    low: float
    high: float


def wilson(right: int, n: int, confidence: float = 0.95) -> Interval:
    """The Wilson score interval of a share: right out of n. Nothing is known of a share of nothing: 0 to 1.

    Taken rather than the normal approximation because it stays within 0 and 1, and is never empty at 0% or 100%.
    """
    if not 0 <= right <= n:
        raise ValueError(f"{right} right out of {n} is not a share")
    if n == 0:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = right / n
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    # The ends are exact where nothing or everything is right; rounding must not move them.
    return Interval(
        0.0 if right == 0 else max(0.0, min(centre - half, share)),
        1.0 if right == n else min(1.0, max(centre + half, share)),
    )
