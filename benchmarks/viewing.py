"""Measure how long `countersight view` takes for a run with many cases.

`python -m benchmarks.viewing [CASES]`. The seconds are processor time, so that other load does not matter.
"""

import asyncio
import sys
import tempfile
from pathlib import Path
from time import process_time

from aiohttp.test_utils import TestClient, TestServer

import countersight as cs
from countersight.case import Case, Question, Reply
from countersight.dataset import Dataset, DatasetWriter
from countersight.engine import RunFolder, find_prompt
from countersight.view import application


def measure(cases: int = 50_000) -> dict[str, float]:
    """Return all figures of one run, by name."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        _run(folder, cases)
        return asyncio.run(_visit(folder / "runs", cases))


def _run(folder: Path, cases: int) -> None:
    with DatasetWriter(folder / "cases", name="many", description="", license="CC0-1.0", provenance={}) as writer:
        for number in range(cases):
            fact = Question(f"How many dots are in part {number}?", str(number % 10), "number")
            told = Question(f"How many dots would be in part {number} if one left?", str(number % 9), "number")
            writer.add(Case(f"case-{number}", group=f"group {number % 6}", factual=fact, counterfactual=told))
    dataset = Dataset.open(folder / "cases")
    prompt = find_prompt("text-only")
    begun = RunFolder.begin(folder / "runs/one", dataset=dataset, model="m", settings={}, prompt=prompt, shown=False)
    with begun.writing() as journal:
        for row, case in dataset.cases():
            for world in ("factual", "counterfactual"):
                journal.append(Reply(case.id, row, world, text=str(row % 7)))


async def _visit(runs: Path, cases: int) -> dict[str, float]:
    found = {}

    async def visit(name: str, address: str) -> str:
        begun = process_time()
        body = await (await client.get(address)).text()
        found[f"seconds for {name}"] = process_time() - begun
        return body

    async with TestClient(TestServer(application([runs]))) as client:
        page = f"/run/{_keys(await visit(f'the list of runs, first, {cases:,} cases', '/'))[0]}"
        await visit("the list again", "/")
        size = len(await visit("the page of the run, first", page))
        await visit("the same again", page)
        await visit("500 cases from the middle", f"{page}?from={cases // 2}")
        await visit("whether there is something new", f"/state?page={page[1:]}")
    return {**found, "kilobytes of the page of the run": size / 1000}


def _keys(page: str) -> list[str]:
    """Return the keys of the runs on the list."""
    return [part.partition('"')[0] for part in page.split('href="/run/')[1:]]


def main() -> None:
    """Print one figure per line."""
    print(f"Countersight {cs.__version__}")
    for name, value in measure(*map(int, sys.argv[1:2])).items():
        print(f"{name:<60} {value:10.3f}")


if __name__ == "__main__":
    main()
