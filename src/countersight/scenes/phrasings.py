"""Rephrased questions about scenes of flowers and dots: eight phrasings each, the first as in C-VQA."""

import re
from functools import cache
from typing import Final

PHRASINGS: Final = 8
_COUNTED = re.compile(r"How many (\w+) are(?: there)? (.+)\?")
_FACTUAL: Final = (
    "How many {n} can you see {w}?",
    "How many {n} do you count {w}?",
    "What is the number of {n} {w}?",
    "Tell me how many {n} are {w}.",
    "Give the number of {n} {w}.",
    "How many {n} are to be found {w}?",
    "Count the {n} {w}.",
)
_SUPPOSED: Final = (
    "If {p}, how many {n} would be {w}?",
    "Suppose that {p}. How many {n} would be {w}?",
    "Imagine that {p}. How many {n} would there be {w}?",
    "What would the number of {n} {w} be if {p}?",
    "If {p}, what would be the number of {n} {w}?",
    "Assume that {p}. How many {n} would you count {w}?",
    "How many {n} would there be {w}, if {p}?",
)
_MOST: Final = (
    "How many dots are in the fullest circle?",
    "How many dots does the fullest circle contain?",
    "What is the largest number of dots in a circle?",
    "How many dots are there at most in a circle?",
    "What is the highest number of dots in one circle?",
    "How many dots are there in the circle with the most dots?",
    "Tell me how many dots are in the fullest circle.",
)
_MOST_SUPPOSED: Final = (
    "If {p}, how many dots would a circle contain at most?",
    "If {p}, how many dots would be in the fullest circle?",
    "Suppose that {p}. How many dots would the fullest circle contain?",
    "Imagine that {p}. How many dots would a circle contain at most?",
    "What would be the largest number of dots in a circle if {p}?",
    "How many dots would the fullest circle contain if {p}?",
    "Assume that {p}. How many dots would there be at most in a circle?",
)


_PATTERNS: Final = {"{n}": "(?P<n>flowers|dots)", "{w}": "(?P<w>(?:inside|outside|in) .+?)", "{p}": "(?P<p>.+)"}


def phrase_question(asked: str, number: int, presupposition: str = "", published: str = "") -> str:
    """Return a question in the phrasing with this number; with a presupposition, it is about the changed scene.

    `asked` is the question about the scene, and `published` the one about the changed scene, as published.
    """
    if not number:
        return published or asked
    counted = _COUNTED.fullmatch(asked)
    known = (_SUPPOSED if counted else _MOST_SUPPOSED) if presupposition else (_FACTUAL if counted else _MOST)
    noun, where = counted.groups() if counted else ("", "")
    return known[number - 1].format(n=noun, w=where, p=presupposition)


def as_published(question: str) -> str:
    """Return the first phrasing of a question given in any phrasing; any other question is returned unchanged."""
    text = " ".join(question.split()).rstrip("?. ")
    for pattern, is_supposed in _known():
        found = pattern.fullmatch(text)
        if found is None:
            continue
        words = found.groupdict()
        supposed = f" if {words['p']}" if is_supposed else ""
        if "n" not in words:
            return f"How many dots {'would' if is_supposed else 'does'} a circle contain at most{supposed}?"
        noun, there = words["n"].casefold(), words["n"].casefold() == "dots"
        be = ("would there be" if there else "would be") if is_supposed else ("are there" if there else "are")
        return f"How many {noun} {be} {words['w']}{supposed}?"
    return question


@cache
def _known() -> tuple[tuple[re.Pattern[str], bool], ...]:
    """Return every phrasing except the first as a pattern, and whether it contains a supposition; specific patterns
    come first."""
    return tuple(
        (re.compile(_pattern(template), re.IGNORECASE), supposed)
        for templates, supposed in ((_MOST_SUPPOSED, True), (_SUPPOSED, True), (_MOST, False), (_FACTUAL, False))
        for template in templates
    )


def _pattern(template: str) -> str:
    pattern = template.rstrip("?.").replace("?", "[?]")
    for field, words in _PATTERNS.items():
        pattern = pattern.replace(field, words)
    return pattern
