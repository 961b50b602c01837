"""Whether every word that could matter is one the composer knows: what it does not know may change the count.

A toy car, a car in the brochure, who left a tip: one strange word beside the counted things makes other things of
them, or something else of what happens. So each word there has to be one of those that are known to do neither.
"""

import re
from collections.abc import Iterable
from typing import Final

from countersight.composing.asked import Asked
from countersight.composing.vocabulary import (
    ADVERBS,
    AUXILIARIES,
    COMPANIES,
    DIRECTIONS,
    FILLER,
    GROUNDS,
    KINDS,
    MORE,
    PARTICLES,
    PLACES,
    POSSESSIVES,
    PREPOSITIONS,
    PRESENT,
    PRONOUNS,
    QUALITIES,
    RELATIVES,
    SPOTS,
    SURROUNDINGS,
    TIMES,
    all_things,
    is_known_verb,
    number_of,
    thing_of,
)

_OF_GRAMMAR: Final = (
    ADVERBS | AUXILIARIES | DIRECTIONS | FILLER | MORE | PARTICLES | PLACES | POSSESSIVES | PREPOSITIONS | PRONOUNS
)
_BETWEEN: Final = RELATIVES | {"or", "me", "him", "us", "next", "what"}
_WHERE: Final = all_things(GROUNDS | SPOTS | SURROUNDINGS | COMPANIES | TIMES)
_QUALITIES: Final = all_things(QUALITIES)
_GOAL: Final = re.compile(r"\b(?:into|onto) (?:the|a|an) (?!(?:light|shade|sun|shadow|sunlight|dark|lead|open)\b)\w+$")
"""Where things end need not be known: "pushed into the moat"."""
_LIGHT: Final = frozenset(map(thing_of, ("shade", "shadow", "sun", "sunlight", "sunshine")))
_ANY_GOAL: Final = re.compile(r"\b(?:into|onto) (?:the|a|an) \w+$")
"""Nor into the sun, where those in the shade are counted."""
_PURPOSE: Final = re.compile(r"\bfor (?:a|an|the|his|her|their|its|my|our|some) (\w+)$")
"""Nor what they are taken for: "grabbed two for their fort"."""
_WHO: Final = frozenset(KINDS).union(*KINDS.values())


def is_known_of_things(words: Iterable[str], asked: Asked) -> bool:
    """Whether words beside the name of the counted things leave them what they are: red, biggest, on the left."""
    return all(thing_of(word) in _QUALITIES or _is_known(word, asked) or is_known_verb(word) for word in words)


def is_known_of_events(words: tuple[str, ...], asked: Asked) -> bool:
    """Whether words behind a verb say where or when and nothing else; who did it may be anybody: "by wasps"."""
    is_of_light = bool(asked.place & _LIGHT)
    text = (_ANY_GOAL if is_of_light else _GOAL).sub(
        " ", " ".join(words[: words.index("by")] if "by" in words else words)
    )
    purpose = _PURPOSE.search(text)
    said = (text if purpose is None or thing_of(purpose[1]) in asked.words else text[: purpose.start()]).split()
    return all(_is_known(word, asked) or thing_of(word) in _WHO or is_known_verb(word) for word in said)


def _is_known(word: str, asked: Asked) -> bool:
    if word in _OF_GRAMMAR or word in _BETWEEN or word in PRESENT or number_of(word) is not None:
        return True
    return thing_of(word) in asked.words | asked.members | {asked.head} | _WHERE
