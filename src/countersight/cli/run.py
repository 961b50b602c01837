"""`countersight run`, `status` and `demo`: run a model, print the progress of a run, and run a complete example."""

import argparse
import re
from itertools import product
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

from countersight.cli.parsing import Verbs, add_local, in_options, model_settings, shared_options, verb
from countersight.cli.terminal import EXIT_STOPPED, ask, print_lines
from countersight.errors import CountersightError
from countersight.progress import bar
from countersight.suggestions import nearest
from countersight.text import printable, several

if TYPE_CHECKING:
    from countersight.dataset import Dataset
    from countersight.engine import RetryPolicy, RunOptions
    from countersight.models import Model

EXIT_WAITING: Final = 3
"""The exit status of a run that waits for batches."""
EXIT_FAILED: Final = 2
"""The exit status of a file of runs in which at least one run ended with an error."""
DEFAULT_CONCURRENCY: Final = 64
"""The default number of concurrent questions; it is multiplied for models on GPUs."""
_OPTIONS: Final = {
    "DATASET": "a dataset folder, or a .toml file that defines one or more runs",
    "--model M": "the model to ask; see: countersight list models",
    "-o, --output RUN": "the run folder to write (default: runs/DATASET/MODEL; for a .toml file: the folder of all "
    "runs)",
    "--prompt P=0-shot": "the prompt; see: countersight list prompts; or your own .toml file",
    "--shots-from DATASET": "the dataset from which 1-shot prompts take their examples (default: other cases of the "
    "same dataset)",
    "--shown": "also ask about the counterfactual pictures, to measure the imagination gap",
    "--rank": "take the option with the smallest loss as the answer, instead of generating text",
    "--limit N": "use only N cases, drawn at random (--seed) and stratified by group",
    "--again {cut,empty,unread}=": "ask some questions of an existing run again. cut, empty: those whose reply was cut "
    "off by the token limit or is empty (add a larger --max-tokens). unread: those whose reply contains no readable "
    "answer; the model sees its reply and is asked to state only its final answer",
    "--budget DOLLARS": "stop before the run costs more than this; can be raised later",
    "--until W": "stop when the drop is known to within ± W points or, with `decided`, when it is known to be above or "
    "below zero",
    "--until-metric {drop,factual,counterfactual,both_right}": "the measure used by --until (default: drop)",
    "--batch": "use the batch API of openai:, anthropic: or gemini:, at half the price; run the same command "
    "again to collect the answers",
    "--dry-run": "send nothing; print the number of questions, an example request and the estimated price",
}
_DEMO_SEED: Final = 7
_DEMO_MODELS: Final = {
    "embedded": "embedded",
    "embedded:factual": "embedded-factual",
    "visprog:reference?vision=scene": "visprog-reference",
}
"""The models of the demo, and the folder of each run."""


def add(verbs: Verbs) -> None:
    """Add the commands of this module to the parser."""
    run = verb(
        verbs,
        "run",
        _run,
        "ask a model every question in both worlds; an interrupted run resumes",
        "countersight run flowers --model endpoint:http://127.0.0.1:8000/v1#qwen2.5-vl-7b -o runs/qwen",
        _OPTIONS,
        shared_options("seed", "temperature", "timeout", "price", max_tokens=None, concurrency=None),
    )
    add_local(run, shared_options("ray"))
    status, example = "print the progress of a run and its outstanding batches", "countersight status runs/gpt"
    verb(verbs, "status", _status, status, example, {"RUN": "a run folder"})
    options = {"-o, --output DIR=demo": "the folder to write", "--size N=240": "number of cases"}
    summary = "run a complete example: create cases, run models, write a report"
    verb(verbs, "demo", _demo, summary, "countersight demo", options)


def _run(chosen: argparse.Namespace) -> int:
    return _run_file(chosen) if chosen.dataset.suffix == ".toml" else _run_one(chosen)


def _run_one(chosen: argparse.Namespace) -> int:
    from countersight.dataset import Dataset, hidden_in
    from countersight.engine import RunFolder, RunOptions, Sample, estimate_run, find_prompt, restore_options
    from countersight.models import open_model, without_keys

    _check(chosen)
    dataset, output = Dataset.open(chosen.dataset), chosen.output or _default_output(chosen.dataset, chosen.model)
    hidden = hidden_in(dataset) is not None
    if hidden and chosen.until is not None:
        raise CountersightError("--until needs the right answers, which are hidden in this dataset; leave it out")
    prompt = find_prompt(chosen.prompt)
    settings = model_settings(chosen, max_tokens=chosen.max_tokens or prompt.max_tokens)
    pool = Dataset.open(chosen.shots_from) if chosen.shots_from else None
    sample = Sample(chosen.limit, chosen.seed) if chosen.limit else None
    options = RunOptions(prompt, chosen.shown, "rank" if chosen.rank else "generate", chosen.seed, chosen.again, sample)
    options, settings, pool = restore_options(output, options, settings, pool)
    rule = None
    if chosen.until is not None:
        from countersight.scoring import Until  # slow to import

        rule = Until(None if chosen.until == "decided" else chosen.until, chosen.until_metric or "drop", chosen.seed)
    if chosen.dry_run:
        with without_keys() as missing:
            model = open_model(chosen.model, settings)
            print(in_options(str(estimate_run(dataset, output, model, options, pool=pool, batched=chosen.batch))))
        for sentence in dict.fromkeys(missing):
            print(f"No key is set, and the run needs one: {sentence}")
        return 0
    model = open_model(chosen.model, settings)
    if chosen.batch:
        if _in_batches(dataset, output, model, options, pool):
            return EXIT_WAITING
        model = open_model(chosen.model, settings)  # unanswered questions are asked as normal requests
    retry = _retry(chosen, model)
    status = ask(dataset, output, model, options, retry, pool=pool, budget=chosen.budget, rule=rule)
    if status == EXIT_STOPPED:
        return status
    print(output)
    if any(reply.state == "answered" for reply in RunFolder.open(output).replies()):
        submit = f"The answers of {chosen.dataset} are hidden: submit this folder to the holder of the key for scoring"
        print(submit if hidden else f"Next: countersight report {quote(str(output))}")
    return status


def _check(chosen: argparse.Namespace) -> None:
    """Raise an error for options that do not work together."""
    from countersight.models import MODELS

    until = chosen.until is not None
    for wrong, reason in (
        (not chosen.model, "name the model with --model; see: countersight list models"),
        (
            chosen.until_metric and not until,
            "--until-metric sets the measure for --until: add --until, as in --until 3",
        ),
        (
            until and (chosen.batch or chosen.limit or chosen.again),
            "--until chooses the number of cases itself: leave out --batch, --limit and --again",
        ),
        (
            chosen.batch and chosen.budget is not None,
            "--budget does not work with --batch, because a batch is sent as a whole: estimate the price with "
            "--dry-run, and send fewer questions with --limit",
        ),
        (
            chosen.ray and MODELS.where(chosen.model) == "server",
            "--ray works only with local models (hf:…); for a server, its address is enough",
        ),
    ):
        if wrong:
            raise CountersightError(reason)


def _default_output(dataset: str | Path, model: str, folder: str | Path = "runs") -> Path:
    return Path(folder) / Path(dataset).resolve().name / re.sub(r"[^\w.-]+", "-", model).strip("-")


def _run_file(chosen: argparse.Namespace) -> int:
    """Run every combination of the datasets and models in a TOML file; its other keys are options of `run`.

    Options on the command line apply to every run and replace those of the file.
    """
    import tomllib

    file = chosen.dataset
    try:
        keys: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CountersightError(f"{file} is not TOML: {error}") from None
    datasets = _listed(keys, "dataset", file)
    if chosen.model:
        keys = {key: value for key, value in keys.items() if key not in ("model", "models")} | {"model": chosen.model}
    models = _listed(keys, "model", file)
    verbs = argparse.ArgumentParser().add_subparsers()
    add(verbs)
    parser: argparse.ArgumentParser = verbs.choices["run"]
    parser.exit_on_error = False
    options = []
    for name, value in keys.items():
        flag = f"--{name.replace('_', '-')}"
        if flag not in parser._option_string_actions:
            known = [each[2:] for each in parser._option_string_actions if each.startswith("--")]
            near = nearest(name, [*known, "dataset", "datasets", "models"])
            advice = f"; did you mean {near}?" if near else "; see: countersight run --help"
            raise CountersightError(f"{file} has the unknown key {name}{advice}")
        options += [] if value is False else [flag] if value is True else [flag, str(value)]
    runs = []
    for dataset, model in product(datasets, models):
        try:
            one = parser.parse_args([*options, *chosen.arguments])
        except argparse.ArgumentError as error:
            raise CountersightError(f"{file}: {error}") from None
        one.dataset, one.model = Path(dataset), model
        one.output = _default_output(dataset, model, one.output or "runs")
        runs.append(one)
    _check_all(runs)
    worst, failed = 0, {}
    for one in runs:
        try:
            status = _run_one(one)
        except CountersightError as error:
            if len(runs) == 1:
                raise
            failed[one.output] = str(error)
            print_lines(f"{one.output}: {in_options(printable(str(error)))}")
            continue
        if status == EXIT_STOPPED:
            worst = status
            break
        worst = max(worst, status)
    if failed:
        print_lines(f"{len(failed)} of {several(len(runs), 'run')} failed:")
        print_lines(*(f"  {output}: {in_options(printable(reason))}" for output, reason in failed.items()))
        print_lines("The same command continues them.")
    return worst if worst == EXIT_STOPPED else EXIT_FAILED if failed else worst


def _check_all(runs: list[argparse.Namespace]) -> None:
    """Open every dataset, prompt and model, so that a wrong name or a missing key is found before any question."""
    from contextlib import nullcontext

    from countersight.dataset import Dataset
    from countersight.engine import find_prompt
    from countersight.models import MODELS, open_model, without_keys

    for one in runs:
        _check(one)
    first = runs[0]  # the runs differ only in their datasets and models
    find_prompt(first.prompt)
    for folder in dict.fromkeys(one.dataset for one in runs):
        Dataset.open(folder)
    for model in dict.fromkeys(one.model for one in runs):
        with without_keys() if first.dry_run else nullcontext():
            if first.ray:  # opening the model would connect to the cluster
                MODELS.find(model)
            else:
                open_model(model, model_settings(first, max_tokens=first.max_tokens or 1))


def _listed(given: dict[str, Any], name: str, file: Path) -> list[str]:
    """Return the names in `dataset = "a"` or `datasets = ["a", "b"]` as a list."""
    found = [given.pop(key) for key in (name, f"{name}s") if key in given]
    if len(found) > 1:
        raise CountersightError(f"{file} has both {name} and {name}s: keep one of them")
    names = next(iter(found), None)
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not names or not all(isinstance(each, str) for each in names):
        raise CountersightError(f'{file} does not name a {name}: add {name} = "…", or {name}s = ["…", "…"]')
    return names


def _retry(chosen: argparse.Namespace, model: "Model") -> "RetryPolicy":
    from countersight.engine import RetryPolicy

    places = getattr(model, "places", 1)
    concurrency = chosen.concurrency or DEFAULT_CONCURRENCY * places
    # Models on GPUs need large batches from the start.
    return RetryPolicy(concurrency, first=concurrency) if places > 1 else RetryPolicy(concurrency)


def _in_batches(dataset: "Dataset", output: Path, model: "Model", options: "RunOptions", pool: "Dataset | None") -> int:
    """Collect and send batches; returns the number of outstanding batches."""
    import asyncio

    from countersight.engine import ask_in_batches

    out = asyncio.run(ask_in_batches(dataset, output, model, options, pool=pool))
    print_lines(f"{out.collected:,} answers collected, {out.sent:,} questions sent")
    if out.out:
        batches = f"Outstanding batches: {out.out:,}, with {several(out.questions, 'question')}"
        print_lines(f"{batches}. Run the same command again to collect the answers.")
    return out.out


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


def _demo(chosen: argparse.Namespace) -> int:
    """Make a small dataset, run built-in models in both worlds and write the report; resumes an interrupted demo."""
    from rich.console import Console

    from countersight.dataset import Dataset
    from countersight.engine import RetryPolicy, RunOptions, find_prompt
    from countersight.models import open_model
    from countersight.reports import print_overview, write_report
    from countersight.suites.cvqa import make_synthetic

    folder, size = chosen.output, chosen.size
    dataset = folder / "cvqa-synthetic"
    if not dataset.exists():
        make_synthetic(dataset, size=size, seed=_DEMO_SEED, progress=bar)
    print(f"Made {dataset}: C-VQA-Synthetic, seed {_DEMO_SEED}, every picture drawn in both worlds.")
    print("Running three models. embedded was trained on questions with and without a change, embedded:factual only on")
    print("questions without one. visprog:reference runs programs that count objects found by classical")
    print("computer vision.")
    runs = {model: folder / "runs" / name for model, name in _DEMO_MODELS.items()}
    opened, options = Dataset.open(dataset), RunOptions(find_prompt("0-shot"), shown=True)
    for model, run in runs.items():
        status = ask(opened, run, open_model(model), options, RetryPolicy())
        if status == EXIT_STOPPED:
            return status
    report = write_report(list(runs.values()), folder / "report", progress=bar)
    print_overview(report.data, Console())
    print(f"\nReport: {report.html.resolve()}")
    return 0
