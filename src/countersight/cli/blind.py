"""`countersight blind`: measures how much of a dataset can be answered without the pictures."""

import argparse
import re
from pathlib import Path

from countersight.cli.parsing import Verbs, print_bad, verb


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    blind = verb(
        verbs,
        "blind",
        _blind,
        "measure what can be answered without the pictures",
        "countersight blind flowers -o blind.svg",
    )
    blind.add_argument("dataset", type=Path, metavar="DATASET")
    blind.add_argument(
        "--run",
        type=Path,
        action="append",
        default=[],
        metavar="RUN",
        help="also include a run made without the pictures (run --prompt text-only); may be given several times",
    )
    blind.add_argument(
        "--blind",
        action="append",
        default=[],
        metavar="MODEL",
        help="also run this model without the pictures; its replies are cached in DATASET.blind",
    )
    blind.add_argument(
        "--graphs",
        type=Path,
        metavar="MINED",
        help="derive common knowledge from this mined folder (default: the folder that contains DATASET, or its "
        "own graphs)",
    )
    blind.add_argument("-o", "--output", type=Path, metavar="SVG", help="also write a chart to this file")


def _asked(dataset: Path, model: str) -> Path:
    """Run a model without the pictures, into a folder next to the dataset."""
    from countersight.verbs import run

    folder = dataset.parent / f"{dataset.name}.blind" / re.sub(r"[^\w.-]+", "-", model)
    run(dataset, model, out=folder, prompt="text-only")
    return folder


def _blind(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.blindness import measure_dataset, render, write_svg
    from countersight.dataset import Dataset
    from countersight.engine import RunFolder

    dataset = Dataset.open(chosen.dataset)
    runs = [RunFolder.open(run) for run in (*chosen.run, *(_asked(dataset.path, model) for model in chosen.blind))]
    found = measure_dataset(dataset, print_bad, runs, chosen.graphs)
    if chosen.output:  # before anything is printed, because the reader of a pipe may leave early
        write_svg(found, chosen.output)
    render(found, Console())
    if chosen.output:
        print(f"Chart: {chosen.output}")
    return 0
