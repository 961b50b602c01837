"""Reads options that say how many of several: all, some, none, both, neither."""

import re
from collections.abc import Sequence
from typing import Final

from countersight.reading.choices.texts import affirmed, name_of, words_of
from countersight.reading.language.clauses import imagines

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


def says_none(text: str, options: Sequence[str]) -> bool:
    """Whether a text says that none does, where an option says so too."""
    return any(_kind_of(option) == "none" for option in options) and bool(_SAID["none"].search(text))


def _kind_of(option: str) -> str | None:
    return next((kind for kind, pattern in _OPTIONS.items() if pattern.fullmatch(words_of(option))), None)
