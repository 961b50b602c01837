"""Read scene graphs: Visual Genome, GQA, FACTUAL's regions, and Countersight's own JSON lines.

- Visual Genome: `scene_graphs.json`, or `relationships.json` with `objects.json` in the same folder; descriptions are
  read if they are there too. The first name and synset of each object are used. Relationships have the ids of objects
  (`subject_id`) or the objects themselves (`subject`), which older versions call `id` and `name`.
- GQA: one JSON object of images by id, with objects by id and relations inside the objects.
- Regions: a CSV of `image_id, region_id, caption, scene_graph`. A graph is `( subject , predicate , object ) , …`; the
  predicate `is` gives an attribute, and `man:1` is a second man.
- Our own: one scene graph per line; see `docs/cello.md`.

A part that cannot be read is reported and skipped; the rest of its scene is read. A file that is not valid JSON as a
whole is an error.
"""

import gzip
import io
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

import msgspec

from countersight.causal.graph import Box, Description, MalformedPart, SceneGraph, SceneRelation, Thing
from countersight.csv_lines import csv_lines
from countersight.errors import SceneGraphsError
from countersight.files import bounded_lines

SCENE_GRAPHS, RELATIONSHIPS, FACTUAL = "scene_graphs.json", "relationships.json", "factual_regions.csv"
OBJECTS, REGIONS = "objects.json", "region_descriptions.json"
COLUMNS = ("image_id", "region_id", "caption", "scene_graph")
MAX_NAME = 200
MAX_RELATIONS = 2_000
"""The maximum number of relations per scene, to limit memory; a Visual Genome image has a few dozen."""
MAX_ROW = 1 << 20
MAX_LINE = 1 << 24
"""The longest row of a CSV file, in characters, and the longest line of a JSONL file, in bytes."""
_FAR = 1e6
"""A length in pixels that is larger than any picture."""
_TRIPLE = re.compile(r"\(([^()]*)\)")
_BETWEEN = re.compile(r"[\s,]*")
_SECOND = re.compile(r":\d+$")

OnMalformed = Callable[[MalformedPart], None]
OnRead = Callable[[int], None]
_Read = Callable[[Path, OnMalformed, OnRead], Iterator[SceneGraph]]
_Id = int | str
_T = TypeVar("_T")


def read_scene_graphs(source: Path, on_malformed: OnMalformed, on_read: OnRead | None = None) -> Iterator[SceneGraph]:
    """Yield every scene graph at a path; each part that cannot be read is passed to `on_malformed` and skipped.

    `on_read` is called with the number of bytes read so far.
    """
    before = 0
    for path, layout in files_of(source):

        def read_so_far(done: int, before: int = before) -> None:
            if on_read:
                on_read(before + done)

        yield from _READERS[layout](path, on_malformed, read_so_far)
        before += path.stat().st_size


def files_of(source: Path) -> list[tuple[Path, str]]:
    """Return the files to read at a path, each with its layout; a folder is searched for known file names."""
    if source.is_file():
        return [(source, _layout(source))]
    if not source.is_dir():
        raise SceneGraphsError(f"{source} is neither a file nor a folder")
    for name, layout in ((SCENE_GRAPHS, "Visual Genome"), (RELATIONSHIPS, "Visual Genome"), (FACTUAL, "regions")):
        for path in (source / name, source / f"{name}.gz"):
            if path.is_file():
                return [(path, layout)]
    found = sorted(path for path in source.iterdir() if "sceneGraphs" in path.name and path.is_file())
    if found:
        return [(path, "GQA") for path in found]
    raise SceneGraphsError(
        f"{source} contains neither {SCENE_GRAPHS} nor {RELATIONSHIPS} nor {FACTUAL} nor GQA's train_sceneGraphs.json; "
        "name the file"
    )


def _layout(path: Path) -> str:
    suffixes = [suffix.casefold() for suffix in path.suffixes if suffix != ".gz"] or [""]
    named = {".csv": "regions", ".jsonl": "plain", ".ndjson": "plain", ".json": "Visual Genome"}.get(suffixes[-1])
    if named is None:
        raise SceneGraphsError(f"{path} must end in .json, .jsonl or .csv, optionally with .gz")
    with _unpacked(path) as file:  # Visual Genome's files are arrays, GQA's are objects
        is_object = suffixes[-1] == ".json" and file.read(1024).lstrip().startswith(b"{")
    return "GQA" if is_object else named


@contextmanager
def _unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open a binary file; gzip is decompressed."""
    with open(path, "rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        if path.suffix.casefold() == ".gz" and not packed:
            raise SceneGraphsError(f"{path} ends in .gz but is not a gzip file; rename it, or download it again")
        try:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if packed else raw
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise SceneGraphsError(f"{path} cannot be unpacked ({error}); download it again") from error


class _BadPart(Exception):  # noqa: N818 - it describes the part
    """An unreadable part of an entry: the invalid field and the reason."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field, self.reason = field, reason


class _Entry:
    """An entry of a file being read; invalid parts are reported, and the rest is read."""

    def __init__(self, file: str, number: int, on_malformed: OnMalformed) -> None:
        self._file, self._number, self._on_malformed = file, number, on_malformed

    def named(self, id: str) -> str:
        """Return the id of a scene, or its position in the file if it has none, so that scenes are not merged."""
        return id.strip()[:100] or f"{self._file}:{self._number}"

    def report(self, field: str, reason: str) -> None:
        self._on_malformed(MalformedPart(self._file, self._number, field, reason))

    def decode(self, text: bytes | msgspec.Raw, kind: type[_T], field: str = "element") -> _T | None:
        """Return the decoded text, or None if it is invalid."""
        try:
            return _part(text, kind)
        except _BadPart as wrong:
            self.report(wrong.field or field, wrong.reason)
        return None

    def each(self, field: str, parts: Iterable[_T], read: Callable[[_T], Any]) -> Iterator[Any]:
        """Yield the result of `read` for every valid part of a list."""
        for place, part in enumerate(parts):
            try:
                yield read(part)
            except _BadPart as wrong:
                inner = f".{wrong.field}" if wrong.field else ""
                self.report(f"{field}[{place}]{inner}", wrong.reason)

    def box(
        self, field: str, left: float | None, top: float | None, width: float | None, height: float | None
    ) -> Box | None:
        """Return left, top, width and height in whole pixels; None if any of them is missing or the box is empty."""
        if left is None or top is None or width is None or height is None:
            return None
        if not (abs(left) <= _FAR and abs(top) <= _FAR and 0 <= width <= _FAR and 0 <= height <= _FAR):
            self.report(field, f"has a box of {width:g} × {height:g} at {left:g}, {top:g}; it is read without its box")
            return None
        return (round(left), round(top), round(width), round(height)) if min(width, height) > 0.5 else None

    def things(self, found: Iterable[Thing], field: str) -> dict[str, Thing]:
        """Return things by id; if an id is used for different things, the first is kept."""
        things: dict[str, Thing] = {}
        for thing in found:
            if things.setdefault(thing.id, thing).name != thing.name:
                self.report(field, f"{thing.id[:40]!r} names two objects, {things[thing.id].name!r} and {thing.name!r}")
        return things

    def relations(
        self, found: Iterable[SceneRelation], things: dict[str, Thing], field: str, listed: str = "objects"
    ) -> tuple[SceneRelation, ...]:
        """Return the relations between known things, up to the limit of a scene."""
        kept: list[SceneRelation] = []
        for relation in found:
            absent = next((end for end in (relation.subject, relation.object) if end not in things), None)
            if absent is not None:
                self.report(field, f"{absent[:40]!r} is not among the {listed}")
            elif len(kept) == MAX_RELATIONS:
                self.report(field, f"has more than {MAX_RELATIONS:,} relations; the others are skipped")
                break
            else:
                kept.append(relation)
        return tuple(kept)


def _json_entries(
    path: Path, on_malformed: OnMalformed, on_read: OnRead | None = None
) -> Iterator[tuple[_Entry, str, msgspec.Raw]]:
    """Yield each element of a JSON array or object with its name, which is empty in an array."""
    size = path.stat().st_size
    with _unpacked(path) as file:
        content = file.read()
    try:
        found = msgspec.json.decode(content, type=list[msgspec.Raw] | dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SceneGraphsError(f"{path} is not a JSON array or object ({error}); download it again") from error
    named = found.items() if isinstance(found, dict) else (("", element) for element in found)
    for number, (name, element) in enumerate(named, 1):
        yield _Entry(path.name, number, on_malformed), name, element
        if on_read:
            on_read(size * number // len(found))


def _where(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return the field and the reason of a msgspec error."""
    reason, _, place = str(error).partition(" - at `$")
    named = re.search(r"required field `([^`]+)`", reason)
    field = place.rstrip("`").lstrip(".")
    return (f"{field}.{named.group(1)}".lstrip("."), "is missing") if named else (field, reason)


def _part(text: bytes | msgspec.Raw, kind: type[_T]) -> _T:
    """Decode one element of a list on its own, so that an error does not affect the others."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as error:
        raise _BadPart(*_where(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _BadPart("", f"is not JSON ({error})") from error


@lru_cache(maxsize=1 << 16)  # names repeat: a file has a thousand times as many things as names
def _name(text: str, field: str) -> str:
    """Return a name or relation on one line in lower case, without surrounding spaces."""
    name = " ".join(text.split()).lower()
    if not name:
        raise _BadPart(field, "is empty")
    if len(name) > MAX_NAME:
        raise _BadPart(field, f"is longer than {MAX_NAME} characters")
    if not name.isprintable():
        raise _BadPart(field, "contains control characters")
    return name


class _Object(msgspec.Struct):
    """An object in a file of Visual Genome or GQA."""

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
    relations: list[msgspec.Raw] = []
    """The relations to other objects, in GQA."""

    def thing(self, entry: _Entry, number: _Id | None, field: str) -> Thing:
        if number is None:
            raise _BadPart("object_id", "is missing")
        box = entry.box(f"objects.{str(number)[:40]}", self.x, self.y, self.w, self.h)
        attributes = tuple(" ".join(word.lower().split())[:40] for word in self.attributes[:8])
        name = _name(self.names[0] if self.names else self.name, field)
        return Thing(str(number), name, self.synsets[0] if self.synsets else "", box, attributes)


class _Relationship(msgspec.Struct):
    predicate: str
    subject_id: _Id | None = None
    object_id: _Id | None = None
    subject: _Object | None = None
    object: _Object | None = None


class _Region(msgspec.Struct):
    phrase: str
    x: float | None = None
    y: float | None = None
    width: float | None = None
    height: float | None = None


class _ImageId(msgspec.Struct):
    image_id: _Id | None = None
    id: _Id | None = None

    @property
    def number(self) -> str:
        return str(self.id if self.image_id is None else self.image_id)


class _Image(_ImageId):
    """An element of one of Visual Genome's files."""

    objects: list[msgspec.Raw] = []
    relationships: list[msgspec.Raw] = []
    regions: list[msgspec.Raw] = []


def _read_visual_genome(path: Path, on_malformed: OnMalformed, on_read: OnRead) -> Iterator[SceneGraph]:
    objects, regions = (_second_file(path, name, on_malformed) for name in (OBJECTS, REGIONS))
    for entry, _, text in _json_entries(path, on_malformed, on_read):
        found = _image(entry, text)
        if found is None:
            continue
        more = None if found.objects else _image(*objects.get(found.number, (entry, None)))
        told = _image(*regions.get(found.number, (entry, None)))

        def object_of(text: msgspec.Raw, entry: _Entry = entry) -> Thing:
            found = _part(text, _Object)
            return found.thing(entry, found.id if found.object_id is None else found.object_id, "names")

        def relation_of(text: msgspec.Raw, entry: _Entry = entry) -> tuple[SceneRelation, list[Thing]]:
            found = _part(text, _Relationship)
            ends: list[_Id] = []
            things: list[Thing] = []
            for field in ("subject", "object"):
                thing, number = getattr(found, field), getattr(found, f"{field}_id")
                if thing is not None:
                    number = thing.id if thing.object_id is None else thing.object_id
                    things.append(thing.thing(entry, number, "names"))
                elif number is None:
                    raise _BadPart(f"{field}_id", "is missing")
                ends.append(number)
            return SceneRelation(str(ends[0]), _name(found.predicate, "predicate"), str(ends[1])), things

        def description_of(text: msgspec.Raw, entry: _Entry = entry) -> Description:
            found = _part(text, _Region)
            if not (phrase := " ".join(found.phrase.split())[:1000]):
                raise _BadPart("phrase", "is empty")
            return Description(phrase, entry.box("region", found.x, found.y, found.width, found.height))

        marked = entry.each("objects", found.objects or (more.objects if more else []), object_of)
        things = entry.things(marked, "objects")
        relations = []
        for relation, ends in entry.each("relationships", found.relationships, relation_of):
            things.update((end.id, end) for end in ends if end.id not in things)
            relations.append(relation)
        yield SceneGraph(
            id=found.number,
            image=found.number,
            things=tuple(things.values()),
            relations=entry.relations(relations, things, "relationships"),
            descriptions=tuple(entry.each("regions", told.regions if told else [], description_of)),
        )


def _image(entry: _Entry, text: msgspec.Raw | None) -> _Image | None:
    found = entry.decode(text, _Image) if text else None
    if found and found.image_id is None and found.id is None:
        entry.report("image_id", "is missing")
        return None
    return found


def _second_file(path: Path, name: str, on_malformed: OnMalformed) -> dict[str, tuple[_Entry, msgspec.Raw]]:
    """Return the entries of a second file about the same images, by image; none if there is no such file."""
    paths = (path.with_name(name), path.with_name(f"{name}.gz"))
    found: dict[str, tuple[_Entry, msgspec.Raw]] = {}
    for entry, _, text in next((_json_entries(each, on_malformed) for each in paths if each.is_file()), ()):
        if image := entry.decode(text, _ImageId):
            found[image.number] = entry, text
    return found


class _GqaScene(msgspec.Struct):
    objects: dict[str, msgspec.Raw]


class _GqaRelation(msgspec.Struct):
    object: str
    name: str


def _read_gqa(path: Path, on_malformed: OnMalformed, on_read: OnRead) -> Iterator[SceneGraph]:
    for entry, image, text in _json_entries(path, on_malformed, on_read):
        scene = entry.decode(text, _GqaScene)
        if scene is None:
            continue
        things: dict[str, Thing] = {}
        relations: list[SceneRelation] = []
        for number, raw in scene.objects.items():

            def relation_of(text: msgspec.Raw, number: str = number) -> SceneRelation:
                found = _part(text, _GqaRelation)
                return SceneRelation(number, _name(found.name, "name"), found.object)

            try:
                marked = _part(raw, _Object)
                things[number] = marked.thing(entry, number, "name")
            except _BadPart as wrong:
                entry.report(f"objects.{number[:40]}.{wrong.field}".rstrip("."), wrong.reason)
            else:
                relations += entry.each(f"objects.{number[:40]}.relations", marked.relations, relation_of)
        kept = entry.relations(relations, things, "relations")
        yield SceneGraph(id=image, image=image, things=tuple(things.values()), relations=kept)


def _read_regions(path: Path, on_malformed: OnMalformed, on_read: OnRead) -> Iterator[SceneGraph]:
    """Yield the graphs of the regions, grouped by picture so that they can be merged. A row without a picture id is
    treated as a picture of its own. All rows are held in memory: the published file has 40,000 of them."""
    pictures: dict[str, list[SceneGraph]] = {}
    with _unpacked(path) as file:
        lines = csv_lines(io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline=""), MAX_ROW)
        _, header = next(lines)
        if isinstance(header, str):
            raise SceneGraphsError(f"{path} has a header that {header}")
        if absent := [column for column in COLUMNS if column not in header]:
            raise SceneGraphsError(f"{path} has no column {absent[0]!r}; it needs {', '.join(COLUMNS)}")
        for number, row in lines:
            entry = _Entry(path.name, number, on_malformed)
            if isinstance(row, str):
                entry.report("row", row)
            elif graph := _region(entry, dict(zip(header, row, strict=False))):
                pictures.setdefault(graph.image or f" {number}", []).append(graph)
    on_read(path.stat().st_size)
    for graphs in pictures.values():
        yield from graphs


def _region(entry: _Entry, row: dict[str, str]) -> SceneGraph | None:
    absent = next((column for column in COLUMNS if column not in row), None)
    if absent:
        entry.report(absent, "is missing")
        return None
    written = row["scene_graph"]
    if _BETWEEN.sub("", _TRIPLE.sub("", written)):
        entry.report("scene_graph", "is not a list of triples in brackets")
        return None
    names: dict[str, list[str]] = {}  # with the attributes of each
    relations: list[SceneRelation] = []
    for parts in entry.each("scene_graph", _TRIPLE.findall(written), _triple):
        names.setdefault(parts[0], [])
        if len(parts) == 3 and parts[1] == "is":
            names[parts[0]].append(parts[2])
        elif len(parts) == 3:
            names.setdefault(parts[2], [])
            relations.append(SceneRelation(*parts))
    things = {
        name: Thing(name, _SECOND.sub("", name), attributes=tuple(attributes)) for name, attributes in names.items()
    }
    caption = " ".join(row["caption"].split())[:1000]
    return SceneGraph(
        id=entry.named(row["region_id"]),
        image=row["image_id"].strip()[:100],
        things=tuple(things.values()),
        relations=entry.relations(relations, things, "scene_graph"),
        descriptions=(Description(caption),) if caption else (),
    )


def _triple(text: str) -> list[str]:
    parts = text.split(" , ")
    if len(parts) not in (1, 3):
        raise _BadPart("", f"has {len(parts)} parts instead of three (subject, predicate, object)")
    return [_name(part, field) for part, field in zip(parts, ("subject", "predicate", "object"), strict=False)]


class _PlainScene(msgspec.Struct):
    id: str
    things: list[msgspec.Raw] = []
    relations: list[msgspec.Raw] = []
    image: str = ""
    descriptions: list[msgspec.Raw] = []


def _read_plain(path: Path, on_malformed: OnMalformed, on_read: OnRead) -> Iterator[SceneGraph]:
    with _unpacked(path) as file:
        for number, line in enumerate(bounded_lines(file, MAX_LINE), 1):
            entry = _Entry(path.name, number, on_malformed)
            if len(line) > MAX_LINE:
                entry.report("line", f"is longer than {MAX_LINE:,} bytes")
            elif not line.isspace() and (scene := entry.decode(line.removeprefix(BOM_UTF8), _PlainScene, "line")):
                yield _plain_graph(entry, scene)
            on_read(getattr(file, "fileobj", file).tell())


def _plain_graph(entry: _Entry, scene: _PlainScene) -> SceneGraph:
    def thing_of(text: msgspec.Raw) -> Thing:
        thing = _part(text, Thing)
        box = entry.box(f"things.{thing.id[:40]}", *thing.box) if thing.box else None
        return msgspec.structs.replace(thing, name=_name(thing.name, "name"), box=box)

    def relation_of(text: msgspec.Raw) -> SceneRelation:
        relation = _part(text, SceneRelation)
        return msgspec.structs.replace(relation, relation=_name(relation.relation, "relation"))

    things = entry.things(entry.each("things", scene.things, thing_of), "things")
    relations = entry.each("relations", scene.relations, relation_of)
    return SceneGraph(
        id=entry.named(scene.id),
        image=scene.image[:100],
        things=tuple(things.values()),
        relations=entry.relations(relations, things, "relations", "ids of `things`"),
        descriptions=tuple(entry.each("descriptions", scene.descriptions, lambda raw: _part(raw, Description))),
    )


_READERS: dict[str, _Read] = {
    "Visual Genome": _read_visual_genome,
    "GQA": _read_gqa,
    "regions": _read_regions,
    "plain": _read_plain,
}
