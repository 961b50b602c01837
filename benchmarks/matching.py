"""Compare the training speed of a matcher of the paper's size: the authors' published loop and ours, on one GPU.

    python -m benchmarks.matching [--cases 2000] [--seconds 20]

Both train the same network (hidden 768, 9 + 5 + 5 layers, 36 regions of 2,048 numbers) on the same synthetic
cases, with texts about as long as CoSIm's. Figures are complete cases per second, including reading.

- published: batch 2, 32 bits, the four responses in four passes, features decoded from LXMERT's TSV in every epoch
- ours: bfloat16, four responses in one pass, batches of similar lengths, memory-mapped features
"""

import argparse
import base64
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from time import perf_counter

import msgspec
import numpy as np
import torch
from torch.nn import functional

from countersight.models import Parts
from countersight.models.matcher import FILES, Listed, Regions, View, write_regions
from countersight.training import Example, TrainingPlan, read_tsv
from countersight.training.loop import Trainer, TrainingBatches, sequences_for
from countersight.training.network import build

REGIONS, NUMBERS = 36, 2048
WORDS = [f"w{number}" for number in range(4000)]
LENGTHS = ((6, 14), (8, 25), (10, 30), (8, 25))
"""Fewest and most words of a question, first response, change and new response, about as in CoSIm."""


def examples(count: int) -> list[Example]:
    """Return synthetic cases with four responses each; every case has its own picture."""
    chance = Random(0)

    def text(part: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(*LENGTHS[part])))

    return [
        Example(f"case-{n}", f"{n:06d}", Parts(*map(text, range(3))), tuple(text(3) for _ in range(4)), n % 4)
        for n in range(count)
    ]


def pictures(count: int) -> Iterator[tuple[str, View]]:
    """Yield random regions for each picture."""
    chance = np.random.default_rng(0)
    for number in range(count):
        features, boxes = chance.random((REGIONS, NUMBERS), np.float32), chance.random((REGIONS, 4), np.float32)
        yield f"{number:06d}", View(features, boxes)


def write_tsv(path: Path, rows: Iterator[tuple[str, View]]) -> None:
    """Write regions in the format of LXMERT's authors; unused columns are zero."""
    with open(path, "w", encoding="utf-8") as file:
        for name, view in rows:
            boxes = (view.boxes * np.array([640, 480, 640, 480])).astype(np.float32)
            arrays = (np.zeros(REGIONS, np.int64),) * 4 + (boxes, view.features)
            coded = [base64.b64encode(array.tobytes()).decode() for array in arrays]
            file.write("\t".join([name, "480", "640", *coded[:4], str(REGIONS), *coded[4:]]) + "\n")


def trainer(plan: TrainingPlan, cases: list[Example], views: object, folder: Path, device: torch.device) -> Trainer:
    """Return a trainer with a new network."""
    torch.manual_seed(1)
    sequences = sequences_for("", cases)
    network = build(plan, sequences.size, sequences.pad, NUMBERS)
    return Trainer(plan, network.train(), TrainingBatches(sequences, plan, views), folder, device)  # type: ignore[arg-type]


def published_steps(
    cases: list[Example], tsv: Path, folder: Path, plan: TrainingPlan, device: torch.device
) -> Iterator[int]:
    """Run the published loop for ever, yielding the cases of each step: two cases, four passes, one update."""
    learning = trainer(plan, cases, {}, folder, device)
    by_picture = {one.picture: one for one in cases}
    while True:
        for two in _in_twos(read_tsv(tsv)):
            learning._batches._views = dict(two)
            part = [by_picture[name] for name, _ in two]
            passes = []
            for place in range(4):
                alone = [only(one, place) for one in part]
                passes.append(learning.network(**learning._to_device(learning._batches._tensors(alone))))
            right = torch.tensor([one.right for one in part], device=device)
            loss = functional.cross_entropy(torch.stack(passes, 1).float(), right)
            learning._optimizer.zero_grad(set_to_none=True)
            loss.backward()
            learning._optimizer.step()
            yield len(part)


def only(example: Example, place: int) -> Example:
    """Return the example with only one of its responses."""
    return msgspec.structs.replace(example, key=f"{example.key}/{place}", options=(example.options[place],))


def _in_twos(rows: Iterator[tuple[str, View]]) -> Iterator[list[tuple[str, View]]]:
    while two := list(islice(rows, 2)):
        yield two


def our_steps(
    cases: list[Example], regions: Regions, folder: Path, plan: TrainingPlan, device: torch.device
) -> Iterator[int]:
    """Run our loop, yielding the number of cases of each step."""
    learning = trainer(plan, cases, regions, folder, device)
    for epoch in range(1_000_000):
        for batch in learning._batches.shuffled(cases, plan.batch, str(epoch)):
            learning._step(batch)
            yield len(batch[0])


def cases_a_second(steps: Iterator[int], warm: int, seconds: float, wait: Callable[[], None]) -> float:
    """Return the cases per second, after `warm` steps of warm-up."""
    for _ in islice(steps, warm):
        pass
    wait()
    start, done = perf_counter(), 0
    for count in steps:
        done += count
        if perf_counter() - start > seconds:
            break
    wait()
    return done / (perf_counter() - start)


def measure(count: int, seconds: float, batches: tuple[int, ...], hidden: int = 768) -> dict[str, float]:
    """Return the cases per second of both loops, and how many times faster ours is."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    plan = TrainingPlan(inputs="full", features="regions", hidden=hidden)
    cases = examples(count)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_tsv(folder / "regions.tsv", pictures(count))
        rows = ((Listed(name), view) for name, view in pictures(count))
        regions = write_regions(folder / "regions", FILES, rows, count=count, most=REGIONS)
        theirs = published_steps(cases, folder / "regions.tsv", folder, plan, device)
        found = {"published": cases_a_second(theirs, 3, seconds, wait)}
        for batch in batches:
            ours = our_steps(cases, regions, folder, msgspec.structs.replace(plan, batch=batch), device)
            found[f"ours, batch {batch}"] = cases_a_second(ours, 5, seconds, wait)
    best = max(value for name, value in found.items() if name != "published")
    return {**found, "times as fast": best / found["published"]}


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each loop, after warming up")
    parser.add_argument("--batches", default="16,32,64")
    parser.add_argument("--hidden", type=int, default=768)
    chosen = parser.parse_args(arguments)
    batches = tuple(map(int, chosen.batches.split(",")))
    for name, value in measure(chosen.cases, chosen.seconds, batches, chosen.hidden).items():
        print(f"{name:<30} {value:10.2f}", flush=True)


if __name__ == "__main__":
    main()
