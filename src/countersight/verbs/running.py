"""Running models and scoring their replies: `open_model`, `run`, `run_async` and `score`."""

import asyncio
from pathlib import Path
from typing import Literal, TypeGuard, cast

from countersight.bounds import DOLLARS, check
from countersight.engine import (
    Answering,
    Prompt,
    RetryPolicy,
    RunOptions,
    Sample,
    Tally,
    find_prompt,
    restore_options,
    synchronous,
)
from countersight.errors import CountersightError
from countersight.models import Function, FunctionModel, Model, ModelSettings
from countersight.models import open_model as open_by_name
from countersight.progress import Progress, counted, usual
from countersight.results import Run
from countersight.scoring import Gold, Scores, StoppingMetric, Until, ask_until, judge_run
from countersight.suites import named_scores
from countersight.verbs.inputs import (
    SomeDataset,
    SomeModel,
    SomeRun,
    check_from,
    checked,
    dataset_of,
    path_of,
    run_of,
    settings_of,
)


@checked
def open_model(model: SomeModel, settings: ModelSettings | None = None, *, name: str = "") -> Model:
    """Open a model by its name, or wrap a function `(picture, question) -> str` under the name `name`.

    A model is returned unchanged.
    """
    if name and (isinstance(model, str) or _is_model(model)):
        raise CountersightError("`name` is for functions; this model already has a name, so leave out `name`")
    if isinstance(model, str):
        return open_by_name(model, settings_of(settings, ModelSettings()))
    return model if _is_model(model) else FunctionModel(cast("Function", model), name)


@checked
async def run_async(
    dataset: SomeDataset,
    model: SomeModel,
    *,
    out: Path | str,
    name: str = "",
    prompt: Prompt | str = "0-shot",
    shown: bool = False,
    answering: Answering = "generate",
    shots_from: SomeDataset | None = None,
    cases: int | None = None,
    again: Literal["", "cut", "empty", "unread"] = "",
    budget: float | None = None,
    until: float | Literal["decided"] | None = None,
    until_metric: StoppingMetric | None = None,
    settings: ModelSettings | None = None,
    retry: RetryPolicy = RetryPolicy(),  # noqa: B008 - frozen
    stop: asyncio.Event | None = None,
    progress: Progress | None = None,
) -> Run:
    """Ask a model every question of a dataset; an existing run is resumed.

    `cases` limits the run to a random sample; a later call can extend it. `again` repeats questions whose reply was
    `cut` off or `empty`, or asks the model to state only its final answer after a reply that is `unread`. The run stops
    before it costs more than `budget` dollars. `until` stops it as soon as the drop (or another `until_metric`) is
    known to within that many points, or to be above or below zero (`decided`); see `countersight.scoring.Until`.
    """
    check_from(1, cases=cases)
    check(DOLLARS, budget=budget)
    if until_metric and until is None:
        raise CountersightError("`until_metric` has no effect without `until`: add `until`")
    opened, pool = dataset_of(dataset), None if shots_from is None else dataset_of(shots_from)
    prompt = prompt if isinstance(prompt, Prompt) else find_prompt(prompt)
    chosen = settings_of(settings, ModelSettings(max_tokens=prompt.max_tokens))
    sample = Sample(cases, chosen.seed) if cases else None
    options = RunOptions(prompt, shown, answering, chosen.seed, again, sample)
    options, chosen, pool = restore_options(Path(out), options, chosen, pool)
    rule = None
    if until is not None:
        rule = Until(None if until == "decided" else until, until_metric or "drop", chosen.seed)
    opened_model, tally = open_model(model, chosen, name=name), Tally()
    with counted(progress or usual(), f"Asking {opened_model.name}", "questions", lambda: (tally.done, tally.total)):
        folder = await ask_until(
            rule,
            opened,
            Path(out),
            opened_model,
            options,
            retry=retry,
            pool=pool,
            tally=tally,
            stop=stop,
            budget=budget,
        )
    return Run.open(folder.path)


run = synchronous(run_async)


@checked
def score(run: SomeRun, *, dataset: SomeDataset | None = None, gold: SomeDataset | None = None) -> Scores:
    """Compute accuracy in each world, the drop between them and other scores; `gold` contains corrected answers."""
    corrected = path_of(gold)
    found = judge_run(run_of(run), dataset=path_of(dataset), gold=Gold.open(corrected) if corrected else None)
    return named_scores(found)


def _is_model(model: "Model | Function") -> TypeGuard[Model]:
    return hasattr(model, "reply")
