"""Compare the search for causal graphs by our joins with networkx's matcher and DuckDB's joins, on random scenes.

    python -m benchmarks.motifs [--graphs 100000] [--small 5000] [--large 1000000]

All methods run on the same scenes and must find the same graphs. Reading files is not included. The memory of each
search is the peak of a separate process.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from time import perf_counter

import numpy as np

from countersight.causal.mining import mine
from countersight.causal.motifs import EdgeTable, find_motifs
from countersight.causal.scene_graphs import read_scene_graphs

EDGES = 18
THINGS = 20
"""Edges and things of a scene: 100,000 scenes have 1.8 million causal edges."""
ROUNDS = 5

SHAPES = {
    "direct": [(0, 1)],
    "chain": [(0, 1), (1, 2)],
    "confounding": [(0, 1), (0, 2), (1, 2)],
    "collision": [(0, 2), (1, 2)],
}


def scenes(number: int, seed: int = 0, first: int = 0) -> EdgeTable:
    """Return random scenes with EDGES edges among THINGS things each, including parallel edges and cycles."""
    rng = np.random.default_rng((seed, first))
    scene = np.repeat(np.arange(first, first + number), EDGES)
    cause, effect = (scene * THINGS + rng.integers(0, THINGS, number * EDGES) for _ in range(2))
    return EdgeTable(scene, cause, effect)


def counted(table: EdgeTable) -> Counter[str]:
    """Return the number of causal graphs of each kind."""
    found: Counter[str] = Counter()
    for motifs in find_motifs(table):
        found[motifs.kind] += len(motifs)
    return found


def by_networkx(table: EdgeTable) -> Counter[str]:
    """Count the graphs with networkx's matcher, scene by scene; a graph found in two orders counts once."""
    import networkx as nx

    shapes = {kind: nx.DiGraph(edges) for kind, edges in SHAPES.items()}
    found: Counter[str] = Counter()
    pairs = np.stack((table.cause, table.effect), axis=1)
    for start in range(0, len(table), EDGES):
        scene = nx.DiGraph()
        scene.add_edges_from((a, b) for a, b in pairs[start : start + EDGES].tolist() if a != b)
        for kind, shape in shapes.items():
            matches = nx.algorithms.isomorphism.DiGraphMatcher(scene, shape).subgraph_isomorphisms_iter()
            found[kind] += len({frozenset(match) for match in matches})
    return found


_SQL = """
create temp table edges as select distinct a, b from given where a <> b;
create temp table single as
  select a, b from edges e where not exists (select 1 from edges r where r.a = e.b and r.b = e.a);
select 'direct', count(*) from single
union all select 'chain', count(*) from single p join single q on p.b = q.a
  where not exists (select 1 from edges e where e.a = p.a and e.b = q.b)
    and not exists (select 1 from edges e where e.a = q.b and e.b = p.a)
union all select 'confounding', count(*) from single p join single q on p.b = q.a
  join single r on r.a = p.a and r.b = q.b
union all select 'collision', count(*) from single p join single q on p.b = q.b and p.a < q.a
  where not exists (select 1 from edges e where e.a = p.a and e.b = q.a)
    and not exists (select 1 from edges e where e.a = q.a and e.b = p.a);
"""


def by_duckdb(table: EdgeTable) -> Counter[str]:
    """Count the graphs with joins in DuckDB."""
    import duckdb

    with duckdb.connect() as base:
        given = {"a": table.cause, "b": table.effect}
        base.register("given", given)
        return Counter(dict(base.execute(_SQL).fetchall()))


def measure(graphs: int = 100_000, small: int = 5_000, large: int = 1_000_000) -> dict[str, float]:
    """Return all figures of one run, by name."""
    few, many = scenes(small), scenes(graphs)
    ours_few, found = _best(lambda: counted(few), 25)  # so short that other load may distort many rounds
    figures = {f"seconds for {small:,} scenes": ours_few}
    if importlib.util.find_spec("networkx"):
        start = perf_counter()
        theirs = by_networkx(few)
        seconds = perf_counter() - start
        assert theirs == found, (theirs, found)
        figures[f"seconds for {small:,} scenes, networkx"] = seconds
        figures["speed against networkx"] = seconds / ours_few
    ours, found = _best(lambda: counted(many))
    figures[f"seconds for {graphs:,} scenes with {len(many):,} edges"] = ours
    if importlib.util.find_spec("duckdb"):
        seconds, theirs = _best(lambda: by_duckdb(many), 2)
        assert theirs == found, (theirs, found)
        figures[f"seconds for {graphs:,} scenes, DuckDB"] = seconds
        figures["speed against DuckDB"] = seconds / ours
    figures[f"MB for {graphs:,} scenes, including the table"] = _peak(graphs, graphs)[1]
    seconds, megabytes = _peak(large, 50_000)
    figures[f"seconds for {large:,} scenes, generated in parts"] = seconds
    figures[f"MB for {large:,} scenes, generated in parts"] = megabytes
    return figures | reading()


def reading(number: int = 3_000) -> dict[str, float]:
    """Measure how fast scene graphs of Visual Genome are read, compared with ijson, which only builds dictionaries."""
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "scene_graphs.json"
        path.write_text(json.dumps([_scene(image) for image in range(number)]), encoding="utf-8")
        megabytes = path.stat().st_size / 1e6
        seconds, _ = _best(lambda: sum(1 for _ in read_scene_graphs(path, print)), 3)
        figures = {"MB read a second, to scene graphs": megabytes / seconds}
        if importlib.util.find_spec("ijson"):
            import ijson

            def by_ijson() -> int:
                with open(path, "rb") as file:
                    return sum(1 for _ in ijson.items(file, "item"))

            seconds, _ = _best(by_ijson, 3)
            figures["MB read a second, ijson to dictionaries"] = megabytes / seconds
        seconds, _ = _best(lambda: sum(1 for _ in mine(path)), 3)
        figures["scenes a second, from the file to causal graphs"] = number / seconds
    return figures


def _scene(image: int) -> dict[str, object]:
    """Return a random scene with the average size of Visual Genome's scenes."""
    rng = Random(image)
    names = ["man", "woman", "shirt", "table", "chair", "building", "window", "tree", "cup", "plate", "dog", "car"]
    relations = ["on", "in", "wearing", "holding", "has", "near", "behind", "sitting on", "of", "with"]
    ids = range(100 * image, 100 * image + 35)
    objects = [
        {"object_id": thing, "names": [rng.choice(names)], "synsets": ["x.n.01"], "attributes": ["red"]}
        | {side: rng.randint(1, 300) for side in "xywh"}
        for thing in ids
    ]
    relationships = [
        {"predicate": rng.choice(relations), "subject_id": rng.choice(ids), "object_id": rng.choice(ids)}
        | {"relationship_id": number, "synsets": ["along.r.01"]}
        for number in range(21)
    ]
    return {"image_id": image, "objects": objects, "relationships": relationships}


def _best(job, rounds: int = ROUNDS):
    """Return the shortest of several times, since other load can only make a time longer, and the result."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        result = job()
        times.append(perf_counter() - start)
    return min(times), result


def _peak(number: int, at_once: int) -> tuple[float, float]:
    """Search `number` scenes, `at_once` at a time, in a separate process; return the seconds and peak memory in MB."""
    command = [sys.executable, "-m", "benchmarks.motifs", "--peak", str(number), str(at_once)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, kilobytes = done.stdout.split()
    return float(seconds), float(kilobytes) / 1024


def _search(number: int, at_once: int) -> None:
    start = perf_counter()
    for first in range(0, number, at_once):
        counted(scenes(min(at_once, number - first), first=first))
    seconds = perf_counter() - start
    # Not from `getrusage`, which includes the peak of the parent process.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    print(seconds, next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))


def main() -> None:
    """Print one figure per line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=100_000)
    parser.add_argument("--small", type=int, default=5_000)
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--peak", type=int, nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.peak:
        _search(*chosen.peak)
        return
    for name, value in measure(chosen.graphs, chosen.small, chosen.large).items():
        print(f"{name:<60} {value:10.3f}")
    print(f"on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
