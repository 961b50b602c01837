"""`countersight describe`, `blind` and `ablate`: print statistics of a dataset and find what its answers depend on."""

import argparse
import re
import shlex
from typing import Final

from countersight.cli.parsing import Verbs, add_local, model_settings, print_bad, shared_options, verb
from countersight.cli.terminal import EXIT_STOPPED

_DESCRIBE: Final = {
    "DATASET": "a dataset folder",
    "--all": "print every table, not only what fits on one screen",
}
_BLIND: Final = {
    "DATASET": "a dataset folder",
    "--run RUN*": "also include a run made without the pictures (run --prompt text-only); may be given several times",
    "--blind MODEL*": "also run this model without the pictures; its replies are cached in DATASET.blind",
    "--graphs MINED": "take common knowledge from this mined folder (default: the folder that contains DATASET, or "
    "its own graphs)",
}
_ABLATE: Final = {
    "DATASET": "a dataset with changes of several parts",
    "-o, --output DIR!": "the folder to write",
    "--model M!": "a model that ranks options; see: countersight list models",
}


def add(verbs: Verbs) -> None:
    """Add the commands of this module to the parser."""
    example = "countersight describe flowers --all"
    verb(verbs, "describe", _describe, "print the statistics of a dataset", example, _DESCRIBE)
    summary, example = "measure what can be answered without the pictures", "countersight blind flowers"
    verb(verbs, "blind", _blind, summary, example, _BLIND)
    summary = "leave out each part of a change to see which part the answer depends on"
    example = "countersight ablate cosim --model matcher:matchers/text -o parts"
    add_local(verb(verbs, "ablate", _ablate, summary, example, _ABLATE, shared_options("concurrency")))


def _describe(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.authoring import read_funnel
    from countersight.blindness import load_or_measure
    from countersight.blindness import render as render_blind
    from countersight.case import TWO_WORLDS
    from countersight.dataset import Dataset
    from countersight.description import describe, render

    dataset = Dataset.open(chosen.dataset)
    statistics = describe((case for _, case in dataset.cases(print_bad)), read_funnel(dataset.path))
    console = Console()
    render(statistics, console, everything=chosen.all)
    found = load_or_measure(dataset)
    if chosen.all:
        render_blind(found, console)
    else:
        totals = [total for world in TWO_WORLDS if (total := found.total(world))]
        right = ", ".join(f"{total.world} {total.blind.right:.1%} right" for total in totals)
        print(f"Answered without the pictures: {right or 'unknown, because there are too few cases'}")
        print(f"More: countersight describe {shlex.quote(str(chosen.dataset))} --all")
    return 0


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


def _ablate(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.ablation import as_grid, by_kind, make_variants, read_effects, write_page
    from countersight.cli.terminal import ask
    from countersight.dataset import Dataset
    from countersight.engine import RetryPolicy, RunFolder, RunOptions, find_prompt
    from countersight.errors import CountersightError
    from countersight.html import print_grids
    from countersight.models import open_model

    variants, run = chosen.output / "variants", chosen.output / "run"
    if not variants.exists():
        make_variants(Dataset.open(chosen.dataset), variants)
    model = open_model(chosen.model, model_settings(chosen))
    options = RunOptions(find_prompt("0-shot"), answering="rank")
    status = ask(Dataset.open(variants), run, model, options, RetryPolicy(chosen.concurrency))
    if status == EXIT_STOPPED:
        return status
    cases = read_effects(RunFolder.open(run), Dataset.open(variants))
    if not cases:
        raise CountersightError(
            f"no case of {variants} has all its answers, so there is nothing to score; see the reasons in {run}"
        )
    kinds = by_kind(cases)
    page = write_page(chosen.output / "index.html", chosen.model, kinds, cases)
    print_grids([as_grid(kinds)], Console())
    print(page)
    return 0
