"""Whether what happens makes things come or go, keeps them there, or leaves that open."""

from typing import Final

from countersight.composing.accounted import is_known_of_events
from countersight.composing.acts import WHAT_MAY_FOLLOW, Act, Way, present
from countersight.composing.asked import Asked
from countersight.composing.doing import way_of_doing
from countersight.composing.done import way_of_what_is_done
from countersight.composing.places import (
    PLACING,
    Words,
    behind,
    content,
    goes_from_there,
    is_a_place,
    is_on_another_side,
    is_put_elsewhere,
    is_put_there,
    is_where_asked,
)
from countersight.composing.predicates import Predicate
from countersight.composing.vocabulary import (
    ABSENT,
    AWAY,
    BROUGHT,
    CARRIED,
    KEEPS,
    MOTION,
    PLACED,
    STAYS,
    SURVIVES,
    TAKEN,
    is_alive,
    is_plural,
    number_of,
    thing_of,
    verb_of,
)

_BOARDING: Final = frozenset({"board", "get on", "hop on", "climb on", "step on"})
_HALFWAY: Final = frozenset({"stand", "sit", "fall", "rise"})
"""Verbs that end a state only where nothing says where: who stood behind the table need not have sat at it."""
_THROWN: Final = frozenset({"throw", "toss", "chuck", "dump", "drop", "stick", "stuff", "pack", "tuck", "pop"})
"""Verbs for putting things somewhere, beside those of placing."""
_LONGEST_NAME: Final = 3
_COUNTED_ANEW: Final = frozenset({"each", "every", "per", "instead"})


def way_of_subject(predicate: Predicate, thing: str, asked: Asked, *, more: bool) -> Way | None:
    """What happens to things of which the predicate is said: "two dogs left", "two dogs were removed"."""
    verb, rest = predicate.verb, predicate.rest
    if not (_is_understood(rest, asked) or _is_given(verb, rest, asked)) or is_on_another_side(rest, asked):
        return None
    if way := _by_state(predicate, thing, asked):
        return way
    if thing in KEEPS.get(verb, ()):
        return None
    if _is_as_asked(predicate, asked) and not (predicate.is_passive and verb in TAKEN | BROUGHT):
        return "there"
    return _of_act(predicate, Act(verb, rest, thing, asked, more))


def _of_act(predicate: Predicate, act: Act) -> Way | None:
    rest, asked = act.rest, act.asked
    if predicate.is_passive or (act.base in PLACED | {"add", "remove"} and not is_alive(act.thing)):
        is_given_some = act.particle != "to" and _has_an_object(rest) and is_plural(rest[0])  # "were handed out drinks"
        return None if is_given_some else way_of_what_is_done(act)
    if predicate.is_progressive:
        return "there" if present(act) else None
    if act.verb == "be":
        return "there" if is_a_place(rest) and is_where_asked(rest, asked) else None
    if act.verb in ABSENT:
        return "going" if not rest else None
    if act.verb in STAYS:
        return "staying" if is_a_place(rest) and is_where_asked(rest, asked) else None
    return None if _has_an_object(rest) else way_of_doing(act)  # "joined hands", "left two cups behind"


def is_put_away(verb: str, rest: Words, asked: Asked) -> bool:
    """Whether some of the counted things are put where they are not counted: "two of the cups were put in the sink"."""
    return verb.split()[0] in PLACED | _THROWN and _is_understood(rest, asked) and is_put_elsewhere(rest, asked)


def way_of_object(verb: str, rest: Words, thing: str, asked: Asked, *, more: bool) -> Way | None:
    """What happens to things that somebody does something to: "he ate two apples", "we added two"."""
    is_known = _is_understood(rest, asked) or _is_given(verb, rest, asked)
    if not is_known or is_on_another_side(rest, asked):
        return None
    if verb == "leave":  # "he left two bags behind": gone, or still there?
        return "coming" if more and is_put_there(rest, asked) else None
    base, _, particle = verb.partition(" ")
    if base in MOTION - CARRIED and particle in AWAY and verb not in TAKEN:  # "a flea jumped off one"
        return None
    way = _by_state(Predicate(verb, True, False, False, rest), thing, asked)
    return way or way_of_what_is_done(Act(verb, rest, thing, asked, more))


def _is_given(verb: str, rest: Words, asked: Asked) -> bool:
    """Whether it is only said to whom they went, who may be anybody: "given to charity"."""
    return verb in TAKEN and verb.endswith(" to") and len(rest) <= _LONGEST_NAME and not content(rest) & asked.words


def _is_understood(rest: Words, asked: Asked) -> bool:
    """Whether nothing behind the verb is strange or counts anew: "a week for three weeks", "in one of the plates"."""
    numbers = (number_of(word) for word in rest if word not in ("a", "an", "one", "another"))
    counts_anew = bool(_COUNTED_ANEW & set(rest)) or any(number is not None for number in numbers)
    return not counts_anew and is_known_of_events(rest, asked)


def _by_state(predicate: Predicate, thing: str, asked: Asked) -> Way | None:
    """Getting into the state asked for is coming, getting out of it is going."""
    verb, rest = predicate.verb, predicate.rest
    if predicate.is_progressive or (predicate.is_passive and verb == "board"):
        return None  # planes that are boarded are still at the gate
    if verb in ("stop", "give up") and not rest and asked.is_doing:
        return "going"
    if verb in ("start", "begin", "stop") and rest:
        same = thing_of(verb_of(rest[0])) in asked.place and rest[0].endswith("ing")
        return ("going" if verb == "stop" else "coming") if same else None
    if not predicate.is_passive and verb not in _BOARDING and _has_an_object(rest, a=True):
        return None  # two surfers who caught a wave are still in the water
    place = behind(rest, PLACING)
    for state in asked.states:
        if verb in state.ends:
            is_kept = thing in KEEPS.get(verb, ()) and not state.begins  # bags unpacked in the trunk are still there
            is_open = is_kept or (place and verb in _HALFWAY) or not _ends_there(verb, rest, asked)
            return None if is_open else "going"
        if verb in state.begins:
            return None if place - asked.words else "coming"  # "sat down on the floor", to who sits at the table
    survives = thing not in SURVIVES.get(verb, ())
    return None if survives or not goes_from_there(rest, asked) else "going"


def _ends_there(verb: str, rest: Words, asked: Asked) -> bool:
    """Whether a state ends where the question looks: for who boarded the ferry, and not for who got down to work."""
    to_do = verb.endswith("down") and rest[:1] == ("to",) and rest[1:2] != ("the",)
    return not to_do and (verb == "board" or goes_from_there(rest, asked))


def _has_an_object(rest: Words, *, a: bool = False) -> bool:
    """Whether what stands behind a verb is what it is done to, and no place."""
    return bool(rest) and (rest[0] not in WHAT_MAY_FOLLOW or (a and rest[0] in ("a", "an")))


def _is_as_asked(predicate: Predicate, asked: Asked) -> bool:
    """Whether the predicate says what the question asks for: more men standing, where the standing ones are counted."""
    said = content(predicate.rest) | ({thing_of(predicate.verb)} - {"be", "have"} - {thing_of("have")})
    return bool(said) and said <= asked.place | asked.modifiers | {asked.head} and bool(said & asked.place)
