"""Does an explanation cite a concept? By its words, so that nothing is put to the test that nobody said."""

import re
from typing import Final

from countersight.english import NUMBER_WORDS

HALF: Final = 0.5
"""Of the words of weight of a thing so many must stand in the explanation; of an attribute and its thing, more."""
_WORD: Final = re.compile(r"[^\W_]+")
_WEIGHTLESS: Final = re.compile(
    r"an?|the|of|in|on|at|to|with|and|or|its?|is|are|was|were|be|no|not|all|from|by|for|this|that|these|those|there|"
    r"which|where|as|so|what|explanation|concept|picture|image|colou?rs?|shapes?|sizes?|presence|absence|visible|"
    r"numbers?|counts?"
)


def cites(explanation: str, concept: str, *, attribute: bool = False) -> bool:
    """Whether an explanation speaks of a concept, in whatever number or case; of a list, of one thing in it.

    Of "a red car" as a thing "car" is enough; as an attribute it is not: nobody said red.
    """
    share = _share(explanation, concept)
    return share > HALF if attribute else share >= HALF


def cites_whole(explanation: str, concept: str) -> bool:
    """Whether every word of weight of a concept, or of one thing in a list, stands in an explanation."""
    return _share(explanation, concept) == 1


def _share(explanation: str, concept: str) -> float:
    said = {_stem(word) for word in _WORD.findall(explanation.casefold())}
    return max(_found(said, phrase) for phrase in re.split("[,;.]", concept))


def _found(said: set[str], phrase: str) -> float:
    words = {_stem(word) for word in _weighty(phrase)}
    return len(words & said) / len(words) if words else 0.0


def _weighty(concept: str) -> list[str]:
    """The words of a concept without those that every text has; all of them where it has no others."""
    words = _WORD.findall(concept.casefold())
    return [word for word in words if not _WEIGHTLESS.fullmatch(word)] or words


def _stem(word: str) -> str:
    """A word without the endings that number and tense give it; a number in digits."""
    if word in NUMBER_WORDS:
        return str(NUMBER_WORDS[word])
    for ending in ("ies", "es", "s", "ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word.removesuffix("e") if len(word) > 3 else word
