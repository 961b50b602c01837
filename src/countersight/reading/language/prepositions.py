"""Whether two phrases name one place: "inside the box" is in it, and "under the bed" is not on it."""

import re
from typing import Final

from countersight.reading.language.stems import counted_words, stem
from countersight.reading.language.vocabulary import any_of, listed, words

_ALIKE: Final[dict[str, int]] = {each: n for n, line in enumerate(listed("states.alike_places")) for each in line}
_PREPOSITION = re.compile(rf"\b(?:in front of|on top of|next to|{any_of('questions.prepositions')})\b", re.IGNORECASE)
_WORDS = re.compile(r"[a-z]+")
_WHERE_IS = re.compile(r"\W*where (?:is|are|was|were)\b", re.IGNORECASE)
_PHRASE = 3  # words of a thing with its adjectives
_NEAR = 60  # characters
_DETERMINERS: Final = words("questions.determiners")


def is_placed_alike(place: str, text: str) -> bool:
    """Whether a text has the thing of a place behind a preposition that says the same as the place's own."""
    own = _PREPOSITION.match(place.strip().lower())
    *_, thing = counted_words(place) or [""]
    return own is None or any(say_the_same(own.group(), how) for how in _before(thing, text.lower()))


def is_placed_otherwise(option: str, text: str, question: str) -> bool:
    """Whether it is asked where something is, and a text puts it elsewhere by the same thing: "under the bed"."""
    own = _PREPOSITION.match(option.strip().lower())
    if not own or own.group() not in _ALIKE or not _WHERE_IS.match(question):
        return False
    *_, thing = counted_words(option) or [""]
    told = [how for how in _before(thing, text.lower()) if how in _ALIKE]
    return bool(told) and not any(say_the_same(own.group(), how) for how in told)


def say_the_same(one: str, other: str) -> bool:
    return _ALIKE.get(one, one) == _ALIKE.get(other, other)


def _before(thing: str, text: str) -> list[str]:
    """The prepositions that stand before a thing, with nothing but its article and adjectives between."""
    found = []
    for each in _PREPOSITION.finditer(text):
        phrase = [word for word in _WORDS.findall(text[each.end() : each.end() + _NEAR]) if word not in _DETERMINERS]
        if thing in map(stem, phrase[:_PHRASE]):
            found.append(each.group())
    return found
