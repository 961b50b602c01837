"""The verb of a clause: whether the counted things come, go, stay or exist."""

from typing import Final, Literal

from countersight.composer.clauses import Clause, is_accounted
from countersight.composer.questions import Counted
from countersight.composer.vocabulary import (
    ABSENT,
    ADDS,
    COMPANIES,
    EDITS,
    ELSEWHERE,
    ENDS_UP,
    KINDS,
    LEADS,
    MOVES,
    PARTICLES,
    PERSON,
    PLACES,
    PRESENT,
    QUALITIES,
    REMOVES,
    SETTINGS,
    SIDES,
    STATES,
    STAYS,
    SUPPORTS,
    TAKEN_BUT_THERE,
    noun_key,
    verb_of,
)

Way = Literal["adds", "removes", "stays", "present"]

_BE: Final = frozenset({"be", "is", "are", "was", "were", "been", "being", "got", "get", "gets"})
_OUT: Final = frozenset({"away", "off", "out", "from"})
_IN: Final = frozenset({"in", "into", "onto", "along", "to", "on"})
_STRICT: Final = frozenset({"up", "down", "over", "out", "off", "away", "on", "back", "along", "by"})
"""Particles that make another verb of one: who comes may not be who comes out."""
_DIRECTIONS: Final = PARTICLES | _OUT | _IN | _STRICT
_PUTS: Final = frozenset({"put", "place", "set", "lay"})
"""What is put away may still be in the place that the question names."""
_PREPOSITIONS: Final = frozenset({"from", "off", "out", "at", "on", "in", "to", "of", "by"})


def way_of(clause: Clause, asked: Counted) -> Way | None:
    """Return whether the things of a clause come, go, stay or exist; None if a word is not accounted for."""
    words = (*clause.before, *clause.after)
    used = {place for place, word in enumerate(words) if word == "not" or word in ABSENT}
    is_denied = bool(used)
    ways: set[Way] = set()
    for place, word in enumerate(words):
        is_noun = (asked.names(word) and not asked.is_in_state) or words[place - 1 : place] == ("the",)
        if not is_noun and (verb := verb_of(word)) and (found := _Verb(verb, place, clause, asked).way()):
            ways.add(found[0])
            used |= {place, found[1]}
    rest = [word for place, word in enumerate(words) if place not in used]
    if not _are_accounted(rest, clause, asked):
        return None
    if not ways and clause.quantity.more and rest and not clause.before:  # "2 more wearing blue"
        ways = {"present"}
    ways = ways - {"present"} or ways
    if len(ways) != 1 or (clause.before and not any(map(verb_of, clause.before))):  # "up to three came"
        return None
    (way,) = ways
    if not _fits_the_place(way, clause, asked) or (way != "adds" and not COMPANIES.isdisjoint(rest)):
        return None
    if is_denied:
        return "removes" if way == "present" and not clause.quantity.is_none else None
    return way


class _Verb:
    """One verb of a clause, with its particle and its voice."""

    def __init__(self, verb: str, place: int, clause: Clause, asked: Counted) -> None:
        self._verb, self._place, self._quantity, self._asked = verb, place, clause.quantity, asked
        self._words = words = (*clause.before, *clause.after)
        split = len(clause.before)
        is_object = place < split  # "he ate two apples": the things stand behind the verb
        near = (place + 1, split) if is_object else (place + 1,)
        self._particle = next((each for each in near if words[each : each + 1] and words[each] in _DIRECTIONS), place)
        is_passive = not is_object and not _BE.isdisjoint(words[split:place]) and not words[place].endswith("ing")
        self._is_left = verb == "leave" and is_passive  # "if only two were left"
        self._voice = "passive" if is_passive or is_object else "active"
        self._before_things = words[split - 1] if is_object else ""
        self._directions = set(words[place + 1 :])
        is_bare = not (clause.name or clause.quantity.more or is_object)
        self._is_elliptic = is_bare and asked.doing.issuperset(asked.predicate)  # "three went home", of those playing

    def way(self) -> tuple[Way, int] | None:
        """What the verb says of the things, and the place of its particle (or its own); None where it says nothing."""
        verb, place, asked = self._verb, self._place, self._asked
        names = [(verb, place)]
        if self._particle != place:
            names.insert(0, (f"{verb} {self._words[self._particle]}", self._particle))
        for name, at in names:
            if any(name in state.begins | state.ends for state in STATES):
                turned = self._turned(name, at)
                if turned or name != verb:
                    return turned or self._listed(names)
        if verb in ("start", "begin", "stop"):
            begun = self._words[place + 1 : place + 2]
            return ("removes" if verb == "stop" else "adds", place) if set(begun) & set(asked.predicate) else None
        if self._is_left:
            return "stays", place
        if verb == "join" and self._before_things == "by":
            return "adds", place
        return self._gone_elsewhere() or self._listed(names) or self._moved()

    def _turned(self, name: str, at: int) -> tuple[Way, int] | None:
        """Whether a change of state brings things into the state that the question asks about, or out of it."""
        states = [state for state in STATES if state.asked & set(self._asked.predicate)]
        if any(name in state.begins for state in states):
            return "adds", at
        return ("removes", at) if any(name in state.ends for state in states) else None

    def _listed(self, names: list[tuple[str, int]]) -> tuple[Way, int] | None:
        """What a verb of the lists says; with another particle, or a preposition, it may say something else."""
        particle = self._words[self._particle]
        is_strict = particle in _STRICT and not (particle in ("on", "by") and self._words[self._particle + 1 :])
        is_alone = not is_strict and self._before_things not in _PREPOSITIONS  # not "drank from two of the cups"
        for name, at in names:
            is_of_others = self._is_of_others and not (self._is_elliptic and name in REMOVES[self._voice])
            if (name == self._verb and not is_alone) or (is_of_others and name not in EDITS):
                continue
            if name == "take" and self._asked.head in TAKEN_BUT_THERE:
                continue
            if name in ADDS[self._voice] or (name in ADDS["if_more"] and self._quantity.more):
                return None if {"from", "off", "out"} & self._directions - {self._words[at]} else ("adds", at)
            if name in REMOVES[self._voice]:
                return None if {"to", "into", "onto"} & self._directions else ("removes", at)
        if self._verb in STAYS:
            return "stays", self._place
        return ("present", self._place) if self._verb in PRESENT and particle not in _STRICT else None

    @property
    def _is_of_others(self) -> bool:
        """Whether things in a state are counted, and others may be spoken of."""
        return self._asked.is_doing and not self._quantity.definite

    def _gone_elsewhere(self) -> tuple[Way, int] | None:
        """Whether things go from the table, the shelf or the like to the floor or to another room."""
        words, asked = self._words, self._asked
        at = next((at for at in range(self._place + 1, len(words)) if words[at] in ELSEWHERE), 0)
        is_there = words[at] == "outside" or (at > 1 and words[at - 1] == "the" and words[at - 2] in _IN)
        is_away = SUPPORTS.intersection(asked.predicate) and self._verb in MOVES and not asked.names(words[at])
        return ("removes", at) if at and is_there and is_away and not self._quantity.more else None

    def _moved(self) -> tuple[Way, int] | None:
        """Return the direction in which things move: away from the place that the question names, or to it."""
        directions, asked = self._directions, self._asked
        if self._verb not in MOVES or self._is_of_others or self._before_things in _PREPOSITIONS:
            return None
        if _OUT & directions and not _IN & directions:
            particle = self._words[self._particle]
            leads = LEADS.get(particle, frozenset()) | LEADS.get(f"{self._verb} {particle}", frozenset())
            is_led_there = leads & set(asked.predicate) - directions
            return None if self._verb in _PUTS or is_led_there else ("removes", self._particle)
        is_named = {"in", "on", "at"} & asked.words and directions & {*asked.predicate, "it"}
        is_inside = is_named or directions & PLACES or not (_IN - {"in", "along"}) & directions
        is_in = _IN & directions and not _OUT & directions and is_inside and not self._quantity.definite
        return ("adds", self._particle) if is_in else None


def _are_accounted(words: list[str], clause: Clause, asked: Counted) -> bool:
    """Whether no word can change what happens; people may act, and things may come anywhere if no place is asked."""
    known = SETTINGS if not asked.predicate and (clause.quantity.more or _is_edited(clause)) else frozenset()
    return all(word in known or word == _agent(clause, asked) or is_accounted(word, asked) for word in words)


def _agent(clause: Clause, asked: Counted) -> str:
    """Who does it, where that does not matter: "a fox ate two hens"; one who brings people may be one of them."""
    match clause.before:
        case [("a" | "an" | "the" | "my" | "his" | "her"), noun, verb, *_] if verb_of(verb):
            is_person = noun_key(noun) == PERSON or noun_key(noun) in KINDS[PERSON]
            return "" if is_person and asked.counts_people else noun
    match clause.after:
        case [*_, "by", ("a" | "an" | "the"), noun] if noun_key(noun) != asked.head and not asked.counts_people:
            return noun
    return ""


def _is_edited(clause: Clause) -> bool:
    return any(verb_of(word) in EDITS for word in (*clause.before, *clause.after))


def _fits_the_place(way: Way, clause: Clause, asked: Counted) -> bool:
    """Whether what happens can happen where, and to what, the question asks about."""
    if way == "removes" and not ENDS_UP.isdisjoint(asked.predicate) and not _is_edited(clause):
        return False
    told = set(asked.predicate).intersection((*clause.before, *clause.name, *clause.after))
    sides = SIDES.intersection(asked.predicate)
    if told - SIDES and sides and sides.isdisjoint(told):
        return False
    return way != "adds" or asked.is_in_state or QUALITIES.intersection(asked.predicate) <= told
