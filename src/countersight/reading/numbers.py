"""Finds the numbers in a text, as digits or as English words."""

import re
from collections.abc import Iterator

import msgspec

from countersight.english import NUMBER_WORDS, SCALES, number_at
from countersight.reading.plain import any_case, lazy


class Numeral(msgspec.Struct, frozen=True):
    """A number and its position in a text."""

    value: str
    start: int
    end: int
    word: str = ""


_WORD = "|".join((*NUMBER_WORDS, *SCALES, "dozen"))
_DIGITS = lazy(
    r"(?<![\w.,:/√^])(?<![A-Za-z]-)[-+]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?![\w/^√]|[.,:]\d|-[A-Za-z])"
    r"|(?<![\w.,:/])\.\d+(?![\w/]|[.,]\d)"
)
_WORDS = any_case(rf"(?<![\w-])(?:{_WORD})(?:(?:[ -]|\s+and\s+)(?:{_WORD})\b)*\b(?!'\w|-[a-z])")
_IDIOMS = {
    "half a dozen": "6", "a couple": "2", "couple of": "2", "a pair": "2", "a single": "1",
    "once": "1", "twice": "2", "thrice": "3", "none": "0", "nobody": "0", "no one": "0", "not any": "0", "nil": "0",
}  # fmt: skip
_IDIOM = any_case(rf"\b(?:{'|'.join(_IDIOMS)})\b(?! of (?:glasses|sunglasses|scissors|pants|jeans|shorts))")
# "One" is a pronoun in "this one", "the red one", "one another" and "one notices".
_PRONOUN_BEFORE = any_case(
    r"\b(?:this|that|which|the|each|other|another|no|any|every|some|first|second|third|last|same|latter|former|right"
    r"|left|correct|\w+er|\w+est|red|blue|green|black|white|yellow|big|small|large)\s+$"
)
_PRONOUN_AFTER = any_case(r"\s+(?:notices?|sees|observes|finds|(?:can|could|may|might) (?:see|say|tell|argue))\b")


def canonical(number: str) -> str:
    """Return the canonical spelling of a number: "3.0", "+3", "003" and "3" are all "3"."""
    text = number.strip().replace(",", "")
    sign = "-" if text.startswith("-") else ""
    whole, _, fraction = text.lstrip("+-").partition(".")
    whole = whole.lstrip("0") or "0"
    fraction = fraction.rstrip("0")
    text = f"{whole}.{fraction}" if fraction else whole
    return text if text == "0" else sign + text


def numerals(text: str) -> list[Numeral]:
    """Return the numbers in a plain text, in order. "None" is 0; callers handle "no cats"."""
    digits = [match for match in _DIGITS.finditer(text) if len(match.group()) <= 30]  # longer ones are noise
    found = [Numeral(canonical(match.group()), *match.span()) for match in digits]
    for match in _WORDS.finditer(text):
        before = max(0, match.start() - 16)
        is_pronoun = _PRONOUN_BEFORE.search(text, before, match.start()) or _PRONOUN_AFTER.match(text, match.end())
        if match.group().lower() != "one" or not is_pronoun:
            found.extend(_spelled(match))
    for match in _IDIOM.finditer(text):
        phrase = match.group().lower()
        found.append(Numeral(_IDIOMS[phrase], *match.span(), word=phrase))
    apart: list[Numeral] = []
    for numeral in sorted(found, key=lambda each: (each.start, -each.end)):
        if not apart or numeral.start >= apart[-1].end:
            apart.append(numeral)
    return apart


def _spelled(match: re.Match[str]) -> Iterator[Numeral]:
    """Yield the numbers in a sequence of number words: "twenty five" and "two hundred" are one number each, "two three"
    is two numbers."""
    row = list(re.finditer(r"[a-z]+", match.group().lower()))
    words = [each.group() for each in row]
    start = 0
    while start < len(row):
        if found := number_at(words, start):
            span = (match.start() + row[start].start(), match.start() + row[found[1] - 1].end())
            yield Numeral(str(found[0]), *span, "word")
        start = found[1] if found else start + 1  # the word is "and"
