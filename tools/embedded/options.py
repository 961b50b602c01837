"""Numbers to choose from, drawn in many ways, so that the model learns to look for its answer among any."""

from random import Random

FARTHEST = 99
"""The largest number that is one word to the model."""
PUBLISHED = (*range(-5, 0), *range(1, 7))
"""How far the wrong options of the published set are from the right one."""
WIDE = 12
"""Numbers among which those of our own suite lie, the right one at any rank."""


def options(rng: Random, right: int) -> list[int]:
    """Different numbers, the right one among them at any place."""
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
    """Numbers in a row with the right one somewhere among them."""
    least = max(0, right - rng.randrange(width))
    return [each for each in range(least, least + width) if each <= FARTHEST]
