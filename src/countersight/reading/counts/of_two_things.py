"""Questions that ask for two kinds of things together: "How many cats and dogs are in the garden?"."""

import re

from countersight.reading.counts.by_place import Told
from countersight.reading.language.numerals import numerals
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of

_PLURAL = rf"(?:\w+[^\Ws]s|\w*men|{any_of('questions.plurals')})"
_ASKED = re.compile(
    rf"\bhow many (?:\w+ )?(?P<one>{_PLURAL}) and (?:\w+ )?(?P<other>{_PLURAL})"
    r" (?:are|were|do|does|can|would|will|could|have|has|did)\b",
    re.IGNORECASE,
)
_WORDS_BEHIND = re.compile(r"(?: (?!and\b)[a-z-]+){1,3}", re.IGNORECASE)
_LABEL_BEFORE = re.compile(r"([a-z]+)\W*:\W*$", re.IGNORECASE)


def told_of_two(text: str, question: str) -> Told | None:
    """The sum that a reply tells of two counts, never one of them; None where it does not count both by name."""
    asked = _ASKED.search(question)
    if asked is None:
        return None
    names = stem(asked["one"].lower()), stem(asked["other"].lower())
    counts: dict[str, set[str]] = {name: set() for name in names}
    others: list[str] = []
    for number in numerals(text):
        behind, label = _WORDS_BEHIND.match(text, number.end), _LABEL_BEFORE.search(text, 0, number.start)
        beside = [*(behind.group().split() if behind else ()), *(label.groups() if label else ())]
        named = {stem(word.lower()) for word in beside} & {*names}
        if len(named) == 1 and number.value:
            counts[named.pop()].add(number.value)
        elif number.value:
            others.append(number.value)
    if not all(counts.values()):
        return None
    one, other = counts.values()
    both = str(int(*one) + int(*other)) if len(one) == len(other) == 1 and (*one, *other)[0].isdigit() else None
    return Told(both if both in others else None)
