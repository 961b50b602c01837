"""The possible changes of a world of supports, in words."""

from collections.abc import Callable, Iterator
from random import Random

from countersight.english import article
from countersight.suites.worlds.drafts import Told, Worded, worded
from countersight.text import several
from countersight.worlds import (
    COLOURS,
    AddThing,
    MoveThing,
    RemoveThing,
    Replace,
    Supports,
    TurnThing,
    WorldThing,
    changed,
    contacts,
    is_clear,
    new_block,
    spots,
)

_FLAT = 12
"""A block is turned only where that can be seen: its sides differ by so much."""
_LOWER = "what it then no longer reaches falls to the floor, unless something else holds it"
"""The rule of turning, which nobody could know: what the block carried might as well come to rest on it again."""


def removals(world: Supports, rng: Random) -> Iterator[Told]:
    """Return removals of any thing."""
    for thing in world.free:
        yield Told(RemoveThing(thing.id), worded("{X} were taken away", X=thing), thing, "remove")


def losses(world: Supports, rng: Random) -> Iterator[Told]:
    """Return removals of things that carry or hold another."""
    carrying = {contact.lower for contact in contacts(world)}
    return (told for told in removals(world, rng) if told.about.id in carrying)


def cuts(world: Supports, rng: Random) -> Iterator[Told]:
    """Return changes that cut a string which holds a thing alone; with two strings, the result would be hard to see."""
    held = [string.below for string in world.strings]
    for string in world.strings:
        thing = world.thing(string.below)
        if held.count(thing.id) == 1:
            yield Told(RemoveThing(string.id), worded("the string that holds {X} were cut", X=thing), thing, "remove")


def additions(world: Supports, rng: Random) -> Iterator[Told]:
    """Return changes that add a block of a new colour in any free spot."""
    taken = {thing.colour for thing in world.things if thing.kind == "block"}
    colours = [colour for colour in COLOURS if colour not in taken]
    if not colours:
        return
    for spot in spots(world, new_block("", 1).width):
        weight = rng.choice((1, 4))
        new = spot.put(new_block(rng.choice(colours), weight))
        if is_clear(world, new):
            where = worded(f"with {several(weight, 'dot')} were put {spot.where} {{X}}", X=spot.surface)
            words = Worded(f"{article(new.colour)} {new.name} {where.text}", f"a {new.kind} {where.skeleton}")
            yield Told(AddThing(new), words, spot.surface, "add")


def replacements(world: Supports, rng: Random) -> Iterator[Told]:
    """Return changes that replace a block by a heavier or lighter one."""
    for thing in world.free:
        for weight in (1, 4):
            if thing.kind == "block" and weight != thing.weight:
                words = f"{{X}} had {several(weight, 'dot')} instead of {thing.weight:.0f}"
                yield Told(Replace(thing.id, weight), worded(words, X=thing), thing, "replace")


def moves(world: Supports, rng: Random) -> Iterator[Told]:
    """Return changes that move a block that carries nothing to another free place."""
    for thing in _loose(world):
        for spot in spots(world, thing.width):
            put = spot.put(thing)
            if spot.surface.id != thing.id and abs(put.left - thing.left) > _FLAT and is_clear(world, put):
                words = worded(f"{{X}} were moved and put {spot.where} {{Z}}", X=thing, Z=spot.surface)
                yield Told(MoveThing(thing.id, put.left, put.bottom), words, thing, "move")


def turns(world: Supports, rng: Random) -> Iterator[Told]:
    """Return changes that turn a block on its side; a block that carries something is turned only if that lowers it."""
    loose = {thing.id for thing in _loose(world)}
    hung = {string.below for string in world.strings}
    for thing in world.free:
        lower = thing.height - thing.width
        if thing.kind != "block" or thing.id in hung or abs(lower) < _FLAT or (lower < 0 and thing.id not in loose):
            continue
        turned = changed(world, TurnThing(thing.id)).thing(thing.id)
        if is_clear(world, turned):
            yield Told(TurnThing(thing.id), worded(f"{{X}} were turned on its side ({_LOWER})", X=thing), thing, "turn")


CHANGES: dict[str, Callable[[Supports, Random], Iterator[Told]]] = {
    "remove": removals,
    "loss": losses,
    "cut": cuts,
    "add": additions,
    "replace": replacements,
    "move": moves,
    "turn": turns,
}


def _loose(world: Supports) -> list[WorldThing]:
    """Return blocks that rest on something and carry nothing."""
    found = contacts(world)
    carrying = {contact.lower for contact in found}
    hung = {contact.upper for contact in found if not contact.has_friction}
    return [thing for thing in world.free if thing.kind == "block" and thing.id not in carrying | hung]
