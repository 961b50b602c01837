"""`countersight blind`: measures how much of a dataset can be answered without the pictures."""

import argparse
import re
from typing import Final

from countersight.cli.parsing import Verbs, print_bad, verb

_OPTIONS: Final = {
    "DATASET": "a dataset folder",
    "--run RUN*": "also include a run made without the pictures (run --prompt text-only); may be given several times",
    "--blind MODEL*": "also run this model without the pictures; its replies are cached in DATASET.blind",
    "--graphs MINED": "derive common knowledge from this mined folder (default: the folder that contains DATASET, or "
    "its own graphs)",
}


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    summary, example = "measure what can be answered without the pictures", "countersight blind flowers"
    verb(verbs, "blind", _blind, summary, example, _OPTIONS)


def _blind(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.blindness import measure_dataset, render
    from countersight.dataset import Dataset
    from countersight.engine import RunFolder
    from countersight.verbs import run

    dataset = Dataset.open(chosen.dataset)
    runs = [RunFolder.open(folder) for folder in chosen.run]
    for model in chosen.blind:
        folder = dataset.path.parent / f"{dataset.path.name}.blind" / re.sub(r"[^\w.-]+", "-", model)
        runs.append(run(dataset, model, out=folder, prompt="text-only"))
    found = measure_dataset(dataset, print_bad, runs, chosen.graphs)
    render(found, Console())
    return 0
