"""Reads worlds of supports from pixels: things, and the shelves, hooks and strings that hold them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import ceil, cos, floor, radians, sin
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from countersight.detection import box_of
from countersight.picture import Pixels
from countersight.programs.vision.paint import (
    Mask,
    NotAScene,
    dots_in,
    looks,
    near_dots,
    number_of,
    packed,
    painted,
    palette_of,
    patches,
    unlike,
)
from countersight.scenes import rgb
from countersight.worlds import (
    CUP_BASE,
    FLOOR,
    PALETTES,
    PLANK,
    SIDE,
    TABLE,
    Look,
    String,
    Supports,
    WorldThing,
    darker,
    draw_room,
    draw_supports,
)

SOFT: Final = 0.06
"""A smaller share of a pixel than this does not change its colour."""
_HOOK: Final = (16.0, 10.0)
_BEAM: Final = 16
_METAL, _STRING = number_of("#55595e"), number_of("#4a4a4a")
_HIDDEN: Final = 12
"""How much of a string's lower end the thing below may hide."""
Colours = NDArray[np.uint32]


def shelves(picture: Colours, look: Look, grown: float) -> Iterator[WorldThing]:
    """Find shelves, which have a darker colour of the wood below a light edge."""
    wood = number_of("#" + "".join(f"{each * 7 // 10:02x}" for each in rgb(look.wood)))
    for nth, (left, top, right, bottom) in enumerate(patches(picture == wood).boxes.tolist()):
        if right - left > 60 * grown and bottom - top < 16 * grown:
            start, low = _begins(left, grown), _ends(bottom, grown)
            yield WorldThing(f"shelf{nth}", "shelf", "grey", start, low - PLANK, _ends(right, grown) - start, PLANK, 0)


def hooks(picture: Colours, grown: float) -> Iterator[WorldThing]:
    """Find hooks, which are small and metallic, directly below the beam."""
    below = picture[: round(30 * grown)] == _METAL
    for nth, (left, _, right, _) in enumerate(patches(below).boxes.tolist()):
        if right - left > 8 * grown:
            yield WorldThing(f"hook{nth}", "hook", "grey", _begins(left, grown), _BEAM, *_HOOK, 0)


def _begins(first: int, grown: float) -> int:
    """Return the whole pixel of the world at which something begins, from its first plain row or column."""
    return floor(first / grown + SOFT)


def _ends(last: int, grown: float) -> int:
    return ceil(last / grown - SOFT)


def strings_between(picture: Colours, things: Sequence[WorldThing], grown: float) -> Iterator[String]:
    """Find strings: thin vertical lines between two things."""
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
            pieces.remove(more)  # something covers the string, which continues below
            pieces.insert(0, (x, top, more[2]))
            continue
        # If things on a plank hide its lower end, the string still holds the plank.
        below = below or _first((thing.top - bottom, thing) for thing in here if thing.kind == "plank")
        if above and below:
            yield String(f"s{above.id}{below.id}{x:g}", above.id, below.id, x)


def _under_hook(x: float, things: Sequence[WorldThing]) -> float:
    """Return the middle of the hook above a string, since strings are straight."""
    middles = [thing.middle[0] for thing in things if thing.kind == "hook"]
    return min(middles, key=lambda middle: abs(middle - x), default=x)


def _first(things: Iterable[tuple[float, WorldThing]]) -> WorldThing | None:
    nearest = min(things, key=lambda each: each[0], default=None)
    return nearest[1] if nearest else None


LINE: Final = 1.5
_THIN: Final = 0.5
"""How far the dark outline of a thing reaches inwards: for most things, and for cups."""
_BALL, _CUP = 24, (37, 35)
"""The size of a ball, and of the plain part of a cup."""
_ALL_BUT: Final = 1.5
"""Things that are closer than this touch; others are farther apart."""
_LEANING: Final = range(45, 68)
_UNLIKE: Final = 0.004
"""The maximum share of the picture that may differ when the recognised world is drawn again."""


class Front(NamedTuple):
    """The plain part of a thing's front, in pixels of the picture."""

    colour: str
    mask: Mask
    left: int
    top: int
    right: int
    bottom: int


def room_of(pixels: Pixels) -> Look | None:
    """Return wall and wood of a picture of supports, from its left border; None if it is not such a picture."""
    for look in looks(pixels.shape[0]):
        if (_border(look) == pixels[:, 0]).all():
            return look
    return None


@lru_cache(128)
def _border(look: Look) -> Pixels:
    return draw_room(look)[:, 0, :3].copy()


def see_supports(pixels: Pixels, look: Look) -> Supports:
    """Return the world in a picture; raises NotAScene if it cannot be recognised with certainty."""
    picture = packed(pixels)
    look = replace(look, palette=palette_of(picture))
    grown = look.side / SIDE
    fronts = list(_fronts(picture, look.palette))
    things = [_thing(nth, front, picture, pixels, look.palette, grown) for nth, front in enumerate(fronts)]
    things += [*shelves(picture, look, grown), *hooks(picture, grown)]
    things = [_resting(thing, things) for thing in things]
    strings = tuple(strings_between(picture, things, grown))
    world = Supports(tuple(things), strings, replace(look, depth=_depth(picture, things, look)))
    return _confirmed(world, pixels)


def _confirmed(world: Supports, pixels: Pixels) -> Supports:
    """Return the world with the texture whose drawing is most like the picture; raises NotAScene if none is close
    enough."""
    found = []
    for texture in ("plain", "grain", "crate", "bands"):
        tried = replace(world, look=replace(world.look, texture=texture))
        found.append((unlike(draw_supports(tried), pixels), tried))
        if found[-1][0] < _UNLIKE / 8:
            break
    least, best = min(found, key=lambda each: each[0])
    if least > _UNLIKE:
        raise NotAScene(f"redrawing it gives a picture that differs in {least:.1%} of the pixels")
    return best


def _fronts(picture: Colours, palette: str) -> Iterator[Front]:
    """Find all areas of plain colour, joined across dots, that are not inside another one of the same colour."""
    dots = near_dots(picture)
    for colour, mask in painted(picture, palette):
        labels = patches(mask | dots).labels
        labels[~mask] = -1
        pieces = [labels == nth for nth in np.unique(labels[mask]).tolist()]
        boxes = [box_of(piece) for piece in pieces]
        for piece, box in zip(pieces, boxes, strict=True):
            left, top, right, bottom = box
            large = right - left >= 8 and bottom - top >= 6
            if large and not any(_holds(other, box) for other in boxes if other != box):
                yield Front(colour, piece, *box)


def _holds(outer: tuple[int, int, int, int], inner: tuple[int, int, int, int]) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _thing(nth: int, front: Front, picture: Colours, pixels: Pixels, palette: str, grown: float) -> WorldThing:
    width, height = (front.right - front.left) / grown, (front.bottom - front.top) / grown
    name = f"t{nth}"
    if _is_leaning(front):
        return _leaning(name, front, picture, grown)
    if abs(width - _BALL + 2 * LINE) < 3 and abs(height - _BALL + 2 * LINE) < 3 and not _is_square(front):
        left, top = (
            (front.left + front.right) / 2 / grown - _BALL / 2,
            (front.top + front.bottom) / 2 / grown - _BALL / 2,
        )
        ball = WorldThing(name, "ball", front.colour, round(left), round(top), _BALL, _BALL)
        return _weighed(ball, picture, grown, ball.top)
    is_cup = _is_cup(front, width, height, grown)
    edge = _THIN if is_cup else LINE
    left, right = _edges(front, pixels, PALETTES[palette][front.colour], edge, grown)
    top = floor(front.top / grown - edge + SOFT)
    bottom = ceil(front.bottom / grown + edge - SOFT)
    kind = "cup" if is_cup else "plank" if bottom - top <= PLANK + 2 else "block"
    height = PLANK if kind == "plank" else bottom - top
    thing = WorldThing(name, kind, front.colour, left, top, right - left, height)  # type: ignore[arg-type]
    thing = replace(thing, lies=abs(thing.bottom - FLOOR) < 1.5)
    return _weighed(thing, picture, grown, thing.bottom - CUP_BASE if is_cup else thing.top)


def _resting(thing: WorldThing, things: Sequence[WorldThing]) -> WorldThing:
    """Adjust the height of a thing so that it rests on what its lower edge nearly touches."""
    if thing.turned or thing.lies or thing.is_fixed:
        return thing
    below = [TABLE, *(each.top for each in things if each.left < thing.right and thing.left < each.right)]
    nearest = min(below, key=lambda edge: abs(edge - thing.bottom))
    near = abs(nearest - thing.bottom) < _ALL_BUT
    return replace(thing, height=nearest - thing.top) if near else thing


def _weighed(thing: WorldThing, picture: Colours, grown: float, top: float) -> WorldThing:
    """Return the thing with its number of dots as weight; dots on a cup are below its content."""
    box = (thing.left * grown, top * grown, thing.right * grown, thing.bottom * grown)
    return replace(thing, weight=dots_in(picture, *box), lies=abs(thing.bottom - FLOOR) < 1.5)


def _is_cup(front: Front, width: float, height: float, grown: float) -> bool:
    """Whether a front has the size of a cup and is open at the top."""
    column = front.left + round(6.5 * grown)
    fits = abs(width - _CUP[0]) < 2 and abs(height - _CUP[1]) < 2
    return fits and not front.mask[front.top : front.top + round(3 * grown), column].any()


def _is_square(front: Front) -> bool:
    """Whether the corners of a front are plain."""
    return bool(front.mask[front.top, front.left] and front.mask[front.bottom - 1, front.right - 1])


def _is_leaning(front: Front) -> bool:
    """Whether a front is long and stands on a corner: no corner of its box is plain, and little of the box."""
    box = front.mask[front.top : front.bottom, front.left : front.right]
    corners = box[0, 0], box[0, -1], box[-1, 0], box[-1, -1]
    return not any(corners) and box.shape[0] > 48 and box.shape[1] > 30 and box.mean() < 0.5


def _edges(front: Front, pixels: Pixels, colour: str, edge: float, grown: float) -> tuple[float, float]:
    """Return left and right of a front in fractions of a pixel, from the mixture with the outline next to the plain
    part."""
    row = _plain_row(front)
    plain, dark = np.array(rgb(colour), float), np.array(rgb(darker(colour)), float)
    shares = [
        float(np.clip(((plain - pixels[row, x]) @ (plain - dark)) / ((plain - dark) @ (plain - dark)), 0, 1))
        for x in (front.left - 1, front.right)
    ]
    left = (front.left - 1 + shares[0]) / grown - edge
    right = (front.right + 1 - shares[1]) / grown + edge
    return _snapped(left), _snapped(right)


def _plain_row(front: Front) -> int:
    """Return a row in which a front is plain from side to side."""
    ends = front.mask[:, front.left] & front.mask[:, front.right - 1]
    rows = np.flatnonzero(ends)
    return int(rows[len(rows) // 2]) if len(rows) else (front.top + front.bottom) // 2


def _snapped(place: float) -> float:
    """Round a position to a whole or half pixel, if it is close to one, as most are."""
    half = round(2 * place) / 2
    return half if abs(half - place) < 0.12 else place


def _leaning(name: str, front: Front, picture: Colours, grown: float) -> WorldThing:
    """Return a leaning plank; its angle is the one along which it is thinnest."""
    ys, xs = np.nonzero(front.mask)
    x, y = (xs + 0.5) / grown, (ys + 0.5) / grown
    best: tuple[float, float, float, float, int] | None = None
    for angle in (*_LEANING, *(-each for each in _LEANING)):
        c, s = cos(radians(angle)), sin(radians(angle))
        lengthways, crossways = x * c + y * s, y * c - x * s
        low, high = np.percentile(crossways, (0.5, 99.5))
        if best is None or high - low < best[0]:
            ends = float(lengthways.min()), float(lengthways.max())
            best = float(high - low), sum(ends) / 2, ends[1] - ends[0], float(low + high) / 2, angle
    assert best
    _, along, length, across, angle = best
    c, s = cos(radians(angle)), sin(radians(angle))
    middle = along * c - across * s, along * s + across * c
    length += 2 * LINE + 1 / grown
    plank = WorldThing(name, "plank", front.colour, middle[0] - length / 2, middle[1] - PLANK / 2, length, PLANK)
    box = (middle[0] - 8, middle[1] - 8, middle[0] + 8, middle[1] + 8)
    return replace(plank, turned=float(angle), weight=dots_in(picture, *(side * grown for side in box)))


def _depth(picture: Colours, things: Sequence[WorldThing], look: Look) -> int:
    """Return the side to which things extend in depth, where blocks show their side."""
    grown = look.side / SIDE
    votes = {-8: 0, 0: 0, 8: 0}
    for thing in things:
        if thing.kind in ("block", "plank") and not thing.lies and not thing.turned:
            side = number_of(darker(PALETTES[look.palette][thing.colour]))
            row = picture[round((thing.top + thing.height / 2 - 4) * grown)]
            shown = [way for way, x in ((8, thing.right + 4), (-8, thing.left - 4)) if row[round(x * grown)] == side]
            votes[shown[0] if shown else 0] += 1
    return max(votes, key=lambda way: votes[way])
