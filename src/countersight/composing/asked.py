"""What a counterfactual question asks for: which things it counts, and where or in what state."""

import re
from functools import lru_cache
from itertools import pairwise

import msgspec

from countersight.composing.vocabulary import (
    ADVERBS,
    AFTER_A_COUNTED_THING,
    FILLER,
    GOES,
    KINDS,
    NOT_THE_WHOLE,
    PERSON,
    PLACES,
    PREPOSITIONS,
    RESTING,
    SEEING,
    SIDES,
    STATES,
    TAKEN,
    State,
    is_alive,
    is_known_verb,
    is_plural,
    is_verb,
    thing_of,
    verb_of,
)

WORD = re.compile(r"[a-z]+(?:['’][a-z]+)*|\d+")
_COUNTED = re.compile(r"\bhow many |\bthe (?:total )?(?:number|count) of ")
_MARKED = re.compile(r"\b(?:on|at|inside|outside|under|near|behind|by|above|over) (?:the|this|that) (\w+) (?=\w)")
_COMPOUND = re.compile(r"\b(?:in|on|at|inside|under|around|near) (?:the|this|that) (\w+) (?!if\b|on\b|in\b|at\b)\w+")
_CALLING = re.compile(r"\b(\w+) (?:stop|station|platform|terminal|shelter|depot)\b")
_DOER = re.compile(r"(?:would|will|could|can|is|are) (?:the|a|an|this|that) (?:\w+ )??(\w+) (?:be )?\w+ing\b")
_IS_NEGATED = re.compile(r"\b(?:not|never|without)\b|n['’]t\b")
HAVING = frozenset(map(thing_of, ("wear", "hold", "holding", "carry", "carrying")))
"""What people do with something of their own, which newcomers need not have."""
_BEING_THERE = frozenset(map(thing_of, ("stand", "lie", "hang", "rest", "grow")))
"""What tents and cups do where they are, and does not tell some of them from others."""
_HOLDING = frozenset({"hold", "holds", "contain", "contains"})
"""What a place does: "would the shelf hold"."""
_SWITCHED = frozenset({"on", "off"})
_BEFORE_NOUNS = frozenset({"the", "a", "an", "this", "that"})
_PLAIN = FILLER | PLACES | ADVERBS | PREPOSITIONS | AFTER_A_COUNTED_THING


class Asked(msgspec.Struct, frozen=True):
    """The things a question counts, in words good for comparing."""

    head: str
    """The counted noun: bottles in "bottles of water"."""
    modifiers: frozenset[str]
    words: frozenset[str]
    """Every word that says something of the counted things: names, places, states."""
    place: frozenset[str]
    """Of these, the words that do not name the things."""
    states: tuple[State, ...]
    is_plain: bool
    """Whether it asks how many there are, in no place and no state of their own."""

    is_doing: bool
    """Whether it asks who does something, which newcomers need not do: "how many are wearing hats"."""

    sides: frozenset[str] = frozenset()
    """Where they are looked for beside something: under the car."""
    marks: frozenset[str] = frozenset()
    """Words that say which place it is, and nothing of the things: white, in "on the white couch"."""
    compound: frozenset[str] = frozenset()
    """Words that are part of the name of the place: waiting, in "in the waiting room"."""
    where: str = ""
    """The last word of the place, as it was written: table."""
    name: tuple[str, ...] = ()
    """The words for the counted things, as they were written."""
    scene: frozenset[str] = frozenset()
    """Words of the factual question, which may name the place where this one does not."""
    doer: str = ""
    """Who does it to them: the man, in "how many fingers would the man be holding up"."""
    is_narrow: bool = False
    """Whether it asks for those that are or do what others of their name need not: "wearing ties", "dirty"."""

    @property
    def members(self) -> frozenset[str]:
        """Things that count as one of those asked for."""
        return KINDS.get(self.head, frozenset())

    @property
    def are_people(self) -> bool:
        """Whether those who are counted are people of any kind."""
        return self.head == PERSON or self.head in KINDS[PERSON]

    def is_counted_by(self, factual: "Asked") -> bool:
        """Whether the answer to a factual question is the number of these: dogs are not all animals, nor all asleep.

        Where the factual question says more ("on the table"), the other one need not repeat it.
        """
        switched = {state for state in self.states if state.asked & _SWITCHED}  # these are no words of a place
        place = self.place if is_alive(self.head) else self.place - _BEING_THERE
        return (
            self.head == factual.head
            and self.modifiers | place <= factual.words
            and factual.modifiers <= self.words
            and self.sides <= factual.sides
            and switched <= {*factual.states}
        )


@lru_cache(maxsize=64)
def read_asked(text: str, like: Asked | None = None) -> Asked | None:
    """What is asked for, or None where it is no number of things, or not the number of all of them.

    Where another question calls the things so too, its words for them are known: "ducklings | follow the duck".
    """
    words = WORD.findall(text.casefold())
    begins = _COUNTED.search(text.casefold())
    if begins is None or NOT_THE_WHOLE & set(words) or _IS_NEGATED.search(text.casefold()):
        return None
    spoken = WORD.findall(text.casefold()[begins.end() :])
    is_like = like is not None and spoken[: len(like.name)] == [*like.name]
    name = list(like.name) if like is not None and is_like else _name(spoken)
    rest = spoken[len(name) :]
    named = [word for word in name if word not in FILLER]
    main = name[: name.index("of")] if "of" in name[1:] and name[0] != "of" else name
    nouns = [word for word in main if word not in FILLER]
    if not nouns or _are_of_two_kinds(main) or _asks_for_the_change(rest):
        return None
    head = thing_of(nouns[-1])
    things = frozenset(map(thing_of, named))
    pairs = zip(("", *rest), rest, strict=False)
    said = [word for before, word in pairs if word not in _HOLDING or before == "the"]  # "in the hold"
    places = [word for word in said if word not in _PLAIN | SEEING and thing_of(word) not in things]
    place = frozenset(thing_of(verb_of(word)) for word in places) - things
    parts = _COMPOUND.findall(text.casefold())
    calling = _CALLING.findall(text.casefold())  # who is at the bus stop is on no bus
    states = tuple(state for state in STATES if _is_in(state, [word for word in rest if word not in calling]))
    alike = (word for state in states for word in state.alike)
    return Asked(
        head=head,
        modifiers=things - {head},
        words=things | place | frozenset(map(thing_of, (*rest, *alike))),
        place=place,
        states=states,
        is_plain=not place,
        is_doing=any(map(_is_doing, ("", *rest), rest)),
        sides=SIDES.intersection(rest),
        marks=frozenset(map(thing_of, _MARKED.findall(text.casefold()))),
        compound=frozenset(thing_of(verb_of(word)) for word in parts),
        where=places[-1] if places else "",
        name=tuple(name),
        doer=_doer(rest),
        is_narrow=_does_something_to(rest) or _is_something(rest) or _has_something(rest),
    )


def counted_name(question: str) -> str:
    """The words for the things that a question counts, or nothing where it counts none."""
    counted = _COUNTED.search(question.casefold())
    return "" if counted is None else " ".join(_name(WORD.findall(question.casefold()[counted.end() :])))


def _name(said: list[str]) -> list[str]:
    """The words for the counted things themselves: up to a verb, or a place they are in."""
    for place, word in enumerate(said):
        if word in AFTER_A_COUNTED_THING or (place and word in PREPOSITIONS and word != "of"):
            return said[:place]
        if place and is_plural(said[place - 1]) and (word.endswith("ing") or is_verb(word)):  # "people wearing hats"
            return said[:place]
    return said


def _are_of_two_kinds(name: list[str]) -> bool:
    """Whether dogs and cats are counted together: then all the cats are not all."""
    return any(after in ("and", "or") and is_plural(word) for word, after in pairwise(name))


def _asks_for_the_change(rest: list[str]) -> bool:
    """Whether it asks how many went, not how many are left: "how many would have been removed"."""
    said = {verb_of(word) for word in rest if word not in ("left", "lost") and is_known_verb(word)}
    gone = said & {*GOES, *TAKEN, "add", "miss"}
    return bool(gone - {"eat", "drink", "take", "pick"}) or "missing" in rest or rest[-2:] == ["have", "left"]


def _is_doing(before: str, word: str) -> bool:
    """Whether a word says what they do, and is no thing: "playing", but not "the ring"."""
    return word.endswith("ing") and verb_of(word) not in RESTING and before not in _BEFORE_NOUNS


def _does_something_to(rest: list[str]) -> bool:
    """Whether a verb has an object: "wearing ties", but neither "sitting on the bench" nor "at the loading dock"."""
    plain = PREPOSITIONS | ADVERBS | PLACES
    verbs = (before not in _BEFORE_NOUNS and word.endswith("ing") for before, word in pairwise(("", *rest)))
    return any(is_one and after not in plain for is_one, after in zip(verbs, rest[1:], strict=False))


def _doer(rest: list[str]) -> str:
    """Who does something to the counted things: "would the old man be | holding"."""
    found = _DOER.match(" ".join(rest))
    return "" if found is None else found[1]


def _is_something(rest: list[str]) -> bool:
    """Whether the question ends in what things are like: "would be dirty"."""
    return rest[-2:-1] == ["be"] and rest[-1] not in _PLAIN | SEEING and not rest[-1].endswith("ing")


def _has_something(rest: list[str]) -> bool:
    """Whether it names something of their own: "on a leash", "with a hat"."""
    return any(word in ("on", "with", "in") and after in ("a", "an") for word, after in pairwise(rest))


def _is_in(state: State, rest: list[str]) -> bool:
    """Whether a state is asked for. A light that is on is at the end: "how many lights would be on"."""
    if state.asked & _SWITCHED:
        return any(
            word in state.asked and after in ("", "in", "at", "upstairs") for word, after in pairwise((*rest, ""))
        )
    return bool(state.asked & set(rest))
