"""Interpret the verb of a clause: whether the counted things come, go, stay or exist."""

from typing import Final, Literal

from countersight.composer.clauses import Clause, is_accounted
from countersight.composer.questions import Counted
from countersight.composer.vocabulary import (
    ABSENT,
    ADDS,
    LEADS,
    PARTICLES,
    PLACES,
    REMOVES,
    SEEING,
    STATES,
    WORDS,
    verb_of,
)

Way = Literal["adds", "removes", "stays", "present"]

_BE: Final = frozenset({"be", "is", "are", "was", "were", "been", "being", "got", "get", "gets"})
_OUT: Final = frozenset({"away", "off", "out", "from", "home"})
_NOT_AWAY: Final = {"come": ("home",), "bring": ("home",), "get": ("home",), "call": ("home",), "go": ("off",)}
"""Particles with which a verb does not mean leaving: an alarm clock that goes off is still there."""
_BEGINS: Final = frozenset({"start", "begin", "stop"})
_IN: Final = frozenset({"in", "into", "onto", "along", "to", "on"})
_STRICT: Final = frozenset({"up", "down", "over", "out", "off", "away", "on", "back", "along", "by"})
"""Particles that change the meaning of a verb: "came out" may not mean "came"."""
_DIRECTIONS: Final = PARTICLES | _OUT | _IN | _STRICT
_PUTS: Final = frozenset({"put", "place", "set", "lay"})
"""Verbs of putting: things put away may still be in the place that the question names."""
_BOARDS: Final = frozenset({"on", "onto", "off", "in", "into", "out"})
_PREPOSITIONS: Final = frozenset({"from", "off", "out", "at", "on", "in", "to", "of", "by"})


def way_of(clause: Clause, asked: Counted) -> Way | None:
    """Return whether the things of a clause come, go, stay or exist; None if a word is not accounted for."""
    words = (*clause.before, *clause.after)
    used = {place for place, word in enumerate(words) if word == "not" or word in ABSENT}
    is_denied = bool(used)
    ways: set[Way] = set()
    for place, word in enumerate(words):
        is_noun = (asked.names(word) and word not in SEEING and not asked.is_in_state) or words[place - 1 : place] == (
            "the",
        )
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
    if not fits_the_place(way, clause, asked) or (way != "adds" and not WORDS["companies"].isdisjoint(rest)):
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
        is_object = place < split  # "he ate two apples": the things follow the verb
        near = (place + 1, split) if is_object else (place + 1,)
        self._particle = next((each for each in near if words[each : each + 1] and words[each] in _DIRECTIONS), place)
        is_passive = not is_object and not _BE.isdisjoint(words[split:place]) and not words[place].endswith("ing")
        self._is_left = verb == "leave" and is_passive  # "if only two were left"
        self._voice = "passive" if is_passive or is_object else "active"
        self._before_things = words[split - 1] if is_object else ""
        self._directions = set(words[place + 1 :])
        is_bare = not (clause.name or clause.quantity.more or is_object)
        self._is_elliptic = is_bare and asked.doing.issuperset(asked.predicate)  # "three went home" for those playing

    def way(self) -> tuple[Way, int] | None:
        """Return what happens to the things, and the index of the particle or verb for it; None if undecided."""
        verb, place, asked = self._verb, self._place, self._asked
        if place and verb_of(self._words[place - 1]) in _BEGINS:  # "stopped flying"
            return None
        names = [(verb, place)]
        if self._particle != place:
            names.insert(0, (f"{verb} {self._words[self._particle]}", self._particle))
        for name, at in names:
            if at == place and self._words[self._particle] in _OUT:  # "floated away" is not "floated in the air"
                continue
            if any(name in state.begins | state.ends for state in STATES):
                turned = self._change_of_state(name, at)
                if turned or (name != verb and verb not in ("put", "take")):  # "put on" is not only for clothes
                    return turned or self._meaning_in_lists(names)
        if verb in _BEGINS:
            begun = self._words[place + 1 : place + 2]
            return ("removes" if verb == "stop" else "adds", place) if set(begun) & set(asked.predicate) else None
        if self._is_left:
            return "stays", place
        if verb == "join" and self._before_things == "by":
            return "adds", place
        return self._meaning_in_lists(names) or self._movement()

    def _change_of_state(self, name: str, at: int) -> tuple[Way, int] | None:
        """Return whether things enter or leave the state that the question asks about; None if neither."""
        states = [state for state in STATES if state.asked & set(self._asked.predicate)]
        if any(name in state.begins for state in states):
            return "adds", at
        return ("removes", at) if any(name in state.ends for state in states) else None

    def _meaning_in_lists(self, names: list[tuple[str, int]]) -> tuple[Way, int] | None:
        """Return the meaning of a listed verb; None if a particle or a preposition may change the meaning."""
        particle = self._words[self._particle]
        is_strict = particle in _STRICT and not (particle in ("on", "by") and self._words[self._particle + 1 :])
        is_alone = not is_strict and self._before_things not in _PREPOSITIONS  # not "drank from two of the cups"
        for name, at in names:
            is_of_others = self._is_of_others and not (self._is_elliptic and name in REMOVES[self._voice])
            if (name == self._verb and not is_alone) or (is_of_others and name not in WORDS["edits"]):
                continue
            if name == "take" and self._asked.head in WORDS["taken_but_there"]:
                continue
            if name in ADDS[self._voice] or (name in ADDS["if_more"] and self._quantity.more):
                return None if {"from", "off", "out"} & self._directions - {self._words[at]} else ("adds", at)
            if name in REMOVES[self._voice]:
                return None if {"to", "into", "onto"} & self._directions else ("removes", at)
        if self._verb in WORDS["stays"]:
            return "stays", self._place
        return ("present", self._place) if self._verb in WORDS["present"] and not is_strict else None

    @property
    def _is_of_others(self) -> bool:
        """Whether the counted things are in a state, and the clause may be about other things."""
        return self._asked.is_doing and not self._quantity.definite

    def _movement(self) -> tuple[Way, int] | None:
        """Return whether things move away from the place that the question names, or to it; None if undecided."""
        directions, asked = self._directions, self._asked
        if self._verb not in WORDS["moves"] or self._is_of_others or self._before_things in _PREPOSITIONS:
            return None
        if self._words[self._particle] in _NOT_AWAY.get(self._verb, ()):
            return None
        if "down" in directions and not WORDS["heights"].isdisjoint(asked.predicate):
            return "removes", self._particle
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
    """Whether no word can change what happens; a setting is allowed if the question names no place."""
    known = WORDS["settings"] if not asked.predicate and (clause.quantity.more or _is_edited(clause)) else frozenset()
    if not WORDS["supports"].isdisjoint(asked.predicate) or not asked.predicate:
        known |= WORDS["surroundings"]
    return all(word in known or is_accounted(word, asked) for word in words)


def _is_edited(clause: Clause) -> bool:
    return any(verb_of(word) in WORDS["edits"] for word in (*clause.before, *clause.after))


def _boards(words: tuple[str, ...]) -> bool:
    """Whether things get on or off something: "two got on", "two got back in"."""
    near = (words[place + 1 : place + 3] for place, word in enumerate(words) if verb_of(word) == "get")
    return any(not _BOARDS.isdisjoint(after) and verb_of(after[0]) is None for after in near)


def fits_the_place(way: Way, clause: Clause, asked: Counted) -> bool:
    """Whether the change affects the place and the state that the question asks about."""
    if _boards((*clause.before, *clause.after)) and not asked.is_aboard:
        return False
    if way == "removes" and not WORDS["ends_up"].isdisjoint(asked.predicate) and not _is_edited(clause):
        return False
    told = set(asked.predicate).intersection((*clause.before, *clause.name, *clause.after))
    sides = WORDS["sides"].intersection(asked.predicate)
    if told - WORDS["sides"] and sides and sides.isdisjoint(told):
        return False
    return way != "adds" or asked.is_in_state or WORDS["qualities"].intersection(asked.predicate) <= told
