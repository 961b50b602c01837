"""Interpret the verb of a clause: whether the counted things come, go, stay or exist."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from countersight.composer.clauses import Clause, is_accounted
from countersight.composer.quantities import Quantity
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


class Meaning(NamedTuple):
    """What a verb says happens to the counted things, and the place of the word that says it."""

    way: Way
    at: int
    """The index of the verb or its particle: "off" in "two took off"."""


def way_of(clause: Clause, asked: Counted) -> Way | None:
    """Return whether the things of a clause come, go, stay or exist; None if a word is not accounted for."""
    words = (*clause.before, *clause.after)
    meanings = _meanings(clause, asked)
    denials = {place for place, word in enumerate(words) if word == "not" or word in ABSENT}
    used = denials.union(meanings, (meaning.at for meaning in meanings.values()))
    rest = [word for place, word in enumerate(words) if place not in used]
    if not _are_accounted(rest, clause, asked):  # "two toy dogs nearly left"
        return None
    if clause.before and not any(map(verb_of, clause.before)):  # "up to three came"
        return None
    way = _only_way({meaning.way for meaning in meanings.values()}, clause, rest)
    if way is None or not fits_the_place(way, clause, asked):
        return None
    if way != "adds" and not WORDS["companies"].isdisjoint(rest):  # "two of the herd left"
        return None
    return _denied(way, clause) if denials else way


def _meanings(clause: Clause, asked: Counted) -> dict[int, Meaning]:
    """Return the meanings of the verbs of a clause that have one, by their places."""
    words = (*clause.before, *clause.after)
    found = {}
    for place, word in enumerate(words):
        verb = None if _is_noun(words, place, asked) else verb_of(word)
        meaning = None if verb is None else _meaning(_read(verb, place, clause, asked))
        if meaning is not None:
            found[place] = meaning
    return found


def _is_noun(words: Sequence[str], place: int, asked: Counted) -> bool:
    """Whether a word that may be a verb is a noun: "the drop", or "ride" if the question asks about a ride."""
    if place > 0 and words[place - 1] == "the":
        return True
    word = words[place]
    return asked.names(word) and word not in SEEING and not asked.is_in_state


def _only_way(ways: set[Way], clause: Clause, rest: list[str]) -> Way | None:
    """Return the one thing that happens; None if the verbs say nothing, or contradict each other."""
    if not ways and clause.quantity.more and rest and not clause.before:  # "2 more wearing blue"
        return "present"
    happening = ways - {"present"}  # "there were two that left": only "left" says what happens
    told = happening or ways
    return next(iter(told)) if len(told) == 1 else None


def _denied(way: Way, clause: Clause) -> Way | None:
    """Return what happens if it is denied: things that were "not there" are gone; other denials are undecided."""
    return "removes" if way == "present" and not clause.quantity.is_none else None


class VerbReading(msgspec.Struct, frozen=True):
    """One verb of a clause, with its particle and its voice."""

    verb: str
    """The base form."""
    place: int
    """The index of the verb in `words`."""
    words: tuple[str, ...]
    """The words of the clause before and after the counted things."""
    particle_at: int
    """The index of the particle ("away" in "took two cups away"); that of the verb if it has none."""
    voice: Literal["active", "passive"]
    """Passive if something is done to the things: "two cups were taken", "he took two cups"."""
    is_left_over: bool
    """Whether "left" means "remained": "if only two were left"."""
    before_things: str
    """The word before the counted things if they follow the verb: "of" in "drank from two of the cups"."""
    is_of_others: bool
    """Whether the counted things are in a state, and the clause may be about other things."""
    is_elliptic: bool
    """Whether the things are not named again and do what the question says: "three went home" for those playing."""
    quantity: Quantity
    asked: Counted

    @property
    def particle(self) -> str:
        """The particle; the verb as written if it has none."""
        return self.words[self.particle_at]

    @property
    def directions(self) -> set[str]:
        """The words after the verb, among them those that say where the things go."""
        return set(self.words[self.place + 1 :])

    @property
    def phrases(self) -> list[tuple[str, int]]:
        """The forms to look up, with the place of the word that decides: "take away" before "take"."""
        plain = [(self.verb, self.place)]
        return plain if self.particle_at == self.place else [(f"{self.verb} {self.particle}", self.particle_at), *plain]


def _read(verb: str, place: int, clause: Clause, asked: Counted) -> VerbReading:
    """Read the verb at a place of a clause."""
    words, things_at = (*clause.before, *clause.after), len(clause.before)
    are_object = place < things_at  # "he ate two apples": the things follow the verb
    has_be = not _BE.isdisjoint(words[things_at:place])
    is_passive = not are_object and has_be and not words[place].endswith("ing")  # "two were taken"
    is_bare = not (clause.name or clause.quantity.more or are_object)  # "three went home"
    return VerbReading(
        verb=verb,
        place=place,
        words=words,
        particle_at=_particle_at(words, place, things_at),
        voice="passive" if is_passive or are_object else "active",
        is_left_over=verb == "leave" and is_passive,
        before_things=words[things_at - 1] if are_object else "",
        is_of_others=asked.is_doing and not clause.quantity.definite,
        is_elliptic=is_bare and asked.doing.issuperset(asked.predicate),
        quantity=clause.quantity,
        asked=asked,
    )


def _particle_at(words: Sequence[str], place: int, things_at: int) -> int:
    """Return the place of a verb's particle, after the verb or after its object; that of the verb if it has none."""
    after_verb, after_object = place + 1, things_at  # "took away two cups", "took two cups away"
    candidates = (after_verb, after_object) if place < things_at else (after_verb,)
    return next((at for at in candidates if at < len(words) and words[at] in _DIRECTIONS), place)


def _meaning(reading: VerbReading) -> Meaning | None:
    """Return what happens to the things of a verb; None if that is undecided."""
    verb, place, words = reading.verb, reading.place, reading.words
    if place > 0 and verb_of(words[place - 1]) in _BEGINS:  # "stopped flying": "stopped" decides
        return None
    for phrase, at in reading.phrases:
        if at == place and reading.particle in _OUT:  # "floated away" is not "floated in the air"
            continue
        if any(phrase in state.begins | state.ends for state in STATES):
            change = _change_of_state(phrase, at, reading.asked)  # "two windows were opened"
            if change is not None:
                return change
            if phrase != verb and verb not in ("put", "take"):  # "put on" is not only for clothes
                return _meaning_in_lists(reading)
    if verb in _BEGINS:
        return _begun(reading)
    if reading.is_left_over:
        return Meaning("stays", place)
    if verb == "join" and reading.before_things == "by":  # "they were joined by two dogs"
        return Meaning("adds", place)
    return _meaning_in_lists(reading) or _movement(reading)


def _change_of_state(phrase: str, at: int, asked: Counted) -> Meaning | None:
    """Return whether things enter or leave the state that the question asks about; None if neither."""
    states = [state for state in STATES if state.asked & set(asked.predicate)]
    if any(phrase in state.begins for state in states):  # "two were opened", asked: how many are open
        return Meaning("adds", at)
    if any(phrase in state.ends for state in states):  # "two were opened", asked: how many are closed
        return Meaning("removes", at)
    return None


def _begun(reading: VerbReading) -> Meaning | None:
    """Return whether things begin or stop to do what the question says: "two stopped skiing"; None if neither."""
    activity = reading.words[reading.place + 1 : reading.place + 2]
    if not set(activity) & set(reading.asked.predicate):
        return None
    return Meaning("removes" if reading.verb == "stop" else "adds", reading.place)


def _meaning_in_lists(reading: VerbReading) -> Meaning | None:
    """Return the meaning of a listed verb; None if a particle or a preposition may change the meaning."""
    verb, place, voice, directions = reading.verb, reading.place, reading.voice, reading.directions
    has_more_after = bool(reading.words[reading.particle_at + 1 :])
    is_preposition = reading.particle in ("on", "by") and has_more_after  # "appeared on the road"
    is_changed = reading.particle in _STRICT and not is_preposition  # "came out" may not mean "came"
    is_alone = not is_changed and reading.before_things not in _PREPOSITIONS  # not "drank from two of the cups"
    for phrase, at in reading.phrases:
        if phrase == verb and not is_alone:
            continue
        is_of_others = reading.is_of_others and not (reading.is_elliptic and phrase in REMOVES[voice])
        if is_of_others and phrase not in WORDS["edits"]:  # "two dogs came" may not be two that are sleeping
            continue
        if phrase == "take" and reading.asked.head in WORDS["taken_but_there"]:  # "two seats were taken"
            continue
        if phrase in ADDS[voice] or (phrase in ADDS["if_more"] and reading.quantity.more):  # "two more were cooked"
            is_outward = {"from", "off", "out"} & directions - {reading.words[at]}  # "two were added from the box"
            return None if is_outward else Meaning("adds", at)
        if phrase in REMOVES[voice]:
            is_inward = {"to", "into", "onto"} & directions  # "two were taken to the table"
            return None if is_inward else Meaning("removes", at)
    if verb in WORDS["stays"]:  # "two remained"
        return Meaning("stays", place)
    return Meaning("present", place) if verb in WORDS["present"] and not is_changed else None  # "there were two"


def _movement(reading: VerbReading) -> Meaning | None:
    """Return whether things move away from the place that the question names, or to it; None if undecided."""
    directions, predicate, particle = reading.directions, set(reading.asked.predicate), reading.particle
    if reading.verb not in WORDS["moves"] or reading.is_of_others or reading.before_things in _PREPOSITIONS:
        return None
    if particle in _NOT_AWAY.get(reading.verb, ()):  # "three came home"
        return None
    if "down" in directions and not WORDS["heights"].isdisjoint(predicate):  # "two climbed down", asked: in the tree
        return Meaning("removes", reading.particle_at)
    is_out, is_in = bool(_OUT & directions), bool(_IN & directions)
    if is_out and not is_in:  # "two ran away"
        leads = LEADS.get(particle, frozenset()) | LEADS.get(f"{reading.verb} {particle}", frozenset())
        is_led_there = leads & predicate - directions  # "one took off", asked: in the sky
        return None if reading.verb in _PUTS or is_led_there else Meaning("removes", reading.particle_at)
    is_arrival = is_in and not is_out and _is_inside(reading) and not reading.quantity.definite
    return Meaning("adds", reading.particle_at) if is_arrival else None  # "two ran into the room"


def _is_inside(reading: VerbReading) -> bool:
    """Whether a movement can end where the question counts: "into the pen", asked: in the pen; not "onto a truck"."""
    asked, directions = reading.asked, reading.directions
    is_named = bool({"in", "on", "at"} & asked.words and directions & {*asked.predicate, "it"})
    leads_elsewhere = bool((_IN - {"in", "along"}) & directions)
    return is_named or bool(directions & PLACES) or not leads_elsewhere


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
