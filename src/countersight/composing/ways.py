"""Whether what happens makes things come or go, keeps them there, or leaves that open."""

from typing import Final, Literal

from countersight.composing.accounted import is_known_of_events
from countersight.composing.asked import Asked
from countersight.composing.directions import (
    comes_down,
    comes_out,
    gets_into,
    gets_on,
    gets_there,
    is_out_of,
    moves_away,
)
from countersight.composing.places import (
    PLACING,
    SOURCES,
    Words,
    behind,
    comes_there,
    content,
    goes_from_there,
    is_a_place,
    is_joined,
    is_of_the_scene,
    is_on_another_side,
    is_put_elsewhere,
    is_put_there,
    is_the_whole_scene,
    is_where_asked,
    may_come_in_elsewhere,
)
from countersight.composing.predicates import PUT_ON, Predicate
from countersight.composing.vocabulary import (
    ABOUT_THEM,
    ABSENT,
    ADVERBS,
    ANYWHERE,
    AWAY,
    BROUGHT,
    BROUGHT_IF_MORE,
    CARRIED,
    COME_IF_MORE,
    COMES,
    CONTAINERS,
    DELIVERING,
    EMPTYING,
    FIXED,
    GOES,
    IDIOMS,
    INWARDS,
    KEEPS,
    LEFT_SO,
    MAY_FOLLOW,
    MOTION,
    OTHER,
    PARTICLES,
    PLACED,
    POSTURES,
    PREPOSITIONS,
    PRESENT,
    SHOPS,
    STATES,
    STAYS,
    SURVIVES,
    TAKEN,
    TAKEN_FROM_A_PLACE,
    VERBS,
    is_alive,
    is_plural,
    number_of,
    thing_of,
    verb_of,
)

_HALFWAY: Final = frozenset({"stand", "sit", "fall", "rise"})
"""Verbs that end a state only where nothing says where: who stood behind the table need not have sat at it."""

_ON_THE_WAY: Final = frozenset({"over", "across", "around", "along"})
"""Particles that say nothing where a place follows: "moved over to the armchair"."""
_ARRIVING: Final = frozenset({"land", "settle", "perch"})
"""Who does so elsewhere need not have been here before."""
Way = Literal["coming", "going", "there", "staying"]

_MAY_FOLLOW: Final = PREPOSITIONS | PARTICLES | ADVERBS | MAY_FOLLOW
_COUNTED_ANEW: Final = frozenset({"each", "every", "per", "instead"})
_DELIVERING: Final = frozenset(map(thing_of, DELIVERING))
_ON: Final = frozenset(map(thing_of, ("on", "have")))
_SHOPS: Final = frozenset(map(thing_of, SHOPS))
_OUTSIDE: Final = thing_of("outside")
_CONTAINERS: Final = frozenset(map(thing_of, CONTAINERS))
_OF_STATES: Final = frozenset(verb for state in STATES for verb in state.begins | state.ends) - (
    COMES | GOES | TAKEN | BROUGHT | BROUGHT_IF_MORE | MOTION | PRESENT | PLACED
)
"""Verbs that say nothing where the question does not ask for their state."""


def way_of_subject(predicate: Predicate, thing: str, asked: Asked, *, more: bool) -> Way | None:
    """What happens to things of which the predicate is said: "two dogs left", "two dogs were removed"."""
    verb, rest = predicate.verb, predicate.rest
    if not _is_understood(rest, asked) or is_on_another_side(rest, asked):
        return None
    if way := _by_state(predicate, thing, asked):
        return way
    if thing in KEEPS.get(verb, ()):
        return None
    if _is_as_asked(predicate, asked) and not (predicate.is_passive and verb in TAKEN | BROUGHT):
        return "there"
    if predicate.is_passive or (verb.split()[0] in PLACED | {"add", "remove"} and not is_alive(thing)):
        is_given_some = bool(rest) and rest[0] not in _MAY_FOLLOW and is_plural(rest[0])  # "were handed out drinks"
        return None if is_given_some else _of_what_is_done(verb, rest, thing, asked, more=more)
    if predicate.is_progressive:
        return _present(verb, rest, asked)
    if verb == "be":
        return "there" if is_a_place(rest) and is_where_asked(rest, asked) else None
    if verb in ABSENT:
        return "going" if not rest else None
    if verb in STAYS:
        return "staying" if is_a_place(rest) and is_where_asked(rest, asked) else None
    if rest and rest[0] not in _MAY_FOLLOW:
        return None  # "joined hands", "left two cups behind"
    return _of_what_they_do(verb, rest, thing, asked, more=more)


def is_put_away(verb: str, rest: Words, asked: Asked) -> bool:
    """Whether some of the counted things are put where they are not counted: "two of the cups were put in the sink"."""
    return verb.split()[0] in PLACED and _is_understood(rest, asked) and is_put_elsewhere(rest, asked)


def way_of_object(verb: str, rest: Words, thing: str, asked: Asked, *, more: bool) -> Way | None:
    """What happens to things that somebody does something to: "he ate two apples", "we added two"."""
    if not _is_understood(rest, asked) or is_on_another_side(rest, asked):
        return None
    if verb == "leave":  # "he left two bags behind": gone, or still there?
        return None
    way = _by_state(Predicate(verb, True, False, False, rest), thing, asked)
    return way or _of_what_is_done(verb, rest, thing, asked, more=more)


def _of_what_they_do(verb: str, rest: Words, thing: str, asked: Asked, *, more: bool) -> Way | None:
    base, _, particle = verb.partition(" ")
    moves = base in MOTION and particle in AWAY | INWARDS | {"on"} and (is_alive(thing) or base != "go")
    if _OUTSIDE in asked.words and particle in INWARDS:  # in is out of there
        return "going" if not content(rest) else None
    if comes_down(verb, rest, asked) or comes_out(verb, thing, asked):
        return "going" if goes_from_there(rest, asked) else None
    if (particle and verb in OTHER) or (verb in _OF_STATES and not moves) or (verb == "appear" and rest[:1] == ("to",)):
        return None
    if verb == "leave" and rest and rest[-1] in LEFT_SO:
        return None
    if (verb == "join" and not is_joined(rest, asked)) or (_has_an_object(rest) and not is_of_the_scene(rest, asked)):
        return None  # "joined the army", "left a tip"
    if comes_down(verb, rest, asked):
        return "going"
    if gets_on(verb, asked) or (base in MOTION and gets_into(rest, asked)):
        return None if asked.is_doing else "coming"
    if verb == "reach" and not content(rest) & asked.place:
        return None
    if verb in COMES or (base in MOTION and particle in INWARDS) or (more and verb in COME_IF_MORE):
        whole = verb in ANYWHERE or is_the_whole_scene(rest, PLACING, asked)
        is_there = comes_there(rest, asked) and not (particle in INWARDS and may_come_in_elsewhere(rest, asked))
        return "coming" if whole and not asked.is_doing and is_there else None
    if base in _ARRIVING and particle in AWAY:
        return None
    if asked.is_plain and particle == "off" and not is_alive(thing) and base not in MOTION and not content(rest):
        return None  # a lid that came off is a lid
    if verb in GOES or (base in MOTION and particle in AWAY):
        whole = verb in ANYWHERE or is_the_whole_scene(rest, SOURCES, asked)
        returns = any(verb_of(word) in COMES for word in rest)  # "paddled out to join them"
        is_gone = goes_from_there(rest, asked) and not gets_there(verb, rest, asked)
        return "going" if whole and not returns and is_gone else None
    if base in MOTION and (not particle or particle in _ON_THE_WAY):
        return _moved(rest, asked)
    return _present(verb, rest, asked) or _by_direction(verb, rest, asked, more=more)


def _has_an_object(rest: Words) -> bool:
    return rest[:1] in (("a",), ("an",))


def _of_what_is_done(verb: str, rest: Words, thing: str, asked: Asked, *, more: bool) -> Way | None:
    base, _, particle = verb.partition(" ")
    if (
        asked.is_plain and particle in ("off", "out") and verb not in TAKEN and not content(rest)
    ):  # a stick that is pulled out lies beside
        return None
    is_kept = thing in KEEPS.get(verb, ()) and not behind(rest, frozenset({"into", "to", "from", "off"}))
    if is_kept or (verb in EMPTYING and thing in _CONTAINERS) or " ".join(rest[:2]) in IDIOMS:
        return None
    if verb == "leave":  # what was left is still there, unless it was left alone, or at home
        return "staying" if is_a_place(rest) and is_where_asked(rest, asked) else None
    if _OUTSIDE in asked.words and particle in INWARDS:
        return "going" if not content(rest) else None
    if verb == "deliver" and asked.place & _DELIVERING:
        return "going" if not content(rest) & asked.place else None
    if verb in ("buy", "purchase") and not more and asked.place & _SHOPS:
        return "going" if goes_from_there(rest, asked) else None
    if verb in BROUGHT or (base in CARRIED and particle in INWARDS) or (more and verb in BROUGHT_IF_MORE):
        return "coming" if comes_there(rest, asked) else None
    if particle and verb in OTHER:
        return None
    if base in CARRIED and gets_into(rest, asked):
        return None if asked.is_doing else "coming"
    if base in PUT_ON and particle == "on" and not asked.is_doing:
        return "coming" if asked.words & _ON and comes_there(rest, asked) else None
    if base in PLACED | FIXED and particle in INWARDS and not may_come_in_elsewhere(rest, asked):
        return "coming" if comes_there(rest, asked) else None
    if base in FIXED and base not in CARRIED:
        is_there = is_put_there(rest, asked) if more else gets_into(rest, asked)
        return "coming" if is_there and not asked.is_doing else None
    if comes_down(verb, rest, asked):
        return "going"
    if verb in PLACED:
        anywhere = more and (asked.is_plain or not content(rest))
        return "coming" if anywhere or is_put_there(rest, asked) else None
    if verb in TAKEN_FROM_A_PLACE and asked.is_plain:
        return None
    if verb in TAKEN | TAKEN_FROM_A_PLACE or (base in CARRIED | MOTION and particle in AWAY and verb not in _OF_STATES):
        said = ("to", *rest) if particle == "to" else rest
        return "going" if goes_from_there(said, asked) and not gets_there(verb, rest, asked) else None
    if base in CARRIED and not particle:
        return _moved(rest, asked) or ("coming" if more and is_put_there(rest, asked) else None)
    return _present(verb, rest, asked) or _by_direction(verb, rest, asked, more=more)


def _by_direction(verb: str, rest: Words, asked: Asked, *, more: bool) -> Way | None:
    """What the words behind any verb say, known or not: "off the table", one more "into the pan"."""
    base, _, particle = verb.partition(" ")
    if base in ABOUT_THEM or base in PRESENT or asked.is_doing:
        return None
    if more and gets_into(rest, asked):
        return "coming"
    said = (particle == "away" and base not in VERBS) or (particle in ("off", "out") and content(rest) & asked.place)
    leaves = said and goes_from_there(rest, asked) and not gets_there(verb, rest, asked)
    elsewhere = behind(rest, frozenset({"into", "onto"}))
    return "going" if leaves or (elsewhere and not particle and is_out_of(elsewhere, asked)) else None


def _present(verb: str, rest: Words, asked: Asked) -> Way | None:
    """Whether what they do says that they are there."""
    is_new = verb not in POSTURES or not asked.is_plain
    return "there" if verb in PRESENT and is_new and is_where_asked(rest, asked) else None


def _moved(rest: Words, asked: Asked) -> Way | None:
    away = moves_away(rest, asked)
    return None if away is None else "going" if away else "coming"


def _is_understood(rest: Words, asked: Asked) -> bool:
    """Whether nothing behind the verb is strange or counts anew: "a week for three weeks", "in one of the plates"."""
    numbers = (number_of(word) for word in rest if word not in ("a", "an", "one", "another"))
    counts_anew = bool(_COUNTED_ANEW & set(rest)) or any(number is not None for number in numbers)
    return not counts_anew and is_known_of_events(rest, asked)


def _by_state(predicate: Predicate, thing: str, asked: Asked) -> Way | None:
    """Getting into the state asked for is coming, getting out of it is going."""
    verb = predicate.verb
    if predicate.is_progressive:
        return None
    if verb in ("start", "begin", "stop") and predicate.rest:
        same = thing_of(verb_of(predicate.rest[0])) in asked.place and predicate.rest[0].endswith("ing")
        return ("going" if verb == "stop" else "coming") if same else None
    place = behind(predicate.rest, PLACING)
    left = () if verb == "board" else predicate.rest  # who boarded the ferry has not left it
    for state in asked.states:
        if verb in state.ends:
            is_kept = thing in KEEPS.get(verb, ()) and not state.begins  # bags unpacked in the trunk are still there
            is_open = is_kept or (place and verb in _HALFWAY) or not goes_from_there(left, asked)
            return None if is_open else "going"
        if verb in state.begins:
            return None if place - asked.words else "coming"  # "sat down on the floor", to who sits at the table
    survives = thing not in SURVIVES.get(verb, ())
    return None if survives or not goes_from_there(predicate.rest, asked) else "going"


def _is_as_asked(predicate: Predicate, asked: Asked) -> bool:
    """Whether the predicate says what the question asks for: more men standing, where the standing ones are counted."""
    said = content(predicate.rest) | ({thing_of(predicate.verb)} - {"be", "have"} - {thing_of("have")})
    return bool(said) and said <= asked.place | asked.modifiers | {asked.head} and bool(said & asked.place)
