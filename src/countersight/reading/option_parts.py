"""Reads which option a short reply names by some of its words, and says nothing else: "the woman", "he kicks it"."""

import re
from collections.abc import Sequence
from typing import Final

from countersight.reading.asked import CALLED, asked_by, content
from countersight.reading.clauses import MODAL_AT, imagines, sentences, stated
from countersight.reading.option_texts import words_of, written_out
from countersight.reading.stems import stem
from countersight.reading.vocabulary import words
from countersight.reading.wordings import DENYING, PASSING, PRONOUNS, own_words

_SAYS_SOMETHING: Final = words("questions.helping") | PRONOUNS
_LIGHT: Final = _SAYS_SOMETHING | words("options.pale") | {"him", "her", "them", "there", "that", "this", "going", "i"}
_PREPOSITIONS: Final = words("questions.prepositions") | {"with", "of", "who", "that"}
_IS = re.compile(r"\b(?:is|are|was|were)\b(?! going to\b)", re.IGNORECASE)
_OTHER: Final = {"he": "she", "she": "he"}
_LONGEST: Final = 12  # words


def by_part(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    """The letter of the only option that has every word of a reply that the question does not have."""
    said = written_out(text)
    every = words_of(said).split()
    if len(sentences(said)) != 1 or len(every) > _LONGEST or DENYING.search(said):
        return None
    # "The lights are green" is how it is, and not what would happen.
    if imagines(question) and _IS.search(said) and not (MODAL_AT.search(said) or any(map(_IS.search, options))):
        return None
    bags = [_stems(words_of(written_out(option)).split()) for option in options]
    known = frozenset[str]().union(*bags)
    told = {word for word in _stems(every) if word in known or word not in PASSING}
    fitting = [
        letter
        for letter, option, bag, own in zip(letters, options, bags, own_words(options), strict=True)
        if (rest := told - (_asked_of(option, question) - known)) and rest <= bag and _is_enough(rest, option, own)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _is_enough(said: set[str], option: str, own: frozenset[str]) -> bool:
    """Whether the words name a thing by itself, and not by what it is with; or say all that only one option says."""
    every = words_of(option).split()
    if DENYING.search(option):
        return False  # "an animal" is not "no animal"
    if _SAYS_SOMETHING.intersection(every):
        return bool(own) and own <= said
    first = next((place for place, word in enumerate(every) if word in _PREPOSITIONS), len(every))
    return not said.isdisjoint(_stems(every[:first] or every))


def _asked_of(option: str, question: str) -> frozenset[str]:
    """The words of the question that a reply may repeat; and who "she" is, where the option says "she"."""
    who = words_of(option).partition(" ")[0]
    persons = asked_by(question).persons - CALLED.get(_OTHER.get(who, ""), frozenset())
    return content(stated(question)) | (persons if who in _OTHER else frozenset())


def _stems(every: Sequence[str]) -> set[str]:
    return {stem(word) for word in every if word not in _LIGHT}
