"""Mine causal graphs: look up relations in the catalogue and find causal graphs among the causal ones."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from countersight.causal.catalogue import Decision, catalogue, verdict_on, without_prefix
from countersight.causal.graph import CausalEdge, CausalGraph, GraphKind, MalformedPart, SceneGraph, Thing
from countersight.causal.lexicon import plain
from countersight.causal.merging import merge_scenes
from countersight.causal.motifs import EdgeTable, Ints, find_motifs
from countersight.causal.scene_graphs import read_scene_graphs
from countersight.html import Grid, Line, TableCell
from countersight.text import several

KINDS: tuple[GraphKind, ...] = ("direct", "chain", "confounding", "collision")
MOST_OF_A_SCENE = 1_000
"""The limit on causal graphs of one kind per scene; a thing that holds 2,000 others would give two million."""
_PARTS_AT_ONCE = 1 << 16
"""The number of things and relations that are searched together. One search takes a second or two."""
_DISTINCT = 100_000
"""The maximum number of unknown relations that are counted separately, to limit memory."""
MOST_DESCRIPTIONS = 8
"""The limit on descriptions that mention the things; Visual Genome has fifty per picture."""
MOST_OTHERS = 50

Things = tuple[Thing, ...]


class MiningStatistics(msgspec.Struct):
    """Counts of what was read and found."""

    scenes: int = 0
    things: int = 0
    relations: int = 0
    malformed: int = 0
    decisions: Counter[Decision] = msgspec.field(default_factory=Counter)
    """The numbers of relations that are causal, not causal, ambiguous or unknown according to the catalogue."""
    relations_by_kind: Counter[str] = msgspec.field(default_factory=Counter)
    """The number of causal relations of each kind."""
    graphs: Counter[GraphKind] = msgspec.field(default_factory=lambda: Counter(dict.fromkeys(KINDS, 0)))
    duplicates: int = 0
    """The number of causal graphs skipped because the picture has one with the same names and relations."""
    namesakes: int = 0
    """The number of causal graphs skipped because two of their things have the same name, so no question could
    distinguish them.
    """
    crowded: int = 0
    """The number of causal graphs skipped because their scene has too many of their kind."""
    unknown: Counter[str] = msgspec.field(default_factory=Counter)
    """The relations unknown to the catalogue."""
    layouts: tuple[str, ...] = ()
    """The layouts of the input files."""

    @property
    def decided(self) -> float:
        """The share of relations that the catalogue decides."""
        return (self.decisions["causal"] + self.decisions["none"]) / self.relations if self.relations else 0.0


def mine(
    source: Path,
    *,
    statistics: MiningStatistics | None = None,
    on_malformed: Callable[[MalformedPart], None] | None = None,
    on_read: Callable[[int], None] | None = None,
) -> Iterator[CausalGraph]:
    """Yield the causal graphs in the scene graphs at a path: a file of any known layout, or a folder of them.

    Parts that cannot be read are passed to `on_malformed` and skipped; `on_read` is called with the number of bytes
    read so far.
    """
    statistics = statistics or MiningStatistics()

    def malformed(what: MalformedPart) -> None:
        statistics.malformed += 1
        if on_malformed:
            on_malformed(what)

    for part in _in_parts(read_scene_graphs(source, malformed, on_read)):
        yield from mine_scenes(merge_scenes(part), statistics)


def _in_parts(scenes: Iterable[SceneGraph]) -> Iterator[list[SceneGraph]]:
    """Yield scenes in parts of limited size; adjacent scenes of the same picture stay together."""
    part: list[SceneGraph] = []
    size = 0
    for scene in scenes:
        if size >= _PARTS_AT_ONCE and scene.image != part[-1].image:
            yield part
            part, size = [], 0
        part.append(scene)
        size += 1 + len(scene.things) + len(scene.relations)
    yield part


def mine_scenes(scenes: Iterable[SceneGraph], statistics: MiningStatistics) -> Iterator[CausalGraph]:
    """Return the causal graphs in scene graphs, scene by scene; graphs of the same picture are adjacent."""
    batch = _Batch()
    for scene in scenes:
        batch.add(scene, statistics)
    seen: set[tuple[object, ...]] = set()
    last, around = -1, Surroundings(SceneGraph(""))
    for number, kind, things, causes in _found(batch, statistics):
        scene = batch.scenes[number]
        if number != last:
            last, around = number, Surroundings(scene)
        names = [thing.name for thing in things]
        if len(set(names)) < len(names):
            statistics.namesakes += 1
            continue
        relations = [edge.relation for edge in causes]
        # The causes of a collision have no order.
        ends = (*sorted(zip(names, relations, strict=False)), names[2]) if kind == "collision" else (*names, *relations)
        key = (scene.image or scene.id, kind, *ends)
        if key in seen:
            statistics.duplicates += 1
            continue
        seen.add(key)
        statistics.graphs[kind] += 1
        yield CausalGraph(
            kind=kind,
            things=things,
            edges=causes,
            scene=scene.id,
            image=scene.image,
            descriptions=around.descriptions(things),
            others=around.others(things),
            namesakes=around.namesakes(things),
        )


class _Batch:
    """Scenes with the causal edges between their things, and the things at the ends of edges."""

    def __init__(self) -> None:
        self.scenes: list[SceneGraph] = []
        self.things: list[Thing] = []
        self.scene_of: list[int] = []
        self.edges: list[tuple[int, int, CausalEdge]] = []

    def add(self, scene: SceneGraph, statistics: MiningStatistics) -> None:
        things = {thing.id: thing for thing in scene.things}
        places: dict[str, int] = {}  # only of things at the ends of edges
        for relation in scene.relations:
            subject, object = relation.subject, relation.object
            verdict = verdict_on(things[subject].name, relation.relation, things[object].name)
            statistics.decisions[verdict.decision] += 1
            if verdict.decision == "unknown" and len(statistics.unknown) < _DISTINCT:
                statistics.unknown[without_prefix(relation.relation)] += 1
            if verdict.cause is None:
                continue
            statistics.relations_by_kind[verdict.kind] += 1
            cause, effect = (subject, object) if verdict.cause == "subject" else (object, subject)
            ends = [places.setdefault(end, len(self.things) + len(places)) for end in (cause, effect)]
            edge = CausalEdge(cause, effect, without_prefix(relation.relation), subject, object, verdict.kind)
            self.edges.append((ends[0], ends[1], edge))
        statistics.scenes += 1
        statistics.things += len(things)
        statistics.relations += len(scene.relations)
        self.scene_of += [len(self.scenes)] * len(places)
        self.scenes.append(scene)
        self.things += [things[end] for end in places]


def _found(
    batch: _Batch, statistics: MiningStatistics
) -> Iterator[tuple[int, GraphKind, tuple[Thing, ...], tuple[CausalEdge, ...]]]:
    """Yield the causal graphs of a batch, scene by scene: the number of the scene, the kind, the things and the
    edges."""
    scene_of = np.array(batch.scene_of, np.int64)
    ends = np.array([edge[:2] for edge in batch.edges], np.int64).reshape(-1, 2)
    table = EdgeTable(scene_of[ends[:, 0]], ends[:, 0], ends[:, 1])
    taken = {kind: np.zeros(len(batch.scenes), np.int64) for kind in KINDS}
    found: list[tuple[int, int, list[int], list[int]]] = []
    for motifs in find_motifs(table):
        things = motifs.things(table)
        scenes = scene_of[things[:, 0]]
        kept = _some_of_each(scenes, taken[motifs.kind])
        statistics.crowded += len(scenes) - len(kept)
        kinds = [KINDS.index(motifs.kind)] * len(kept)
        found += zip(scenes[kept].tolist(), kinds, things[kept].tolist(), motifs.edges[kept].tolist(), strict=True)
    found.sort()
    for number, kind, members, edges in found:
        yield (
            number,
            KINDS[kind],
            tuple(batch.things[thing] for thing in members),
            tuple(batch.edges[edge][2] for edge in edges),
        )


def _some_of_each(scenes: Ints, taken: Ints) -> Ints:
    """Return the positions of the graphs to keep so that no scene exceeds the limit; add their number per scene to
    `taken`."""
    order = np.argsort(scenes, kind="stable")
    ordered = scenes[order]
    rank = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    kept = order[rank + taken[ordered] < MOST_OF_A_SCENE]
    taken += np.bincount(scenes, minlength=len(taken))
    return kept


class Surroundings:
    """A scene, indexed for lookups about many of its things."""

    def __init__(self, scene: SceneGraph) -> None:
        self._scene = scene
        self._texts = [f" {description.text.lower()}" for description in scene.descriptions]
        self._mentions: dict[str, tuple[int, ...]] = {}
        self._by_name = {thing.name: thing for thing in scene.things[::-1]}
        """The first thing with each name."""
        times = Counter(plain(thing.name) for thing in scene.things)
        self._shared = frozenset(name for name, number in times.items() if number > 1)

    def others(self, things: Things) -> Things:
        """Return one thing for every other name in the scene."""
        names = {thing.name for thing in things}
        others = [thing for name, thing in reversed(self._by_name.items()) if name not in names]
        return tuple(others[:MOST_OTHERS])

    def namesakes(self, things: Things) -> tuple[str, ...]:
        """Return the names that other things of the scene also have, in the singular or the plural, because a question
        about a pillow would be ambiguous if there are other pillows."""
        return tuple(thing.name for thing in things if plain(thing.name) in self._shared)

    def descriptions(self, things: Things) -> tuple[str, ...]:
        """Return the descriptions of the things, starting with those that mention the most things."""
        written = self._scene.descriptions
        if len(written) == 1:  # the graph of a region and its only description
            return (written[0].text,)
        named: Counter[int] = Counter()
        for thing in things:
            if thing.id not in self._mentions:
                self._mentions[thing.id] = tuple(self._mentions_of(thing))
            named.update(self._mentions[thing.id])
        best = sorted(named, key=lambda place: (-named[place], place))
        return tuple(dict.fromkeys(written[place].text for place in best[:MOST_DESCRIPTIONS]))

    def _mentions_of(self, thing: Thing) -> Iterator[int]:
        """Yield the positions of the descriptions that mention the thing; the region must contain it if both boxes are
        known."""
        for place, text in enumerate(self._texts):
            box = self._scene.descriptions[place].box
            if f" {thing.name}" not in text:
                continue
            if box and thing.box:  # the centre of the thing must be in the region
                x, y = thing.box[0] + thing.box[2] / 2, thing.box[1] + thing.box[3] / 2
                if not (box[0] <= x <= box[0] + box[2] and box[1] <= y <= box[1] + box[3]):
                    continue
            yield place


_SHAPES: dict[GraphKind, str] = {
    "direct": "A→B: B depends on A",
    "chain": "A→B→C: C depends on B, and B on A",
    "confounding": "A→B, A→C, B→C: A also acts on C directly",
    "collision": "A→C←B: C depends on A and B",
}
"""The four kinds of causal graphs (CELLO 3.2) as arrows and in words."""
_DECISIONS: dict[Decision, str] = {
    "causal": "one object is the cause of the other",
    "none": "neither object is a cause",
    "ambiguous": "known relation, but the objects do not determine the cause",
    "unknown": "unknown relation",
}


def statistics_tables(found: MiningStatistics) -> Iterator[Grid]:
    """Return the statistics as tables."""
    crowded = f", {found.crowded:,} in crowded scenes" if found.crowded else ""
    left_out = f"{found.duplicates:,} duplicates, {found.namesakes:,} with two objects of the same name{crowded}"
    decided = f"{found.decided:.1%} of {several(found.relations, 'relation')} decided"
    tables: list[tuple[str, Mapping[Any, str], Mapping[Any, int]]] = [
        (f"Causal graphs: in {several(found.scenes, 'scene graph')}; left out: {left_out}", _SHAPES, found.graphs),
        ("Causal relations: by kind of cause", catalogue().kinds, found.relations_by_kind),
        (f"All relations: {decided} by the catalogue", _DECISIONS, found.decisions),
    ]
    for title, words, numbers in tables:
        total = sum(numbers.values()) or 1
        counted = ((name, meaning, numbers.get(name, 0)) for name, meaning in words.items())
        lines = (
            Line((TableCell(name, (meaning,)), TableCell(f"{number:,}"), TableCell(f"{number / total:.1%}")))
            for name, meaning, number in counted
        )
        yield Grid(title, ("", "number", "share"), tuple(lines))
