"""Finds the numbers written in a text, as digits or as words."""

import re
from typing import Final

import msgspec


class Numeral(msgspec.Struct, frozen=True):
    """A number where it stands in a text. One that stands for no single value ("3 or 4") has the value None."""

    value: str | None
    start: int
    end: int
    word: str = ""


_UNITS: Final = {
    **{"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9},
    **{"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16},
    **{"seventeen": 17, "eighteen": 18, "nineteen": 19},
}
_TENS: Final = {
    **{"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90},
    "fourty": 40,  # so often misspelt
}
_SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
# "A couple" and "a pair" are two in a dictionary and in every count small enough to be asked for, but a pair of glasses
# is one thing; "a few" and "several" are no number.
_FIXED: Final = {"a couple": "2", "a pair": "2", "half a dozen": "6", "a half dozen": "6", "a single": "1"}
_ONE_PAIR = (
    r"(?:sun)?glasses|spectacles|goggles|scissors|pliers|tweezers|binoculars|jeans|pants|trousers|shorts|leggings"
    r"|tights|pyjamas|pajamas|headphones"
)

# What makes "no" a word of something else than a count.
_NOT_A_COUNT = (
    r"doubt|change|changes|matter|way|idea|information|need|difference|problem|effect|impact|reason|clear|wonder"
    r"|indication|evidence|specific|exact|direct|less|fewer|further|answer|clue|sense|worries|explanation|mention"
    r"|further|additional|new|extra|longer"
)
_SMALL = "|".join(_UNITS)
_ROUND = "|".join(_TENS)
_ZERO = re.compile(
    rf"\b(?:none|nothing|nobody|no[ -]one|neither|nil|not (?:a single|one)(?: one)?(?! more)"
    rf"|no(?!\s*[.:,;!?]|\s+(?:{_NOT_A_COUNT})\b|\s+more than)(?=\s+\w)"
    rf"|(?:not|\w+n't|never|cannot|no longer)\s+(?:(?:be|see|have|find|seem|appear|to|spot|show|contain|left|really"
    rf"|actually|currently|still|visible|there|remain)\s+){{0,3}}any(?!thing|body|one|\s+(?:change|difference|effect))\w*"
    r"|(?:everyone|everybody|everything|all of them)(?:'d|\s+(?:would|will|is|are))\s+(?:be |have )?"
    r"(?:gone|leave|left|disappear(?:ed)?|vanish(?:ed)?|removed)\b(?!\s+(?:except|but|save|apart|in|on|to|for)\b)"
    rf"|there\s+(?:\w+n't|\w+\s+not)(?:\s+be)?(?!\s+(?:be|any|enough|sufficient|more|fewer|less|exactly|only|just"
    rf"|much|necessarily|(?:an?\s+)?(?:{_NOT_A_COUNT})|\d+|{_SMALL}|{_ROUND})\b))",
    re.IGNORECASE,
)
_DIGITS = re.compile(
    r"(?<![\w.,:/])(?<![A-Za-z]-)[-+]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?![\w:/]|[.,]\d|-[A-Za-z]|°)"
    r"|(?<![\w.,:/])\.\d+(?![\w/]|[.,]\d)"
)
_WORDS = re.compile(
    rf"(?<![\w-])(?:(?:a|an|{_SMALL}|{_ROUND})[ -](?=(?:hundred|thousand|million|dozen)\b))?"
    rf"(?:{_SMALL}|{_ROUND}|hundred|thousand|million|dozen)\b"
    rf"(?:(?:[ -]|\s+and\s+)(?:{_SMALL}|{_ROUND}|hundred|thousand|million)\b){{0,12}}"
    rf"(?:[ -]dozen\b)?(?!'\w|-[a-z])(?!\s+(?:half|halves|thirds?|quarters?|fourths?|fifths?)\b)",
    re.IGNORECASE,
)
_IDIOM = re.compile(
    rf"\b(?:a couple|a pair(?!\s+of\s+(?:\w+\s+)?(?:{_ONE_PAIR})\b)|half a dozen|a half dozen|a single)\b",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\bboth\b", re.IGNORECASE)
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
    found: list[Numeral] = []
    for match in _DIGITS.finditer(text):
        start, value = match.start(), match.group()
        if value[0] in "+-" and re.search(r"[\w)\]]\s*$", text[max(0, start - 3) : start]):
            start, value = start + 1, value[1:]  # a sign between two terms is an operation, not part of the number
        if len(value) <= _LONGEST:
            found.append(Numeral(canonical(value), start, match.end()))
    for match in _WORDS.finditer(text):
        found.extend(_spelled(match))
    for match in _IDIOM.finditer(text):
        found.append(Numeral(_FIXED[match.group().lower()], *match.span(), word=match.group().lower()))
    for match in _BOTH.finditer(text):
        found.append(Numeral("2", *match.span(), word="both"))
    for match in _ZERO.finditer(text):
        found.append(Numeral("0", *match.span(), word=match.group().lower()))
    found.sort(key=lambda numeral: (numeral.start, -numeral.end))
    apart: list[Numeral] = []
    for numeral in found:
        if not apart or numeral.start >= apart[-1].end:
            apart.append(numeral)
    return apart


def _spelled(match: re.Match[str]) -> list[Numeral]:
    """The numbers in a row of number words: "two hundred and five" is one, "two three" and "two and three" are two."""
    found: list[Numeral] = []
    total = current = 0
    start = end = -1
    last = 0  # the smallest place filled in the current number: a unit may follow tens, tens may follow hundreds
    joined = False

    def close() -> None:
        if start >= 0:
            text = match.string[start:end].lower()
            found.append(Numeral(str(total + current), start, end, word=text))

    for word in re.finditer(r"[a-z]+", match.group(), re.IGNORECASE):
        name = word.group().lower()
        at = match.start() + word.start()
        if name in ("a", "an"):
            start, current, last = at, 1, 1
            continue
        if name == "and":
            joined = True
            continue
        if name == "dozen":
            if start < 0:
                start, current = at, 1
            current *= 12
        elif name in _SCALES:
            if start < 0:
                start, current = at, 1
            if name == "hundred":
                current = (current or 1) * 100
            else:
                total, current = total + (current or 1) * _SCALES[name], 0
            last = _SCALES[name]
        else:
            value = _UNITS.get(name, _TENS.get(name, 0))
            fits = (last >= 100) if (value >= 10 or joined) else (last >= 20)
            if start >= 0 and not (fits and value):
                close()
                total = current = 0
                start = -1
            if start < 0:
                start = at
            current += value
            last = value if value >= 20 else 1
        joined = False
        end = match.start() + word.end()
    close()
    return found
