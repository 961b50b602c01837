"""Apply a change given in words: "the red block were taken away" leads to the resulting world.

The words are those behind the "if" of a question; statements ("the red block was taken away") are read as well.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from msgspec.structs import replace

from countersight.errors import Unclear
from countersight.worlds.changes import (
    AddThing,
    MoveThing,
    RemoveThing,
    Replace,
    TurnThing,
    WorldChange,
    changed,
    fallen_without,
    outcome,
)
from countersight.worlds.disc_changes import (
    DiscChange,
    Put,
    Take,
    changed_discs,
    faster,
    has_room,
    new_disc,
    shifted_disc,
    turned,
)
from countersight.worlds.discs import Discs
from countersight.worlds.floor import on_the_floor
from countersight.worlds.naming import COLOUR, called, name_pattern
from countersight.worlds.places import Spot, is_clear, new_block, spots
from countersight.worlds.records import World
from countersight.worlds.things import Supports, WorldThing

LONGEST: Final = 400
"""Longest prefix of a change in words that is read, in characters."""
_FLAT: Final = 12
"""A block whose sides differ by less looks the same on its side."""
_SPEEDS: Final = {"twice as fast": 2.0, "half as fast": 0.5, "at rest": 0.0}
_QUARTERS: Final = {"a quarter turn to the right": 1, "the other way": 2, "a quarter turn to the left": 3}
_Words = re.Match[str]
Given = TypeVar("Given", Supports, Discs)
Made = TypeVar("Made")


def supposed(world: World, words: str) -> World:
    """Return the world after a change: supports have come to rest, discs have not moved yet.

    Raises Unclear where the words mean no change of this world, or a viewer could not say what comes of it.
    """
    text = " ".join(words[:LONGEST].split()).casefold().rstrip(". ")
    if isinstance(world, Supports):
        return _made(_SUPPORTS, world, text)
    after = changed_discs(world, _made(_DISCS, world, text))
    if not has_room(after):
        raise Unclear("there is no room for that")
    return after


def _made(known: Mapping[re.Pattern[str], Callable[[Given, _Words], Made]], world: Given, text: str) -> Made:
    for pattern, make in known.items():
        if found := pattern.fullmatch(text):
            return make(world, found)
    raise Unclear(f"“{text[:80]}” is not a possible change of this world")


def _at_rest(world: Supports, change: WorldChange) -> Supports:
    """What comes of a change; the floor must have room for it."""
    after = outcome(world, change).world
    if after is None:
        raise Unclear("the floor has no room for the objects that would fall")
    return after


def _without(world: Supports, words: _Words) -> Supports:
    return _at_rest(world, RemoveThing(called((thing for thing in world.things if not thing.is_fixed), words["x"]).id))


def falls_without(world: Supports, words: str) -> bool:
    """Whether anything falls when a thing is removed, even if the floor has no room for it; raises Unclear."""
    found = _TAKEN.fullmatch(" ".join(words[:LONGEST].split()).casefold())
    if found is None:
        raise Unclear(f"“{words[:80]}” takes nothing away")
    return bool(fallen_without(world, _free(world, found["x"]).id))


def _cut(world: Supports, words: _Words) -> Supports:
    held = _free(world, words["x"]).id
    strings = [string for string in world.strings if string.below == held]
    if len(strings) != 1:
        raise Unclear(f"the {words['x']} hangs on {len(strings)} strings, not on one")
    return _at_rest(world, RemoveThing(strings[0].id))


def _with_more(world: Supports, words: _Words) -> Supports:
    new = new_block(words["x"].split()[0], int(words["dots"]))
    if any(thing.name == new.name for thing in world.things):
        raise Unclear(f"there is a {new.name} already")
    put = _spot(world, new, words).put(new)
    return _at_rest(world, AddThing(_clear(world, put)))


def _heavier(world: Supports, words: _Words) -> Supports:
    return _at_rest(world, Replace(_free(world, words["x"]).id, int(words["dots"])))


def _moved(world: Supports, words: _Words) -> Supports:
    thing = _free(world, words["x"])
    put = _clear(world, _spot(world, thing, words).put(thing))
    return _at_rest(world, MoveThing(thing.id, put.left, put.bottom))


def _laid_down(world: Supports, words: _Words) -> Supports:
    """A thing put on the floor: taken away from where it was, with all that comes of it."""
    thing = _free(world, words["x"])
    after = on_the_floor(_at_rest(world, RemoveThing(thing.id)), [thing])
    if after is None:
        raise Unclear("the floor has no room for it")
    return after


def _turned(world: Supports, words: _Words) -> Supports:
    thing = _free(world, words["x"])
    if thing.kind != "block" or abs(thing.width - thing.height) < _FLAT:
        raise Unclear(f"the {thing.name} looks the same on its side")
    _clear(world, changed(world, TurnThing(thing.id)).thing(thing.id))
    return _at_rest(world, TurnThing(thing.id))


def _coloured(world: Supports, words: _Words) -> Supports:
    thing = called((each for each in world.things if not each.is_fixed), words["x"])
    new = replace(thing, colour=words["colour"])
    if any(each.name == new.name for each in world.things):
        raise Unclear(f"there is a {new.name} already")
    return replace(world, things=tuple(new if each is thing else each for each in world.things))


def _free(world: Supports, name: str) -> WorldThing:
    return called(world.free, name)


def _spot(world: Supports, thing: WorldThing, words: _Words) -> Spot:
    for spot in spots(world, thing.width):
        if (spot.where, spot.surface.name) == (words["where"], words["y"]):
            return spot
    raise Unclear(f"nothing can be put {words['where']} the {words['y']}")


def _clear(world: Supports, thing: WorldThing) -> WorldThing:
    if not is_clear(world, thing):
        raise Unclear(f"there is no room for the {thing.name}")
    return thing


def _one_more(world: Discs, words: _Words) -> DiscChange:
    if any(disc.name == words["x"] for disc in world.discs):
        raise Unclear(f"there is a {words['x']} already")
    return Put(new_disc(words["x"].split()[0], called(world.discs, words["y"]), words["side"]))


def _disc_coloured(world: Discs, words: _Words) -> DiscChange:
    if any(disc.colour == words["colour"] for disc in world.discs):
        raise Unclear(f"there is a {words['colour']} disc already")
    return Put(replace(called(world.discs, words["x"]), colour=words["colour"]))


_X, _Y = name_pattern("x"), name_pattern("y")
_IS = "(?:were|was|is)"
_DOTS = r"(?P<dots>[1-4]) dots?"
_ON = f"(?P<where>on top of|on the (?:left end|middle|right end) of) {_Y}"
_TAKEN: Final = re.compile(f"{_X} {_IS} taken away")
_SUPPORTS: Final = {
    re.compile(pattern): make
    for pattern, make in {
        f"{_X} {_IS} taken away": _without,
        f"the string that holds {_X} {_IS} cut": _cut,
        f"{_X} with {_DOTS} {_IS} put {_ON}": _with_more,
        f"{_X} (?:had|has) {_DOTS}(?: instead of [1-4])?": _heavier,
        f"{_X} {_IS} moved and put {_ON}": _moved,
        f"{_X} {_IS} (?:moved and )?put on the floor": _laid_down,
        rf"{_X} {_IS} turned on its side(?: \([^()]*\))?": _turned,
        f"{_X} {_IS} (?P<colour>{COLOUR})": _coloured,
    }.items()
}
_DISCS: Final[dict[re.Pattern[str], Callable[[Discs, _Words], DiscChange]]] = {
    re.compile(pattern): make
    for pattern, make in {
        f"{_X} {_IS} taken away": lambda world, words: Take(called(world.discs, words["x"]).id),
        f"{_X} of the same size, with 2 dots, (?:lay|lies) to the (?P<side>left|right) of {_Y}, "
        "with room for just one more between them": _one_more,
        f"{_X} (?:had|has) {_DOTS}(?: instead of [1-4])?": lambda world, words: Put(
            replace(called(world.discs, words["x"]), weight=int(words["dots"]))
        ),
        f"{_X} {_IS} its own width farther (?P<way>left|right|up|down)": lambda world, words: Put(
            shifted_disc(called(world.discs, words["x"]), words["way"])
        ),
        f"{_X} {_IS} (?P<speed>{'|'.join(_SPEEDS)})": lambda world, words: Put(
            faster(called(world.discs, words["x"]), _SPEEDS[words["speed"]])
        ),
        f"{_X} {_IS} pushed (?P<turn>{'|'.join(_QUARTERS)})": lambda world, words: Put(
            turned(called(world.discs, words["x"]), _QUARTERS[words["turn"]])
        ),
        f"{_X} {_IS} (?P<colour>{COLOUR})": _disc_coloured,
    }.items()
}
"""What each change in words does."""
