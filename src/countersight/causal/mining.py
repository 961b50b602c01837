"""Scene graphs become causal graphs: relations are looked up in the catalogue, causal graphs found among the causes."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
import numpy as np

from countersight.causal.catalogue import Catalogue, Decision, catalogue, said
from countersight.causal.graph import CausalEdge, CausalGraph, GraphKind, Thing
from countersight.causal.motifs import EdgeTable, find_motifs
from countersight.causal.scene import Malformed, SceneGraph
from countersight.causal.scene_graphs import read_scene_graphs

KINDS: tuple[GraphKind, ...] = ("direct", "chain", "confounding", "collision")
MOST_DESCRIPTIONS = 8
"""Of those that speak of the things of a graph; Visual Genome has fifty a picture."""
MOST_OTHERS = 50
_EDGES_AT_ONCE = 1 << 14


class Statistics(msgspec.Struct, frozen=True):
    """What was read and what was found."""

    scenes: int
    things: int
    relations: int
    malformed: int
    decisions: dict[Decision, int]
    """How many relations the catalogue found causal, found not to be, or could not decide."""
    relations_by_kind: dict[str, int]
    """How many causal relations of each kind."""
    graphs: dict[GraphKind, int]
    duplicates: int
    """Causal graphs left out because the picture has one with the same names and relations."""
    namesakes: int
    """Causal graphs left out because two of their things have the same name: no question could tell them apart."""
    unknown: tuple[tuple[str, int], ...]
    """The relations that the catalogue does not know, the most frequent first."""

    @property
    def decided(self) -> float:
        """The share of relations that the catalogue decides."""
        decided = self.decisions.get("causal", 0) + self.decisions.get("none", 0)
        return decided / self.relations if self.relations else 0.0


class Tally:
    """Counts, while scene graphs stream by."""

    def __init__(self) -> None:
        self.scenes = self.things = self.relations = self.malformed = self.duplicates = self.namesakes = 0
        self.decisions: Counter[Decision] = Counter()
        self.kinds: Counter[str] = Counter()
        self.graphs: Counter[GraphKind] = Counter()
        self.unknown: Counter[str] = Counter()

    def statistics(self, most: int = 50) -> Statistics:
        """What was counted so far."""
        return Statistics(
            scenes=self.scenes,
            things=self.things,
            relations=self.relations,
            malformed=self.malformed,
            decisions=dict(self.decisions.most_common()),
            relations_by_kind=dict(self.kinds.most_common()),
            graphs={kind: self.graphs[kind] for kind in KINDS},
            duplicates=self.duplicates,
            namesakes=self.namesakes,
            unknown=tuple(self.unknown.most_common(most)),
        )


def mine(
    source: Path,
    *,
    tally: Tally | None = None,
    on_malformed: Callable[[Malformed], None] | None = None,
    on_read: Callable[[int], None] | None = None,
) -> Iterator[CausalGraph]:
    """The causal graphs in the scene graphs at a path: a file of any known layout, or a folder of them.

    What cannot be read is told to `on_malformed` and left out; `on_read` is told how many bytes were read so far.
    """
    tally = tally or Tally()

    def malformed(what: Malformed) -> None:
        tally.malformed += 1
        if on_malformed:
            on_malformed(what)

    yield from mine_scenes(read_scene_graphs(source, malformed, on_read), tally)


def mine_scenes(
    scenes: Iterable[SceneGraph], tally: Tally | None = None, known: Catalogue | None = None
) -> Iterator[CausalGraph]:
    """The causal graphs in scene graphs, scene by scene; those of one picture stand together."""
    tally, known = tally or Tally(), known or catalogue()
    batch = _Batch()
    for scene in scenes:
        # Graphs with the same names are told once a picture, so a picture is never cut in two.
        if len(batch.edges) >= _EDGES_AT_ONCE and scene.image != batch.scenes[-1].image:
            yield from _mined(batch, tally)
            batch = _Batch()
        batch.add(scene, known, tally)
    yield from _mined(batch, tally)


class _Batch:
    """Scenes with the causal edges among their things."""

    def __init__(self) -> None:
        self.scenes: list[SceneGraph] = []
        self.things: list[Thing] = []
        self.scene_of: list[int] = []
        self.edges: list[tuple[int, int, CausalEdge]] = []

    def add(self, scene: SceneGraph, known: Catalogue, tally: Tally) -> None:
        place = {thing.id: number for number, thing in enumerate(scene.things, start=len(self.things))}
        names = {thing.id: thing.name for thing in scene.things}
        for relation in scene.relations:
            subject, object = relation.subject, relation.object
            verdict = known.decide(names[subject], relation.relation, names[object])
            tally.decisions[verdict.decision] += 1
            if verdict.decision == "unknown" and len(tally.unknown) < 100_000:
                tally.unknown[said(relation.relation)] += 1
            if verdict.cause is None:
                continue
            tally.kinds[verdict.kind] += 1
            cause, effect = (subject, object) if verdict.cause == "subject" else (object, subject)
            edge = CausalEdge(cause, effect, said(relation.relation), subject, object, verdict.kind)
            self.edges.append((place[cause], place[effect], edge))
        tally.scenes += 1
        tally.things += len(scene.things)
        tally.relations += len(scene.relations)
        self.scene_of += [len(self.scenes)] * len(scene.things)
        self.scenes.append(scene)
        self.things += scene.things


def _mined(batch: _Batch, tally: Tally) -> Iterator[CausalGraph]:
    scene_of = np.array(batch.scene_of, np.int64)
    ends = np.array([edge[:2] for edge in batch.edges], np.int64).reshape(-1, 2)
    table = EdgeTable(scene_of[ends[:, 0]], ends[:, 0], ends[:, 1])
    found: list[tuple[int, int, list[int], list[int]]] = []
    for motifs in find_motifs(table):
        things = motifs.things(table)
        kind = KINDS.index(motifs.kind)
        scenes = scene_of[things[:, 0]].tolist()
        found += zip(scenes, [kind] * len(scenes), things.tolist(), motifs.edges.tolist(), strict=True)
    found.sort()
    told: set[tuple[object, ...]] = set()
    mentioned = _Mentions()
    for scene_number, kind_number, things, edges in found:
        scene, kind = batch.scenes[scene_number], KINDS[kind_number]
        members = tuple(batch.things[thing] for thing in things)
        causes = tuple(batch.edges[edge][2] for edge in edges)
        names = tuple(thing.name for thing in members)
        if len(set(names)) < len(names):
            tally.namesakes += 1
            continue
        key = _key(scene, kind, names, causes)
        if key in told:
            tally.duplicates += 1
            continue
        told.add(key)
        tally.graphs[kind] += 1
        yield CausalGraph(
            kind=kind,
            things=members,
            edges=causes,
            scene=scene.id,
            image=scene.image,
            descriptions=mentioned.descriptions(scene, members),
            others=_others(scene, members),
        )


def _key(scene: SceneGraph, kind: GraphKind, names: tuple[str, ...], edges: tuple[CausalEdge, ...]) -> tuple[object, ...]:
    """What makes a causal graph of a picture the same as another: its causes in a collision have no order."""
    pairs = [(name, edge.relation) for name, edge in zip(names, edges, strict=False)] if kind == "collision" else []
    ordered = (*sorted(pairs), names[-1]) if pairs else (*names, *(edge.relation for edge in edges))
    return (scene.image or scene.id, kind, *ordered)


def _others(scene: SceneGraph, members: tuple[Thing, ...]) -> tuple[Thing, ...]:
    """One thing of every other name in the picture."""
    names = {thing.name for thing in members}
    others: dict[str, Thing] = {}
    for thing in (*scene.things, *scene.elsewhere):
        if thing.name not in names:
            others.setdefault(thing.name, thing)
    return tuple(others.values())[:MOST_OTHERS]


class _Mentions:
    """Which descriptions of a scene speak of which things; looked up once a scene and thing."""

    def __init__(self) -> None:
        self._scene: SceneGraph | None = None
        self._padded: list[str] = []
        self._places: dict[str, frozenset[int]] = {}

    def descriptions(self, scene: SceneGraph, members: tuple[Thing, ...]) -> tuple[str, ...]:
        """What was written about these things, what names most of them first."""
        if scene is not self._scene:
            self._scene, self._places = scene, {}
            self._padded = [f" {description.text.lower()} " for description in scene.descriptions]
        if len(scene.descriptions) == 1:  # the graph of a region, and what was written about it
            return (scene.descriptions[0].text,)
        named: Counter[int] = Counter()
        for thing in members:
            if thing.id not in self._places:
                self._places[thing.id] = frozenset(self._speaking(scene, thing))
            named.update(self._places[thing.id])
        best = sorted(named, key=lambda place: (-named[place], place))
        return tuple(dict.fromkeys(scene.descriptions[place].text for place in best[:MOST_DESCRIPTIONS]))

    def _speaking(self, scene: SceneGraph, thing: Thing) -> Iterator[int]:
        """Descriptions that name the thing, of regions that it lies in where both are known."""
        for place, text in enumerate(self._padded):
            if f" {thing.name}" not in text:
                continue
            box = scene.descriptions[place].box
            if box is None or thing.box is None or _is_inside(thing.box, box):
                yield place


def _is_inside(inner: tuple[int, int, int, int], outer: tuple[int, int, int, int]) -> bool:
    """Whether the middle of a box lies in another."""
    left, top, width, height = outer
    x, y = inner[0] + inner[2] / 2, inner[1] + inner[3] / 2
    return left <= x <= left + width and top <= y <= top + height
