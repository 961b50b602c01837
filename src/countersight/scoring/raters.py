"""Agreement between people or judges: raw agreement, Cohen's and Fleiss' kappa, Krippendorff's alpha, Gwet's AC1.

Kappa and alpha are misleading if nearly all labels are equal (in verification, most answers are right); AC1 is not.
Therefore all of them are reported, each with a bootstrap interval over items or the reason why it is undefined. Items
are rows of labels, one per person; None is an abstention.
"""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.figures import Interval

Label = Hashable | None
Rows = Sequence[Sequence[Label]]
_Floats = NDArray[np.float64]

RESAMPLES: Final = 10_000
_AT_ONCE: Final = 4_000_000  # the maximum number of random numbers in memory (32 MB)
NO_PAIR: Final = "no item was labelled twice"
ONE_LABEL: Final = "all answers are the same, so agreement cannot be measured"
NOT_TWO: Final = "every item needs two people"


class Estimate(msgspec.Struct, frozen=True):
    """A figure with its interval, or the reason why it is undefined."""

    value: float | None
    interval: Interval | None = None
    why: str = ""


class Agreement(msgspec.Struct, frozen=True):
    """The agreement of people on the same items."""

    items: int
    """The number of items with at least two labels."""
    raw: Estimate
    cohen: Estimate
    fleiss: Estimate
    alpha: Estimate
    ac1: Estimate


def agreement(rows: Rows, seed: int = 0, resamples: int = RESAMPLES) -> Agreement:
    """Compute all coefficients over items with at least two labels."""
    counts, pairs, names = _coded(rows)
    if not len(counts):
        none = Estimate(None, None, NO_PAIR)
        return Agreement(0, none, none, none, none, none)
    items, two = len(counts), bool((counts.sum(axis=1) == 2).all())
    counts, pairs, weights = _drawn(counts, pairs, seed, resamples)
    estimate = partial(_estimate, weights)
    return Agreement(
        items,
        estimate(partial(_raw, counts)),
        estimate(partial(_cohen, pairs, len(names))) if two else Estimate(None, None, NOT_TWO),
        estimate(partial(_fleiss, counts)),
        estimate(partial(_alpha, counts)),
        estimate(partial(_ac1, counts)),
    )


def cohen_kappa(first: Sequence[Label], second: Sequence[Label]) -> float | None:
    """Return Cohen's kappa over items that both labelled; None without such items, or if chance explains all
    agreement."""
    return agreement(list(zip(first, second, strict=True)), resamples=0).cohen.value


def krippendorff_alpha(rows: Rows) -> float | None:
    """Return Krippendorff's alpha for nominal labels; None if no item has two labels, or all labels are equal."""
    return agreement(rows, resamples=0).alpha.value


def _coded(rows: Rows) -> tuple[_Floats, NDArray[np.int64], list[Hashable]]:
    """Return the label counts of items with at least two labels, and the first two labels of each item as numbers."""
    given = [[label for label in row if label is not None] for row in rows]
    given = [row for row in given if len(row) > 1]
    names = sorted({label for row in given for label in row}, key=str)
    number = {name: place for place, name in enumerate(names)}
    counts = np.zeros((len(given), len(names)))
    for place, row in enumerate(given):
        for label in row:
            counts[place, number[label]] += 1
    pairs = np.array([[number[row[0]], number[row[1]]] for row in given], dtype=np.int64).reshape(-1, 2)
    return counts, pairs, names


def _drawn(
    counts: _Floats, pairs: NDArray[np.int64], seed: int, resamples: int
) -> tuple[_Floats, NDArray[np.int64], _Floats]:
    """Return the distinct items, and how often each is drawn in each resample; the first row is the sample itself.

    Equal items are counted together, so n items are drawn with one multinomial draw. If nearly all items differ, fewer
    resamples are drawn to limit memory.
    """
    distinct, first, numbers = np.unique(np.hstack([counts, pairs]), axis=0, return_index=True, return_counts=True)
    n = int(numbers.sum())
    resamples = min(resamples, max(200, _AT_ONCE // len(distinct)))
    drawn = np.random.default_rng(seed).multinomial(n, numbers / n, size=resamples)
    return counts[first], pairs[first], np.vstack([numbers, drawn]).astype(np.float64)


def _estimate(weights: _Floats, figure: "partial[_Floats]") -> Estimate:
    figures = figure(weights)
    if np.isnan(figures[0]):
        return Estimate(None, None, ONE_LABEL)
    drawn = figures[1:][~np.isnan(figures[1:])]
    low, high = np.quantile(drawn, (0.025, 0.975)) if len(drawn) else (figures[0], figures[0])
    return Estimate(float(figures[0]), Interval(float(min(low, figures[0])), float(max(high, figures[0]))))


def _beyond_chance(observed: _Floats, expected: _Floats) -> _Floats:
    """Return the agreement beyond chance as a share of the maximum; NaN if chance explains everything."""
    room = 1 - expected
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(room > 1e-12, (observed - expected) / room, np.nan)


def _pairs_alike(counts: _Floats) -> _Floats:
    """Return, for each item, the share of pairs of people who agree."""
    people = counts.sum(axis=1)
    alike: _Floats = (counts * (counts - 1)).sum(axis=1) / (people * (people - 1))
    return alike


def _raw(counts: _Floats, weights: _Floats) -> _Floats:
    raw: _Floats = weights @ _pairs_alike(counts) / weights.sum(axis=1)
    return raw


def _cohen(pairs: NDArray[np.int64], labels: int, weights: _Floats) -> _Floats:
    n = weights.sum(axis=1)
    one, other = (weights @ np.eye(labels)[pairs[:, side]] / n[:, None] for side in (0, 1))
    return _beyond_chance(weights @ (pairs[:, 0] == pairs[:, 1]) / n, (one * other).sum(axis=1))


def _fleiss(counts: _Floats, weights: _Floats) -> _Floats:
    shares = weights @ counts
    shares /= shares.sum(axis=1, keepdims=True)
    return _beyond_chance(_raw(counts, weights), (shares**2).sum(axis=1))


def _ac1(counts: _Floats, weights: _Floats) -> _Floats:
    labels = max(2, counts.shape[1])
    shares = weights @ (counts / counts.sum(axis=1, keepdims=True)) / weights.sum(axis=1)[:, None]
    return _beyond_chance(_raw(counts, weights), (shares * (1 - shares)).sum(axis=1) / (labels - 1))


def _alpha(counts: _Floats, weights: _Floats) -> _Floats:
    """Return Krippendorff's alpha; coincidences of an item with m labels have weight 1 / (m - 1)."""
    people = counts.sum(axis=1)
    alike = weights @ ((counts * (counts - 1)).sum(axis=1) / (people - 1))
    totals = weights @ counts
    n = totals.sum(axis=1)
    expected = n * n - (totals**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 1e-9, 1 - (n - 1) * (n - alike) / expected, np.nan)
