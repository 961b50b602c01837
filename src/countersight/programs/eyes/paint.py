"""What the pictures of worlds are painted with, found in their pixels: walls, wood, and which palette."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from countersight.picture import Pixels
from countersight.programs.eyes.patches import Mask, patches
from countersight.programs.eyes.seen import NotAScene
from countersight.worlds import COLOURS, PALETTES, SIDES, WALLS, WOODS, Look

_FEW = 24
"""Fewer pixels of a colour are the soft edge of something."""
_DOT = 6
"""Pixels of a dot that are white, at least."""
WHITE = 0xFFFFFF


def packed(pixels: Pixels) -> NDArray[np.uint32]:
    """Every pixel as one number, so that colours are compared at once."""
    wide = pixels.astype(np.uint32)
    numbers: NDArray[np.uint32] = (wide[:, :, 0] << 16 | wide[:, :, 1] << 8 | wide[:, :, 2]).astype(np.uint32)
    return numbers


def number_of(colour: str) -> int:
    """The same for a colour."""
    return int(colour.lstrip("#"), 16)


def looks(side: int) -> Iterator[Look]:
    """Every wall with every wood, in a picture of that size."""
    if side not in SIDES:
        raise NotAScene(f"it has {side} pixels a side; worlds are drawn with {', '.join(map(str, SIDES))}")
    for wall, wood in product(WALLS, WOODS):
        yield Look(wall=wall, wood=wood, side=side)  # type: ignore[arg-type]


def palette_of(picture: NDArray[np.uint32]) -> str:
    """The palette that the most pixels are painted with."""
    found, times = np.unique(picture, return_counts=True)
    many = dict(zip(found.tolist(), times.tolist(), strict=True))
    shares = {
        name: sum(many.get(number_of(colour), 0) for colour in palette.values()) for name, palette in PALETTES.items()
    }
    best = max(shares, key=lambda name: shares[name])
    if shares[best] < _FEW:
        raise NotAScene("nothing in it has a colour that things of a world have")
    return best


def painted(picture: NDArray[np.uint32], palette: str) -> Iterator[tuple[str, Mask]]:
    """Every colour of a palette that is in the picture, and where it is plain; the rims of dots may be any colour."""
    away_from_dots = ~near_dots(picture)
    for colour in COLOURS:
        mask = (picture == number_of(PALETTES[palette][colour])) & away_from_dots
        if np.count_nonzero(mask) >= _FEW:
            yield colour, mask


def near_dots(picture: NDArray[np.uint32]) -> Mask:
    """White dots and their rims."""
    return wider(picture == WHITE, 3)


def dots_in(picture: NDArray[np.uint32], left: float, top: float, right: float, bottom: float) -> int:
    """How many white dots there are in a part of the picture."""
    part = picture[max(0, round(top)) : round(bottom), max(0, round(left)) : round(right)]
    return int(np.count_nonzero(patches(part == WHITE).areas >= _DOT)) if part.size else 0


def unlike(one: Pixels, other: Pixels) -> float:
    """The share of two pictures that looks different."""
    apart = np.abs(one.astype(np.int16) - other).max(axis=2)
    return float((apart > 48).mean())


def wider(mask: Mask, by: int) -> Mask:
    """A mask grown by some pixels to every side."""
    height, width = mask.shape
    padded = np.pad(mask, by)
    rows = np.logical_or.reduce([padded[at : at + height] for at in range(2 * by + 1)])
    grown: Mask = np.logical_or.reduce([rows[:, at : at + width] for at in range(2 * by + 1)])
    return grown
