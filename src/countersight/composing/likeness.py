"""Whether things of one name are those that are counted: a toy car, a hot dog, a bowl in the place of a plate."""

import re
from typing import Final

from countersight.composing.accounted import is_known_of_things
from countersight.composing.asked import WORD, Asked
from countersight.composing.phrases import Phrase, clash_of_colours, kin
from countersight.composing.vocabulary import (
    APART,
    COMPOUNDS,
    IMITATIONS,
    KIN,
    KINDS,
    MAY_BE,
    PERSON,
    QUALITIES,
    SCENERY,
    TELLING_APART,
    all_things,
    thing_of,
)

_KNOWN: Final = frozenset(KINDS).union(*KINDS.values())
_KIN: Final = all_things(KIN)
_SCENERY: Final = re.compile(
    r"(?:it|(?:the|a|an) \w+|somebody|someone) (?P<verb>\w+)"
    r"(?: out| to (?:rain|snow|pour|thunder|hail)| raining| snowing| open| shut| up| late| loudly| in| along)?"
)
_APPROACHES: Final = re.compile(r"(?:a|an|the|my|some) (\w+) \w+ (?:at|toward|towards) (?:them|the (\w+))")
_CALLS: Final = re.compile(
    r"(?:the|a|an|their|another) (?:bus|train|tram|ferry|taxi|elevator|lift|storm|band|bell) "
    r"(?:comes|came|arrives|arrived|pulls in|pulled in|pulls up|pulled up|shows up|showed up)(?: late| along)?"
)
_IMITATIONS: Final = all_things(IMITATIONS)
_OF_ADJECTIVES: Final = ("ed", "ing", "y", "en", "ful", "less", "ous", "ish")
_TELLING_APART: Final = frozenset(map(thing_of, (TELLING_APART | QUALITIES) - {"same", "different"}))


def is_only_called_so(phrase: Phrase, asked: Asked) -> bool:
    """Whether the name holds that of the counted things and is another: hot dogs, toy cars, record players."""
    said = frozenset(map(thing_of, phrase.modifiers)) - asked.words
    return bool(said & (_IMITATIONS | COMPOUNDS.get(thing_of(phrase.head or ""), frozenset())))


def may_be_others(phrase: Phrase, asked: Asked) -> bool:
    """Whether tall trees are counted and trees are told of."""
    if phrase.head in (None, "one", "ones"):
        return False
    said = frozenset(map(thing_of, (*phrase.modifiers, *phrase.of, *phrase.after)))
    return any(word in _TELLING_APART or word.endswith(_OF_ADJECTIVES) for word in asked.modifiers - said)


def is_certainly_another(phrase: Phrase, asked: Asked) -> bool:
    """Whether nothing of that name can be one of the counted things: a bowl is no plate."""
    thing = thing_of(phrase.head or "")
    if thing == asked.head or thing in asked.members or asked.head in KINDS.get(thing, ()):  # a flower may be a rose
        return False
    may_be = asked.head in MAY_BE.get(thing, ()) or thing in MAY_BE.get(asked.head, ())
    return thing in APART and asked.head in APART and not may_be


def loses_its_own(verb: str, agent: Phrase | None, asked: Asked) -> bool:
    """Whether somebody loses things that need not be the counted ones: the parrot, to the feathers in the cage."""
    is_there = agent is None or asked.is_plain or thing_of(agent.head or "") in asked.place
    return verb == "lose" and not is_there


def names_a_known_thing(event: str) -> bool:
    """Whether an event names a thing of which it is known what kind it is of."""
    return any(thing_of(word) in _KNOWN for word in WORD.findall(event))


def names_kin(event: str) -> bool:
    """Whether an event names one by whose child or mate it is, so that it may be of any kind: a mother."""
    return any(thing_of(word) in _KIN for word in WORD.findall(event))


def is_scenery(event: str, asked: Asked) -> bool:
    """Whether an event only tells what happened beside them: "the door opened", "it began to rain"."""
    if found := _APPROACHES.fullmatch(event):  # "a kid runs at the pigeons", before it is told what these do
        is_theirs = found[2] is None or thing_of(found[2]) == asked.head
        return is_theirs and thing_of(found[1]) not in {asked.head, *asked.members}
    if _CALLS.fullmatch(event):  # "the bus comes and everyone gets on"
        return not tells_of(event, asked)
    found = _SCENERY.fullmatch(event)
    return found is not None and found["verb"] in SCENERY and not tells_of(event, asked)


def tells_of(event: str, asked: Asked) -> bool:
    """Whether an event names the counted things, or one of their kind."""
    things = {asked.head, *asked.members}
    return any(thing_of(word) in things for word in WORD.findall(event))


def is_counted(phrase: Phrase, asked: Asked) -> bool:
    """Whether a phrase names the counted things, or some of them, in words that are all known."""
    if clash_of_colours(phrase, asked) or is_only_called_so(phrase, asked) or phrase.quantity.vague:
        return False
    if phrase.quantity.is_couple and phrase.head is None and asked.head != PERSON:  # "a couple came in", to the men
        return False
    is_known = is_known_of_things((*phrase.modifiers, *phrase.after), asked)  # a cup of whatever is a cup
    return is_known and kin(phrase, asked) != "other"
