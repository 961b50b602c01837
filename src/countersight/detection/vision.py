"""The vision tools of programs: find objects, and ask a model about a part of a picture."""

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final, Protocol

import msgspec

from countersight.composer import FILLER, KINDS, PLACES, noun_key
from countersight.picture import LONGEST_SIDE, Picture
from countersight.text import printable

Box = tuple[int, int, int, int]
"""A box as left, top, right and bottom in pixels; right and bottom are exclusive."""
SIDEWAYS = frozenset({5, 6, 7, 8})
"""EXIF orientations that swap width and height."""


class Patch(msgspec.Struct, frozen=True):
    """A part of a picture, such as a found object."""

    box: Box
    name: str = ""
    """The name by which it was found."""
    outline: str = ""
    """The name of its own region; empty if only the box is known."""
    regions: frozenset[str] = frozenset()
    """The names of the regions that contain it."""

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of the box, as x and y."""
        left, top, right, bottom = self.box
        return (left + right) / 2, (top + bottom) / 2

    def is_in(self, other: "Patch") -> bool:
        """Return whether this patch is in `other`: inside its outline if known; otherwise, with its middle inside its
        box.
        """
        if other.outline:
            return other.outline in self.regions
        x, y = self.middle
        left, top, right, bottom = other.box
        return left <= x < right and top <= y < bottom


class ToolFailed(Exception):  # noqa: N818 - it names what happened
    """Raised if a tool could not do what the program asked; the message is the reason."""


class Vision(Protocol):
    """Vision tools for programs. `settings` contains everything their results depend on; it is stored in run.json."""

    name: str
    settings: dict[str, object]

    async def find(self, picture: Picture, what: str, within: Patch | None) -> list[Patch]:
        """Return the objects of this name in the whole picture or in a part of it; raises ToolFailed."""
        ...

    async def query(self, picture: Picture, question: str, within: Patch | None) -> str:
        """Return a short answer to a question about the picture or a part of it; raises ToolFailed."""
        ...

    async def close(self) -> None:
        """Release connections and memory."""
        ...


def size_as_seen(picture: Picture) -> tuple[int, int]:
    """Return width and height of a picture as viewers show it, without decoding it; boxes use this size."""
    shrink = min(1.0, LONGEST_SIDE / max(picture.width, picture.height))
    width, height = (max(1, round(side * shrink)) for side in (picture.width, picture.height))
    return (height, width) if picture.orientation in SIDEWAYS else (width, height)


Phrase = tuple[str, ...]
"""A name normalised for comparison: its words in the singular."""

_LISTED: Final[dict[str, Any]] = tomllib.loads((files(__package__) / "names.toml").read_text(encoding="utf-8"))
COCO: Final[dict[int, str]] = {int(number): name for number, name in _LISTED["coco"].items()}
"""The categories of COCO by their ids."""
LONGEST = 80
"""The maximum length of an object's name in characters; no class name is half as long."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_BETWEEN = re.compile(r",|/|&|\b(?:and|or)\b")
_PERSON: Final = noun_key("person")


def phrase_of(words: str) -> Phrase:
    """Return a name in the singular without filler words: "the two dogs in the picture" becomes "dog"."""
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
    """Return the classes that words name: one class, or all of a kind ("animals"); raises ToolFailed if none match."""
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
        # A baseball player is a person, but a list of words cannot tell what a "toy duck" or a "police car" is.
        word = phrase[-1:] if kind == (_PERSON,) else phrase
        if word in inside and kind in known:
            return frozenset({known[kind]})
    return frozenset()
