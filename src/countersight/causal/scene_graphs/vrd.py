"""The Visual Relationship Detection dataset: one JSON object, a list of relationships by the name of the picture.

Things and relations are numbers, named by the lists in `objects.json` and `predicates.json` beside the file. A box is
top, bottom, left and right. Two boxes that are the same, of the same category, are of one thing.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from countersight.causal.graph import Thing
from countersight.causal.scene import Malformed, SceneGraph, SceneRelation
from countersight.causal.scene_graphs.parts import BadPart, OnMalformed, SceneEntry, lenient, name_of
from countersight.causal.scene_graphs.streaming import BrokenFile, OnRead, elements, opened

OBJECTS, PREDICATES = "objects.json", "predicates.json"


class _Object(msgspec.Struct):
    category: int
    bbox: tuple[float, float, float, float]


class _Relationship(msgspec.Struct):
    predicate: int
    subject: _Object
    object: _Object


_decoder = msgspec.json.Decoder(dict[str, list[msgspec.Raw]])


def read(path: Path, on_malformed: OnMalformed, on_read: OnRead | None = None) -> Iterator[SceneGraph]:
    """The scene graphs of a file."""
    number = 0
    try:
        objects, predicates = (_names(path.with_name(name)) for name in (OBJECTS, PREDICATES))
        with opened(path, on_read) as file:
            for number, text in enumerate(elements(file), start=1):
                entry = SceneEntry(path.name, number, on_malformed)
                found = entry.decoded(None if text is None else b"{" + text + b"}", _decoder)
                for picture, listed in (found or {}).items():
                    yield _scene_graph(entry, picture, listed, objects, predicates)
    except BrokenFile as broken:
        on_malformed(Malformed(path.name, number + 1, "file", str(broken)))


def _names(path: Path) -> list[str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[str])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        raise BrokenFile(f"needs a list of names in {path.name} beside it") from None


def _scene_graph(
    entry: SceneEntry, picture: str, listed: list[msgspec.Raw], objects: list[str], predicates: list[str]
) -> SceneGraph:
    image = Path(picture).stem[:100]
    things: dict[str, Thing] = {}

    def thing(found: _Object, field: str) -> str:
        top, bottom, left, right = found.bbox
        name = name_of(_named(objects, found.category, field), field)
        key = f"{name} {' '.join(f'{side:g}' for side in found.bbox)}"
        things.setdefault(key, Thing(key, name, box=entry.box(field, left, top, right - left, bottom - top)))
        return key

    def relation(text: msgspec.Raw) -> SceneRelation:
        found = lenient(text, _Relationship)
        said = name_of(_named(predicates, found.predicate, "predicate"), "predicate")
        return SceneRelation(thing(found.subject, "subject"), said, thing(found.object, "object"))

    relations = list(entry.each("relationships", listed, relation))
    kept = entry.relations(relations, things, "relationships")
    return SceneGraph(id=image, image=image, things=tuple(things.values()), relations=kept)


def _named(names: list[str], number: int, field: str) -> str:
    if not 0 <= number < len(names):
        raise BadPart(field, f"{number} is not the number of a name")
    return names[number]
