"""Shared code of the readers: things, relations and boxes from file entries, and error messages."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from countersight.causal.graph import Box, Malformed, SceneRelation, Thing
from countersight.causal.scene_graphs.streaming import BrokenFile, OnRead, elements, opened

MAX_NAME = 200
MAX_RELATIONS = 2_000
"""Limit for one scene: an image of Visual Genome has some dozens. More would fill the memory."""

_FAR = 1e6
"""Pixels: no picture is so large."""

OnMalformed = Callable[[Malformed], None]

_T = TypeVar("_T")


class BadPart(Exception):  # noqa: N818 - it names the thing, as people say it
    """An unreadable part of an entry: the invalid field and the reason. Caught by the readers."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field, self.reason = field, reason


class SceneEntry:
    """An entry of a file being read: invalid parts are reported, the rest is read."""

    def __init__(self, file: str, number: int, on_malformed: OnMalformed) -> None:
        self._file = file
        self._number = number
        self._on_malformed = on_malformed

    def named(self, id: str) -> str:
        """Return the id of a scene, or its position in the file if it has none, so that scenes are not merged."""
        return id.strip()[:100] or f"{self._file}:{self._number}"

    def tell(self, field: str, reason: str) -> None:
        self._on_malformed(Malformed(self._file, self._number, field, reason))

    def decoded(self, text: bytes | None, decoder: "msgspec.json.Decoder[_T]", field: str = "element") -> _T | None:
        """Return the decoded text, or None if it is invalid."""
        if text is None:
            self.tell(field, "is too long")
            return None
        try:
            return decoder.decode(text)
        except msgspec.ValidationError as error:
            place, reason = where(error)
            self.tell(place or field, reason)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self.tell(field, f"is not JSON ({error})")
        return None

    def each(self, field: str, parts: Iterable[_T], read: Callable[[_T], Any]) -> Iterator[Any]:
        """Return the result of `read` for every valid part of a list; invalid parts are reported."""
        for place, part in enumerate(parts):
            try:
                yield read(part)
            except BadPart as wrong:
                inner = f".{wrong.field}" if wrong.field else ""
                self.tell(f"{field}[{place}]{inner}", wrong.reason)

    def box(
        self, field: str, left: float | None, top: float | None, width: float | None, height: float | None
    ) -> Box | None:
        """Return left, top, width and height in whole pixels, or None if any is missing or the box is empty.

        A box that no picture has is told of; the thing is read without it.
        """
        if left is None or top is None or width is None or height is None:
            return None
        if not (abs(left) <= _FAR and abs(top) <= _FAR and 0 <= width <= _FAR and 0 <= height <= _FAR):
            self.tell(field, f"has a box of {width:g} × {height:g} at {left:g}, {top:g}; it is read without its box")
            return None
        return (round(left), round(top), round(width), round(height)) if min(width, height) > 0.5 else None

    def things(self, found: Iterable[Thing], field: str) -> dict[str, Thing]:
        """Return things by id; if an id is used for different things, the first is kept."""
        things: dict[str, Thing] = {}
        for thing in found:
            if things.setdefault(thing.id, thing).name != thing.name:
                self.tell(field, f"{thing.id[:40]!r} names two objects, {things[thing.id].name!r} and {thing.name!r}")
        return things

    def relations(
        self, found: Iterable[SceneRelation], things: dict[str, Thing], field: str, listed: str = "objects"
    ) -> tuple[SceneRelation, ...]:
        """Return the relations between known things; too many relations make the scene invalid."""
        kept: list[SceneRelation] = []
        for relation in found:
            absent = next((end for end in (relation.subject, relation.object) if end not in things), None)
            if absent is not None:
                self.tell(field, f"{absent[:40]!r} is not among the {listed}")
            elif len(kept) == MAX_RELATIONS:
                self.tell(field, f"has more than {MAX_RELATIONS:,} relations; the others are skipped")
                break
            else:
                kept.append(relation)
        return tuple(kept)


def entries(
    path: Path,
    split: Callable[[BinaryIO], Iterator[tuple[int, _T]]],
    on_malformed: OnMalformed,
    on_read: OnRead | None = None,
) -> Iterator[tuple[SceneEntry, _T]]:
    """Return the parts into which `split` divides a file, with their positions; a broken file is reported."""
    number = 0
    try:
        with opened(path, on_read) as file:
            for number, part in split(file):
                yield SceneEntry(path.name, number, on_malformed), part
    except BrokenFile as broken:
        on_malformed(Malformed(path.name, number + 1, "file", str(broken)))


def split_json(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Return the elements of a JSON array or object, counted from 1."""
    return enumerate(elements(file), 1)


def where(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return the field and the reason of a msgspec error."""
    reason, _, place = str(error).partition(" - at `$")
    named = re.search(r"required field `([^`]+)`", reason)
    field = place.rstrip("`").lstrip(".")
    if named:
        return f"{field}.{named.group(1)}".lstrip("."), "is missing"
    return field, reason


def lenient(text: msgspec.Raw, kind: type[_T]) -> _T:
    """Decode one element of a list on its own, so that an error does not affect the others."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as error:
        raise BadPart(*where(error)) from error


@lru_cache(maxsize=1 << 16)  # names repeat: a file has a thousand times as many things as names
def name_of(text: str, field: str) -> str:
    """Return a name or relation on one line in lower case, without surrounding spaces."""
    name = " ".join(text.split()).lower()
    if not name:
        raise BadPart(field, "is empty")
    if len(name) > MAX_NAME:
        raise BadPart(field, f"is longer than {MAX_NAME} characters")
    if not name.isprintable():
        raise BadPart(field, "contains control characters")
    return name
