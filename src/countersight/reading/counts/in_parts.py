"""A whole that is told with its parts by place: "four, three on the left and one on the right"."""

import re

from countersight.reading.counts.question import Counted
from countersight.reading.language.clauses import sentences
from countersight.reading.language.numerals import numerals
from countersight.reading.language.opposites import SIDES
from countersight.reading.language.stems import counted_words, spelled
from countersight.reading.language.vocabulary import any_of, words
from countersight.text import UNITS

_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(UNITS[1:])})"
_PARTS = re.compile(
    rf"(?:,| ?:| ?\(| --?) ?(?:{any_of('counts.parts_follow')},? )?(?P<parts>{_NUMBER} [^.;:()\n]+?"
    rf"(?:,? and|,) {_NUMBER} [^.,;:()\n]+?)\)?(?=\s*(?:[.!;\n]|$))",
    re.IGNORECASE,
)
_VERBS = words("questions.helping") | words("questions.possession")


def without_parts_by_place(text: str, asked: Counted) -> str:
    """The text without parts that add up to the whole before them, where they tell nothing of what was asked."""
    if asked.imagined or asked.difference or asked.of_each or asked.joins:
        return text
    return _PARTS.sub(lambda found: "" if _only_tells_where(found, asked) else found.group(), text)


def _only_tells_where(found: re.Match[str], asked: Counted) -> bool:
    before = sentences(found.string[: found.start()])[-1:]
    wholes = {n.value for n in numerals(" ".join(before))}
    parts = [int(n.value) for n in numerals(found["parts"]) if n.value and n.value.isdigit()]
    if str(sum(parts)) not in wholes or any(_is_done(word) for word in spelled(found["parts"])):
        return False
    told, known = frozenset(counted_words(found["parts"])), asked.qualities | asked.owner
    said = frozenset(counted_words(" ".join(before)))
    if told & (known | asked.nouns) or (said & asked.nouns and asked.qualities - asked.places - said):
        return False  # "five cars, three on the left and two on the right", to how many are red
    # "Five cups, three on the shelf and two in the sink" does not say that they are on the table.
    return known <= said or told <= SIDES


def _is_done(word: str) -> bool:
    """Whether a word tells what a thing does, or what was done to it; that may shut out what was asked."""
    return word in _VERBS or word.endswith(("ing", "ed"))
