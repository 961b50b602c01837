"""Load the words, patterns and prompts of the builder from its TOML files."""

import re
import tomllib
from importlib.resources import files
from typing import Any, Final

from countersight.composer import noun_key


def read_table(name: str) -> dict[str, Any]:
    """Return the content of one of the builder's TOML files."""
    return tomllib.loads((files(__package__) / name).read_text(encoding="utf-8"))


PROMPTS: Final = read_table("prompts.toml")
_WORDS: Final = read_table("words.toml")
_SUPPOSITIONS: Final = read_table("suppositions.toml")


def _list(name: str) -> frozenset[str]:
    return frozenset(word.replace("-", " ") for word in _WORDS[name].split())


def _things(name: str) -> frozenset[str]:
    return frozenset(map(noun_key, _list(name)))


def _any_of(listed: str) -> re.Pattern[str]:
    """Return a pattern for any of these words; a star matches any ending, a hyphen also matches a space."""
    forms = "|".join(word.replace("-", "[ -]").replace("*", r"\w*") for word in listed.split())
    return re.compile(rf"\b(?:{forms})\b")


NO_SINGULAR: Final = _list("no_singular")
DEPICTING: Final = _things("depicting")
BODY_PARTS: Final = _things("body_parts")
NO_THINGS: Final = _things("no_things")
SENSITIVE: Final = _any_of(" ".join(_WORDS["sensitive"].values()))
"""A pattern for all sensitive words, which a question must not contain."""
EMPTY: Final = _any_of(" ".join(_WORDS["empty"].values()))
"""A pattern for words that bring nothing new into a scene."""
FOOD: Final = _things("food")
DESCRIBING: Final = _list("describing")
OTHERS: Final[dict[str, str]] = {noun_key(name): other for name, other in _WORDS["others"].items()}
ASPECTS: Final = {name: frozenset(words.split()) for name, words in _WORDS["aspects"].items()}
FRAMES: Final[list[str]] = _SUPPOSITIONS["frames"]["question"]


def patterns(operation: str, kinds: tuple[str, ...], *, placed: bool) -> list[str]:
    """Return the suppositions of an operation for the first of these kinds of things that has any.

    `placed` means that the things are counted in a place; the suppositions then say that the change happens there.
    """
    by_kind: dict[str, list[str]] = (_SUPPOSITIONS["placed"] if placed else _SUPPOSITIONS)[operation]
    return next((by_kind[kind] for kind in (*kinds, "thing") if kind in by_kind), [])
