"""Where an explanation speaks of a concept: whole phrases first, else the words of weight in them. Pure functions."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_WORD = re.compile(r"[^\W_]+")
_WEIGHTLESS = re.compile(
    r"an?|the|of|in|on|at|to|with|and|or|its?|is|are|was|were|no|not|all|from|by|for|this|that|these|those|there|which|"
    r"where|as|so|inside|outside|\d+"
)


class Piece(NamedTuple):
    """A stretch of a text, and whether it speaks of the concept."""

    text: str
    cited: bool


def pieces(text: str, phrases: Iterable[str]) -> Iterator[Piece]:
    """A text cut at the phrases that stand in it; put together again they are the text."""
    end = 0
    for start, stop in _joined(sorted(_found(text, phrases))):
        if end < start:
            yield Piece(text[end:start], cited=False)
        yield Piece(text[start:stop], cited=True)
        end = stop
    if end < len(text):
        yield Piece(text[end:], cited=False)


def _found(text: str, phrases: Iterable[str]) -> Iterator[tuple[int, int]]:
    for phrase in phrases:
        words = [word.casefold() for word in _WORD.findall(phrase)][:40]
        whole = list(_spans(text, words)) if words else []
        yield from whole
        if not whole:
            for word in words:
                if not _WEIGHTLESS.fullmatch(word):
                    yield from _spans(text, [word])


def _spans(text: str, words: list[str]) -> Iterator[tuple[int, int]]:
    """Where the words stand one after the other, with nothing but signs between them; the last in either number."""
    last = words[-1]
    ending = f"{re.escape(last.removesuffix('s'))}s?" if last.isalpha() and len(last) > 2 else re.escape(last)
    pattern = r"[\W_]+".join([*map(re.escape, words[:-1]), ending])
    for match in re.finditer(rf"\b{pattern}\b", text, re.IGNORECASE):
        yield match.span()


def _joined(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans that overlap as one."""
    start = stop = -1
    for first, last in spans:
        if first <= stop:
            stop = max(stop, last)
            continue
        if start >= 0:
            yield start, stop
        start, stop = first, last
    if start >= 0:
        yield start, stop
