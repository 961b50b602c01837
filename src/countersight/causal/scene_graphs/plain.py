"""Our own layout: a JSONL file with one scene graph a line, for graphs that come from elsewhere.

{"id": "1", "image": "1", "things": [{"id": "a", "name": "shelf", "box": [4, 8, 90, 20]}, {"id": "b", "name": "book"}],
 "relations": [{"subject": "b", "relation": "on", "object": "a"}], "descriptions": [{"text": "books on a shelf"}]}

Only `id`, and of things and relations what stands above without box, must be there.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec

from countersight.causal.graph import Thing
from countersight.causal.scene import Description, Malformed, SceneGraph, SceneRelation
from countersight.causal.scene_graphs.parts import OnMalformed, SceneEntry, lenient, name_of
from countersight.causal.scene_graphs.streaming import MAX_ELEMENT, BrokenFile, OnRead, opened
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
    number = 0
    try:
        with opened(path, on_read) as file:
            for number, line in enumerate(bounded_lines(file, MAX_ELEMENT), 1):
                entry = SceneEntry(path.name, number, on_malformed)
                if len(line) > MAX_ELEMENT:
                    entry.tell("line", f"is longer than {MAX_ELEMENT:,} bytes")
                    continue
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                found = None if text.isspace() else entry.decoded(text, _decoder, "line")
                if found:
                    yield _scene_graph(entry, found)
    except BrokenFile as broken:
        on_malformed(Malformed(path.name, number + 1, "file", str(broken)))


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
