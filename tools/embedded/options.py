"""Numeric options, drawn in several ways, so that the model learns to find its answer among any of them."""

from random import Random

FARTHEST = 99
"""The largest number that is a single token."""
PUBLISHED = (*range(-5, 0), *range(1, 7))
"""Differences of wrong options from the right one in the published set."""
WIDE = 12
"""The width of the range of options in our own suite; the right option has a random rank."""


def options(rng: Random, right: int) -> list[int]:
    """Return different numbers, with the right one at a random position."""
    number = 4 if rng.random() < 0.85 else rng.randint(2, 6)
    wrong = _wrong(rng, right, number - 1)
    wrong.insert(rng.randrange(number), right)
    return wrong


def _wrong(rng: Random, right: int, number: int) -> list[int]:
    chance = rng.random()
    if chance < 0.35:
        near = [right + gap for gap in PUBLISHED if right + gap >= 0]
    elif chance < 0.8:
        near = _window(rng, right, WIDE)
    elif chance < 0.9:
        near = _window(rng, right, number + 1)
    else:
        near = list(range(50))
    return rng.sample([each for each in near if each != right], number)


def _window(rng: Random, right: int, width: int) -> list[int]:
    """Return consecutive numbers, including the right one."""
    least = max(0, right - rng.randrange(width))
    return [each for each in range(least, least + width) if each <= FARTHEST]
