"""Exact edits of our own scenes and worlds: the instruction changes the data, and the picture is redrawn."""

import re
from collections.abc import Callable
from random import Random
from typing import Any, Final

import msgspec
import numpy as np

from countersight.detection import Mask, difference, encode_mask, grown, read_mask
from countersight.editing.exact.plans import plan
from countersight.editing.protocol import Abilities, Action, Drawn, Edited, EditorSettings, EditRequest, Instruction
from countersight.errors import BadPicture, EditFailed, Unclear
from countersight.picture import Picture, Pixels, as_seen
from countersight.scenes import Scene, apply, draw_both, encode, faults
from countersight.worlds import COLOURS, Discs, World, draw_world, supposed

MARGIN = 2
"""Pixels by which the mask extends beyond the change, because edges look changed a little farther."""
STRANGE = 0.02
"""A picture that differs in a larger share of its pixels is not a drawing of its scene."""
LEVELS = 32
"""Largest difference of an edge pixel between two versions of the rasteriser."""
MOST = 2_000
"""Most things in a scene, and most corners of a polygon, because a scene may come from an untrusted file."""


class Exact:
    """An editor for pictures whose scene is known; its edits are right by construction."""

    name = "exact"

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}

    async def edit(self, request: EditRequest) -> Edited:
        """Return the redrawn picture and the changed scene."""
        return exact_edit(request)

    async def abilities(self, request: EditRequest) -> Abilities:
        """Return what can be done to a world; scenes accept any words."""
        if request.scene is None or isinstance(request.scene, Scene):
            return Abilities()
        return abilities_in(request.scene)

    async def close(self) -> None:
        """Do nothing: nothing is held."""


def exact_edit(request: EditRequest) -> Edited:
    """Return the edit, the same for the same request, so that it can be reproduced; raises EditFailed."""
    scene = request.scene
    if scene is None:
        raise EditFailed("the exact editor only edits pictures with a known scene, and this picture has none")
    if request.instruction.action == "nothing":
        nothing = np.zeros((request.picture.height, request.picture.width), bool)
        return Edited(request.picture, encode_mask(nothing), {"seed": request.seed}, scene=scene)
    try:
        changed, done = changed_scene(scene, request)
        pixels, mask = _drawn(request, scene, changed)
    except (ValueError, KeyError) as error:  # out of somebody's file: a colour or a number that is none
        raise EditFailed(f"the scene cannot be drawn: {str(error)[:200]}") from None
    height, width, _ = pixels.shape
    picture = Picture(encode(pixels), "image/png", width, height, plain=True)
    log: dict[str, str | int | float] = {"seed": request.seed, "edits": done}
    return Edited(picture, encode_mask(mask), log, scene=changed)


def changed_scene(scene: Drawn, request: EditRequest) -> tuple[Drawn, str]:
    """Return the changed scene or world and a one-line description of the change; raises EditFailed."""
    if isinstance(scene, Scene):
        return _changed(scene, request)
    changed = changed_world(scene, request.instruction)
    return changed, f"{request.instruction.action} {request.instruction.target}"[:500]


def _changed(scene: Scene, request: EditRequest) -> tuple[Scene, str]:
    sizes = [len(scene.polygons) + len(scene.flowers) + sum(1 + len(circle.dots) for circle in scene.circles)]
    sizes += [len(polygon.points) for polygon in scene.polygons]
    if max(sizes) > MOST:
        raise EditFailed(f"the scene has more than {MOST:,} objects or corners")
    # The seed alone, so that the same flowers are chosen whatever is done to them.
    edits = plan(request.instruction, scene, Random(request.seed))
    changed = apply(scene, edits)
    if changed == scene:
        raise EditFailed("the edit would change nothing")
    broken = sorted(faults(changed) - faults(scene))
    if broken:
        raise EditFailed(f"the edit would make the scene invalid: {'; '.join(broken[:3])}")
    done = ", ".join(f"{type(edit).__name__.casefold()} {' '.join(edit.ids)}".strip() for edit in edits)
    return changed, done[:500]


def _drawn(request: EditRequest, scene: Drawn, changed: Drawn) -> tuple[Pixels, Mask]:
    """The edited picture and its mask.

    Only what the change touches is painted onto the picture: one that was drawn by another version of the rasteriser
    keeps its own edges everywhere else.
    """
    try:
        seen = np.asarray(as_seen(request.picture))
    except BadPicture as error:
        raise EditFailed(f"the picture {error}") from None
    before, after = _both(scene, changed)
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
    if request.mask is not None and (different & ~read_mask(request.mask, (width, height))).any():
        raise EditFailed("the change would reach beyond the mask")
    edited = seen.copy()
    edited[different] = after[different]
    return edited, grown(different, MARGIN)


def _both(scene: Drawn, changed: Drawn) -> tuple[Pixels, Pixels]:
    if isinstance(scene, Scene) and isinstance(changed, Scene):
        return draw_both(scene, changed)
    assert not isinstance(scene, Scene)
    assert not isinstance(changed, Scene)
    return draw_world(scene), draw_world(changed)


def open_exact(name: str, target: str, settings: EditorSettings) -> Exact:
    """Open `exact`."""
    return Exact()


_ON_THE_FLOOR: Final = re.compile(r"(?:to|on|onto) the floor")
_WAYS: Final = re.compile(r"(?:to the )?(left|right|up|down)(?:wards)?")
_DOTS: Final = re.compile(r"([1-4]) dots?")


def changed_world(world: World, instruction: Instruction) -> World:
    """The world as an instruction wants it, after it came to rest; or EditFailed."""
    words = _words(instruction)
    try:
        # As it is read from a file: numbers that are whole are decimals there, and its bytes stay the same for ever.
        kept: World = msgspec.json.decode(msgspec.json.encode(supposed(world, words)), type=World)
        return kept
    except Unclear as error:
        raise EditFailed(f"{error}") from None


def abilities_in(world: World) -> Abilities:
    """What can be done to a world, and to what in it."""
    actions: tuple[Action, ...] = ("remove", "recolour", "replace", "move")
    values = {"recolour": ", ".join(COLOURS), "replace": "1 to 4 dots: how heavy it is"}
    if isinstance(world, Discs):
        values["move"] = "left, right, up or down"
        return Abilities(actions, values, tuple(disc.name for disc in world.discs))
    places = "on top of a block, on the left end of, middle of or right end of a plank"
    values |= {"move": f"to the floor; or {places}", "add": places, "reshape": "on its side, for a block"}
    things = tuple(thing.name for thing in world.things if not thing.is_fixed)
    return Abilities((*actions, "add", "reshape"), values, things)


def _words(instruction: Instruction) -> str:
    """An instruction as a question would suppose it; one that has no such words is taken as it is written."""
    target = re.sub(r"^(?:the|an?) ", "", " ".join(instruction.target.split()).casefold())
    value = " ".join(instruction.value.split()).casefold().rstrip(".")
    make = _ACTIONS.get(instruction.action)
    return make(target, value) if make else instruction.positive


def _remove(target: str, value: str) -> str:
    return f"the {target} were cut" if target.startswith("string that holds") else f"the {target} were taken away"


def _replace(target: str, value: str) -> str:
    dots = _DOTS.search(value)
    if dots is None:
        raise EditFailed(f"a thing can be replaced by one with 1 to 4 dots, not by “{value[:80]}”")
    return f"the {target} had {dots[0]}"


def _move(target: str, value: str) -> str:
    if _ON_THE_FLOOR.fullmatch(value):
        return f"the {target} were put on the floor"
    if way := _WAYS.fullmatch(value):
        return f"the {target} were its own width farther {way[1]}"
    return f"the {target} were moved and put {value}"


_ACTIONS: Final[dict[str, Callable[[str, str], str]]] = {
    "remove": _remove,
    "recolour": lambda target, value: f"the {target} were {value.removeprefix('to ')}",
    "replace": _replace,
    "move": _move,
    "add": lambda target, value: f"a {target} were put {value}",
    "reshape": lambda target, value: f"the {target} were turned {value}",
}
