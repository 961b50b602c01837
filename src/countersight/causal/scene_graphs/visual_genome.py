"""Visual Genome: `scene_graphs.json`, or `relationships.json` with `objects.json`; descriptions where they lie beside.

Of each object the first name and the first synset count. The two layouts of relationships are read alike: with the ids
of the objects (`subject_id`) or with the objects themselves (`subject`), which older versions call `id` and `name`.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec

from countersight.causal.graph import Description, SceneGraph, SceneRelation, Thing
from countersight.causal.scene_graphs.parts import (
    BadPart,
    OnMalformed,
    SceneEntry,
    entries,
    lenient,
    name_of,
    split_json,
)
from countersight.causal.scene_graphs.streaming import OnRead

SCENE_GRAPHS, RELATIONSHIPS = "scene_graphs.json", "relationships.json"
OBJECTS, REGIONS = "objects.json", "region_descriptions.json"

_Id = int | str

AHEAD = 20_000
"""Entries read ahead in a second file that has another order. Visual Genome's files all have the same order."""


class _Object(msgspec.Struct):
    object_id: _Id | None = None
    id: _Id | None = None
    names: list[str] = []
    name: str = ""
    synsets: list[str] = []
    x: float | None = None
    y: float | None = None
    w: float | None = None
    h: float | None = None
    attributes: list[str] = []


class _Relationship(msgspec.Struct):
    predicate: str
    subject_id: _Id | None = None
    object_id: _Id | None = None
    subject: _Object | None = None
    object: _Object | None = None
    synsets: list[str] = []


class _Region(msgspec.Struct):
    phrase: str
    x: float | None = None
    y: float | None = None
    width: float | None = None
    height: float | None = None


class _Entry(msgspec.Struct):
    """An element of any of the files; the lists are decoded part by part only where one of the parts is bad."""

    image_id: _Id | None = None
    id: _Id | None = None
    objects: list[_Object] = []
    relationships: list[_Relationship] = []
    regions: list[_Region] = []


class _RawEntry(msgspec.Struct):
    image_id: _Id | None = None
    id: _Id | None = None
    objects: list[msgspec.Raw] = []
    relationships: list[msgspec.Raw] = []
    regions: list[msgspec.Raw] = []


_decoder = msgspec.json.Decoder(_Entry)
_raw_decoder = msgspec.json.Decoder(_RawEntry)


def read(path: Path, on_malformed: OnMalformed, on_read: OnRead | None = None) -> Iterator[SceneGraph]:
    """Return the scene graphs of a file, with the objects and the descriptions of the files next to it."""
    objects, regions = (_Beside(path, name, on_malformed) for name in (OBJECTS, REGIONS))
    for entry, found in _entries(path, on_malformed, on_read):
        image = _image(found)
        more = objects.of(image) if not found.objects else None
        told = regions.of(image)
        marked = entry.each("objects", found.objects + (more.objects if more else []), partial(_thing, entry))
        things = entry.things(marked, "objects")
        relations = []
        for relation, ends in entry.each("relationships", found.relationships, partial(_relation, entry)):
            things.update((end.id, end) for end in ends if end.id not in things)
            relations.append(relation)
        yield SceneGraph(
            id=image,
            image=image,
            things=tuple(things.values()),
            relations=entry.relations(relations, things, "relationships"),
            descriptions=tuple(entry.each("regions", told.regions if told else [], partial(_description, entry))),
        )


def _entries(
    path: Path, on_malformed: OnMalformed, on_read: OnRead | None = None
) -> Iterator[tuple[SceneEntry, _Entry]]:
    for entry, text in entries(path, split_json, on_malformed, on_read):
        found = _decoded(entry, text)
        if found and found.image_id is None and found.id is None:
            entry.tell("image_id", "is missing")
        elif found:
            yield entry, found


def _decoded(entry: SceneEntry, text: bytes | None) -> _Entry | None:
    if text is not None:
        try:
            return _decoder.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass  # the way below finds out which part is bad, and keeps the others
    raw = entry.decoded(text, _raw_decoder)
    if raw is None:
        return None
    return _Entry(
        image_id=raw.image_id,
        id=raw.id,
        objects=list(entry.each("objects", raw.objects, lambda part: lenient(part, _Object))),
        relationships=list(entry.each("relationships", raw.relationships, lambda part: lenient(part, _Relationship))),
        regions=list(entry.each("regions", raw.regions, lambda part: lenient(part, _Region))),
    )


class _Beside:
    """A second file about the same images, read as far as the first one asks for."""

    def __init__(self, path: Path, name: str, on_malformed: OnMalformed) -> None:
        paths = (path.with_name(name), path.with_name(f"{name}.gz"))
        beside = next((beside for beside in paths if beside.is_file()), None)
        self._entries = _entries(beside, on_malformed) if beside else iter(())
        self._waiting: dict[str, _Entry] = {}

    def of(self, image: str) -> _Entry | None:
        """What the file says of an image, if it stands no more than so many entries ahead of the last."""
        found = self._waiting.pop(image, None)
        while found is None and len(self._waiting) < AHEAD and (read := next(self._entries, None)):
            _, entry = read
            if _image(entry) == image:
                found = entry
            else:
                self._waiting[_image(entry)] = entry
        return found


def _image(entry: _Entry) -> str:
    return str(entry.id if entry.image_id is None else entry.image_id)


def _thing(entry: SceneEntry, found: _Object) -> Thing:
    number = found.id if found.object_id is None else found.object_id
    if number is None:
        raise BadPart("object_id", "is missing")
    name = name_of(found.names[0] if found.names else found.name, "names")
    synset = found.synsets[0] if found.synsets else ""
    said = tuple(" ".join(word.lower().split())[:40] for word in found.attributes[:8])
    return Thing(str(number), name, synset, entry.box(f"objects.{number}", found.x, found.y, found.w, found.h), said)


def _relation(entry: SceneEntry, found: _Relationship) -> tuple[SceneRelation, tuple[Thing, ...]]:
    """The relation, and the things it brings with it."""
    ends: list[str] = []
    things: list[Thing] = []
    for field, number, thing in (
        ("subject", found.subject_id, found.subject),
        ("object", found.object_id, found.object),
    ):
        if thing is not None:
            things.append(_thing(entry, thing))
            ends.append(things[-1].id)
        elif number is not None:
            ends.append(str(number))
        else:
            raise BadPart(f"{field}_id", "is missing")
    synset = found.synsets[0] if found.synsets else ""
    return SceneRelation(ends[0], name_of(found.predicate, "predicate"), ends[1], synset), tuple(things)


def _description(entry: SceneEntry, region: _Region) -> Description:
    text = " ".join(region.phrase.split())
    if not text:
        raise BadPart("phrase", "is empty")
    return Description(text[:1000], entry.box("region", region.x, region.y, region.width, region.height))
