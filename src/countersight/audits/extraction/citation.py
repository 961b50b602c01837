"""Whether an explanation cites a concept: by the share of the concept's words that it has."""

import re
from typing import Final

from countersight.audits.prompts import AuditPrompts
from countersight.editing import Instruction
from countersight.english import FUNCTION_WORDS, NUMBER_WORDS

LEAST_CITED_SHARE: Final = 0.5
"""Least share of a thing's content words in the explanation; an attribute with its thing needs more."""
_WORD: Final = re.compile(r"[^\W_]+")
_WEIGHTLESS: Final = FUNCTION_WORDS.union(
    ("be", "there", "which", "where", "as", "so", "what", "explanation", "concept", "picture", "image"),
    ("color", "colors", "colour", "colours", "shape", "shapes", "size", "sizes"),
    ("presence", "absence", "visible", "number", "numbers", "count", "counts"),
)


def cited_share(explanation: str, concept: str) -> float:
    """Return the share of a concept's content words that an explanation has, in whatever number or case.

    Of a list, the thing that is cited best counts. Words that every text has count where a phrase has no others.
    """
    said = {_stem(word) for word in _WORD.findall(explanation.casefold())}
    shares = [0.0]
    for phrase in re.split("[,;.]", concept.casefold()):
        words = _WORD.findall(phrase)
        stems = {_stem(word) for word in [word for word in words if word not in _WEIGHTLESS] or words}
        shares += [len(stems & said) / len(stems)] if stems else []
    return max(shares)


def _stem(word: str) -> str:
    """A word without the endings that number and tense give it; a number in digits."""
    if word in NUMBER_WORDS:
        return str(NUMBER_WORDS[word])
    for ending in ("ies", "es", "s", "ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word.removesuffix("e") if len(word) > 3 else word


def is_cited(told: Instruction, explanation: str, prompts: AuditPrompts) -> bool:
    """Whether the explanation speaks of a concept; of one in the words of the prompt it must have every word.

    Of "a red car" as a thing "car" is enough; as an attribute it is not: nobody said red.
    """
    share = cited_share(explanation, told.concept)
    if told.concept.casefold() in prompts.extract.casefold():
        return share == 1
    return share > LEAST_CITED_SHARE if told.kind == "attribute" else share >= LEAST_CITED_SHARE
