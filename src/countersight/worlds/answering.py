"""Answer questions about a world from its data."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import hypot
from typing import Final, TypeVar

from countersight.errors import Unclear
from countersight.worlds.discs import Disc, Discs, motion
from countersight.worlds.naming import called, name_pattern
from countersight.worlds.records import World
from countersight.worlds.things import Supports, WorldThing
from countersight.worlds.touching import contacts

LONGEST: Final = 500
"""Longest prefix of a question that is read, in characters."""
CLEARLY: Final = 14
"""Least difference in pixels for one thing to be clearly higher, or farther to the left."""
NEARER: Final = 12
"""Least difference in pixels for one disc to be clearly the nearest."""
_Words = re.Match[str]
Given = TypeVar("Given", Supports, Discs)
_Known = Mapping[re.Pattern[str], Callable[[Given, _Words, Sequence[str]], str | None]]
moving = lru_cache(64)(motion)


def answered(question: str, world: World, options: Sequence[str] = ()) -> str | None:
    """Return the answer to a question about a world: yes or no, a number, or one of the options.

    None where its words are not known, it is about something that is not there, or nobody could say.
    """
    *_, last = re.split(r"(?<=[.:]) ", " ".join(question[:LONGEST].split()).casefold().rstrip("?. "))
    try:
        if isinstance(world, Supports):
            return _answer(_SUPPORTS, last, world, options)
        return _answer(_DISCS, last, world, options)
    except Unclear:
        return None


def _answer(known: _Known[Given], question: str, world: Given, options: Sequence[str]) -> str | None:
    for pattern, answer in known.items():
        if found := pattern.fullmatch(question):
            return answer(world, found, options)
    return None


def is_higher(one: WorldThing, other: WorldThing) -> str | None:
    """Return whether one thing is higher than another; None if the difference is too small to see."""
    lower = other.middle[1] - one.middle[1]
    return yes(lower > 0) if abs(lower) >= CLEARLY else None


def yes(holds: bool) -> str:
    """Return "yes" or "no"."""
    return "yes" if holds else "no"


def clearly_first(things: Sequence[WorldThing], place: Callable[[WorldThing], float]) -> WorldThing | None:
    """Return the first thing along a line; None if the difference is too small to see."""
    first, second, *_ = sorted(things, key=place)
    return first if place(second) - place(first) >= CLEARLY else None


def nearest(discs: Sequence[Disc], disc: Disc) -> Disc | None:
    """Return the disc nearest to another; None if the difference is too small to see."""
    away = {each.id: hypot(each.x - disc.x, each.y - disc.y) - each.radius for each in discs}
    first, second, *_ = sorted(discs, key=lambda each: away[each.id])
    return first if away[second.id] - away[first.id] >= NEARER else None


def _touches(world: Supports, words: _Words, options: Sequence[str]) -> str:
    """Two things that only a string joins do not touch, unless the question counts strings as well."""
    pair = {_there(world, words["x"]).id, _there(world, words["y"]).id}
    joined = [contact for contact in contacts(world) if {contact.upper, contact.lower} == pair]
    return yes(any(contact.has_friction or words["strings"] for contact in joined))


def _higher(world: Supports, words: _Words, options: Sequence[str]) -> str | None:
    return is_higher(_there(world, words["x"]), _there(world, words["y"]))


def _lies(world: Supports, words: _Words, options: Sequence[str]) -> str:
    return yes(_there(world, words["x"]).lies)


def _lying(world: Supports, words: _Words, options: Sequence[str]) -> str:
    return str(sum(thing.lies for thing in world.things))


def _lies_of(world: Supports, words: _Words, options: Sequence[str]) -> str | None:
    return _only([f"the {thing.name}" for thing in world.things if thing.lies], options)


def _first_of(place: Callable[[WorldThing], float]) -> Callable[[Supports, _Words, Sequence[str]], str | None]:
    def first(world: Supports, words: _Words, options: Sequence[str]) -> str | None:
        named = {f"the {thing.name}": thing for thing in world.things}
        things = [named[option] for option in options if option in named]
        found = clearly_first(things, place) if len(things) > 1 else None
        return f"the {found.name}" if found else None

    return first


def _absent(world: World, words: _Words, options: Sequence[str]) -> str | None:
    there = {f"the {thing.name}" for thing in (world.things if isinstance(world, Supports) else world.discs)}
    return _only([option for option in options if option not in there], options)


def _meet(world: Discs, words: _Words, options: Sequence[str]) -> str:
    one, other = called(world.discs, words["x"]), called(world.discs, words["y"])
    return yes(other.id in moving(world).hit_by(one.id))


def _at_a_wall(world: Discs, words: _Words, options: Sequence[str]) -> str:
    return yes(moving(world).reaches_wall(called(world.discs, words["x"]).id))


def _is_pushed(world: Discs, words: _Words, options: Sequence[str]) -> str:
    disc = called(world.discs, words["x"])
    return yes(bool(disc.vx or disc.vy))


def _in_motion(world: Discs, words: _Words, options: Sequence[str]) -> str:
    return str(len(moving(world).moved()))


def _nearest_of(world: Discs, words: _Words, options: Sequence[str]) -> str | None:
    about = called(world.discs, words["x"])
    there = [disc for disc in world.discs if f"the {disc.name}" in options and disc.id != about.id]
    found = nearest(there, about) if len(there) > 1 else None
    return f"the {found.name}" if found else None


def _leftmost_of(world: Discs, words: _Words, options: Sequence[str]) -> str | None:
    first, second, *_ = sorted((disc.x, disc.name) for disc in world.discs if f"the {disc.name}" in options)
    return f"the {first[1]}" if second[0] - first[0] >= CLEARLY else None


def _met_first(world: Discs, words: _Words, options: Sequence[str]) -> str | None:
    met = moving(world).hit_by(called(world.discs, words["x"]).id)
    return _only([f"the {world.disc(each).name}" for each in met[:1]], options)


def _only(found: Sequence[str], options: Sequence[str]) -> str | None:
    """The one option that was found; None where none or several were."""
    right = [option for option in options if option in found]
    return right[0] if len(right) == 1 else None


def _there(world: Supports, name: str) -> WorldThing:
    return called(world.things, name)


_X, _Y = name_pattern("x"), name_pattern("y")
_SUPPORTS: Final[_Known[Supports]] = {
    re.compile(pattern): answer
    for pattern, answer in {
        f"does {_X} touch {_Y}(?P<strings>, directly or by a string)?": _touches,
        f"is {_X} higher than {_Y}": _higher,
        f"does {_X} lie on the floor": _lies,
        "how many things lie on the floor": _lying,
        "which of these lies on the floor": _lies_of,
        "which of these is highest in the picture": _first_of(lambda thing: thing.middle[1]),
        "which of these is farthest to the left": _first_of(lambda thing: thing.middle[0]),
        "which of these is not in the picture": _absent,
    }.items()
}
_DISCS: Final[_Known[Discs]] = {
    re.compile(pattern): answer
    for pattern, answer in {
        f"(?:will|do) {_X} and {_Y} touch each other": _meet,
        f"(?:will|does) {_X} reach a wall": _at_a_wall,
        "how many discs (?:will )?moved?": _in_motion,
        f"is {_X} pushed": _is_pushed,
        f"which of these is nearest to {_X}": _nearest_of,
        "which of these is farthest to the left": _leftmost_of,
        f"which of these (?:will|does) {_X} touch first": _met_first,
        "which of these is not in the pictures?": _absent,
    }.items()
}
"""What each question asks of a world; a question's first sentences tell the rules."""
