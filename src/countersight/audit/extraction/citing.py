"""Does an explanation cite a concept? By its words, so that nothing is put to the test that nobody said."""

import re
from typing import Final

LEAST: Final = 0.5
"""Of a concept's words of weight so many must stand in the explanation."""
_WORD: Final = re.compile(r"[^\W_]+")
_WEIGHTLESS: Final = re.compile(
    r"an?|the|of|in|on|at|to|with|and|or|its?|is|are|was|were|be|no|not|all|from|by|for|this|that|these|those|there|"
    r"which|where|as|so|what|explanation|concept|picture|image|colou?rs?|shapes?|sizes?"
)


def cites(explanation: str, concept: str) -> bool:
    """Whether at least half of the words of weight of a concept stand in an explanation, in whatever number or case."""
    words = {_stem(word) for word in _weighty(concept)}
    said = {_stem(word) for word in _WORD.findall(explanation.casefold())}
    return bool(words) and len(words & said) >= LEAST * len(words)


def _weighty(concept: str) -> list[str]:
    """The words of a concept without those that every text has; all of them where it has no others."""
    words = _WORD.findall(concept.casefold())
    return [word for word in words if not _WEIGHTLESS.fullmatch(word)] or words


def _stem(word: str) -> str:
    """A word without the endings that number and tense give it."""
    for ending in ("ies", "es", "s", "ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word.removesuffix("e") if len(word) > 3 else word
