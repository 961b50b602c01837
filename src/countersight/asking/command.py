"""A run as the command line does it: resumable, with progress, and Ctrl-C that loses nothing."""

import asyncio
import signal
import sys
from pathlib import Path

from countersight.asking.display import showing
from countersight.asking.engine import Engine, Patience, as_ranker
from countersight.asking.folder import Answering, RunFolder
from countersight.asking.prompts import find_prompt
from countersight.asking.tally import Tally
from countersight.dataset import Dataset, DatasetError
from countersight.models import Model, ModelSettings, open_model


def ask_dataset(
    dataset: Path,
    output: Path,
    *,
    model: str,
    prompt: str,
    shown: bool,
    answering: Answering,
    settings: ModelSettings,
    patience: Patience,
) -> int:
    """Ask a model every question of a dataset that has no answer yet.

    Returns the exit status: 0 done, 1 done but nothing was answered, 130 stopped.
    """
    opened = Dataset.open(dataset)
    if opened.count == 0:
        raise DatasetError(f"{dataset} has no cases")
    asked = open_model(model, settings)
    if answering == "rank":
        as_ranker(asked)  # before there is a folder
    run = RunFolder.begin(
        output,
        dataset=opened,
        model=asked.name,
        settings=asked.settings,
        prompt=find_prompt(prompt),
        shown=shown,
        answering=answering,
    )
    tally = Tally()
    try:
        with showing(asked.name, tally):
            stopped = asyncio.run(_ask(run, opened, asked, patience, tally))
    finally:
        print(tally.summary(), file=sys.stderr)
    if stopped:
        print("Stopped. The same command goes on from here.", file=sys.stderr)
        return 130
    return 0 if tally.before + tally.answered else 1


async def _ask(run: RunFolder, dataset: Dataset, model: Model, patience: Patience, tally: Tally) -> bool:
    stop = asyncio.Event()
    work = asyncio.create_task(Engine(run, dataset, model, patience, tally, stop).ask_all())

    def interrupt() -> None:
        if stop.is_set():
            work.cancel()
        else:
            stop.set()
            print("\nStopping: waiting for the questions under way; Ctrl-C again to leave them.", file=sys.stderr)

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        await work
    except asyncio.CancelledError:
        pass
    finally:
        await model.close()
    return stop.is_set()
