"""The accuracy of yes/no verdicts on cases with known answers."""

from collections.abc import Iterable

import msgspec

from countersight.scoring import share_interval


class KnownShare(msgspec.Struct, frozen=True):
    """A share of known cases, with its exact binomial 95% interval."""

    right: int
    n: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share that is right; 0.5 if there are no cases."""
        return self.right / self.n if self.n else 0.5


def rate(right: int, n: int) -> KnownShare:
    """Return a share with its interval."""
    interval = share_interval(right, n)
    return KnownShare(right, n, interval.low, interval.high)


class Instrument(msgspec.Struct, frozen=True):
    """The accuracy of yes/no verdicts."""

    sensitivity: KnownShare
    """The share of yes among those where yes is right (q1)."""
    specificity: KnownShare
    """The share of no among those where no is right (q0)."""
    abstained: int
    """Abstentions, counted in neither share."""
    tied: int = 0
    """Abstentions that are ties: an audit counts them as half, so the two shares do not describe its scores."""

    @property
    def is_coin(self) -> bool:
        """Whether the verdicts, tested on cases of yes and of no, are no better than a coin flip."""
        tried = self.sensitivity.n and self.specificity.n
        return bool(tried) and self.sensitivity.share + self.specificity.share <= 1


def instrument(verdicts: Iterable[tuple[float | None, int]]) -> Instrument:
    """Return the accuracy of verdicts, each paired with the right one. A tie is an abstention."""
    table = {(verdict, right): 0 for verdict in (0, 1) for right in (0, 1)}
    abstained = tied = 0
    for verdict, right in verdicts:
        if verdict is None or verdict == 0.5:
            abstained += 1
            tied += verdict == 0.5
        else:
            table[int(verdict > 0.5), right] += 1
    return Instrument(
        rate(table[1, 1], table[1, 1] + table[0, 1]), rate(table[0, 0], table[0, 0] + table[1, 0]), abstained, tied
    )
