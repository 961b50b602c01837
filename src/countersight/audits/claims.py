"""Numbers that a text claims about a generated scene."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from countersight.english import TENS, UNITS
from countersight.scenes import COLOURS, PLACES

LONGEST = 20_000
"""The maximum length of the part of a text that is searched, in characters."""


class Claim(msgspec.Struct, frozen=True):
    """A number claimed about a scene."""

    fact: str
    """The fact's name, as in `facts_by_name`."""
    number: int


_WORDS: Final = (*UNITS, TENS[0])
_N = rf"(?P<n>\d{{1,4}}|no|none|{'|'.join(_WORDS)})"
_C = rf"(?P<c>{'|'.join(COLOURS)})"
_P = rf"(?P<p>{'|'.join(PLACES)})"
_LIST = r"(?P<list>(?:\d{1,4}, ){0,12}\d{1,4} and \d{1,4})"
_OF_THEM = r"(?: of (?:them|these|those|the flowers))?"
_SHAPE = r"(?:polygons?|regions?|shapes?|areas?)"
_LIE = r"(?:(?:that )?(?:are|is|were|lie|lies|can be seen) )?"
_FLOWERS = rf"{_N}(?: flowers?)?{_OF_THEM} {_LIE}"


def claims(text: str) -> tuple[Claim, ...]:
    """Return the numbers that a text claims about a scene, in order, each once. Unknown words are ignored."""
    return tuple(dict.fromkeys(Claim(each.fact, parse_number(each.word)) for each in find_claims(text)))


class WrittenClaim(NamedTuple):
    """A claim with the place of its number in the text, which has single spaces between words."""

    start: int
    end: int
    word: str
    fact: str


def find_claims(text: str) -> list[WrittenClaim]:
    """Return every claim in a text with the place of its number, in order."""
    plain = single_spaced(text)
    found: list[tuple[int, WrittenClaim]] = []
    for pattern, fact in _READ:
        for match in pattern.finditer(plain):
            named = [(match.span("n"), _named(fact, match))] if isinstance(fact, str) else fact(match, plain)
            found += [(match.start(), WrittenClaim(*span, plain[slice(*span)], name)) for span, name in named]
    return [claim for _, claim in sorted(found, key=lambda each: each[0])]


def single_spaced(text: str) -> str:
    """Return the text that is searched for claims: with single spaces, and not too long."""
    return " ".join(text[:LONGEST].split())


def _named(fact: str, match: re.Match[str]) -> str:
    return fact.format(**{group: (words or "").casefold() for group, words in match.groupdict().items()})


def parse_number(word: str) -> int:
    """Return the number that a word or digits express."""
    word = word.casefold()
    if word in ("no", "none"):
        return 0
    return _WORDS.index(word) if word in _WORDS else int(word)


Places = list[tuple[tuple[int, int], str]]
"""Facts, each with the place of its number in the text."""


def _rest(match: re.Match[str], text: str) -> Places:
    """Return the claim in "… inside the red polygons, so 5 are outside", which is about the polygons named last."""
    colours = re.findall(rf"\b({'|'.join(COLOURS)}) {_SHAPE}", text[: match.start()], re.IGNORECASE)
    return [(match.span("n"), f"flowers {match['side']} {colours[-1]}".casefold())] if colours else []


def _flowers(match: re.Match[str], text: str) -> Places:
    return [(match.span(group), "flowers") for group in ("n", "m") if match.groupdict().get(group)][:1]


def _circles(match: re.Match[str], places: tuple[str, ...]) -> Places:
    """Return the claims in a list with one number for each of these circles; none if its length differs."""
    start = match.start("list")
    spans = [(start + each.start(), start + each.end()) for each in re.finditer(r"\d+", match["list"])]
    facts = [f"dots in the {place} circle" for place in places]
    return list(zip(spans, facts, strict=True)) if len(spans) == len(facts) else []


def _row(match: re.Match[str], text: str) -> Places:
    row = match["row"].casefold()
    total = [(match.span("n"), f"dots in the {row} row")] if match["n"] else []
    return _circles(match, PLACES[:3] if row == "top" else PLACES[3:]) + total


def _all(match: re.Match[str], text: str) -> Places:
    others = (("n", "dots"), ("most", "most dots in a circle"))
    return _circles(match, PLACES) + [(match.span(group), fact) for group, fact in others if match[group]]


_PATTERNS: Final[tuple[tuple[str, str | Callable[[re.Match[str], str], Places]], ...]] = (
    (rf"{_FLOWERS}(?:inside|within|in) (?:of )?(?:the |all )?{_C} {_SHAPE}", "flowers inside {c}"),
    (rf"{_FLOWERS}outside (?:of )?(?:the |all )?{_C} {_SHAPE}", "flowers outside {c}"),
    (rf"{_FLOWERS}(?:inside no {_SHAPE}|outside (?:of )?(?:all|both|any) {_SHAPE})", "flowers inside no polygon"),
    (rf"{_N} flowers? {_LIE}where the (?:two |\w+ and the \w+ )?{_SHAPE} overlap", "flowers where polygons overlap"),
    (rf"{_FLOWERS}(?:inside|in) both {_SHAPE}", "flowers where polygons overlap"),
    (rf"so (?:the other )?{_N} {_LIE}(?P<side>outside|inside)\b(?! (?:of )?(?:the|all|both|any|no)\b)", _rest),
    (rf"(?:{_N} flowers?|of {_N.replace('<n>', '<m>')}) (?:in|on) the (?:picture|image)", _flowers),
    (rf"{_N} flowers? (?:in total|altogether|overall|in all)\b", _flowers),
    (rf"{_LIST} dots in the circles of the (?P<row>top|bottom) row(?:, {_N} together)?", _row),
    (rf"{_LIST} dots in the circles, row by row(?:, {_N} together|, and the most is (?P<most>\d{{1,4}}))?", _all),
    (rf"{_N} dots? {_LIE}in the {_P} circle", "dots in the {p} circle"),
    (rf"{_N} dots? {_LIE}in the (?P<row>top|bottom) row", "dots in the {row} row"),
    (rf"{_N} dots? (?:in (?:all|total)|altogether|overall|together)\b", "dots"),
    (rf"(?:the most|the largest number|at most) (?:is|are|dots? is)?\s?{_N}", "most dots in a circle"),
    (rf"(?:counted|see|are|has|with) {_N} circles?\b", "circles"),
)
_READ: Final = tuple((re.compile(rf"\b{pattern}", re.IGNORECASE), fact) for pattern, fact in _PATTERNS)
"""Patterns of claims, each with the fact that the number `n` is about, or with a function that reads the claims."""
