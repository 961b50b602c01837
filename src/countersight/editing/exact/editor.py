"""Edit generated scenes exactly: the instruction changes the scene data, and the picture is redrawn."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import Any, get_args

import numpy as np

from countersight.detection import Mask, difference, encode_mask, grow_mask
from countersight.editing.colours import COLOURS, colour_in
from countersight.editing.exact.adding import add_things
from countersight.editing.exact.finding import choose
from countersight.editing.exact.targets import Item, read_target
from countersight.editing.pictures import decoded, unchanged
from countersight.editing.protocol import Action, Edited, EditorSettings, EditRequest, Instruction
from countersight.errors import EditFailed
from countersight.picture import Picture, Pixels
from countersight.scenes import (
    Edit,
    Flower,
    Move,
    PetalShape,
    Recolour,
    Remove,
    Reshape,
    Resize,
    Scene,
    apply,
    draw_both,
    encode,
    faults,
    round_coordinate,
)

MARGIN = 2
"""The margin of the mask around the change in pixels, because smoothed edges change a little beyond it."""
STRANGE = 0.02
"""The largest share of pixels in which a picture may differ from the drawing of its scene."""
LEVELS = 32
"""The largest difference of an edge pixel between two versions of the rasteriser."""
MOST = 2_000
"""The maximum number of objects in a scene and corners of a polygon, because a scene may come from an untrusted
file."""
FAR = 0.4
"""The distance of a move, as a share of the picture's width; less if there is no room."""
_LARGER = (1.8, 1.6, 1.5, 1.4, 1.3, 1.2, 1.15)
_SMALLER = (0.6, 0.7, 0.75, 0.8, 0.85)
"""The scale factors to try for "larger" and "smaller", the most visible first."""
_DIRECTIONS = {
    **{"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1), "top": (0, -1), "bottom": (0, 1)},
    **{"upwards": (0, -1), "downwards": (0, 1)},
}
_FACTORS = {"double": 2.0, "twice": 2.0, "triple": 3.0, "half": 0.5, "halve": 0.5}
_GROWING = frozenset(("larger", "bigger", "large", "big", "huge"))
_SHRINKING = frozenset(("smaller", "small", "tiny", "little"))


class Exact:
    """An editor for pictures whose scene is known; its edits are correct by construction."""

    name = "exact"

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}

    async def edit(self, request: EditRequest) -> Edited:
        """Return the redrawn picture and the changed scene; the same request always gives the same edit."""
        scene = request.scene
        if scene is None:
            raise EditFailed("the exact editor only edits pictures with a known scene, and this picture has none")
        if request.instruction.action == "nothing":
            return unchanged(request)
        try:
            changed, done = changed_scene(scene, request)
            pixels, mask = _drawn(request, scene, changed)
        except (ValueError, KeyError) as error:  # invalid colours or numbers from a file
            raise EditFailed(f"the scene cannot be drawn: {str(error)[:200]}") from None
        height, width, _ = pixels.shape
        picture = Picture(encode(pixels), "image/png", width, height, plain=True)
        log: dict[str, str | int | float] = {"seed": request.seed, "edits": done}
        return Edited(picture, encode_mask(mask), log, scene=changed)

    async def close(self) -> None:
        """Do nothing, because there is nothing to close."""


def changed_scene(scene: Scene, request: EditRequest) -> tuple[Scene, str]:
    """Return the changed scene and a one-line description of the change; raises EditFailed."""
    sizes = [len(scene.polygons) + len(scene.flowers) + sum(1 + len(circle.dots) for circle in scene.circles)]
    sizes += [len(polygon.points) for polygon in scene.polygons]
    if max(sizes) > MOST:
        raise EditFailed(f"the scene has more than {MOST:,} objects or corners")
    # Seeded without the action, so that every action chooses the same flowers.
    edits = _planned(request.instruction, scene, Random(request.seed))
    changed = apply(scene, edits)
    if changed == scene:
        raise EditFailed("the edit would change nothing")
    broken = sorted(faults(changed) - faults(scene))
    if broken:
        raise EditFailed(f"the edit would make the scene invalid: {'; '.join(broken[:3])}")
    done = ", ".join(f"{type(edit).__name__.casefold()} {' '.join(edit.ids)}".strip() for edit in edits)
    return changed, done[:500]


def _drawn(request: EditRequest, scene: Scene, changed: Scene) -> tuple[Pixels, Mask]:
    """Return the edited picture and its mask.

    Only the changed area is redrawn, so a picture drawn by another version of the rasteriser keeps its edges
    everywhere else.
    """
    seen = np.asarray(decoded(request.picture))
    before, after = draw_both(scene, changed)
    height, width, _ = before.shape
    if seen.shape != before.shape:
        raise EditFailed(f"the picture has {seen.shape[1]} x {seen.shape[0]} pixels, but its scene {width} x {height}")
    if not np.array_equal(seen, before):
        strange = (np.abs(seen.astype(np.int16) - before) > LEVELS).any(axis=2).mean()
        if strange > STRANGE:
            raise EditFailed(f"the picture does not match its scene: {strange:.0%} of the pixels differ")
    different = difference(before, after)
    if not different.any():
        raise EditFailed("the change cannot be seen in the picture")
    edited = seen.copy()
    edited[different] = after[different]
    return edited, grow_mask(different, MARGIN)


def open_exact(name: str, target: str, settings: EditorSettings) -> Exact:
    """Open `exact`."""
    return Exact()


def _planned(instruction: Instruction, scene: Scene, rng: Random) -> tuple[Edit, ...]:
    """Return the edits for an instruction; raises EditFailed with the reason if it is impossible."""
    make = _PLANS.get(instruction.action)
    if make is None:
        raise EditFailed(f"a scene cannot be edited by “{instruction.action}”; possible actions: {', '.join(_PLANS)}")
    return tuple(make(instruction, scene, rng))


def _remove(instruction: Instruction, scene: Scene, rng: Random) -> Iterator[Edit]:
    yield Remove(tuple(item.id for item in _chosen(instruction, scene, rng)))


def _recolour(instruction: Instruction, scene: Scene, rng: Random) -> Iterator[Edit]:
    items = _chosen(instruction, scene, rng)
    colour = colour_in(instruction.value)
    if colour is None:
        raise EditFailed(f"“{instruction.value[:80]}” is not a known colour: use {', '.join(COLOURS)} or #rrggbb")
    others = tuple(item.id for item in items if item.colour != colour)
    if not others:
        raise EditFailed(f"“{instruction.target[:120]}” is {instruction.value[:80]} already")
    yield Recolour(others, colour)


def _move(instruction: Instruction, scene: Scene, rng: Random) -> Iterator[Edit]:
    ids = tuple(item.id for item in _chosen(instruction, scene, rng))
    way, length = _direction_in(instruction.value)
    if way is None:
        raise EditFailed(f"things can be moved left, right, up or down, not “{instruction.value[:80]}”")
    dx, dy = way
    steps = [float(length)] if length else [scene.width * FAR * part / 20 for part in range(20, 0, -1)]
    return _first_valid(
        scene,
        ([Move(ids, round_coordinate(dx * step), round_coordinate(dy * step))] for step in steps),
        f"“{instruction.target[:80]}” cannot be moved {instruction.value[:80]} without touching an object or an edge",
    )


def _resize(instruction: Instruction, scene: Scene, rng: Random) -> Iterator[Edit]:
    ids = tuple(item.id for item in _chosen(instruction, scene, rng))
    return _first_valid(
        scene,
        ([Resize(ids, factor)] for factor in _factors_in(instruction.value)),
        f"“{instruction.target[:80]}” cannot become {instruction.value[:80]} without touching an object or an edge",
    )


def _reshape(instruction: Instruction, scene: Scene, rng: Random) -> Iterator[Edit]:
    items = _chosen(instruction, scene, rng)
    words = re.findall(r"[a-z]+", instruction.value.casefold())
    shape: PetalShape | None = next((shape for shape in get_args(PetalShape) if shape in words), None)
    if shape is None or not all(isinstance(item, Flower) for item in items):
        raise EditFailed(
            f"“{instruction.target[:80]}” cannot become “{instruction.value[:80]}”: only petals of flowers can change "
            f"their shape, to {', '.join(get_args(PetalShape))}"
        )
    others = tuple(item.id for item in items if isinstance(item, Flower) and item.shape != shape)
    if not others:
        raise EditFailed(f"“{instruction.target[:120]}” is {instruction.value[:80]} already")
    yield Reshape(others, shape)


_PLANS: dict[Action, Callable[[Instruction, Scene, Random], Iterable[Edit]]] = {
    "remove": _remove,
    "recolour": _recolour,
    "add": add_things,
    "move": _move,
    "resize": _resize,
    "reshape": _reshape,
}


def _chosen(instruction: Instruction, scene: Scene, rng: Random) -> list[Item]:
    return choose(read_target(instruction.target), scene, rng, instruction.target)


def _first_valid(scene: Scene, tries: Iterable[list[Edit]], otherwise: str) -> Iterator[Edit]:
    """Yield the first list of edits that keeps the scene valid."""
    old = faults(scene)
    for edits in tries:
        if not faults(apply(scene, edits)) - old:
            yield from edits
            return
    raise EditFailed(otherwise)


def _direction_in(value: str) -> tuple[tuple[int, int] | None, int | None]:
    """Return the direction (right and down are positive) and the distance in pixels, each None if it is missing."""
    words = re.findall(r"[a-z]+|\d{1,5}", value.casefold())
    ways = [_DIRECTIONS[word] for word in words if word in _DIRECTIONS]
    lengths = [int(word) for word in words if word.isdecimal()]
    length = lengths[0] if lengths else None
    if not ways:
        return None, length
    dx, dy = (min(1, max(-1, sum(way))) for way in zip(*ways, strict=True))
    return (dx, dy), length


def _factors_in(value: str) -> Sequence[float]:
    """Return the scale factor in the words, or the factors to try for "larger" or "smaller"."""
    words = re.findall(r"[a-z]+|\d+(?:\.\d+)?|%", value.casefold())
    numbers = [float(word) for word in words if word[0].isdigit()]
    named = [factor for word, factor in _FACTORS.items() if word in words]
    if numbers:
        factor = numbers[0] / (100 if {"%", "percent"} & set(words) else 1)
        if 0.1 <= factor <= 10 and factor != 1:
            return (factor,)
    elif named:
        return (named[0],)
    elif _GROWING & set(words):
        return _LARGER
    elif _SHRINKING & set(words):
        return _SMALLER
    raise EditFailed(f"“{value[:80]}” is not a size: write larger, smaller, twice, half, or a factor from 0.1 to 10")
