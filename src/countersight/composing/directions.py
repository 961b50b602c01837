"""Which way things go: by the particle of the verb, and by where it ends, whatever the verb is."""

from itertools import pairwise
from typing import Final

from countersight.composing.asked import Asked
from countersight.composing.places import SOURCES, Words, behind, is_narrow, names_another_place, parts_of
from countersight.composing.vocabulary import (
    AWAY,
    CARRIED,
    DIRECTIONS,
    ENCLOSURES,
    GETS_TO,
    GROUNDS,
    INSIDE,
    LANDINGS,
    LANDS,
    LEDGES,
    MOTION,
    OUTDOORS,
    PLACES,
    RAISED,
    SPOTS,
    TAKEN,
    VESSELS,
    WATERS,
    WIDE,
    all_things,
    is_alive,
    thing_of,
)

_INTO: Final = frozenset({"into", "onto"})
_GOALS: Final = _INTO | {"to", "inside", "on"}
_GROUNDS: Final = all_things(GROUNDS)
_LANDS: Final = all_things(LANDS)
_ASHORE: Final = _LANDS | all_things(LANDINGS)
_WATERS: Final = all_things(WATERS)
_LEDGES: Final = all_things(LEDGES)
_VESSELS: Final = all_things(VESSELS)
_INSIDE: Final = all_things(INSIDE | SPOTS | WATERS)
_OUTDOORS: Final = all_things(OUTDOORS)
_BUILT: Final = frozenset(map(thing_of, ("barn", "stable", "house", "building", "school", "church", "garage", "shop")))
_WIDE: Final = all_things(WIDE)
_ENCLOSURES: Final = all_things(ENCLOSURES)
_RAISED: Final = all_things(RAISED)
_FALLING: Final = frozenset({"fall", "drop"})
_DOWN: Final = (MOTION | CARRIED | TAKEN | {"come", "get", "help"}) - {"settle", "slide", "slip"}
_SWIMMING: Final = frozenset({"swim", "sail", "row", "paddle", "drift", "float"})
_SHADE: Final = frozenset(map(thing_of, ("shade", "shadow")))
_SUN: Final = frozenset(map(thing_of, ("sun", "sunlight", "sunshine")))
_SEAS: Final = frozenset(map(thing_of, ("sea", "ocean")))
_BREAKING: Final = frozenset({"get", "break", "sneak", "slip", "squeeze", "wriggle"})
_CLIMBING: Final = frozenset(
    {"climb", "clamber", "jump", "hop", "leap", "flutter", "fly", "swing", "get", "scramble", "step"}
)
_ABOARD: Final = frozenset({"hop", "jump", "climb", "clamber", "step", "leap", "scramble", "pile", "squeeze", "troop"})
_ON_STAGE: Final = frozenset({"walk", "come", "run", "stroll", "march", "dance"})
_PLAYED_ON: Final = frozenset(map(thing_of, ("pitch", "court", "field", "ice", "rink")))
"""Where who comes on begins to play; who walks or runs on there only goes on."""


def gets_into(words: Words, asked: Asked, *, to: bool = False) -> bool:
    """Whether it ends where the question looks, and says so outright: "onto the table", "into view"."""
    is_seen = any(word == "into" and after in PLACES for word, after in pairwise(w for w in words if w != "the"))
    goal = behind(words, _INTO | {"to"} if to else _INTO)
    if names_another_place(words):
        return False
    return (is_seen and not goal) or (bool(goal & asked.place) and goal <= asked.words)


def gets_on(verb: str, words: Words, thing: str, asked: Asked) -> bool:
    """Whether who hopped on is then on what the question names; no lamp that came on is, nor who came for another."""
    base, _, particle = verb.partition(" ")
    if particle != "on" or "on" not in asked.words or asked.is_plain:
        return False
    enters = base in _ON_STAGE and thing_of("stage") in asked.place
    plays = base == "come" and asked.are_people and bool(asked.place & _PLAYED_ON)
    return base in _ABOARD or ((enters or plays) and is_alive(thing) and not {"for", "as"} & set(words))


def comes_down(verb: str, words: Words, asked: Asked) -> bool:
    """Whether what was up there is there no more: "taken down", or "fell", of what is on a wall or a tree."""
    base, _, particle = verb.partition(" ")
    if words[:1] == ("to",) and words[1:2] not in (("the",), ("a",)):  # "got down to work"
        return False
    if asked.place & _LEDGES and particle == "down" and base in CARRIED:
        return True
    if particle == "down" and base in _CLIMBING and behind(words, SOURCES) & asked.place:
        return True
    climbs = (verb == "fly up" or (particle == "down" and base in _CLIMBING)) and "on" in asked.words and not words
    if climbs and asked.place and not asked.place & _WIDE:  # or birds fly up from it
        return True
    if not asked.place & _RAISED or behind(words, SOURCES) - asked.words:
        return False
    lands = behind(words, _GOALS)
    is_dropped = bool(lands) and lands <= _LANDS and not is_alive(asked.head)  # who drops to the floor may lie down
    falls = verb in _FALLING and (not words or is_dropped)
    return (particle == "down" and base in _DOWN) or falls


def comes_out(verb: str, thing: str, asked: Asked) -> bool:
    """Whether who was inside is so no more: "came out", of those in the water, and not of the stars in the sky."""
    return verb == "come out" and is_alive(thing) and bool(asked.place & _INSIDE)


def comes_ashore(verb: str, words: Words, asked: Asked) -> bool | None:
    """Whether who came ashore is then where the question looks, on the beach, or no longer, in the sea."""
    on_land, on_water = bool(asked.place & _ASHORE), bool(asked.place & (_WATERS | _VESSELS))
    is_here = not words or (words == ("there",) and on_land)
    return on_land if verb == "come ashore" and is_here and on_land != on_water else None


def gets_there(verb: str, words: Words, asked: Asked) -> bool:
    """Whether what goes may get just where the question looks: "thrown away", to the cups in the bin."""
    base, _, particle = verb.partition(" ")
    if behind(words, SOURCES) & asked.place:
        return False
    if base in _SWIMMING and asked.place & _SEAS:  # who swims off is still in the sea
        return True
    if particle == "out" and asked.place & _OUTDOORS and base not in _BREAKING:  # "let out", to who is in the garden
        return True
    if any(verb in verbs and places & asked.words for places, verbs in GETS_TO) or (
        particle in AWAY and thing_of(particle) in asked.words
    ):
        return True
    match particle:
        case "overboard":
            return bool(asked.place & _WATERS)
        case "ashore":
            return bool(asked.place & _LANDS)
        case "off" | "out" | "down":
            return base in CARRIED - MOTION and bool(asked.place & _LANDS)
    return False


def moves_away(words: Words, asked: Asked) -> bool | None:
    """Whether what moves leaves the place asked about or gets there; None where that is open."""
    source, goal = behind(words, SOURCES), behind(words, _GOALS)
    if gets_into(words, asked, to=True):
        return False
    if source and not goal and not asked.is_plain and source <= asked.words:  # "two apples fell from the tree"
        return True
    if goal == {"air"}:  # who jumps into the air comes down again
        return None
    if not goal or DIRECTIONS & set(words) or asked.is_plain or names_another_place(words):
        return None
    if goal <= asked.words:
        return False
    if words[0] == "to" and words[1] not in ("the", "a", "an", "another"):  # "went to sleep"
        return None
    return True if is_out_of(goal, asked) else None


def is_out_of(goal: frozenset[str], asked: Asked) -> bool:
    """Whether who is there is no longer where the question looks: in the sea, who was on the floe or on the beach."""
    place = asked.place
    if goal & (asked.words | parts_of(asked)):
        return False
    if place & _ENCLOSURES:
        return bool(goal & (_GROUNDS | _OUTDOORS))
    is_on = "on" in asked.words and not place & (_WIDE | _GROUNDS | _LANDS | _WATERS)
    between = (
        (_GROUNDS, _GROUNDS),
        (_OUTDOORS, _BUILT),
        (_ASHORE | _VESSELS, _WATERS),
        (_WATERS, _ASHORE),
        (_SHADE, _SUN),
        (_SUN, _SHADE),
    )
    is_across = any(place & here and goal & there for here, there in between)
    return is_narrow(asked) or is_across or (is_on and goal <= _WATERS | _LANDS)
