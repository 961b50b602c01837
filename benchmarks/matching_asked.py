"""Measure how many cases per second a matcher answers with ONNX on this machine's CPU, one case at a time.

    taskset -c 0,1 python -m benchmarks.matching_asked [--seconds 10] [--sizes paper,small,minilm]

A case has four responses of 74 tokens each (the mean of CoSIm) and 36 regions of 2,048 numbers; weights are random.
Also reports cases per two seconds of CPU time: the rate of two cores with no other load.
"""

import argparse
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import msgspec
import numpy as np
import torch

from countersight.models import open_graph
from countersight.models.matcher import GRAPH
from countersight.training import SIZES, Plan
from countersight.training.batches import sequences_for
from countersight.training.network import build, export

TOKENS, REGIONS, NUMBERS, VOCABULARY, RESPONSES = 74, 36, 2048, 8000, 4
PLANS: dict[str, dict[str, Any]] = {
    "paper": {"inputs": "full", "features": "regions"},
    "small": {"inputs": "full", "features": "regions", **SIZES["small"]},
    "minilm": {"inputs": "text", "hidden": 384, "heads": 12, "text_layers": 6},
    "mpnet": {"inputs": "text", "text_layers": 12},
}


def case() -> dict[str, Any]:
    """Return the model inputs of one case."""
    chance = np.random.default_rng(0)
    return {
        "tokens": chance.integers(5, VOCABULARY, (RESPONSES, TOKENS)),
        "real": np.ones((RESPONSES, TOKENS), np.int64),
        "features": chance.random((1, REGIONS, NUMBERS), np.float32),
        "boxes": chance.random((1, REGIONS, 4), np.float32),
        "there": np.ones((1, REGIONS), np.int64),
        "shown": np.zeros(RESPONSES, np.int64),
    }


def measure(plan: Plan, seconds: float) -> tuple[float, float]:
    """Return the cases per second of wall-clock time, and per two seconds of CPU time."""
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as made:
        region = NUMBERS if plan.inputs == "full" else 0
        export(build(plan, VOCABULARY, 0, region), sequences_for("", []), plan, Path(made), "files", region)
        graph = open_graph(Path(made) / GRAPH)
    wanted = {one.name for one in graph.get_inputs()}
    given = {name: value for name, value in case().items() if name in wanted}
    graph.run(["scores"], given)
    clock, busy, done = perf_counter(), process_time(), 0
    while perf_counter() - clock < seconds:
        graph.run(["scores"], given)
        done += 1
    return done / (perf_counter() - clock), 2 * done / (process_time() - busy)


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--sizes", default="paper,small,minilm")
    chosen = parser.parse_args(arguments)
    for size in chosen.sizes.split(","):
        clock, busy = measure(msgspec.convert(PLANS[size], Plan), chosen.seconds)
        print(f"{size:<8}  {clock:8.1f} cases a second, {busy:8.1f} in two CPU seconds", flush=True)


if __name__ == "__main__":
    main()
