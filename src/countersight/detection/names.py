"""Which of its classes a detector is to look for when a program asks for "people", "the two dogs" or "animals"."""

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final

from countersight.composer import FILLER, KINDS, PLACES, noun_key
from countersight.detection.vision import ToolFailed
from countersight.text import printable

Phrase = tuple[str, ...]
"""A name as it is compared: its words, each in one form for one and for many."""

_LISTED: Final[dict[str, Any]] = tomllib.loads((files(__package__) / "names.toml").read_text(encoding="utf-8"))
COCO: Final[dict[int, str]] = {int(number): name for number, name in _LISTED["coco"].items()}
"""The categories of COCO by their ids."""
LONGEST = 80
"""Signs in the name of a thing; no class has half of it."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_BETWEEN = re.compile(r",|/|&|\b(?:and|or)\b")
_PERSON: Final = noun_key("person")


def phrase_of(words: str) -> Phrase:
    """A name without what names no thing: "the two dogs in the picture" is a dog."""
    plain = (word for word in _WORD.findall(words.casefold()) if word not in FILLER and word not in PLACES)
    return tuple(noun_key(word) for word in plain)


_SAME: Final[dict[Phrase, Phrase]] = {
    phrase_of(other): phrase_of(name) for name, others in _LISTED["same"].items() for other in others.split(",")
}
_KINDS: Final[dict[Phrase, frozenset[Phrase]]] = {
    **{(kind,): frozenset((member,) for member in members) for kind, members in KINDS.items()},
    **{phrase_of(kind): frozenset(map(phrase_of, members.split(","))) for kind, members in _LISTED["kinds"].items()},
}


def classes_of(what: str, classes: Sequence[str]) -> frozenset[str]:
    """The classes that words name: one, or all of a kind ("animals"), or one they are of ("man"); or ToolFailed."""
    known: dict[Phrase, str] = {}
    for name in classes:
        phrase = phrase_of(name)
        known.setdefault(phrase, name)
        known.setdefault(_SAME.get(phrase, phrase), name)
    found: set[str] = set()
    for part in _BETWEEN.split(what[: LONGEST + 1].casefold()):
        named = _named(phrase_of(part), known) if len(what) <= LONGEST else frozenset()
        if not named:
            raise ToolFailed(f"the detector does not know {printable(what)[:40]!r}; it finds: {', '.join(classes)}")
        found |= named
    return frozenset(found)


def _named(phrase: Phrase, known: dict[Phrase, str]) -> frozenset[str]:
    if not phrase:
        return frozenset()
    for one in (phrase, _SAME.get(phrase, phrase)):
        if one in known:
            return frozenset({known[one]})
    members = {_SAME.get(member, member) for member in _KINDS.get(phrase, ())}
    if of_kind := frozenset(known[member] for member in members if member in known):
        return of_kind
    for kind, inside in _KINDS.items():
        # A baseball player is a person; but of what a "toy duck" or a "police car" is, a list of words says nothing.
        word = phrase[-1:] if kind == (_PERSON,) else phrase
        if word in inside and kind in known:
            return frozenset({known[kind]})
    return frozenset()
