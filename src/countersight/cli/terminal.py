"""Run work in a terminal, with a progress display, safe handling of Ctrl-C, and a summary at the end."""

import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from countersight.cli.parsing import in_options
from countersight.number_formats import in_dollars
from countersight.text import printable

if TYPE_CHECKING:
    import asyncio

    from countersight.dataset import Dataset
    from countersight.engine import RetryPolicy, RunOptions, Tally
    from countersight.models import Model
    from countersight.scoring import Until

T = TypeVar("T")

EXIT_STOPPED: Final = 130
EXIT_SOME_FAILED: Final = 1
"""The exit status of a finished run in which some questions have no answer."""
UNREAD_SHARE: Final = 0.01
"""The share of unread replies above which a run with --until prints a warning at the end."""


def run_work(
    name: str, tally: "Tally", unit: str, work: "Callable[[asyncio.Event], Awaitable[T]]", *, summary: bool = True
) -> T | None:
    """Run work that can be stopped with Ctrl-C, with progress and a summary; returns None if it was stopped.

    The first Ctrl-C sets the event and waits for requests in progress, the second abandons them.
    """
    from countersight.engine import run_loop, show_progress

    try:
        with show_progress(name, tally, unit):
            done = run_loop(_run_interruptible(work, unit))
    finally:
        if summary and tally.total:  # otherwise it never started, and the error says why
            print_lines(in_options(tally.summary()))
    if done is None and not tally.spent:
        print_lines("Stopped. Run the same command again to continue.")
    return done


async def _run_interruptible(work: "Callable[[asyncio.Event], Awaitable[T]]", unit: str) -> T | None:
    import asyncio

    stop = asyncio.Event()
    task = asyncio.ensure_future(work(stop))

    def interrupt() -> None:
        if stop.is_set():
            task.cancel()
        else:
            stop.set()
            print_lines(f"\nStopping: waiting for {unit} in progress; press Ctrl-C again to abandon them.")

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        done = await task
    except asyncio.CancelledError:
        return None
    return None if stop.is_set() else done


def ask(
    dataset: "Dataset",
    output: Path,
    model: "Model",
    options: "RunOptions",
    retry: "RetryPolicy",
    *,
    pool: "Dataset | None" = None,
    budget: float | None = None,
    rule: "Until | None" = None,
) -> int:
    """Ask a model every unanswered question of a dataset, with a progress bar; no answers are lost on Ctrl-C.

    With a stopping `rule`, the run ends when the rule is met. Returns the exit status: 0 if all are answered, 1 if some
    failed, could not be asked or are on bad rows, 130 if stopped.
    """
    from countersight.engine import Tally, ask_dataset

    tally = Tally()

    async def work(stop: "asyncio.Event") -> bool:
        how: dict[str, Any] = {"retry": retry, "pool": pool, "tally": tally, "stop": stop, "budget": budget}
        if rule:
            from countersight.scoring import ask_until

            await ask_until(rule, dataset, output, model, options, **how)
        else:  # does not import scoring and numpy, which takes as long as asking many questions
            await ask_dataset(dataset, output, model, options, **how)
        return True

    finished = run_work(model.name, tally, "questions", work)
    print_lines(*getattr(model, "remarks", ()))
    if rule:
        _print_stopping(output, tally.cost)
        if not tally.total:  # the rule was met in an earlier call
            return 0
    if tally.spent:
        spent = in_dollars(budget or 0)
        print_lines(f"The budget of {spent} is spent. To continue, run the same command with a larger --budget.")
    if tally.spent or not finished:
        return EXIT_STOPPED
    _print_remarks(dataset, options, tally)
    failed = tally.failed or tally.not_restated
    if failed:
        print_lines("The same command asks the failed questions again.")
    return EXIT_SOME_FAILED if failed or tally.unasked or tally.bad_rows or not tally.before + tally.answered else 0


def print_lines(*lines: str) -> None:
    """Print lines to stderr, because stdout is for results."""
    for line in lines:
        print(line, file=sys.stderr)


def _print_remarks(dataset: "Dataset", options: "RunOptions", tally: "Tally") -> None:
    """Print why an option had no effect, or why no question was asked."""
    if options.shown and not any(case.shown for _, case in dataset.cases()):
        print_lines(f"--shown had no effect: no case of {dataset.path} has a picture after the change.")
    if tally.total:
        return
    if tally.bad_rows:
        rows = [f"  {printable(str(bad))}" for bad in tally.first_bad_rows]
        print_lines(f"No question was asked: {dataset.path} has no valid cases", *rows)
    else:
        print_lines(
            f"No question was asked: the prompt {options.prompt.name} needs something that no case of {dataset.path} "
            "has, such as a picture. Prompts without a picture are given-graph, given-graph-cot and text-only."
        )


def _print_stopping(output: Path, cost: float) -> None:
    """Print whether the stopping rule is met. If many replies are unread, also print their share and the range of the
    drop.
    """
    from countersight.engine import RunFolder
    from countersight.scoring import judge_run, stopping_status

    run = RunFolder.open(output)
    found = stopping_status(run)
    if found is None:
        return
    print_lines(found.describe(cost))
    row = judge_run(run).scores().overall
    share, bounds = row.unread_rate or 0.0, row.drop and row.drop.bounds
    if share > UNREAD_SHARE:
        effect = "they do not count as right"
        if bounds:
            ends = f"{100 * bounds.low:.1f} to {100 * bounds.high:.1f} points"
            effect = f"the drop is {ends}, depending on how they are counted"
        print_lines(f"But {share:.0%} of the replies are unread: {effect}.")
