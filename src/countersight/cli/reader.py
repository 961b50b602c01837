"""`--reader MODEL`, of `report` and of `score`: a language model reads what the rules leave unread."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from countersight.html import Grid
    from countersight.reports import Rereading


def add_reader(parser: argparse.ArgumentParser, kept_in: str) -> None:
    """Add the option to a verb."""
    parser.add_argument(
        "--reader",
        metavar="MODEL",
        help="a language model that reads what the rules leave unread; its readings stand in a table of their own, "
        f"with how often it agrees with the rules, and are kept in {kept_in} so that nothing is asked twice",
    )


def second_reading(
    reader: str, runs: Sequence[Path], folder: Path, chosen: argparse.Namespace
) -> "tuple[int, Grid | None]":
    """Has a model read what the rules left unread: 0 and a table of what that changes, or 130 where it was stopped."""
    from countersight.cli.stopping import GOES_ON, STOPPED, stoppable
    from countersight.engine import Tally, showing
    from countersight.models import ModelSettings, open_model
    from countersight.reports import reread_async, rereading_grid, write_rereadings

    tally = Tally()
    seed = getattr(chosen, "seed", 0)
    model = open_model(reader, ModelSettings(seed=seed))

    async def work(stop: "asyncio.Event") -> "tuple[Rereading, ...] | None":
        found = await reread_async(
            runs, model, folder, dataset=chosen.dataset, gold=chosen.gold, seed=seed, tally=tally, stop=stop
        )
        return None if stop.is_set() else found

    with showing(model.name, tally, "readings"):
        found = stoppable(work, "readings")
    if found is None:
        print(GOES_ON, file=sys.stderr)
        return STOPPED, None
    print(f"What the second reader changes: {write_rereadings(found, folder)}")
    return 0, rereading_grid(found)
