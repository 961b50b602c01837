"""Finds the numbers written in a text, as digits or as words."""

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from countersight.reading.language.vocabulary import any_of, listed
from countersight.text import NUMBER_WORDS, SCALES


class Numeral(msgspec.Struct, frozen=True):
    """A number where it stands in a text. One that stands for no single value ("3 or 4") has the value None."""

    value: str | None
    start: int
    end: int
    word: str = ""


_VALUES = NUMBER_WORDS | {"fourty": 40}  # so often misspelt
_NUMBER = "|".join(_VALUES)
_SCALE = "|".join(SCALES)
_NOT_A_COUNT = any_of("numbers.not_counted")
# "A couple" and "a pair" are two in a dictionary and in every count small enough to be asked for, but a pair of glasses
# is one thing; "a few" and "several" are no number.
_FIXED = {phrase: str(value) for phrase, value in listed("numbers.idioms").items()}
_IDIOM = re.compile(
    rf"\b(?:{'|'.join(_FIXED)})\b(?!\s+of\s+(?:\w+\s+)?{any_of('numbers.one_pair')})",
    re.IGNORECASE,
)
_DIGITS = re.compile(
    r"(?<![\w.,:/])(?<![A-Za-z]-)[-+]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?![\w/]|[.,:]\d|-[A-Za-z]|°)"
    r"|(?<![\w.,:/])\.\d+(?![\w/]|[.,]\d)"
)
_WORDS = re.compile(
    rf"(?<![\w-])(?:(?:a|an|{_NUMBER})[ -](?=(?:{_SCALE}|dozen)\b))?(?:{_NUMBER}|{_SCALE}|dozen)\b"
    rf"(?:(?:[ -]|\s+and\s+)(?:{_NUMBER}|{_SCALE})\b){{0,12}}(?:[ -]dozen\b)?"
    rf"(?!'\w|-[a-z])(?!\s+{any_of('numbers.fractions')})",
    re.IGNORECASE,
)
_ZEROES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        any_of("numbers.noughts"),
        rf"\bno\b(?!\s*[.:,;!?]|\s+{_NOT_A_COUNT})(?=\s+\w)",
        rf"(?:\b(?:not|never|cannot|no longer)|n't)\s+(?:{any_of('numbers.between_not_and_any')}\s+){{0,3}}"
        r"any(?!thing|\s+(?:change|difference|effect))\w*",
        rf"{any_of('numbers.all_of_them')}(?:'d|\s+(?:would|will|is|are))\s+(?:be |have )?{any_of('numbers.gone')}"
        r"(?!\s+(?:except|but|save|apart|in|on|to|for)\b)",
        rf"\bthere\s+(?:\w+n't|\w+\s+not)(?:\s+be)?(?!\s+(?:{any_of('numbers.no_count_after_there')}"
        rf"|(?:an?\s+)?{_NOT_A_COUNT}|any\w*|\d+\b|(?:{_NUMBER})\b))",
    )
)
_MAY_BE_ZERO = re.compile(r"\bzilch|\bn(?:o|il|e|a)|n't|gone|lea?f?v|left|disappear|vanish|removed", re.IGNORECASE)
_BOTH = re.compile(r"\bboth\b", re.IGNORECASE)
_TERM = re.compile(r"[\w)\]]\s*$")
_LETTERS = re.compile(r"[a-z]+", re.IGNORECASE)
_LONGEST = 30  # digits; a longer row of them is noise


def canonical(number: str) -> str:
    """One spelling for each number: "3.0", "+3", "003" and "3" are all "3"."""
    text = number.strip().replace(",", "")
    sign = "-" if text.startswith("-") else ""
    whole, _, fraction = text.lstrip("+-").partition(".")
    whole = whole.lstrip("0") or "0"
    fraction = fraction.rstrip("0")
    text = f"{whole}.{fraction}" if fraction else whole
    return text if text == "0" else sign + text


def numerals(text: str) -> list[Numeral]:
    """The numbers in a plain text, in order. "No", "none" and "not any" are 0."""
    return list(_numerals(text))


@lru_cache(maxsize=512)  # many rules look at the numbers of one sentence
def _numerals(text: str) -> tuple[Numeral, ...]:
    every = sorted((*_in_digits(text), *_in_words(text), *_zeroes(text)), key=lambda found: (found.start, -found.end))
    apart: list[Numeral] = []
    for numeral in every:
        if not apart or numeral.start >= apart[-1].end:
            apart.append(numeral)
    return tuple(apart)


def _in_digits(text: str) -> Iterator[Numeral]:
    for match in _DIGITS.finditer(text):
        start, value = match.start(), match.group()
        if value[0] in "+-" and _TERM.search(text[max(0, start - 3) : start]):
            start, value = start + 1, value[1:]  # a sign between two terms is an operation, not part of the number
        if len(value) <= _LONGEST:
            yield Numeral(canonical(value), start, match.end())


def _in_words(text: str) -> Iterator[Numeral]:
    for match in _WORDS.finditer(text):
        yield from _spelled(match)
    for match in _IDIOM.finditer(text):
        phrase = match.group().lower()
        yield Numeral(_FIXED[phrase], *match.span(), word=phrase)
    for match in _BOTH.finditer(text):
        yield Numeral("2", *match.span(), word="both")


def _zeroes(text: str) -> Iterator[Numeral]:
    if not _MAY_BE_ZERO.search(text):
        return
    for pattern in _ZEROES:
        for match in pattern.finditer(text):
            yield Numeral("0", *match.span(), word=match.group().lower())


class _Spelled:
    """A number that is being put together out of words: "two", "hundred", "and", "five"."""

    def __init__(self) -> None:
        self.start = self.end = -1
        self.total = self.current = 0
        self.last = 0
        """The smallest place filled so far: a unit may follow tens, tens may follow hundreds."""

    def takes(self, value: int, *, joined: bool) -> bool:
        """Whether a number below a hundred goes on with this one: "twenty one" is one number, "two three" are two."""
        fits = self.last >= 100 if (value >= 10 or joined) else self.last >= 20
        return self.start < 0 or (fits and value > 0)

    def add(self, value: int, start: int, end: int) -> None:
        self.start = start if self.start < 0 else self.start
        self.current += value
        self.last = value if value >= 20 else 1
        self.end = end

    def scale(self, factor: int, start: int, end: int) -> None:
        if self.start < 0:
            self.start, self.current = start, 1
        if factor <= 100:
            self.current = (self.current or 1) * factor
        else:
            self.total, self.current = self.total + (self.current or 1) * factor, 0
        self.last = self.last if factor == 12 else factor
        self.end = end

    def numeral(self, text: str) -> Numeral:
        word = text[self.start : self.end].lower()
        return Numeral(str(self.total + self.current), self.start, self.end, word=word)


def _spelled(match: re.Match[str]) -> Iterator[Numeral]:
    """The numbers in a row of number words: "two hundred and five" is one, "two three" and "two and three" are two."""
    number = _Spelled()
    joined = False
    for word in _LETTERS.finditer(match.string, *match.span()):
        name = word.group().lower()
        if name == "and":
            joined = True
            continue
        if name in ("a", "an"):
            number.add(1, *word.span())
        elif name == "dozen" or name in SCALES:
            number.scale(SCALES.get(name, 12), *word.span())
        else:
            if not number.takes(_VALUES[name], joined=joined):
                yield number.numeral(match.string)
                number = _Spelled()
            number.add(_VALUES[name], *word.span())
        joined = False
    if number.start >= 0:
        yield number.numeral(match.string)


def less(first: str | None, second: str | None) -> bool:
    """Whether one number is below another, where both are known."""
    return first is not None and second is not None and float(first) < float(second)
