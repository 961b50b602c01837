"""`countersight run` and `countersight status`: run a model, and print the progress of a run."""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

from countersight.cli.parsing import Verbs, add_local, in_options, model_settings, shared, verb
from countersight.cli.terminal import GOES_ON, STOPPED, stoppable
from countersight.errors import CountersightError
from countersight.text import in_dollars, printable, several

if TYPE_CHECKING:
    import asyncio

    from countersight.engine import Answering, RetryPolicy, RunOptions
    from countersight.models import Model, ModelSettings
    from countersight.scoring import Until

NOT_DONE: Final = 3
"""Exit status of a run that waits for batches."""
SOME_FAILED: Final = 1
"""Exit status of a finished run in which some questions have no answer."""
UNDER_WAY: Final = 64
"""The default number of concurrent questions; models on GPUs multiply it."""
_OPTIONS: Final = {
    "DATASET": "a dataset folder; or a .toml file with the options of this run, and several datasets and models",
    "--model M": "see: countersight list models",
    "-o, --output RUN": "the run folder to write (default: runs/DATASET/MODEL)",
    "--prompt P=0-shot": "see: countersight list prompts; or a .toml file of your own",
    "--shots-from DATASET": "dataset from which 1-shot prompts take their examples (default: other cases of the "
    "same dataset)",
    "--shown": "also ask about the counterfactual pictures, to measure the imagination gap",
    "--rank": "take the option with the smallest loss as the answer, instead of generating text",
    "--loss {mean,sum}": "with --rank: how the loss of an option is computed from its tokens (default: mean)",
    "--limit N": "ask only N cases, drawn at random (--seed) and stratified by group",
    "--again {cut,empty,unread}=": "ask again for replies that were cut off by the token limit "
    "or are empty (with a larger --max-tokens); unread: ask the model to state only its final answer",
    "--budget DOLLARS": "stop before the run costs more than this; can be raised later",
    "--until W": "stop as soon as the drop is known to within ± W points, or is known to be above or below zero "
    "(`decided`)",
    "--until-metric {drop,factual,counterfactual,both_right}": "the measure used by --until (default: drop)",
    "--against M": "with --until: run a second model on the same cases in lockstep, into RUN-against, and stop when "
    "the difference between the two is known",
    "--repeat K": "repeat the run K times with different seeds, in RUN/1 to RUN/K, and report the variance",
    "--batch": "use the batch API of openai:, anthropic: or gemini:, at half the price; run the same command "
    "again to collect the answers",
    "--dry-run": "send nothing; print the number of questions, an example request and the estimated price",
}


def add(verbs: Verbs) -> None:
    """Add the verbs to the command line."""
    run = verb(
        verbs,
        "run",
        _run,
        "ask a model every question in both worlds; an interrupted run resumes",
        "countersight run flowers --model endpoint:http://127.0.0.1:8000/v1#qwen2.5-vl-7b -o runs/qwen",
        _OPTIONS,
        shared("seed", "temperature", "timeout", "price", max_tokens=None, concurrency=None),
    )
    add_local(run, shared("ray"))
    status, example = "print the progress of a run and its outstanding batches", "countersight status runs/gpt"
    verb(verbs, "status", _status, status, example, {"RUN": "a run folder"})


def _run(chosen: argparse.Namespace) -> int:
    from countersight.engine import RunFolder, RunOptions, Sample, as_before, find_prompt
    from countersight.models import MODELS, open_model

    if chosen.dataset.suffix == ".toml":
        return _run_file(chosen)
    if not chosen.model:
        raise CountersightError("name the model with --model; see: countersight list models")
    chosen.output = chosen.output or _default_output(Path("runs"), chosen.dataset, chosen.model)
    if chosen.against and (chosen.until is None or chosen.batch or chosen.repeat):
        raise CountersightError("--against runs two models until their difference is known: add --until decided")
    if chosen.until_metric and chosen.until is None:
        raise CountersightError("--until-metric names the measure that --until watches: add --until, as in --until 3")
    if chosen.until is not None and (chosen.batch or chosen.repeat or chosen.limit or chosen.again):
        raise CountersightError(
            "--until chooses the number of cases itself: leave out --batch, --repeat, --limit and --again"
        )
    if chosen.loss and not chosen.rank:
        raise CountersightError("--loss defines how options are ranked: add --rank")
    prompt = find_prompt(chosen.prompt)
    chosen.max_tokens = chosen.max_tokens or prompt.max_tokens
    settings = model_settings(chosen, loss=chosen.loss or "mean")
    if chosen.batch and chosen.budget is not None:
        raise CountersightError(
            "--budget does not work with --batch, because a batch is sent as a whole: estimate the price with "
            "--dry-run, and send fewer questions with --limit"
        )
    if chosen.ray and MODELS.where(chosen.model) == "server":
        raise CountersightError("--ray works only with local models (hf:…); for a server, its address is enough")
    answering: Answering = "rank" if chosen.rank else "generate"
    sample = Sample(chosen.limit, chosen.seed) if chosen.limit else None
    options = RunOptions(prompt, chosen.shown, answering, settings.loss, chosen.seed, chosen.again, sample)
    options, settings, pool = as_before(chosen.output, options, settings)
    if pool and chosen.shots_from is None:
        chosen.shots_from = pool.path
    if chosen.repeat:
        return _repeat(chosen, settings, options)
    model = open_model(chosen.model, settings)
    other = open_model(chosen.against, settings) if chosen.against else None
    if chosen.dry_run:
        models = {chosen.output: model}
        if other:
            from countersight.scoring import against_folder

            models[against_folder(chosen.output)] = other
        return _say_what_it_takes(chosen, options, models)
    if chosen.batch:
        if _in_batches(chosen, model, options):
            return NOT_DONE
        model = open_model(chosen.model, settings)  # unanswered questions are asked as normal requests
    rule = _rule(chosen, (model.name, other.name) if other else ())
    status = _ask(chosen, chosen.output, model, options, rule=rule, other=other)
    if status == STOPPED:
        return status
    if not any(reply.state == "answered" for reply in RunFolder.open(chosen.output).replies()):
        print(chosen.output)
    elif _is_hidden(chosen.dataset):
        print(
            f"{chosen.output}\nThe answers of {chosen.dataset} are hidden: submit this folder to the holder of the "
            "key for scoring"
        )
    else:
        print(f"{chosen.output}\nNext: countersight report {quote(str(chosen.output))}")
    return status


def _default_output(folder: Path, dataset: Path, model: str) -> Path:
    return folder / dataset.resolve().name / re.sub(r"[^\w.-]+", "-", model).strip("-")


def _run_file(chosen: argparse.Namespace) -> int:
    """Run the combinations of datasets and models in a TOML file, which names the options of this verb."""
    import tomllib

    try:
        given: dict[str, Any] = tomllib.loads(chosen.dataset.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CountersightError(f"{chosen.dataset} is not TOML: {error}") from None
    datasets, models = (_listed(given, name, chosen.dataset) for name in ("dataset", "model"))
    folder = Path(given.pop("output", "runs"))
    worst = 0
    for dataset in datasets:
        for model in models:
            arguments = [dataset, "--model", model]
            for name, value in given.items():
                if value is not False:
                    flag = f"--{name.replace('_', '-')}"
                    arguments += [flag] if value is True else [flag, str(value)]
            arguments += ["--output", str(_default_output(folder, Path(dataset), model))]
            status = _run(_parsed(arguments))
            if status == STOPPED:
                return status
            worst = max(worst, status)
    return worst


def _listed(given: dict[str, Any], name: str, file: Path) -> Sequence[str]:
    """Return one name or several, from `dataset = "a"` or `datasets = ["a", "b"]`."""
    value = given.pop(name, None) or given.pop(f"{name}s", None)
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(each, str) for each in names):
        raise CountersightError(f'{file} names no {name}: add {name} = "…", or {name}s = ["…", "…"]')
    return names


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="countersight")
    add(parser.add_subparsers())
    return parser.parse_args(["run", *arguments])


def _is_hidden(dataset: Path) -> bool:
    from countersight.dataset import Dataset, hidden_in

    return hidden_in(Dataset.open(dataset)) is not None


def _ask(chosen: argparse.Namespace, output: Path, model: "Model", options: "RunOptions", **more: Any) -> int:
    retry, shots_from = _retry(chosen, model), chosen.shots_from
    return ask(chosen.dataset, output, model, options, retry=retry, shots_from=shots_from, budget=chosen.budget, **more)


def ask(
    dataset: Path,
    output: Path,
    model: "Model",
    options: "RunOptions",
    *,
    retry: "RetryPolicy",
    shots_from: Path | None = None,
    budget: float | None = None,
    elsewhere: float = 0.0,
    rule: "Until | None" = None,
    other: "Model | None" = None,
) -> int:
    """Ask a model every unanswered question of a dataset, with a progress bar; Ctrl-C loses nothing.

    `elsewhere` is the part of the `budget` that other runs have spent. With a stopping `rule`, the run ends when the
    rule is met; with an `other` model, which is asked the same questions, the rule applies to the difference. Returns
    the exit status: 0 if all are answered, 1 if some failed or could not be asked, 130 if stopped.
    """
    from countersight.dataset import Dataset
    from countersight.engine import Tally, ask_dataset, showing

    opened = Dataset.open(dataset)
    pool = Dataset.open(shots_from) if shots_from else None
    tally, others = Tally(), Tally()
    left = None if budget is None else budget - elsewhere

    async def work(stop: "asyncio.Event") -> bool:
        how: dict[str, Any] = {"retry": retry, "pool": pool, "tally": tally, "stop": stop, "budget": left}
        if rule or other:
            from countersight.scoring import ask_until

            await ask_until(rule, opened, output, model, options, against=(other, others) if other else None, **how)
        else:  # without scoring and numpy, which take as long to import as many questions to ask
            await ask_dataset(opened, output, model, options, **how)
        return stop.is_set()

    try:
        with showing(model.name, tally):
            stopped = stoppable(work, "questions") is not False
    finally:
        if tally.total:  # otherwise the run never started, and the error says why
            print(in_options(tally.summary()), *getattr(model, "remarks", ()), sep="\n", file=sys.stderr)
        if other and others.total:
            print(f"{other.name}: {in_options(others.summary())}", file=sys.stderr)
    if rule:
        _say_what_was_saved(output, tally.cost + others.cost)
        if not tally.total:  # the rule was met in an earlier call
            return 0
    if tally.spent or others.spent:
        print(
            f"The budget of {in_dollars(budget or 0)} is spent. To continue, run the same command with a larger "
            "--budget.",
            file=sys.stderr,
        )
        return STOPPED
    if stopped:
        print(GOES_ON, file=sys.stderr)
        return STOPPED
    if options.shown and not any(case.shown for _, case in opened.cases()):
        print(
            f"--shown had no effect: no case of {dataset} has a picture after the change.",
            file=sys.stderr,
        )
    if not tally.total and tally.bad_rows:
        rows = [f"  {printable(str(bad))}" for bad in tally.first_bad_rows]
        print(f"No question was asked: {dataset} has no valid cases", *rows, sep="\n", file=sys.stderr)
    elif not tally.total:
        print(
            f"No question was asked: the prompt {options.prompt.name} needs something that no case of {dataset} has, "
            "such as a picture. Prompts without a picture are given-graph, given-graph-cot and text-only.",
            file=sys.stderr,
        )
    failed = tally.failed or tally.unasked or others.failed or others.unasked
    return SOME_FAILED if failed or not tally.before + tally.answered else 0


def _rule(chosen: argparse.Namespace, models: tuple[str, ...]) -> "Until | None":
    if chosen.until is None:
        return None
    from countersight.scoring import Until

    if _is_hidden(chosen.dataset):
        raise CountersightError("--until needs the right answers, which are hidden in this dataset; leave it out")
    width = None if chosen.until == "decided" else chosen.until
    return Until(width, chosen.until_metric or "drop", chosen.seed, models)


def _say_what_was_saved(output: Path, cost: float) -> None:
    from countersight.engine import RunFolder
    from countersight.scoring import stopped

    if found := stopped(RunFolder.open(output)):
        print(found.told(cost), file=sys.stderr)


def _retry(chosen: argparse.Namespace, model: "Model") -> "RetryPolicy":
    from msgspec.structs import replace

    from countersight.engine import RetryPolicy

    places = getattr(model, "places", 1)
    retry = RetryPolicy(chosen.concurrency or UNDER_WAY * places)
    # Models on GPUs need large batches from the start.
    return replace(retry, first=retry.concurrency) if places > 1 else retry


def _repeat(chosen: argparse.Namespace, settings: "ModelSettings", options: "RunOptions") -> int:
    """Ask all questions several times, each time in a separate folder, and print the differences."""
    from msgspec.structs import replace

    from countersight.engine import RunFolder, spent_in
    from countersight.models import open_model
    from countersight.scoring import judge_run, repeats

    if chosen.batch or chosen.again:
        raise CountersightError("--repeat does not work with --batch or --again; leave them out")
    if _is_hidden(chosen.dataset):
        raise CountersightError(
            "--repeat needs the right answers, which are hidden in this dataset; start K runs with different seeds "
            "instead"
        )
    folders = [chosen.output / str(nth) for nth in range(1, chosen.repeat + 1)]
    seeded = (replace(settings, seed=settings.seed + nth) for nth in range(chosen.repeat))
    models = ((folder, open_model(chosen.model, each)) for folder, each in zip(folders, seeded, strict=True))
    if chosen.dry_run:
        return _say_what_it_takes(chosen, options, dict(models))
    worst = 0
    for folder, model in models:
        elsewhere = spent_in(other for other in folders if other != folder) if chosen.budget else 0.0
        status = _ask(chosen, folder, model, options, elsewhere=elsewhere)
        if status == STOPPED:
            return status
        worst = max(worst, status)
    for found in repeats([judge_run(RunFolder.open(folder)).outcomes for folder in folders]):
        print(found)
    return worst


def _in_batches(chosen: argparse.Namespace, model: "Model", options: "RunOptions") -> int:
    """Collect and send batches; returns the number of outstanding batches."""
    import asyncio

    from countersight.dataset import Dataset
    from countersight.engine import ask_in_batches

    pool = Dataset.open(chosen.shots_from) if chosen.shots_from else None
    out = asyncio.run(ask_in_batches(Dataset.open(chosen.dataset), chosen.output, model, options, pool=pool))
    print(f"{out.collected:,} answers collected, {out.sent:,} questions sent", file=sys.stderr)
    if out.out:
        print(
            f"Outstanding batches: {out.out:,}, with {several(out.questions, 'question')}. Run the same command "
            "again to collect the answers.",
            file=sys.stderr,
        )
    return out.out


def _say_what_it_takes(chosen: argparse.Namespace, options: "RunOptions", models: dict[Path, "Model"]) -> int:
    """Print an estimate of the runs in these folders."""
    from countersight.dataset import Dataset
    from countersight.engine import estimated, together

    pool = Dataset.open(chosen.shots_from) if chosen.shots_from else None
    dataset = Dataset.open(chosen.dataset)
    found = [
        estimated(
            dataset,
            folder,
            model,
            options,
            pool=pool,
            at_once=_retry(chosen, model).concurrency,
            batched=chosen.batch,
        )
        for folder, model in models.items()
    ]
    print(in_options(str(together(found))))
    return 0


def _status(chosen: argparse.Namespace) -> int:
    import time

    from countersight.engine import RunFolder, outstanding
    from countersight.scoring import judge_run

    print(str(judge_run(RunFolder.open(chosen.run)).scores()).splitlines()[0])
    for event in outstanding(chosen.run).values():
        hours = (time.time() - event.at) / 3600
        name = event.batch or f"{event.label} (not confirmed by the provider)"
        print(f"{name}: {len(event.names):,} questions, sent {hours:.1f} h ago")
    return 0
