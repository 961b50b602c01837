"""`countersight describe`: the statistics of a dataset."""

import argparse
import shlex
from typing import Final

from countersight.cli.parsing import Verbs, print_bad, verb

_OPTIONS: Final = {
    "DATASET": "a dataset folder",
    "--power SHARE": "print how many cases are needed to detect this difference; 0.03 means three points",
    "--all": "print every table, not only what fits on one screen",
    "-o, --output SVG": "also write a chart to this file",
}


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    example = "countersight describe flowers -o flowers.svg"
    verb(verbs, "describe", _describe, "print and plot the statistics of a dataset", example, _OPTIONS)


def _describe(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.authoring import read_funnel
    from countersight.blindness import measured
    from countersight.blindness import render as render_blind
    from countersight.case import TWO_WORLDS
    from countersight.dataset import Dataset
    from countersight.description import describe, render, write_svg

    dataset = Dataset.open(chosen.dataset)
    if chosen.power:
        return _print_power(chosen.power, dataset.count)
    statistics = describe((case for _, case in dataset.cases(print_bad)), read_funnel(dataset.path))
    if chosen.output:  # before anything is printed, because the reader of a pipe may leave early
        write_svg(statistics, chosen.output)
    console = Console()
    render(statistics, console, everything=chosen.all)
    found = measured(dataset)
    if chosen.all:
        render_blind(found, console)
    else:
        totals = [total for world in TWO_WORLDS if (total := found.total(world))]
        right = ", ".join(f"{total.world} {total.blind.right:.1%} right" for total in totals)
        print(f"Answered without the pictures: {right or 'unknown, because there are too few cases'}")
        print(f"More: countersight describe {shlex.quote(str(chosen.dataset))} --all")
    if chosen.output:
        print(f"Chart: {chosen.output}")
    return 0


def _print_power(difference: float, count: int) -> int:
    from countersight.scoring import DISCORDANT, cases_needed

    print(
        f"To detect a difference of {difference:.1%} between two models (power 80 %, significance level 5 %), you need"
    )
    for discordant in DISCORDANT:
        if discordant >= difference:
            print(f"  {cases_needed(difference, discordant):,} cases if they differ on {discordant:.0%} of them")
    print(f"This dataset has {count:,}.")
    return 0
