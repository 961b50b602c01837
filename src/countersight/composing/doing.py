"""What things do themselves, and whether they come or go by it: "two dogs ran off"."""

from typing import Final

from countersight.composing.acts import (
    OF_STATES,
    Act,
    Answer,
    Way,
    by_direction,
    decided,
    into_the_house,
    leaves,
    moved,
    present,
)
from countersight.composing.asked import HAVING
from countersight.composing.directions import comes_ashore, comes_down, comes_out, gets_into, gets_on
from countersight.composing.places import (
    PLACING,
    SOURCES,
    comes_there,
    content,
    goes_from_there,
    is_joined,
    is_of_the_scene,
    is_put_there,
    is_the_whole_scene,
    may_come_in_elsewhere,
)
from countersight.composing.vocabulary import (
    ANYWHERE,
    AWAY,
    COME_IF_MORE,
    COMES,
    GOES,
    INWARDS,
    LEFT_SO,
    MOTION,
    OTHER,
    SEATS,
    SLOPES,
    all_things,
    is_alive,
    verb_of,
)

_ON_THE_WAY: Final = frozenset({"", "over", "across", "around", "along", "back"})
"""Particles that say nothing where a place follows: "moved over to the armchair"."""
_RISING: Final = frozenset(
    {"climb", "jump", "hop", "leap", "go", "fly", "float", "soar", "spring", "speed", "swing", "land"}
)
"""Verbs with which "up" is no way to somebody."""
_SLOPES: Final = all_things(SLOPES)
_SETTLING: Final = frozenset({"sit down", "sit", "lie down", "curl up", "climb up", "jump up"})
"""Who does so where the others are, one more of them, was not there before."""
_LYING_OR_SITTING: Final = frozenset({"sit down", "lie down", "curl up"})
_SEATS: Final = all_things(SEATS)
_ARRIVING: Final = frozenset({"land", "settle", "perch"})
"""Who does so elsewhere need not have been here before."""


def way_of_doing(act: Act) -> Way | None:
    """Whether those who do it come or go by it."""
    return decided(_RULES, act)


def _down_or_out(act: Act) -> Answer:
    if comes_down(act.verb, act.rest, act.asked) or comes_out(act.verb, act.thing, act.asked):
        return "going" if goes_from_there(act.rest, act.asked) else "open"
    return None


def _otherwise(act: Act) -> Answer:
    """What only sounds like moving: dozing off, lamps that go out, who appears to sleep, who left a tip."""
    moves = act.base in MOTION and act.particle in AWAY | INWARDS | {"on"} and (is_alive(act.thing) or act.base != "go")
    is_other = (act.particle and act.verb in OTHER) or (act.verb in OF_STATES and not moves)
    if is_other or (act.verb == "appear" and act.rest[:1] == ("to",)):
        return "open"
    if act.verb == "leave" and act.rest and act.rest[-1] in LEFT_SO:
        return "open"
    has_an_object = act.rest[:1] in (("a",), ("an",)) and not is_of_the_scene(act.rest, act.asked)
    return "open" if has_an_object or (act.verb == "join" and not is_joined(act.rest, act.asked)) else None


def _gets_there(act: Act) -> Answer:
    is_on = gets_on(act.verb, act.rest, act.thing, act.asked)
    if _settles(act) or is_on or (act.base in MOTION and gets_into(act.rest, act.asked)):
        return "open" if act.asked.is_doing else "coming"
    return None


def _settles(act: Act) -> bool:
    """Whether one more sits down where the others are: there, or, where these are on a seat, anywhere unnamed."""
    if not act.more or act.verb not in _SETTLING:
        return False
    if content(act.rest) & act.asked.place:
        return is_put_there(act.rest, act.asked)
    is_seat = "on" in act.asked.words and bool(act.asked.place & _SEATS) and act.verb in _LYING_OR_SITTING
    return is_seat and is_alive(act.thing) and not act.rest


def _ashore(act: Act) -> Answer:
    comes = comes_ashore(act.verb, act.rest, act.asked)
    if comes is None or (comes and not (act.more and is_alive(act.thing))):  # he may be one of those on the island
        return None
    return "coming" if comes else "going"


def _comes(act: Act) -> Answer:
    verb, rest, asked = act.verb, act.rest, act.asked
    is_inwards = act.base in MOTION and act.particle in INWARDS
    is_near = act.base in MOTION - _RISING and act.particle == "up" and not rest  # two more swam up
    if not (verb in COMES or is_inwards or (act.more and (verb in COME_IF_MORE or is_near))):
        return None
    if act.base in MOTION and act.particle == "up" and asked.place & _SLOPES:
        return "open"
    whole = verb in ANYWHERE or is_the_whole_scene(rest, PLACING, asked)
    is_vague = act.particle in INWARDS and verb != "join in" and may_come_in_elsewhere(rest, asked)
    is_there = comes_there(rest, asked) and not is_vague
    reaches = verb != "reach" or bool(content(rest) & asked.place)
    takes_part = verb in ("join", "join in") and not asked.place & HAVING  # and does what the others do
    return "coming" if whole and reaches and (takes_part or not asked.is_doing) and is_there else "open"


def _goes(act: Act) -> Answer:
    verb, rest, asked = act.verb, act.rest, act.asked
    if not (verb in GOES or (act.base in MOTION and act.particle in AWAY)):
        return None
    if act.base in _ARRIVING:
        return "open"
    is_lid = asked.is_plain and act.particle == "off" and not is_alive(act.thing) and act.base not in MOTION
    if is_lid and not content(rest):  # a lid that came off is a lid
        return "open"
    whole = verb in ANYWHERE or is_the_whole_scene(rest, SOURCES, asked)
    returns = any(verb_of(word) in COMES for word in rest)  # "paddled out to join them"
    return "going" if whole and not returns and leaves(act) else "open"


def _moves(act: Act) -> Answer:
    is_moving = act.base in MOTION and act.particle in _ON_THE_WAY
    return (moved(act) or "open") if is_moving else None


_RULES: Final = (
    *(into_the_house, _gets_there, _ashore, _down_or_out, _otherwise, _comes, _goes, _moves, present, by_direction),
)
