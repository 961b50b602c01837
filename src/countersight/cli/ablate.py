"""`countersight ablate`: measures which part of a change the answer depends on."""

import argparse

from countersight.cli.parsing import Verbs, add_local, model_settings, shared, verb
from countersight.cli.terminal import STOPPED


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    ablate = verb(
        verbs,
        "ablate",
        _ablate,
        "leave out each part of a change to see which part the answer depends on",
        "countersight ablate cosim --model matcher:matchers/text -o parts",
        {
            "DATASET": "cases whose changes have several parts",
            "-o, --output DIR!": "the folder to write",
            "--model M!": "a model that ranks options; see: countersight list models",
        },
        shared("concurrency"),
    )
    add_local(ablate)


def _ablate(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.ablation import as_grid, by_kind, make_variants, read_effects, write_page
    from countersight.cli.run import ask
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
    if status == STOPPED:
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
