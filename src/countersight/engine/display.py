"""A run while it goes on: a bar on a terminal, a line now and then elsewhere."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from countersight.engine.tally import Tally
from countersight.text import printable

LINE_SECONDS = 10.0


@contextmanager
def showing(name: str, tally: Tally, unit: str = "questions") -> Iterator[None]:
    """Shows a run's tally while it fills: rate, failures, tokens, cost, and questions under way."""
    show = _asking_bar if sys.stderr.isatty() else _asking_lines
    over = threading.Event()
    thread = threading.Thread(target=show, args=(name, tally, unit, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _asking_bar(name: str, tally: Tally, unit: str, over: threading.Event) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[figures]}"),
        console=Console(file=sys.stderr),
    ) as bar:
        task = bar.add_task(name, total=None, figures="")
        start = time.monotonic()
        while True:
            last = over.wait(0.2)
            seconds = time.monotonic() - start
            bar.update(task, total=tally.total or None, completed=tally.done, figures=_figures(tally, seconds))
            if last:
                return


def _asking_lines(name: str, tally: Tally, unit: str, over: threading.Event) -> None:
    start = time.monotonic()
    while not over.wait(LINE_SECONDS):
        figures = _figures(tally, time.monotonic() - start)
        print(f"{name}: {tally.done:,} of {tally.total:,} {unit}, {figures}", file=sys.stderr, flush=True)


def _figures(tally: Tally, seconds: float) -> str:
    rate = (tally.answered + tally.failed) / seconds if seconds else 0.0
    figures = [f"{rate:,.0f}/s", f"{tally.failed:,} failed", f"{tally.limit} under way at most"]
    if tally.tokens_in or tally.tokens_out:
        figures.append(f"{tally.tokens_in:,} + {tally.tokens_out:,} tokens")
    if tally.cost:
        figures.append(f"${tally.cost:,.2f}")
    if tally.trouble:
        figures.append(printable(tally.trouble)[:100])
    return " · ".join(figures)
