"""What is done to things, and whether they come or go by it: "two dogs were taken away", "he ate two apples"."""

from typing import Final

import msgspec

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
from countersight.composing.directions import comes_down, gets_into
from countersight.composing.places import (
    behind,
    comes_there,
    content,
    goes_from_there,
    is_a_place,
    is_put_there,
    is_where_asked,
    may_come_in_elsewhere,
)
from countersight.composing.predicates import PUT_ON
from countersight.composing.vocabulary import (
    AWAY,
    BROUGHT,
    BROUGHT_IF_MORE,
    CARRIED,
    CONTAINERS,
    DELIVERING,
    EMPTYING,
    FIXED,
    IDIOMS,
    INWARDS,
    KEEPS,
    MOTION,
    OTHER,
    PLACED,
    SHOPS,
    TAKEN,
    TAKEN_FROM_A_PLACE,
    all_things,
    is_alive,
    thing_of,
)

_FASTENING: Final = frozenset({"strap", "tie", "chain", "lock", "lash", "fasten", "tether"})
_FROM_OR_TO: Final = frozenset({"into", "to", "from", "off"})
_DELIVERING: Final = all_things(DELIVERING)
_SHOPS: Final = all_things(SHOPS)
_CONTAINERS: Final = all_things(CONTAINERS)
_ON: Final = frozenset(map(thing_of, ("on", "have")))
"""What a question says of things that are put on something: wheels that the cart would have."""


def way_of_what_is_done(act: Act) -> Way | None:
    """Whether that to which it is done comes or goes by it."""
    return decided(_RULES, act)


def _stays(act: Act) -> Answer:
    """What is still there, although it is taken, drunk, or pulled out."""
    is_kept = act.thing in KEEPS.get(act.verb, ()) and not behind(act.rest, _FROM_OR_TO)
    is_emptied = act.verb in EMPTYING and act.thing in _CONTAINERS
    is_beside = act.asked.is_plain and act.particle in ("off", "out") and act.verb not in TAKEN
    is_open = is_kept or is_emptied or " ".join(act.rest[:2]) in IDIOMS or (is_beside and not content(act.rest))
    return "open" if is_open else None


def _left(act: Act) -> Answer:
    """What was left is still there, unless it was left alone, or at home."""
    if act.verb != "leave":
        return None
    is_there = is_a_place(act.rest) and act.rest != ("behind",) and is_where_asked(act.rest, act.asked)
    return "staying" if is_there else "open"


def _sold_or_delivered(act: Act) -> Answer:
    """What is delivered out of the van is gone, and so is what is bought from the stall."""
    if act.verb == "deliver" and act.asked.place & _DELIVERING:
        return "going" if not content(act.rest) & act.asked.place else "open"
    if act.verb in ("buy", "purchase") and not act.more and act.asked.place & _SHOPS:
        return "going" if goes_from_there(act.rest, act.asked) else "open"
    return None


def _brought(act: Act) -> Answer:
    is_brought = act.verb in BROUGHT or (act.more and act.verb in BROUGHT_IF_MORE)
    if is_brought or (act.base in CARRIED and act.particle in INWARDS):
        return "coming" if comes_there(act.rest, act.asked) else "open"
    if act.particle and act.verb in OTHER and not content(act.rest) & act.asked.place:
        return "open"
    if act.base in CARRIED and gets_into(act.rest, act.asked):
        return "open" if act.asked.is_doing else "coming"
    return None


def _put_on_or_in(act: Act) -> Answer:
    if act.base not in PUT_ON:
        return None
    if act.base in FIXED and not act.more and (is_alive(act.thing) or act.base in _FASTENING):
        return "open"  # "two were tied on": those there are?
    is_there = comes_there(act.rest, act.asked)
    if act.particle == "on" and not act.asked.is_doing:
        return "coming" if act.asked.words & _ON and is_there else "open"
    if act.particle in INWARDS and act.base in PLACED | FIXED and not may_come_in_elsewhere(act.rest, act.asked):
        return "coming" if is_there else "open"
    return None


def _fixed(act: Act) -> Answer:
    if act.base not in FIXED - CARRIED or act.verb in TAKEN:
        return None
    is_there = is_put_there(act.rest, act.asked) if act.more else gets_into(act.rest, act.asked)
    return "coming" if is_there and not act.asked.is_doing else "open"


def _down(act: Act) -> Answer:
    return "going" if comes_down(act.verb, act.rest, act.asked) else None


def _placed(act: Act) -> Answer:
    if act.verb not in PLACED:
        return None
    anywhere = act.more and (act.asked.is_plain or not content(act.rest))
    return "coming" if anywhere or is_put_there(act.rest, act.asked) else "open"


def _taken(act: Act) -> Answer:
    if act.verb in TAKEN_FROM_A_PLACE and (
        act.asked.is_plain or act.more
    ):  # who picks up two more may have come by them
        return "open"
    is_moved_away = act.base in CARRIED | MOTION and act.particle in AWAY and act.verb not in OF_STATES
    if not (act.verb in TAKEN | TAKEN_FROM_A_PLACE or is_moved_away):
        return None
    said = msgspec.structs.replace(act, rest=("to", *act.rest)) if act.particle == "to" else act
    return "going" if leaves(said) else "open"


def _carried(act: Act) -> Answer:
    if act.base not in CARRIED or act.particle not in ("", "back"):
        return None
    return moved(act) or ("coming" if act.more and is_put_there(act.rest, act.asked) else "open")


_RULES: Final = (
    *(_stays, _left, into_the_house, _sold_or_delivered, _brought, _put_on_or_in, _fixed, _down, _placed, _taken),
    *(_carried, present, by_direction),
)
