"""Nouns: their singular forms, synonyms and hypernyms."""

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

import msgspec

from countersight import english

_ENDINGS: Final = ("", "s", "es")
_WORD: Final = re.compile(r"[a-z0-9]+(?:['’-][a-z0-9]+)*")


class NounEntry(msgspec.Struct, frozen=True):
    """The entry of the lexicon for a noun."""

    kind: str
    """The kind of thing: artifact, person, animal, food, …"""
    synonyms: frozenset[str]
    hypernyms: tuple[str, ...]
    """Hypernyms, the nearest first."""


@cache
def forms() -> dict[str, frozenset[str]]:
    """Return the lists of nouns in `words/forms.toml` by name."""
    listed = tomllib.loads((files(__package__) / "words" / "forms.toml").read_text(encoding="utf-8"))
    collections: dict[str, str] = listed.pop("collections")
    lists = listed | {f"kinds of {noun}": kinds for nouns, kinds in collections.items() for noun in nouns.split()}
    return {name: frozenset(words.split()) for name, words in lists.items()}


@cache
def _entries() -> dict[str, NounEntry]:
    entries = {}
    text = (files(__package__) / "words" / "wordnet.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            noun, kind, synonyms, hypernyms = line.split("\t")
            entries[noun] = NounEntry(kind, frozenset(_names(synonyms)), _names(hypernyms))
    return entries


def _names(column: str) -> tuple[str, ...]:
    return tuple(name for name in column.split("|") if name)


def words_in(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return _WORD.findall(text.casefold())


@lru_cache(maxsize=1 << 16)
def singular(word: str) -> str:
    """Return the singular of a noun: "horse" for "horses", "woman" for "women", and "bus" for "bus"."""
    if word in _entries() and not word.endswith("men"):
        return word
    return english.singular(word, _entries())


@lru_cache(maxsize=1 << 16)
def head(name: str) -> str:
    """Return the head word of a name: "racket" for a tennis racket, "slice" for a slice of pizza."""
    parts = words_in(name.partition(" of ")[0])
    return parts[-1] if parts else ""


@lru_cache(maxsize=1 << 16)
def plain(name: str) -> str:
    """Return a name with its head in the singular."""
    parts = words_in(name)
    return " ".join((*parts[:-1], singular(parts[-1]))) if parts else ""


def is_plural(name: str) -> bool:
    """Return whether the name takes a plural verb."""
    last = head(name)
    return last in forms()["always_plural"] or (singular(last) != last and last not in _entries())


def entry(name: str) -> NounEntry | None:
    """Return the entry for the whole name or, if it has none, for its head; None if both are unknown."""
    return _entries().get(plain(name)) or _entries().get(singular(head(name)))


def is_listed(name: str) -> bool:
    """Return whether the whole name is listed, not only its head."""
    return plain(name) in _entries()


def synonyms(name: str) -> frozenset[str]:
    """Return other names of the same thing."""
    found = entry(name)
    return found.synonyms if found else frozenset()


def wider(name: str) -> tuple[str, ...]:
    """Return the hypernyms of a noun, the nearest first, and then its kind."""
    found = entry(name)
    return (*found.hypernyms, found.kind) if found else ()


def share_a_word(one: str, other: str) -> bool:
    """Return whether two names share a word, in the singular or the plural, like "glass" and "glasses"."""
    here, there = ({singular(word) for word in words_in(name)} for name in (one, other))
    return any(
        f"{word}{ending}" in many for few, many in ((here, there), (there, here)) for word in few for ending in _ENDINGS
    )


@lru_cache(maxsize=1 << 16)
def may_be_the_same(one: str, other: str) -> bool:
    """Return whether two names may refer to the same thing: synonyms, a hypernym, or names that share a word."""
    if share_a_word(one, other):
        return True
    return _is_kind_of(one, other) or _is_kind_of(other, one)


def _is_kind_of(one: str, other: str) -> bool:
    noun, found = singular(head(one)), entry(one)
    if noun in forms().get(f"kinds of {singular(head(other))}", ()):
        return True
    if found is None:
        return False
    names = found.synonyms.union(found.hypernyms)
    return plain(other) in names or singular(head(other)) in names
