"""`countersight blind`: what a dataset gives away to somebody who does not look."""

import argparse
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
    blind.add_argument("-o", "--output", type=Path, metavar="SVG", help="also draw it into this file")


def _blind(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.blindness import measure_dataset, render, write_svg
    from countersight.dataset import Dataset
    from countersight.engine import RunFolder

    runs = [RunFolder.open(run) for run in chosen.run]
    found = measure_dataset(Dataset.open(chosen.dataset), print_bad, runs)
    if chosen.output:  # before anything is printed: the reader of a pipe may leave early
        write_svg(found, chosen.output)
    render(found, Console())
    if chosen.output:
        print(f"The same as a figure: {chosen.output}")
    return 0
