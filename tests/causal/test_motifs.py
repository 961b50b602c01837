"""Causal graphs in a table of edges: the same, one for one, as trying every two and three things."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from countersight.causal import motifs
from countersight.causal.motifs import EdgeTable, find_motifs

SHAPES = {
    "direct": {(0, 1)},
    "chain": {(0, 1), (1, 2)},
    "confounding": {(0, 1), (0, 2), (1, 2)},
    "collision": {(0, 2), (1, 2)},
}


def table(*scenes):
    """A table of scenes, each a list of pairs of things counted from 0 in every scene."""
    rows, first = [], 0
    for scene, edges in enumerate(scenes):
        rows += [(scene, first + cause, first + effect) for cause, effect in edges]
        first += max((thing for edge in edges for thing in edge), default=-1) + 1
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    return EdgeTable(*(np.ascontiguousarray(column) for column in columns))


def found(given):
    """Every causal graph that was found, as its kind and its things, with the rows of its edges."""
    graphs = []
    for some in find_motifs(given):
        for things, edges in zip(some.things(given).tolist(), some.edges.tolist(), strict=True):
            if some.kind == "collision":
                things = [*sorted(things[:2]), things[2]]
            graphs.append((some.kind, tuple(things), tuple(edges)))
    return graphs


def by_trying(given):
    """The same by trying every two and three things of a scene in every order."""
    graphs = set()
    for scene in sorted(set(given.scene.tolist())):
        pairs = {
            (int(cause), int(effect))
            for number, cause, effect in zip(given.scene, given.cause, given.effect, strict=True)
            if number == scene and cause != effect
        }
        things = sorted({thing for pair in pairs for thing in pair})
        for kind, shape in SHAPES.items():
            for chosen in permutations(things, 2 if kind == "direct" else 3):
                among = {(cause, effect) for cause, effect in pairs if cause in chosen and effect in chosen}
                if among == {(chosen[cause], chosen[effect]) for cause, effect in shape}:
                    ordered = (*sorted(chosen[:2]), chosen[2]) if kind == "collision" else chosen
                    graphs.add((kind, ordered))
    return graphs


edges = st.tuples(st.integers(0, 6), st.integers(0, 6))
scenes = st.lists(st.lists(edges, min_size=1, max_size=16), max_size=6)


@given(scenes)
@settings(max_examples=120)
def test_what_is_found_is_what_trying_everything_finds_each_once(drawn):
    given = table(*drawn)
    graphs = found(given)
    named = [(kind, things) for kind, things, _ in graphs]
    assert len(named) == len(set(named))
    assert set(named) == by_trying(given)


@given(scenes)
@settings(max_examples=40)
def test_every_edge_of_a_causal_graph_runs_between_its_things(drawn):
    given = table(*drawn)
    for kind, things, rows in found(given):
        pairs = [(int(given.cause[row]), int(given.effect[row])) for row in rows]
        letters = [things, (things[1], things[0], *things[2:])] if kind == "collision" else [things]
        expected = [sorted((order[cause], order[effect]) for cause, effect in SHAPES[kind]) for order in letters]
        assert sorted(pairs) in expected
        for row, pair in zip(rows, pairs, strict=True):  # the first of parallel edges stands for all
            earlier = zip(given.cause[:row].tolist(), given.effect[:row].tolist(), strict=True)
            assert pair not in list(earlier)


@pytest.mark.parametrize(("cells", "pairs"), [(1, 1), (40, 3), (200, 1 << 20)])
@given(drawn=scenes)
@settings(max_examples=25)
def test_how_much_is_looked_at_together_changes_nothing(cells, pairs, drawn):
    given = table(*drawn)
    before = motifs.CELLS, motifs.MAX_PAIRS
    whole = sorted(found(given))
    try:
        motifs.CELLS, motifs.MAX_PAIRS = cells, pairs
        assert sorted(found(given)) == whole
    finally:
        motifs.CELLS, motifs.MAX_PAIRS = before


def test_a_thing_that_depends_on_a_thousand_others_is_one_collision_for_every_two():
    hub = table([(thing, 1500) for thing in range(1500)])
    counted = Counter()
    for some in find_motifs(hub):
        counted[some.kind] += len(some)
    assert +counted == {"direct": 1500, "collision": 1500 * 1499 // 2}
