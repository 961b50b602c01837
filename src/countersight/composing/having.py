"""What somebody has or gets: "it had two more legs", "a fox got one"."""

import re
from typing import Final

from countersight.composing.asked import Asked
from countersight.composing.changes import added, come, gone
from countersight.composing.effects import Effect
from countersight.composing.likeness import is_counted
from countersight.composing.phrases import Phrase, is_restricted, kin, read_phrase
from countersight.composing.places import is_all_of_the_place, is_of_the_scene
from countersight.composing.predicates import Predicate
from countersight.composing.vocabulary import (
    GARMENTS,
    HUNTERS,
    PLACES,
    POSSESSIONS,
    PREPOSITIONS,
    all_things,
    thing_of,
    verb_of,
)

_GIVEN: Final = re.compile(
    r"(?:each|every)(?: one)?(?: of)? (?P<who>them|(?:the )?\w+)(?P<at> (?:in|on|at|inside|around|under) [\w ]+?)? "
    r"(?:had|got|has|received|held|carried|wore|caught|(?:was|were) (?:given|handed))"
    r" (?:a|an|one|two|three|four|five)(?: \w+)? (?P<what>\w+)"
)
_POSSESSIONS: Final = all_things(POSSESSIONS | GARMENTS)
_HE: Final = frozenset({"he", "she", "it"})


def each_has_something(text: str, asked: Asked) -> bool:
    """Whether each of the counted things only gets something of its own, and stays: "each dog in it had a toy"."""
    found = _GIVEN.fullmatch(text)
    if found is None or asked.is_doing or asked.is_narrow or asked.modifiers:
        return False
    things, at = {asked.head, *asked.members}, tuple((found["at"] or "").split())
    who = thing_of(found["who"].split()[-1])
    is_theirs = found["who"] == "them" or who == asked.head
    what = thing_of(found["what"])
    return is_theirs and is_all_of_the_place(at, asked) and what in _POSSESSIONS - things - asked.words


def does_so_with_more(predicate: Predicate, subject: Phrase | None, first: str, asked: Asked) -> Effect | None:
    """What "he held up one more finger" does, where those that he holds up are counted."""
    is_he = first in _HE if subject is None else subject.head == asked.doer and subject.definite
    if not asked.doer or not is_he or thing_of(verb_of(predicate.verb.partition(" ")[0])) not in asked.place:
        return None
    rest = list(predicate.rest)
    theme = read_phrase(rest, asked)
    is_told = theme is not None and theme.end == len(rest) and is_counted(theme, asked)
    if theme is None or not is_told or predicate.is_passive or predicate.is_negated or kin(theme, asked) != "same":
        return None
    if theme.quantity.fewer and isinstance(theme.quantity.amount, int):
        return Effect("remove", theme.quantity.amount)
    return added(theme) if theme.quantity.more else None


def had(theme: Phrase, agent: Phrase | None, verb: str, behind: list[str], asked: Asked) -> Effect | None:
    """What "it had two more legs" does, or "the zoo got five giraffes": only what is asked about can have them."""
    if behind and not set(behind) <= PREPOSITIONS | PLACES | {"the", "it", "there"}:
        return None
    if theme.quantity.fewer:
        return Effect("remove", theme.quantity.amount) if isinstance(theme.quantity.amount, int) else None
    if theme.quantity.more:
        return added(theme)
    if verb == "get" and agent is not None and not asked.is_plain:
        if (agent.head or "").removesuffix("s") in HUNTERS:  # "a fox got one"
            return gone(theme, asked)
        is_ours = is_of_the_scene((agent.head or "",), asked)
        return come(theme, asked) if is_ours else None
    if verb == "get":
        return come(theme, asked)
    owner = agent is not None and thing_of(agent.head or "") in asked.place
    amount = theme.quantity.amount
    return Effect("set", amount) if owner and isinstance(amount, int) and not is_restricted(theme, asked) else None
