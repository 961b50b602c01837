"""Reads which option a short reply names by some of its words, and says nothing else: "the woman", "he kicks it"."""

import re
from collections.abc import Sequence
from typing import Final

from countersight.reading.choices.texts import words_of, written_out
from countersight.reading.choices.wordings import DENYING, PASSING, PRONOUNS, own_words
from countersight.reading.language.asked import CALLED, asked_by, content
from countersight.reading.language.clauses import MODAL_AT, imagines, sentences, stated
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import words

_SAYS_SOMETHING: Final = words("questions.helping") | PRONOUNS
_LIGHT: Final = _SAYS_SOMETHING | words("options.pale") | {"him", "her", "them", "there", "that", "this", "going", "i"}
_PREPOSITIONS: Final = words("questions.prepositions") | {"with", "of", "who", "that"}
_IS = re.compile(r"\b(?:is|are|was|were)\b", re.IGNORECASE)
_GO = re.compile(r"\bgo\b", re.IGNORECASE)
_OTHER: Final = {"he": "she", "she": "he"}
_LONGEST: Final = 12  # words


def by_part(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    """The letter of the only option that has every word of a reply that the question does not have."""
    said = written_out(text)
    every = words_of(said).split()
    if len(sentences(said)) != 1 or not every or len(every) > _LONGEST or DENYING.search(said):
        return None
    # "The lights are green" is how it is, and not what would happen.
    to_come = MODAL_AT.search(said) or ("going to" in said and not _GO.search(question))
    if imagines(question) and _IS.search(said) and not to_come and not any(map(_IS.search, options)):
        return None
    bags = [_stems(words_of(written_out(option)).split()) for option in options]
    known = frozenset[str]().union(*bags)
    told = {word for word in _stems(every) if word in known | content(question) or word not in PASSING}
    says_something = any(not _SAYS_SOMETHING.isdisjoint(words_of(option).split()) for option in options)
    fitting = [
        letter
        for letter, option, bag, own in zip(letters, options, bags, own_words(options), strict=True)
        if (rest := told - (_asked_of(option, question) - known)) and rest <= bag and not DENYING.search(option)
        if (own and own <= rest and _are_of_one(every, option) if says_something else _names_it(rest, option))
    ]
    return fitting[0] if len(fitting) == 1 else None


def _are_of_one(said: Sequence[str], option: str) -> bool:
    """Whether an option and what is said may have one subject: who "it" is, is not known."""
    return said[0] not in PRONOUNS or words_of(option).partition(" ")[0] in PRONOUNS


def _names_it(said: set[str], option: str) -> bool:
    """Whether words name a thing by itself, and not by what it is with: the man, of "the man with the umbrella"."""
    every = words_of(option).split()
    first = next((place for place, word in enumerate(every) if word in _PREPOSITIONS), len(every))
    return not said.isdisjoint(_stems(every[:first] or every))


def _asked_of(option: str, question: str) -> frozenset[str]:
    """The words of the question that a reply may repeat; and who "she" is, where the option says "she"."""
    who = words_of(option).partition(" ")[0]
    persons = asked_by(question).persons - CALLED.get(_OTHER.get(who, ""), frozenset())
    return content(stated(question)) | (persons if who in _OTHER else frozenset())


def _stems(every: Sequence[str]) -> set[str]:
    return {stem(word) for word in every if word not in _LIGHT}
