"""The words that the composer knows, from words.toml."""

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import msgspec

from countersight.english import base_verb, singular

_LISTED: Final[dict[str, Any]] = tomllib.loads((files(__package__) / "words.toml").read_text(encoding="utf-8"))


def _words(listed: str) -> frozenset[str]:
    return frozenset(word.replace("-", " ") for word in listed.split())


class State(msgspec.Struct, frozen=True):
    """A state that things can enter and leave: open windows, lights that are on."""

    asked: frozenset[str]
    begins: frozenset[str]
    ends: frozenset[str]


ADDS: Final = {voice: _words(verbs) for voice, verbs in _LISTED["adds"].items()}
REMOVES: Final = {voice: _words(verbs) for voice, verbs in _LISTED["removes"].items()}
WORDS: Final = {name: _words(listed) for name, listed in (_LISTED["words"] | _LISTED["verbs"]).items()}
"""The word lists by name."""
REPLACES: Final = _words(_LISTED["replaces"]["passive"])
STATES: Final = tuple(
    State(_words(each["asked"]), _words(each["begins"]), _words(each["ends"])) for each in _LISTED["states"]
)
GRAMMAR: Final = _words(_LISTED["words"]["grammar"])
PLACES: Final = _words(_LISTED["words"]["places"])
SEEING: Final = _words(_LISTED["words"]["seeing"])
LEADS: Final = {verb.replace("-", " "): _words(places) for verb, places in _LISTED["leads"].items()}
PAIRS: Final = frozenset(map(singular, _words(_LISTED["words"]["pairs"])))
"""Things that come in pairs: a pair of shoes may be one thing."""
ABSENT: Final = frozenset({"gone", "missing", "absent"})
FILLER: Final = _words(_LISTED["words"]["filler"])
"""Words that do not name things."""

_BEGIN_END: Final = frozenset({"start", "begin", "stop"})
_PHRASES: Final = frozenset().union(
    *ADDS.values(),
    *REMOVES.values(),
    *(state.begins | state.ends for state in STATES),
    *(REPLACES, WORDS["moves"], WORDS["present"], WORDS["stays"], _BEGIN_END),
)
VERBS: Final = frozenset(phrase.split()[0] for phrase in _PHRASES)
_OF_CHANGE: Final = VERBS - WORDS["present"] - WORDS["stays"] - {base_verb(word, VERBS) for word in WORDS["resting"]}
PARTICLES: Final = frozenset(phrase.split()[1] for phrase in _PHRASES if " " in phrase)
_SAME: Final[dict[str, str]] = {other: name for name, others in _LISTED["same"].items() for other in others.split()}


@lru_cache(maxsize=4096)
def noun_key(word: str) -> str:
    """Return one key for a noun, its plural and its close synonyms: "airplanes" gives "plane"."""
    one = singular(word)
    return _SAME.get(one, one)


@lru_cache(maxsize=4096)
def verb_of(word: str) -> str | None:
    """Return the base form of a verb that the composer knows, or None."""
    return base_verb(word, VERBS)


def tells_a_change(clause: str) -> bool:
    """Whether a clause says that things come, go or change, unlike "if there were two dogs"."""
    words = clause.split()
    return "more" in words or any(base_verb(word, _OF_CHANGE) for word in words)


def is_verb(word: str) -> bool:
    """Whether a word is a form of a known verb, or looks like the past tense of another one."""
    return verb_of(word) is not None or (word.endswith("ed") and len(word) > 4 and not word.endswith("eed"))


KINDS: Final = {noun_key(name): frozenset(map(noun_key, members.split())) for name, members in _LISTED["kinds"].items()}
"""Wider kinds with their members: a man who leaves is a person who leaves."""
APART: Final = frozenset(map(noun_key, _LISTED["words"]["apart"].split()))
"""Kinds of things that exclude each other."""
