"""Reads options that say how many: all, some, none or both of several, or "more than three"."""

import re
from collections.abc import Sequence
from typing import Final

from countersight.reading.choices.texts import affirmed, name_of, words_of
from countersight.reading.choices.wordings import DENYING, PASSING, own_words
from countersight.reading.counts.counting import count
from countersight.reading.language.asked import content
from countersight.reading.language.clauses import imagines, sentences
from countersight.reading.language.numerals import canonical, numerals
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of

_OF_THEM = r"(?: of (?:them|these|those|the \w+))?"
_OPTIONS: Final = {
    kind: re.compile(rf"(?:{words}){_OF_THEM}")
    for kind, words in {
        "both": "both",
        "all": "all|every one|everyone|everybody|everything",
        "some": "some|a few|several|only some",
        "none": "neither|none|nobody|no one|nothing|not any",
    }.items()
}
_SAID: Final = {
    "both": re.compile(r"(?<!not )\bboth\b", re.IGNORECASE),
    "all": re.compile(
        r"(?<!not )(?<!at )(?<!after )(?<!nearly )(?<!almost )(?<!of )"
        r"\b(?:all(?! (?:but|over|the time))|every(?:one|body)?|each)\b",
        re.IGNORECASE,
    ),
    "some": re.compile(
        r"\b(?:half|some|a few|several|most|not (?:all|every)|only (?:one|two|three)|(?:one|two|three|four|\d) of)\b",
        re.IGNORECASE,
    ),
    "none": re.compile(
        r"\b(?:neither|none|nobody|no one|not (?:a single|one)|no \w+ [^.,;]*\bany)\b"
        r"|^\W*no (?!(?:answer|idea|clue|way|matter|doubt|longer|more|need|change|image|picture|photo)\b)\w+",
        re.IGNORECASE,
    ),
}


_NOT_ANY = re.compile(
    r"(?:\bnot|n't)\b[^.,;]*\b(?:either|any) of (?:them|these|those|the (?:two|three|four))\W*$", re.IGNORECASE
)
_MORE: Final = any_of("options.more_than")
_LESS: Final = any_of("options.fewer_than")
_BOUND: Final = rf"(?:(?P<over>{_MORE})|(?P<under>{_LESS})|(?P<least>at least)|(?P<most>at most|up to)) [\w-]+"
_OR_MORE: Final = r"\w+(?: or (?:(?P<up>more)|(?:fewer|less))|(?P<plus>\+))(?!\w)"
_FROM_TO: Final = r"(?:between )?(?P<first>\d+|[a-z]+)(?: to |-| and )(?:\d+|[a-z]+)"
_RANGE = re.compile(rf"(?P<no>(?:no|not) )?{_BOUND}|{_OR_MORE}|{_FROM_TO}", re.IGNORECASE)
_JOINING = frozenset(map(stem, ("only", "just", "also", "too", "well", "both", "together", "along", "so")))
_LARGEST = 10**9
_NOT_ONLY = re.compile(r"\bnot (?:only|just|merely)\b", re.IGNORECASE)
_AND = re.compile(rf"\band\b|{any_of('options.as_well')}", re.IGNORECASE)
_SHORT = 4  # words of a reply that names an amount and says no more


def by_amount(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    """The letter of the only option that says as many as a text does, where it names no single one instead."""
    if imagines(question) and not imagines(text) and len(text.split()) > _SHORT:
        return None  # "Both of them have hats."
    kinds = {_kind_of(option): letter for letter, option in zip(letters, options, strict=True)}
    amounts = kinds.keys() - {None}
    if "both" in amounts and "all" not in amounts:
        kinds["all"] = kinds["both"]  # "all of them would", of two
        amounts = amounts | {"all"}
    if not amounts:
        return None
    if "none" in amounts and _NOT_ANY.search(text):
        return kinds["none"]
    said = [kind for kind in amounts if kind and _SAID[kind].search(text)]
    plain = words_of(affirmed(text))
    named = [option for option in options if not _kind_of(option) and name_of(option) in plain]
    return kinds[said[0]] if len(said) == 1 and len(named) != 1 else None


def are_ranges(options: Sequence[str]) -> bool:
    """Whether all options are numbers, and one at least several of them: "more than three"."""
    ranges = [_range_of(option) for option in options]
    return None not in ranges and any(found and found[0] < found[1] for found in ranges)


def by_range(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    """The one option whose numbers hold the number, or all the numbers, that a text tells."""
    told = [found for place in _RANGE.finditer(text) if (found := _range_of(place.group()))]
    number = None if told else count(text, question)
    said = told[0] if len(told) == 1 else (int(number), int(number)) if number and number.isdigit() else None
    holding = [
        letter
        for letter, option in zip(letters, options, strict=True)
        if said and (held := _range_of(option)) and held[0] <= said[0] and said[1] <= held[1]
    ]
    return holding[0] if len(holding) == 1 else None


def _range_of(said: str) -> tuple[int, int] | None:
    """The least and the most that "three", "more than three" or "3 to 5" say, and nothing else besides."""
    every = [int(value) for found in numerals(said) if found.value and (value := canonical(found.value)).isdigit()]
    ranged = _RANGE.fullmatch(said.strip(" ."))
    if ranged and ranged["first"]:
        return (every[0], every[1]) if len(every) == 2 and every[0] < every[1] else None
    if len(every) != 1:
        return None
    number = every[0]
    if not ranged:
        (found,) = numerals(said)
        return (number, number) if words_of(said) == words_of(said[found.start : found.end]) else None
    if bool(ranged["no"]) != bool(ranged["over"] or ranged["least"] or ranged["up"] or ranged["plus"]):
        return number + bool(ranged["over"] or (ranged["no"] and ranged["most"])), _LARGEST
    return 0, number - bool((ranged["under"] and not ranged["no"]) or (ranged["no"] and ranged["least"]))


def both_of_two(text: str, options: Sequence[str], letters: str) -> str | None:
    """The option that says "both", where a sentence says of each of two what the others say of one: "not only …"."""
    own = dict(zip(letters, own_words(options), strict=True))
    both = [x for x, option in zip(letters, options, strict=True) if words_of(option).startswith("both ")]
    single = [x for x, option in zip(letters, options, strict=True) if x not in both and not _says_nothing(option)]
    if len(both) != 1 or len(single) != 2 or len(pieces := sentences(text)) != 1:
        return None
    known = content(" ".join(options)) | PASSING | _JOINING
    more = _NOT_ONLY.sub("", pieces[0])
    said = {stem(word) for word in words_of(more).split()}
    named = [x for x in single if own[x] & said]
    if DENYING.search(more) or content(more) - known or not named:
        return None
    is_joint = len(named) == 2 and _AND.search(more)
    return both[0] if more != pieces[0] or is_joint else None


def _says_nothing(option: str) -> bool:
    return bool(DENYING.search(option) or _SAID["none"].search(option) or words_of(option).startswith("nothing"))


def says_none(text: str, options: Sequence[str]) -> bool:
    """Whether a text says that none does, where an option says so too."""
    return any(_kind_of(option) == "none" for option in options) and bool(_SAID["none"].search(text))


def _kind_of(option: str) -> str | None:
    return next((kind for kind, pattern in _OPTIONS.items() if pattern.fullmatch(words_of(option))), None)
