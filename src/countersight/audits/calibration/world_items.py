"""Worlds for tests whose right verdict is known: questions about them, and edits that failed on purpose."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import permutations
from random import Random

from msgspec.structs import replace

from countersight.case import AnswerKind, Question
from countersight.errors import Unclear
from countersight.worlds import (
    COLOURS,
    Disc,
    Discs,
    Supports,
    Thing,
    World,
    answered,
    build_discs,
    build_supports,
    supposed,
)

_ASKED: tuple[str, ...] = ("touch", "higher", "floor", "many")
_ASKED_OF_DISCS: tuple[str, ...] = ("touch", "wall", "many")


def questions_by_chance(nth: int, key: str) -> tuple[World, Iterator[Question]]:
    """A world of supports or of discs in turn, and what can be asked of it, in an order by chance."""
    rng = Random(f"{key}/world")
    if nth % 2:
        table = build_discs(rng, "medium")
        return table, _of_discs(table, _ASKED_OF_DISCS[nth // 2 % len(_ASKED_OF_DISCS)], rng)
    world = build_supports(rng, "medium")
    return world, _of_supports(world, _ASKED[nth // 2 % len(_ASKED)], rng)


def _of_supports(world: Supports, about: str, rng: Random) -> Iterator[Question]:
    free = [thing for thing in world.free if thing.kind != "ball"]
    if about == "many":
        yield from _asked(world, "How many things lie on the floor?", "number")
        return
    for one, other in rng.sample(pairs := [*permutations(free, 2)], len(pairs)):
        words = {
            "touch": f"Does the {one.name} touch the {other.name}?",
            "higher": f"Is the {one.name} higher than the {other.name}?",
            "floor": f"Does the {one.name} lie on the floor?",
        }
        yield from _asked(world, words[about], "boolean")


def _of_discs(world: Discs, about: str, rng: Random) -> Iterator[Question]:
    if about == "many":
        yield from _asked(world, "How many discs will move?", "number")
        return
    for one, other in rng.sample(pairs := [*permutations(world.discs, 2)], len(pairs)):
        words = {
            "touch": f"Will the {one.name} and the {other.name} touch each other?",
            "wall": f"Will the {one.name} reach a wall?",
        }
        yield from _asked(world, words[about], "boolean")


def _asked(world: World, text: str, kind: AnswerKind) -> Iterator[Question]:
    answer = answered(text, world)
    if answer is not None:
        yield Question(text, answer, kind)


def without_another(world: World, changed: World) -> World:
    """The world without a thing that the right edit leaves alone; as it is, where it cannot be said what would come
    of that."""
    for thing in _things(world):
        if thing in _things(changed):
            with suppress(Unclear):
                return supposed(world, f"the {thing.name} were taken away")
    return world


def recoloured(world: World) -> World:
    """The world with everything in another colour."""
    if isinstance(world, Discs):
        return replace(world, discs=tuple(replace(disc, colour=_next(disc.colour)) for disc in world.discs))
    things = tuple(thing if thing.is_fixed else replace(thing, colour=_next(thing.colour)) for thing in world.things)
    return replace(world, things=things)


def _things(world: World) -> Sequence[Thing | Disc]:
    return world.discs if isinstance(world, Discs) else [thing for thing in world.things if not thing.is_fixed]


def _next(colour: str) -> str:
    return COLOURS[(COLOURS.index(colour) + 1) % len(COLOURS)]
