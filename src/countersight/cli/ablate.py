"""`countersight ablate`: which part of a change mattered."""

import argparse
from pathlib import Path

from countersight.cli.parsing import Verbs, add_local, positive, verb


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    ablate = verb(
        verbs,
        "ablate",
        _ablate,
        "leave each part of a change out, and see which carries the answer",
        "countersight ablate cosim --model matcher:matchers/text -o parts",
    )
    ablate.add_argument("dataset", type=Path, metavar="DATASET")
    ablate.add_argument(
        "--model", required=True, metavar="M", help="one that ranks options; see: countersight list models"
    )
    ablate.add_argument(
        "--concurrency", type=positive, default=64, metavar="N", help="most questions under way (default: 64)"
    )
    ablate.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="the folder to fill")
    add_local(ablate)


def _ablate(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.ablation import as_grid, by_kind, make_variants, read_effects, write_page
    from countersight.cli.run import ask
    from countersight.cli.stopping import STOPPED
    from countersight.dataset import Dataset
    from countersight.engine import RetryPolicy, RunFolder, RunOptions, find_prompt
    from countersight.errors import CountersightError
    from countersight.html import print_grids
    from countersight.models import ModelSettings, open_model

    variants, run = chosen.output / "variants", chosen.output / "run"
    if not variants.exists():
        make_variants(Dataset.open(chosen.dataset), variants)
    settings = ModelSettings(
        device=chosen.device, dtype=chosen.dtype, device_map=chosen.device_map, batch=chosen.batch_size
    )
    model = open_model(chosen.model, settings)
    way = RunOptions(find_prompt("0-shot"), answering="rank")
    status = ask(variants, run, model, way, retry=RetryPolicy(concurrency=chosen.concurrency))
    if status == STOPPED:
        return status
    cases = read_effects(RunFolder.open(run), Dataset.open(variants))
    if not cases:
        raise CountersightError(f"no case of {variants} has all its answers; the reasons are in {run}")
    kinds = by_kind(cases)
    page = write_page(chosen.output / "index.html", chosen.model, kinds, cases)
    print_grids([as_grid(kinds)], Console())
    print(page)
    return 0
