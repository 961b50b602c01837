"""Reads discs on a table, with their arrows, from the pixels of the picture.

A disc is an area of its colour; its arrow is black and points away from it. The recognised table is drawn again; if it
does not look the same, the result is discarded.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import hypot
from typing import Final

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from countersight.picture import Pixels
from countersight.programs.vision.paint import (
    NotAScene,
    dots_in,
    looks,
    number_of,
    packed,
    painted,
    palette_of,
    patches,
    unlike,
    wider,
)
from countersight.worlds import ARROW, FIELD, WALL, Disc, Discs, Look, draw_discs, draw_table

_LINE: Final = 1.5
_ROUND: Final = 0.3
"""The width of the edge of round things, in which no pixel is plain."""
_PIECE: Final = 10
"""The minimum number of pixels of a colour; fewer are a soft edge of something else."""
_INK: Final = number_of("#101014")
_GAP: Final = 2
"""The distance of an arrow from the edge of its disc."""
_TIP: Final = 2.15
"""The length of an arrow's tip that is too thin to be black."""
_UNLIKE: Final = 0.006
"""The maximum share of the picture that may differ when the recognised table is drawn again."""
Colours = NDArray[np.uint32]


def table_of(pixels: Pixels) -> Look | None:
    """Return cloth and wood of a table, from the area next to its walls; None if the picture is not a table."""
    for look in looks(pixels.shape[0]):
        if (_columns(look) == pixels[:, [0, _beside(look)]]).all():
            return look
    return None


@lru_cache(128)
def _columns(look: Look) -> Pixels:
    """Return the border of an empty table, and a column next to its wall."""
    return draw_table(look)[0][:, [0, _beside(look)], :3]


def _beside(look: Look) -> int:
    return round((WALL + 3) * look.side / FIELD)


def see_discs(pixels: Pixels, look: Look) -> Discs:
    """Return the table in a picture; raises NotAScene if it cannot be recognised with certainty."""
    picture = packed(pixels)
    look = replace(look, palette=palette_of(picture))
    grown = look.side / FIELD
    discs = [_disc(nth, *found, grown, picture) for nth, found in enumerate(painted(picture, look.palette))]
    world = Discs(tuple(_pushed(discs, picture, grown)), look)
    least = unlike(draw_discs(world), pixels)
    if least > _UNLIKE:
        raise NotAScene(f"redrawing it gives a picture that differs in {least:.1%} of the pixels")
    return world


def _disc(nth: int, colour: str, mask: NDArray[np.bool_], grown: float, picture: Colours) -> Disc:
    found = patches(mask)
    plain = found.mask_of(np.flatnonzero(found.areas >= _PIECE).tolist())
    rows, columns = np.flatnonzero(plain.any(axis=1)), np.flatnonzero(plain.any(axis=0))
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    radius = round((right - left + bottom - top) / 4 / grown + _LINE + _ROUND)
    x, y = round((left + right) / 2 / grown), round((top + bottom) / 2 / grown)
    return Disc(f"d{nth}", colour, x, y, radius, weight=max(1, dots_in(picture, left, top, right, bottom)))


def _pushed(discs: Sequence[Disc], picture: Colours, grown: float) -> Iterator[Disc]:
    """Yield the discs; those with an arrow are pushed along it."""
    ink = picture == _INK
    found = patches(wider(ink, 1))  # between its line and its tip an arrow is not quite black
    arrows = [np.argwhere((found.labels == nth) & ink) + 0.5 for nth in np.flatnonzero(found.areas >= 40).tolist()]
    arrows = [each for each in arrows if len(each)]
    points = [np.column_stack((each[:, 1], each[:, 0])) / grown for each in arrows]
    owners = [min(discs, key=lambda disc: _off(each, disc)).id for each in points]
    for disc in discs:
        own = [each for each, owner in zip(points, owners, strict=True) if owner == disc.id]
        yield _along(disc, own[0], grown) if own else disc


def _off(points: NDArray[np.float64], disc: Disc) -> float:
    """Return how far an arrow is from starting at this disc and pointing away from it."""
    away = np.hypot(points[:, 0] - disc.x, points[:, 1] - disc.y)
    across, down = points.mean(axis=0) - (disc.x, disc.y)
    aside = np.abs((points[:, 0] - disc.x) * down - (points[:, 1] - disc.y) * across) / hypot(across, down)
    return float(abs(away.min() - disc.radius - _GAP) + aside.mean())


def _along(disc: Disc, points: NDArray[np.float64], grown: float) -> Disc:
    """Return the disc pushed along its arrow, whose axis passes through its centre."""
    across, down = points.mean(axis=0) - (disc.x, disc.y)
    length = hypot(across, down)
    across, down = across / length, down / length
    tip = ((points[:, 0] - disc.x) * across + (points[:, 1] - disc.y) * down).max() + _TIP / grown
    way = (tip - disc.radius - _GAP) / ARROW
    return replace(disc, vx=float(way * across), vy=float(way * down))
