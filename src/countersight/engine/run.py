"""One model asked one dataset in one way: begun, or taken up where it was left."""

import asyncio
from pathlib import Path

import msgspec

from countersight.dataset import Dataset, hidden_in
from countersight.engine import Prompt, RetryPolicy, Tally, find_prompt
from countersight.engine.batch_log import refuse_what_is_out
from countersight.engine.budget import refuse_unpriced
from countersight.engine.run_folder import MANIFEST, Answering, RunFolder
from countersight.engine.runner import Runner, refuse_nonsense
from countersight.engine.sample import Sample
from countersight.errors import CountersightError, DatasetError
from countersight.models import Loss, Model, ModelSettings


class Way(msgspec.Struct, frozen=True):
    """How a dataset is asked, beside the model's own settings."""

    prompt: Prompt
    shown: bool = False
    answering: Answering = "generate"
    loss: Loss = "mean"
    seed: int = 0
    again: str = ""
    """What became of those answers that are to be asked for once more: cut, empty or unread; nothing to ask what is
    left."""
    sample: Sample | None = None
    """Only some of the cases; a later call may ask more of them."""


async def ask_dataset(
    dataset: Dataset,
    output: Path,
    model: Model,
    way: Way,
    *,
    retry: RetryPolicy = RetryPolicy(),  # noqa: B008 - frozen
    pool: Dataset | None = None,
    tally: Tally | None = None,
    stop: asyncio.Event | None = None,
    budget: float | None = None,
) -> RunFolder:
    """Ask a model every question of a dataset that has no answer yet, until `stop` is set; the model is closed.

    With a `budget`, no question is begun once the run, earlier calls included, would cost more dollars.
    Where the prompt shows examples, they are cases of `pool`, or else of the dataset itself.
    """
    try:
        refuse_what_is_out(output)
        if budget is not None:
            refuse_unpriced(model)
        run = begun_run(dataset, output, model, way, pool)
        stop = stop or asyncio.Event()
        note_sample(run, way)
        await Runner(
            run,
            dataset,
            model,
            retry,
            tally or Tally(),
            stop,
            pool=pool,
            again=way.again,
            budget=budget,
            sample=way.sample,
        ).ask_all()
        return run
    finally:
        await model.close()


def as_before(
    output: Path, way: Way, settings: ModelSettings, pool: Dataset | None = None
) -> tuple[Way, ModelSettings, Dataset | None]:
    """A way, settings and examples as the run in a folder has them, wherever they are the usual ones.

    Whoever asks for answers again names the run, and not once more how it was asked.
    """
    if not way.again or not (output / MANIFEST).exists():
        return way, settings, pool
    run = RunFolder.open(output)
    there = run.manifest
    # A program has the settings of its two models: `code seed`, `eyes seed`.
    known = {key.rpartition(" ")[2]: value for key, value in there.settings.items()} | {"loss": there.loss}
    if there.examples:
        known["seed"] = there.examples.seed
    usual = ModelSettings(max_tokens=way.prompt.max_tokens)
    names = [name for name in ("seed", "max_tokens", "temperature", "detail", "loss") if name in known]
    kept = {name: known[name] for name in names if getattr(settings, name) == getattr(usual, name)}
    settings = msgspec.structs.replace(settings, **kept)
    sample = there.observed.get("sample")
    way = msgspec.structs.replace(
        way,
        prompt=there.prompt if way.prompt == find_prompt("0-shot") else way.prompt,
        shown=way.shown or there.shown,
        answering=there.answering if way.answering == "generate" else way.answering,
        loss=settings.loss,
        seed=settings.seed,
        sample=way.sample or (msgspec.convert(sample, Sample) if sample else None),
    )
    return way, settings, pool or run.examples()


def begun_run(dataset: Dataset, output: Path, model: Model, way: Way, pool: Dataset | None) -> RunFolder:
    """The folder of a run, begun or taken up; says in a sentence why a way of asking makes no sense."""
    if dataset.count == 0:
        raise DatasetError(f"{dataset.path} has no cases")
    if pool and not way.prompt.shots:
        raise CountersightError(f"{way.prompt.name} shows no examples; leave out `shots_from`, or ask with 1-shot")
    refuse_nonsense(way.prompt, model, way.answering, shown=way.shown)  # before there is a folder
    if way.shown:
        _refuse_unseen(dataset)
    return RunFolder.begin(
        output,
        dataset=dataset,
        model=model.name,
        settings=model.settings,
        prompt=way.prompt,
        shown=way.shown,
        answering=way.answering,
        loss=way.loss,
        pool=pool,
        seed=way.seed,
        again=way.again,
    )


def note_sample(run: RunFolder, way: Way) -> None:
    """Write down which cases are asked for: what is not among them is not missing."""
    if way.sample is not None or run.manifest.observed.get("sample"):
        run.observe({"sample": msgspec.to_builtins(way.sample)})


def _refuse_unseen(dataset: Dataset) -> None:
    """Say so where a hidden dataset has no picture of a changed world to show."""
    if hidden_in(dataset) and not any(case.shown for _, case in dataset.cases()):
        raise CountersightError(
            f"{dataset.path} has hidden answers and shows no changed world: a picture of it would give them away; "
            "leave out `shown`"
        )
