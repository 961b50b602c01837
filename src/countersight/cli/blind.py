"""`countersight blind`: what a dataset gives away to somebody who does not look."""

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
        "measure what is answered without the pictures",
        "countersight blind flowers -o blind.svg",
    )
    blind.add_argument("dataset", type=Path, metavar="DATASET")
    blind.add_argument(
        "--run",
        type=Path,
        action="append",
        default=[],
        metavar="RUN",
        help="also a model that was asked without the pictures (run --prompt text-only); may be given again",
    )
    blind.add_argument(
        "--blind",
        action="append",
        default=[],
        metavar="MODEL",
        help="also ask this model now, without the pictures; replies are kept in DATASET.blind and not asked for twice",
    )
    blind.add_argument(
        "--graphs",
        type=Path,
        metavar="MINED",
        help="count common knowledge in this mined folder (default: the one that DATASET lies in, or its own graphs)",
    )
    blind.add_argument("-o", "--output", type=Path, metavar="SVG", help="also draw it into this file")


def _asked(dataset: Path, model: str) -> Path:
    """Ask a model without the pictures, beside the dataset."""
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
    if chosen.output:  # before anything is printed: the reader of a pipe may leave early
        write_svg(found, chosen.output)
    render(found, Console())
    if chosen.output:
        print(f"The same as a figure: {chosen.output}")
    return 0
