"""`countersight run`: ask a model."""

import argparse
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from countersight.cli.options import in_options
from countersight.cli.parsing import (
    Verbs,
    add_local,
    add_ray,
    dollars,
    positive,
    price,
    seconds,
    temperature,
    until,
    verb,
)
from countersight.cli.stopping import GOES_ON, STOPPED, stoppable
from countersight.text import in_dollars, printable, several

NOT_DONE = 3
"""Exit status of a run whose batches are out."""

SOME_FAILED = 1
"""Exit status of a run that is done, but with questions that have no answer."""

UNDER_WAY = 64
"""Questions at a time, where nobody says how many, for each place where a model is computed."""

if TYPE_CHECKING:
    import asyncio

    from countersight.engine import RetryPolicy, RunOptions, Tally
    from countersight.models import Model, ModelSettings
    from countersight.scoring import Until


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    run = verb(
        verbs,
        "run",
        _run,
        "ask a model every question in both worlds; takes up a run that was stopped",
        "countersight run flowers --model endpoint:http://127.0.0.1:8000/v1#qwen2.5-vl-7b -o runs/qwen",
    )
    run.add_argument("dataset", type=Path, metavar="DATASET")
    run.add_argument("--model", required=True, metavar="M", help="see: countersight list models")
    run.add_argument(
        "--prompt",
        default="0-shot",
        metavar="P",
        help="see: countersight list prompts; or a .toml file of your own (default: 0-shot)",
    )
    run.add_argument(
        "--shots-from",
        type=Path,
        metavar="DATASET",
        help="where the examples of 1-shot prompts come from (default: the other cases of the dataset)",
    )
    run.add_argument(
        "--shown",
        action="store_true",
        help="also show the counterfactual pictures and ask about them: the imagination gap",
    )
    answering = run.add_mutually_exclusive_group()
    answering.add_argument(
        "--generate", dest="answering", action="store_const", const="generate", help="the model writes (the default)"
    )
    answering.add_argument(
        "--rank", dest="answering", action="store_const", const="rank", help="the option with the smallest loss wins"
    )
    run.set_defaults(answering="generate")
    run.add_argument(
        "--loss", choices=["mean", "sum"], help="of an option's tokens, where options are ranked (default: mean)"
    )
    run.add_argument("-o", "--output", type=Path, required=True, metavar="RUN", help="the run folder to fill")
    run.add_argument(
        "--seed", type=int, default=0, help="for what is drawn by chance, here or by the server (default: 0)"
    )
    run.add_argument(
        "--max-tokens",
        type=positive,
        metavar="N",
        help="longest answer (default: what the prompt says; 256, or 1024 where it has the model think)",
    )
    run.add_argument(
        "--again",
        choices=["cut", "empty", "unread"],
        default="",
        help="ask once more, in the way the run was asked, for answers that the limit of tokens cut off or that are "
        "empty (with a larger --max-tokens), or have the model state only its final answer after an unread reply",
    )
    run.add_argument(
        "--temperature",
        type=temperature,
        default=0.0,
        metavar="T",
        help="0 by default; `server` leaves it to the server, for models that take no other than their own",
    )
    run.add_argument("--detail", default="auto", choices=["auto", "low", "high"], help="how closely to look")
    run.add_argument(
        "--concurrency",
        type=positive,
        metavar="N",
        help="most questions under way (default: 64, 768 for each GPU that a model is computed on)",
    )
    run.add_argument(
        "--cases", type=positive, metavar="N", help="only N cases, of every group its share, chosen by --seed"
    )
    run.add_argument(
        "--budget", type=dollars, metavar="D", help="begin no question once the run would cost more; can be raised"
    )
    run.add_argument(
        "--until",
        type=until,
        metavar="W",
        help="stop as soon as the drop is known to ± W points, or to be above or below zero (`decided`); see "
        "--until-metric",
    )
    run.add_argument(
        "--until-metric",
        choices=["drop", "factual", "counterfactual", "both_right"],
        default="drop",
        help="the figure that --until is about (default: drop)",
    )
    run.add_argument(
        "--repeat",
        type=positive,
        metavar="K",
        help="ask everything K times, each with a seed of its own, in RUN/1 to RUN/K; says how much is chance",
    )
    run.add_argument(
        "--batch",
        action="store_true",
        help="by the batch API of openai:, anthropic: or gemini:, at half the price; the same command collects",
    )
    run.add_argument(
        "--dry-run", action="store_true", help="ask nothing; say how many questions, one as it is sent, and the price"
    )
    run.add_argument(
        "--patience",
        type=seconds,
        default=600.0,
        metavar="S",
        help="seconds to wait for a server that has answered and is gone (default: 600)",
    )
    run.add_argument("--attempts", type=positive, default=5, metavar="N", help="tries for a question (default: 5)")
    run.add_argument("--timeout", type=seconds, default=120.0, metavar="S", help="seconds for one try (default: 120)")
    run.add_argument(
        "--price",
        type=price,
        default=(0.0, 0.0),
        metavar="IN,OUT",
        help="dollars for a million tokens read and written, where the server reports no cost",
    )
    add_ray(add_local(run), "on all GPUs, one model on each, of")


def _run(chosen: argparse.Namespace) -> int:
    from countersight.engine import RunOptions, Sample, as_before, find_prompt
    from countersight.errors import CountersightError
    from countersight.models import MODELS, ModelSettings, open_model

    if chosen.loss and chosen.answering != "rank":
        raise CountersightError("--loss says how options are ranked; add --rank")
    prompt = find_prompt(chosen.prompt)
    price_in, price_out = chosen.price
    settings = ModelSettings(
        seed=chosen.seed,
        max_tokens=chosen.max_tokens or prompt.max_tokens,
        temperature=chosen.temperature,
        detail=chosen.detail,
        timeout=chosen.timeout,
        price_in=price_in,
        price_out=price_out,
        loss=chosen.loss or "mean",
        device=chosen.device,
        dtype=chosen.dtype,
        device_map=chosen.device_map,
        batch=chosen.batch_size,
        asked_soon=not chosen.dry_run,
        ray=chosen.ray,
    )
    if chosen.batch and chosen.budget is not None:
        raise CountersightError(
            "a batch is sent whole, whatever it costs: leave out --budget, see the price with --dry-run, and send "
            "fewer questions with --cases"
        )
    if chosen.ray and MODELS.where(chosen.model) == "server":
        raise CountersightError("--ray is for models computed here (hf:…); a server is named by its address alone")
    sample = Sample(chosen.cases, chosen.seed) if chosen.cases else None
    way = RunOptions(prompt, chosen.shown, chosen.answering, settings.loss, chosen.seed, chosen.again, sample)
    way, settings, pool = as_before(chosen.output, way, settings)
    if pool and chosen.shots_from is None:
        chosen.shots_from = pool.path
    if chosen.repeat:
        return _repeat(chosen, settings, way)
    model = open_model(chosen.model, settings)
    if chosen.dry_run:
        return _say_what_it_takes(chosen, way, {chosen.output: model})
    if chosen.batch:
        out = _in_batches(chosen, model, way)
        if out:
            return NOT_DONE
        model = open_model(chosen.model, settings)  # what came back without an answer is asked in the ordinary way
    status = ask(
        chosen.dataset,
        chosen.output,
        model,
        way,
        retry=_retry(chosen, model),
        shots_from=chosen.shots_from,
        budget=chosen.budget,
        rule=_rule(chosen),
    )
    if status == STOPPED:
        return status
    if _is_hidden(chosen.dataset):
        print(f"{chosen.output}\nThe answers of {chosen.dataset} are hidden: hand in this folder to have it scored")
    else:
        print(f"{chosen.output}\nScores and a page: countersight report {quote(str(chosen.output))}")
    return status


def _is_hidden(dataset: Path) -> bool:
    from countersight.dataset import Dataset, hidden_in

    return hidden_in(Dataset.open(dataset)) is not None


def ask(
    dataset: Path,
    output: Path,
    model: "Model",
    way: "RunOptions",
    *,
    retry: "RetryPolicy",
    shots_from: Path | None = None,
    budget: float | None = None,
    elsewhere: float = 0.0,
    rule: "Until | None" = None,
) -> int:
    """Ask a model every question of a dataset that has no answer yet, with progress, and Ctrl-C that loses nothing.

    Of a `budget` so many dollars were spent `elsewhere`. With a stopping `rule`, asking ends when that is met.
    Returns the exit status: 0 all are answered, 1 some failed or could not be asked, 130 stopped.
    """
    from countersight.dataset import Dataset
    from countersight.engine import Tally, showing
    from countersight.scoring import ask_until

    opened = Dataset.open(dataset)
    pool = Dataset.open(shots_from) if shots_from else None
    tally = Tally()
    left = None if budget is None else budget - elsewhere

    async def work(stop: "asyncio.Event") -> bool:
        how = {"retry": retry, "pool": pool, "tally": tally, "stop": stop, "budget": left}
        await ask_until(rule, opened, output, model, way, **how)
        return stop.is_set()

    try:
        with showing(model.name, tally):
            stopped = stoppable(work, "questions") is not False
    finally:
        if tally.total:  # else it never began, and the error says why
            print(in_options(tally.summary()), *getattr(model, "remarks", ()), sep="\n", file=sys.stderr)
    if rule:
        _say_what_was_saved(output, tally)
    if tally.spent:
        print(
            f"The budget of {in_dollars(budget or 0)} is spent. The same command with a larger one goes on.",
            file=sys.stderr,
        )
        return STOPPED
    if stopped:
        print(GOES_ON, file=sys.stderr)
        return STOPPED
    if way.shown and not any(case.shown for _, case in opened.cases()):
        print(
            f"Nothing was shown: no case of {dataset} has a picture after the change, so --shown made no difference.",
            file=sys.stderr,
        )
    if not tally.total and tally.bad_rows:
        rows = [f"  {printable(str(bad))}" for bad in tally.first_bad_rows]
        print(f"Nothing was asked: no row of {dataset} is a case", *rows, sep="\n", file=sys.stderr)
    elif not tally.total:
        print(
            f"Nothing was asked: no case of {dataset} has what {way.prompt.name} shows {model.name}. Cases without a "
            "picture are asked with a prompt that shows none, such as given-graph, given-graph-cot or text-only.",
            file=sys.stderr,
        )
    return SOME_FAILED if tally.failed or tally.unasked or not tally.before + tally.answered else 0


def _rule(chosen: argparse.Namespace) -> "Until | None":
    from countersight.errors import CountersightError
    from countersight.scoring import Until

    if chosen.until is None:
        return None
    if chosen.batch or chosen.repeat or chosen.cases or chosen.again:
        raise CountersightError("--until draws the cases itself: leave out --batch, --repeat, --cases and --again")
    if _is_hidden(chosen.dataset):
        raise CountersightError("--until scores as it goes, and the answers are hidden; leave it out")
    return Until(None if chosen.until == "decided" else chosen.until, chosen.until_metric, chosen.seed)


def _say_what_was_saved(output: Path, tally: "Tally") -> None:
    from countersight.engine import RunFolder
    from countersight.scoring import stopped

    if found := stopped(RunFolder.open(output)):
        print(found.told(tally.cost), file=sys.stderr)


def _retry(chosen: argparse.Namespace, model: "Model") -> "RetryPolicy":
    from msgspec.structs import replace

    from countersight.engine import RetryPolicy

    places = getattr(model, "places", 1)
    retry = RetryPolicy(chosen.concurrency or UNDER_WAY * places, attempts=chosen.attempts, gone=chosen.patience)
    # Models on graphics processors want large batches from the start.
    return replace(retry, first=retry.concurrency) if places > 1 else retry


def _repeat(chosen: argparse.Namespace, settings: "ModelSettings", way: "RunOptions") -> int:
    """Ask everything several times, each time in a folder of its own, and say what differs."""
    from msgspec.structs import replace

    from countersight.engine import RunFolder, spent_in
    from countersight.errors import CountersightError
    from countersight.models import open_model
    from countersight.scoring import judge_run, repeats

    if chosen.batch or chosen.again:
        raise CountersightError("--repeat asks in the ordinary way: leave out --batch and --again")
    if _is_hidden(chosen.dataset):
        raise CountersightError("--repeat says what differs by scoring, and the answers are hidden; run it K times")
    folders = [chosen.output / str(nth) for nth in range(1, chosen.repeat + 1)]
    seeded = (replace(settings, seed=settings.seed + nth) for nth in range(chosen.repeat))
    models = ((folder, open_model(chosen.model, each)) for folder, each in zip(folders, seeded, strict=True))
    if chosen.dry_run:
        return _say_what_it_takes(chosen, way, dict(models))
    worst = 0
    for folder, model in models:
        status = ask(
            chosen.dataset,
            folder,
            model,
            way,
            retry=_retry(chosen, model),
            shots_from=chosen.shots_from,
            budget=chosen.budget,
            elsewhere=spent_in(other for other in folders if other != folder) if chosen.budget else 0.0,
        )
        if status == STOPPED:
            return status
        worst = max(worst, status)
    for found in repeats([judge_run(RunFolder.open(folder)).outcomes for folder in folders]):
        print(found)
    return worst


def _in_batches(chosen: argparse.Namespace, model: "Model", way: "RunOptions") -> int:
    """Collect and send batches; how many are out."""
    import asyncio

    from countersight.dataset import Dataset
    from countersight.engine import ask_in_batches

    pool = Dataset.open(chosen.shots_from) if chosen.shots_from else None
    out = asyncio.run(ask_in_batches(Dataset.open(chosen.dataset), chosen.output, model, way, pool=pool))
    print(f"{out.collected:,} answers collected, {out.sent:,} questions sent", file=sys.stderr)
    if out.out:
        print(
            f"Batches out: {out.out:,}, with {several(out.questions, 'question')}. The same command collects them.",
            file=sys.stderr,
        )
    return out.out


def _say_what_it_takes(chosen: argparse.Namespace, way: "RunOptions", models: dict[Path, "Model"]) -> int:
    """Print what runs in these folders would take."""
    from countersight.dataset import Dataset
    from countersight.engine import estimated, together

    pool = Dataset.open(chosen.shots_from) if chosen.shots_from else None
    dataset = Dataset.open(chosen.dataset)
    found = [
        estimated(
            dataset,
            folder,
            model,
            way,
            pool=pool,
            at_once=_retry(chosen, model).concurrency,
            batched=chosen.batch,
        )
        for folder, model in models.items()
    ]
    print(in_options(str(together(found))))
    return 0
