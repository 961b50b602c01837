"""GQA's scene graphs: one JSON object of images by id, with objects by id and relations inside the objects."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec

from countersight.causal.graph import SceneGraph, SceneRelation, Thing
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


class _Relation(msgspec.Struct):
    object: str
    name: str


class _Object(msgspec.Struct):
    name: str
    relations: list[_Relation] = []
    x: float | None = None
    y: float | None = None
    w: float | None = None
    h: float | None = None
    attributes: list[str] = []


class _Scene(msgspec.Struct):
    objects: dict[str, msgspec.Raw]


_decoder = msgspec.json.Decoder(dict[str, _Scene])


def read(path: Path, on_malformed: OnMalformed, on_read: OnRead | None = None) -> Iterator[SceneGraph]:
    """Return the scene graphs of a file."""
    for entry, text in entries(path, split_json, on_malformed, on_read):
        found = entry.decoded(None if text is None else b"{" + text + b"}", _decoder)
        for image, scene in (found or {}).items():
            yield _scene_graph(entry, image, scene)


def _scene_graph(entry: SceneEntry, image: str, scene: _Scene) -> SceneGraph:
    things: dict[str, Thing] = {}
    relations: list[SceneRelation] = []
    for number, raw in scene.objects.items():
        try:
            found = lenient(raw, _Object)
            name = name_of(found.name, "name")
        except BadPart as wrong:
            entry.tell(f"objects.{number[:40]}.{wrong.field}".rstrip("."), wrong.reason)
            continue
        said = tuple(" ".join(word.split())[:40] for word in found.attributes[:8])
        things[number] = Thing(
            number, name, box=entry.box(f"objects.{number[:40]}", found.x, found.y, found.w, found.h), attributes=said
        )
        related = entry.each(f"objects.{number[:40]}.relations", found.relations, partial(_relation, number))
        relations += related
    kept = entry.relations(relations, things, "relations")
    return SceneGraph(id=image, image=image, things=tuple(things.values()), relations=kept)


def _relation(subject: str, found: _Relation) -> SceneRelation:
    return SceneRelation(subject, name_of(found.name, "name"), found.object)
