"""A run as the command line does it: resumable, with progress, and Ctrl-C that loses nothing."""

import asyncio
import signal
import sys
from pathlib import Path

from countersight.asking import Prompt
from countersight.dataset import Dataset
from countersight.engine import Patience, Tally, showing
from countersight.errors import CountersightError, DatasetError
from countersight.models import Model, ModelSettings, open_model
from countersight.runs.folder import Answering, RunFolder
from countersight.runs.runner import Engine, refuse_nonsense


def ask_dataset(
    dataset: Path,
    output: Path,
    *,
    model: str,
    prompt: Prompt,
    shown: bool,
    answering: Answering,
    settings: ModelSettings,
    patience: Patience,
    shots_from: Path | None = None,
) -> int:
    """Ask a model every question of a dataset that has no answer yet.

    Where the prompt shows examples, they are cases of `shots_from`, or else of the dataset itself.

    Returns the exit status: 0 done, 1 done but nothing was answered, 130 stopped.
    """
    opened = Dataset.open(dataset)
    if opened.count == 0:
        raise DatasetError(f"{dataset} has no cases")
    if shots_from and not prompt.shots:
        raise CountersightError(f"{prompt.name} shows no examples; leave out --shots-from, or ask with 1-shot")
    pool = Dataset.open(shots_from) if shots_from else None
    asked = open_model(model, settings)
    refuse_nonsense(prompt, asked, answering, shown=shown)  # before there is a folder
    run = RunFolder.begin(
        output,
        dataset=opened,
        model=asked.name,
        settings=asked.settings,
        prompt=prompt,
        shown=shown,
        answering=answering,
        loss=settings.loss,
        pool=pool,
        seed=settings.seed,
    )
    if answering == "rank" and asked.settings.get("ranking") == "plain":
        print(f"{asked.name} cannot share what its options have in common: each is read in full.", file=sys.stderr)
    tally = Tally()
    try:
        with showing(asked.name, tally):
            stopped = asyncio.run(_ask(run, opened, asked, patience, tally, pool))
    finally:
        print(tally.summary(), file=sys.stderr)
    if stopped:
        print("Stopped. The same command goes on from here.", file=sys.stderr)
        return 130
    return 0 if tally.before + tally.answered else 1


async def _ask(
    run: RunFolder, dataset: Dataset, model: Model, patience: Patience, tally: Tally, pool: Dataset | None
) -> bool:
    stop = asyncio.Event()
    work = asyncio.create_task(Engine(run, dataset, model, patience, tally, stop, pool=pool).ask_all())

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
