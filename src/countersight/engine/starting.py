"""Start or resume the folder of a run, after checking that model, prompt and options fit together."""

from pathlib import Path

import msgspec

from countersight.dataset import Dataset, hidden_in
from countersight.engine.options import RunOptions
from countersight.engine.run_folder import RunFolder
from countersight.errors import CountersightError, DatasetError, ModelError
from countersight.models import Model, Ranker, Viewer


def as_ranker(model: Model) -> Ranker:
    """Return the model as a Ranker; raises ModelError if it cannot rank options."""
    if not isinstance(model, Ranker):
        raise ModelError(f"{model.name} reports no losses, so options cannot be ranked; leave out `answering`")
    return model


def begin_run(dataset: Dataset, output: Path, model: Model, options: RunOptions, pool: Dataset | None) -> RunFolder:
    """Start or resume the folder of a run; raises an error if model, prompt and options contradict each other."""
    if dataset.count == 0:
        raise DatasetError(f"{dataset.path} has no cases")
    _check_examples_and_ranking(model, options, pool)
    _check_pictures(dataset, model, options)
    return RunFolder.begin(
        output,
        dataset=dataset,
        model=model.name,
        settings=model.settings,
        options=options,
        pool=pool,
    )


def _check_examples_and_ranking(model: Model, options: RunOptions, pool: Dataset | None) -> None:
    prompt = options.prompt
    if pool and not prompt.shots:
        raise CountersightError(f"{prompt.name} shows no examples; leave out `shots_from`, or choose the prompt 1-shot")
    if options.answering == "rank" and as_ranker(model) and prompt.orders != "one":
        raise CountersightError(
            f"{prompt.name} asks with the options in several orders, which makes no difference to ranking; leave out "
            "`answering`, or choose another prompt"
        )


def _check_pictures(dataset: Dataset, model: Model, options: RunOptions) -> None:
    """Raise an error if the model cannot take the pictures that the prompt shows, or lacks those that it needs."""
    prompt = options.prompt
    least, most = model.picture_limits if isinstance(model, Viewer) else (0, 2)
    if options.shown and not prompt.picture:
        raise CountersightError(f"{prompt.name} shows no picture; leave out `shown`")
    if least and not prompt.picture:
        raise ModelError(f"{model.name} needs a picture; choose a prompt other than {prompt.name}")
    if prompt.picture and not most:
        raise ModelError(f"{model.name} does not accept pictures; choose the prompt text-only")
    if prompt.picture and prompt.shots and most < 2:
        raise ModelError(
            f"{model.name} accepts one picture at a time, so examples cannot have pictures; choose a prompt other "
            f"than {prompt.name}"
        )
    if options.shown and hidden_in(dataset) and not any(case.shown for _, case in dataset.cases()):
        raise CountersightError(
            f"{dataset.path} has hidden answers and no pictures after the change, which would reveal them; leave out "
            "`shown`"
        )


def record_sample(run: RunFolder, options: RunOptions) -> None:
    """Record the sample in the manifest, so that other cases do not count as missing."""
    if options.sample is not None or run.manifest.observed.get("sample"):
        noted = msgspec.to_builtins(options.sample)
        if noted and noted["by"] == "case":  # the form that earlier versions wrote
            del noted["by"]
        run.observe({"sample": noted})
