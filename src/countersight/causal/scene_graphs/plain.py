"""Our own layout: a JSONL file with one scene graph a line, for graphs that come from elsewhere.

{"id": "1", "image": "1", "things": [{"id": "a", "name": "shelf", "box": [4, 8, 90, 20]}, {"id": "b", "name": "book"}],
 "relations": [{"subject": "b", "relation": "on", "object": "a"}], "descriptions": [{"text": "books on a shelf"}]}

Only `id`, and of things and relations what stands above without box, must be there.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

import msgspec

from countersight.causal.graph import Description, SceneGraph, SceneRelation, Thing
from countersight.causal.scene_graphs.parts import OnMalformed, SceneEntry, entries, lenient, name_of
from countersight.causal.scene_graphs.streaming import MAX_ELEMENT, OnRead
from countersight.files import bounded_lines


class _Scene(msgspec.Struct):
    id: str
    things: list[msgspec.Raw] = []
    relations: list[msgspec.Raw] = []
    image: str = ""
    descriptions: list[msgspec.Raw] = []


_decoder = msgspec.json.Decoder(_Scene)


def read(path: Path, on_malformed: OnMalformed, on_read: OnRead | None = None) -> Iterator[SceneGraph]:
    """Return the scene graphs of a file."""
    for entry, line in entries(path, _lines, on_malformed, on_read):
        if len(line) > MAX_ELEMENT:
            entry.tell("line", f"is longer than {MAX_ELEMENT:,} bytes")
        elif not line.isspace() and (found := entry.decoded(line, _decoder, "line")):
            yield _scene_graph(entry, found)


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(bounded_lines(file, MAX_ELEMENT), 1):
        yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line


def _scene_graph(entry: SceneEntry, scene: _Scene) -> SceneGraph:
    things = entry.things(entry.each("things", scene.things, partial(_thing, entry)), "things")
    relations = entry.each("relations", scene.relations, _relation)
    return SceneGraph(
        id=entry.named(scene.id),
        image=scene.image[:100],
        things=tuple(things.values()),
        relations=entry.relations(relations, things, "relations", "ids of `things`"),
        descriptions=tuple(entry.each("descriptions", scene.descriptions, lambda text: lenient(text, Description))),
    )


def _thing(entry: SceneEntry, text: msgspec.Raw) -> Thing:
    thing = lenient(text, Thing)
    box = entry.box(f"things.{thing.id[:40]}", *thing.box) if thing.box else None
    return Thing(thing.id, name_of(thing.name, "name"), thing.synset, box)


def _relation(text: msgspec.Raw) -> SceneRelation:
    relation = lenient(text, SceneRelation)
    return msgspec.structs.replace(relation, relation=name_of(relation.relation, "relation"))
