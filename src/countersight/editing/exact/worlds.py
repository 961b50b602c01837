"""Translate an instruction into a change of a world, in the words of counterfactual questions."""

import re
from collections.abc import Callable
from typing import Final

import msgspec

from countersight.editing.protocol import Abilities, Action, Instruction
from countersight.errors import EditFailed, Unclear
from countersight.worlds import COLOURS, Discs, World, supposed

_ON_THE_FLOOR: Final = re.compile(r"(?:to|on|onto) the floor")
_WAYS: Final = re.compile(r"(?:to the )?(left|right|up|down)(?:wards)?")
_DOTS: Final = re.compile(r"([1-4]) dots?")


def changed_world(world: World, instruction: Instruction) -> World:
    """Return the world after the change, at rest; raises EditFailed."""
    words = _words(instruction)
    try:
        # As it is read from a file: numbers that are whole are decimals there, and its bytes stay the same for ever.
        kept: World = msgspec.json.decode(msgspec.json.encode(supposed(world, words)), type=World)
        return kept
    except Unclear as error:
        raise EditFailed(f"{error}") from None


def abilities_in(world: World) -> Abilities:
    """Return the possible actions in a world, and the things they apply to."""
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
        raise EditFailed(f"an object can be replaced by one with 1 to 4 dots, not by “{value[:80]}”")
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
