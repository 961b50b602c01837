"""Measure how often 95 % intervals contain the true value: `python -m benchmarks.coverage [--draws 2000]`.

Shares and means are simulated over a grid of clusters (pictures with several cases), sizes and shares. Each line
shows the lowest coverage for one shape of clusters and where it was found. It should be at least 0.94.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from countersight.scoring import mean_interval, paired
from countersight.scoring.intervals import share_interval

Number = tuple[int, int]
LEAST = 0.94
SHARES = (0.5, 0.7, 0.9, 0.95, 0.98)
ALIKE = (0.0, 0.25, 0.5, 1.0)
"""The correlation of two cases in the same cluster."""
SHAPES = ("even", "uneven", "long tail", "half in one")
NUMBERS = ((10, 30), (20, 100), (40, 120), (100, 500), (200, 1000))
"""Numbers of clusters and cases."""


def sizes(shape: str, clusters: int, cases: int) -> NDArray[np.int64]:
    """Return the number of cases in each cluster."""
    places = np.arange(clusters)
    if shape == "uneven":  # like exponential draws
        weights = -np.log1p(-(places + 0.5) / clusters)
    elif shape == "long tail":
        weights = 1 / (1 + places)
    elif shape == "half in one":
        weights = np.where(places == 0, clusters - 1.0, 1.0)
    else:
        weights = np.ones(clusters)
    return np.maximum(1, np.round(weights / weights.sum() * cases)).astype(np.int64)


def independent_share(n: int, share: float) -> float:
    """Return the exact coverage of the interval of a share of n independent cases."""
    chances = [comb(n, right) * share**right * (1 - share) ** (n - right) for right in range(n + 1)]
    ends = [share_interval(right, n) for right in range(n + 1)]
    return sum(chance for chance, end in zip(chances, ends, strict=True) if end.low <= share <= end.high)


def clustered(shape: str, number: Number, share: float, alike: float, draws: int, seed: int) -> float:
    """Return the coverage of the interval of a share of cases in clusters."""
    clusters = number[0]
    of = np.repeat(np.arange(clusters), sizes(shape, *number))
    generator = np.random.default_rng(seed)
    held = 0
    for _ in range(draws):
        own, shared = generator.random(of.size) < share, (generator.random(clusters) < share)[of]
        found = mean_interval(np.where(generator.random(of.size) < np.sqrt(alike), shared, own), of)
        held += found.low <= share + 1e-12 and share - 1e-12 <= found.high
    return held / draws


def means(_: str, number: Number, share: float, votes: int, draws: int, seed: int) -> float:
    """Return the coverage of the interval of a mean share of votes, with several cases per picture."""
    clusters, each = number
    of = np.repeat(np.arange(clusters), each)
    generator = np.random.default_rng(seed)
    held = 0
    for _ in range(draws):
        ease = generator.beta(4 * share, 4 * (1 - share), clusters)[of]
        found = mean_interval(generator.binomial(votes, ease) / votes, of)
        held += found.low <= share <= found.high
    return held / draws


def drops(shape: str, number: Number, differing: float, alike: float, draws: int, seed: int) -> float:
    """Return the coverage of the interval of a drop with clustered cases; 75 % of the differing cases are drops."""
    clusters = number[0]
    of = np.repeat(np.arange(clusters), sizes(shape, *number))
    generator = np.random.default_rng(seed)
    chances = [0.75 * differing, 0.25 * differing, 1 - differing]
    held = 0
    for _ in range(draws):
        own, shared = (generator.choice([1, -1, 0], size=size, p=chances) for size in (of.size, clusters))
        found = paired(np.where(generator.random(of.size) < np.sqrt(alike), shared[of], own), of)
        held += found.low <= chances[0] - chances[1] <= found.high
    return held / draws


def measure(draws: int) -> Iterator[tuple[str, float, str]]:
    """Yield each kind of interval with its lowest coverage and where it was found."""
    exact = {
        f"n {n}, share {s:.3f}": independent_share(n, s) for n in (3, 12, 30, 100) for s in np.arange(0.5, 1, 0.005)
    }
    where = min(exact, key=lambda point: exact[point])
    yield "share of independent cases, exactly", exact[where], where
    for shape in SHAPES:
        yield _lowest(f"share, clusters {shape}", clustered, product([shape], NUMBERS, SHARES, ALIKE), draws)
    yield _lowest("mean of votes", means, product([""], ((12, 1), (30, 3), (100, 3)), (0.5, 0.8, 0.95), (2, 3)), draws)
    for shape in SHAPES[:3]:
        yield _lowest(f"drop, clusters {shape}", drops, product([shape], NUMBERS[1:], (0.05, 0.3), ALIKE), draws)


def _lowest(name: str, coverage: Callable[..., float], grid: Iterable[Any], draws: int) -> tuple[str, float, str]:
    """Return the lowest coverage of a grid. A minimum of noisy figures is too low, so the three lowest are repeated."""
    lowest = sorted(grid, key=lambda point: coverage(*point, draws, seed=0))[:3]
    found = {point: coverage(*point, 10 * draws, seed=1) for point in lowest}
    where = min(found, key=lambda point: found[point])
    _, (clusters, cases), share, other = where
    return name, found[where], f"{clusters} clusters, {cases} cases, {share}, {other}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument(
        "--draws", type=int, default=200, help="samples for each point; the lowest get ten times as many"
    )
    draws = parser.parse_args(arguments).draws
    print(f"coverage of 95 % intervals: lowest of a grid, at {10 * draws:,} samples (at least {LEAST} is wanted)")
    for name, coverage, where in measure(draws):
        print(f"  {name:<36} {coverage:.3f}  {where}", flush=True)


if __name__ == "__main__":
    main()
