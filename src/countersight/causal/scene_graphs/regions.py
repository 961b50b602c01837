"""Graphs of regions as triples: the CSV of FACTUAL, `image_id, region_id, caption, scene_graph`.

A graph is `( subject , predicate , object ) , …`; the predicate `is` gives an attribute, which is no relation, and
`man:1` is a second man. Regions of the same picture come one after another, so that they can be merged. The rows are
held in memory for that: the published file has 40,000 of them.
"""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from countersight.causal.graph import Description, SceneGraph, SceneRelation, Thing
from countersight.causal.scene_graphs.parts import BadPart, OnMalformed, SceneEntry, entries, name_of
from countersight.causal.scene_graphs.streaming import BrokenFile, OnRead
from countersight.csv_lines import csv_lines

COLUMNS = ("image_id", "region_id", "caption", "scene_graph")
MAX_ROW = 1 << 20

_TRIPLE = re.compile(r"\(([^()]*)\)")
_BETWEEN = re.compile(r"[\s,]*")
_SECOND = re.compile(r":\d+$")


def read(path: Path, on_malformed: OnMalformed, on_read: OnRead | None = None) -> Iterator[SceneGraph]:
    """Return the graphs of the regions, grouped by picture; a row without a picture id is a picture of its own."""
    pictures: dict[str, list[SceneGraph]] = {}
    for number, (entry, row) in enumerate(entries(path, _rows, on_malformed, on_read)):
        if isinstance(row, str):
            entry.tell("row", row)
        elif graph := _graph(entry, row):
            pictures.setdefault(graph.image or f" {number}", []).append(graph)
    for graphs in pictures.values():
        yield from graphs


def _rows(file: BinaryIO) -> Iterator[tuple[int, dict[str, str] | str]]:
    """The rows of the file by column, or what is wrong with one."""
    lines = csv_lines(io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline=""), MAX_ROW)
    _, header = next(lines)
    if isinstance(header, str):
        raise BrokenFile(f"has a header that {header}")
    absent = next((column for column in COLUMNS if column not in header), None)
    if absent:
        raise BrokenFile(f"has no column {absent!r}; it needs {', '.join(COLUMNS)}")
    for line, row in lines:
        yield line, row if isinstance(row, str) else dict(zip(header, row, strict=False))


def _graph(entry: SceneEntry, row: dict[str, str]) -> SceneGraph | None:
    absent = next((column for column in COLUMNS if column not in row), None)
    if absent:
        entry.tell(absent, "is missing")
        return None
    things: dict[str, Thing] = {}
    relations: list[SceneRelation] = []
    written = row["scene_graph"]
    if _BETWEEN.sub("", _TRIPLE.sub("", written)):
        entry.tell("scene_graph", "is not a list of triples in brackets")
        return None
    said: dict[str, list[str]] = {}
    for parts in entry.each("scene_graph", _TRIPLE.findall(written), _parts):
        if len(parts) == 3 and parts[1] == "is":
            said.setdefault(parts[0], []).append(parts[2])
        for name in parts[::2] if len(parts) == 3 and parts[1] != "is" else parts[:1]:
            things.setdefault(name, Thing(name, _SECOND.sub("", name)))
        if len(parts) == 3 and parts[1] != "is":
            relations.append(SceneRelation(*parts))
    caption = " ".join(row["caption"].split())[:1000]
    return SceneGraph(
        id=entry.named(row["region_id"]),
        image=row["image_id"].strip()[:100],
        things=tuple(
            msgspec.structs.replace(thing, attributes=tuple(said.get(name, ()))) for name, thing in things.items()
        ),
        relations=entry.relations(relations, things, "scene_graph"),
        descriptions=(Description(caption),) if caption else (),
    )


def _parts(triple: str) -> list[str]:
    parts = triple.split(" , ")
    if len(parts) not in (1, 3):
        raise BadPart("", f"has {len(parts)} parts instead of three (subject, predicate, object)")
    return [name_of(part, field) for part, field in zip(parts, ("subject", "predicate", "object"), strict=False)]
