"""Shelves, hooks and strings in the picture of a world, found by colours of their own."""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, floor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from countersight.programs.eyes.paint import number_of
from countersight.programs.eyes.patches import patches
from countersight.scenes import rgb
from countersight.worlds import PLANK, Look, String, Thing

SOFT: Final = 0.06
"""Less of a pixel than this leaves no trace in its colour."""
_HOOK: Final = (16.0, 10.0)
_BEAM: Final = 16
_METAL, _STRING = number_of("#55595e"), number_of("#4a4a4a")
_HIDDEN: Final = 12
"""How much of a string's lower end the thing below may hide, seen from a side."""
Colours = NDArray[np.uint32]


def shelves(picture: Colours, look: Look, grown: float) -> Iterator[Thing]:
    """Shelves have the colour of the wood, darker, below a light edge."""
    wood = number_of("#" + "".join(f"{each * 7 // 10:02x}" for each in rgb(look.wood)))
    for nth, (left, top, right, bottom) in enumerate(patches(picture == wood).boxes.tolist()):
        if right - left > 60 * grown and bottom - top < 16 * grown:
            start, low = _begins(left, grown), _ends(bottom, grown)
            yield Thing(f"shelf{nth}", "shelf", "grey", start, low - PLANK, _ends(right, grown) - start, PLANK, 0)


def hooks(picture: Colours, grown: float) -> Iterator[Thing]:
    """Hooks are small and of metal, right below the beam."""
    below = picture[: round(30 * grown)] == _METAL
    for nth, (left, _, right, _) in enumerate(patches(below).boxes.tolist()):
        if right - left > 8 * grown:
            yield Thing(f"hook{nth}", "hook", "grey", _begins(left, grown), _BEAM, *_HOOK, 0)


def _begins(first: int, grown: float) -> int:
    """The whole pixel of the world at which something begins whose first plain row or column is this one."""
    return floor(first / grown + SOFT)


def _ends(last: int, grown: float) -> int:
    return ceil(last / grown - SOFT)


def strings_between(picture: Colours, things: Sequence[Thing], grown: float) -> Iterator[String]:
    """Thin upright lines, each from the thing that it begins at to the one that it ends at."""
    pieces = [
        (_under_hook((left + right) / 2 / grown, things), top / grown, bottom / grown)
        for left, top, right, bottom in sorted(patches(picture == _STRING).boxes.tolist(), key=lambda box: box[1])
        if right - left <= 5 * grown and bottom - top >= 3
    ]
    while pieces:
        x, top, bottom = pieces.pop(0)
        here = [thing for thing in things if thing.left - 1 < x < thing.right + 1 and not thing.lies]
        above = _first((abs(thing.bottom - top), thing) for thing in here if abs(thing.bottom - top) <= 4)
        below = _first((abs(thing.top - bottom), thing) for thing in here if -4 <= thing.top - bottom <= _HIDDEN)
        more = next((each for each in pieces if abs(each[0] - x) < 2), None)
        if below is None and more:
            pieces.remove(more)  # something stands before the string: it goes on below
            pieces.insert(0, (x, top, more[2]))
            continue
        # Where what stands on a plank hides all of its lower end, it is still the plank that the string holds.
        below = below or _first((thing.top - bottom, thing) for thing in here if thing.kind == "plank")
        if above and below:
            yield String(f"s{above.id}{below.id}{x:g}", above.id, below.id, x)


def _under_hook(x: float, things: Sequence[Thing]) -> float:
    """The middle of the hook that a string hangs from: strings are straight, and those below others as well."""
    middles = [thing.middle[0] for thing in things if thing.kind == "hook"]
    return min(middles, key=lambda middle: abs(middle - x), default=x)


def _first(things: Iterable[tuple[float, Thing]]) -> Thing | None:
    nearest = min(things, key=lambda each: each[0], default=None)
    return nearest[1] if nearest else None
