"""Where a reply that thinks aloud comes to its answer: at a mark made for it, or else at its end."""

import re
from collections.abc import Iterator

from countersight.reading.language.clauses import sentences

_MARK = re.compile(
    r"^[ \t]*(?:(?:so|thus|therefore|hence)[, ]+)?(?:(?:the|my|final|correct|short) ){0,3}answer(?: is)?[ \t]*[:=]",
    re.IGNORECASE | re.MULTILINE,
)
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_MOST = 40
"""Passages, and tails of a passage, that are looked at: an answer does not stand further from the end."""


def marked(text: str) -> str | None:
    """What follows the last line that begins with "Answer:", or None where there is no such line or nothing in it."""
    for found in reversed(list(_MARK.finditer(text))):
        if region := text[found.end() :].strip():
            return region
    return None


def passages(text: str) -> Iterator[str]:
    """The paragraphs of a text, last first."""
    yield from [part for part in map(str.strip, _BLANK.split(text)) if part][: -_MOST - 1 : -1]


def tails(passage: str) -> Iterator[str]:
    """The last sentence of a passage, the last two, and so on to the whole."""
    pieces = sentences(passage)[-_MOST:]
    for start in range(len(pieces) - 1, -1, -1):
        yield "\n".join(pieces[start:])
