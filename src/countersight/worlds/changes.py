"""Changes to a world of supports as data, their outcomes, and the file with the worlds of a dataset."""

from random import Random

import msgspec
from msgspec.structs import replace

from countersight.worlds.discs import DiscChange, Discs
from countersight.worlds.places import world_after_fall
from countersight.worlds.statics import MARGIN, fallen
from countersight.worlds.things import Supports, WorldThing
from countersight.worlds.touching import UP, contacts

JITTERS = 16
"""The number of slightly different worlds that must have the same outcome."""
_PIXEL, _SHARE = 1.0, 0.02
"""The largest difference of positions in these worlds, in pixels, and the largest relative difference of weights and
friction."""


class RemoveThing(msgspec.Struct, frozen=True, tag_field="kind", tag="remove"):
    """Removes a thing with the strings tied to it, or cuts a string."""

    id: str


class AddThing(msgspec.Struct, frozen=True, tag_field="kind", tag="add"):
    """Adds a new thing to the world."""

    thing: WorldThing


class Replace(msgspec.Struct, frozen=True, tag_field="kind", tag="replace"):
    """Replaces a thing with one of the same size but another weight."""

    id: str
    weight: float


class MoveThing(msgspec.Struct, frozen=True, tag_field="kind", tag="move"):
    """Moves a thing to another place."""

    id: str
    left: float
    bottom: float


WorldChange = RemoveThing | AddThing | Replace | MoveThing


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of a change."""

    fallen: frozenset[str]
    world: Supports | None
    """The world after everything has come to rest; None if there is no room on the floor for the fallen things."""


def apply_change(world: Supports, change: WorldChange) -> Supports:
    """Return the world with the change made, before anything moves."""
    match change:
        case RemoveThing():
            kept = [string for string in world.strings if change.id not in (string.id, string.above, string.below)]
            things = tuple(thing for thing in world.things if thing.id != change.id)
            return replace(world, things=things, strings=tuple(kept))
        case AddThing():
            return replace(world, things=(*world.things, change.thing))
        case Replace():
            changed = replace(world.thing(change.id), weight=change.weight)
        case MoveThing():
            thing = world.thing(change.id)
            changed = replace(thing, left=change.left, top=change.bottom - thing.height)
    things = tuple(changed if thing.id == change.id else thing for thing in world.things)
    return replace(world, things=things)


def fallen_under(world: Supports, change: WorldChange, *, margin: float = MARGIN) -> frozenset[str]:
    """Return what falls after a change to a stable world; raises Unclear if a viewer could not tell."""
    if isinstance(change, RemoveThing):
        return fallen(world, change.id, margin=margin)
    return fallen(apply_change(world, change), margin=margin)


def outcome(world: Supports, change: WorldChange) -> Outcome:
    """Return the outcome of a change to a stable world; raises Unclear if a viewer could not tell."""
    down = fallen_under(world, change)
    return Outcome(down, world_after_fall(apply_change(world, change), down))


def jittered(world: Supports, rng: Random) -> Supports:
    """Return the world with all positions and weights slightly changed; leaning things move with their supports."""
    moved = {thing.id: rng.uniform(-_PIXEL, _PIXEL) for thing in world.things}
    for contact in contacts(world):
        if contact.normal != UP:
            moved[contact.upper] = moved.get(contact.lower, 0.0)
    things = tuple(
        replace(thing, left=thing.left + moved[thing.id], weight=thing.weight * _about(rng)) for thing in world.things
    )
    strings = tuple(replace(string, x=string.x + rng.uniform(-_PIXEL, _PIXEL)) for string in world.strings)
    return replace(world, things=things, strings=strings, friction=world.friction * _about(rng))


def _about(rng: Random) -> float:
    return 1 + rng.uniform(-_SHARE, _SHARE)


WORLDS_FILE = "worlds.jsonl"
World = Supports | Discs


class WorldRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """The world of a case, and the change that leads to its counterfactual picture."""

    id: str
    world: World
    change: WorldChange | DiscChange | None
    then: WorldChange | DiscChange | None = None
    """The second of two changes."""


def encode_world(record: WorldRecord) -> bytes:
    """Return one line of a worlds file."""
    return msgspec.json.encode(record) + b"\n"
