"""Progress of a run: a status line on a terminal, or occasional lines elsewhere."""

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from countersight.engine.outcome import Tally
from countersight.text import columns, printable

TERMINAL_SECONDS, LOG_SECONDS = 0.2, 10.0
"""The number of seconds between two updates of the status line, and between two lines of a log."""
LONGEST_NAME = 30


@contextmanager
def show_progress(name: str, tally: Tally, unit: str = "questions") -> Iterator[None]:
    """Show the progress of a run: count, share, time left, rate, failures, tokens and cost."""
    over = threading.Event()
    thread = threading.Thread(target=_show, args=(name, tally, unit, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _show(name: str, tally: Tally, unit: str, over: threading.Event) -> None:
    start = time.monotonic()
    terminal, last = sys.stderr.isatty(), False
    while not last:
        last = over.wait(TERMINAL_SECONDS if terminal else LOG_SECONDS)
        seconds = time.monotonic() - start
        if terminal:
            width = shutil.get_terminal_size().columns - 1  # some terminals wrap a line that fills the whole width
            line = progress_line(name, tally, seconds, width)
            rest = " " * (width - columns(line))
            print(f"\r{line}{rest}", end="\n" if last else "", file=sys.stderr, flush=True)
        elif not last:
            figures = " · ".join(_figures(tally, seconds))
            print(f"{name}: {tally.done:,} of {tally.total:,} {unit}, {figures}", file=sys.stderr, flush=True)


def progress_line(name: str, tally: Tally, seconds: float, width: int) -> str:
    """Format the state of a run as one line of at most `width` columns, the most important figures first."""
    asked, share, left = tally.answered + tally.failed, "–", "-:--:--"
    if tally.total:
        share = f"{100 * tally.done // tally.total}%"
    if asked and tally.total:
        rest = int(seconds / asked * max(0, tally.total - tally.done))
        left = f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"
    count = f"{tally.done:,}/{tally.total:,} {share} {left}"
    name = _cut(printable(name), min(LONGEST_NAME, width - len(count) - 1))
    return _cut(" · ".join([f"{name} {count}".lstrip(), *_figures(tally, seconds)]), width)


def _cut(text: str, width: int) -> str:
    """Return the longest beginning of a text that fits into `width` columns."""
    while text and columns(text) > width:
        text = text[: max(0, min(len(text) - 1, width))]
    return text


def _figures(tally: Tally, seconds: float) -> list[str]:
    """Return further figures for the status line, the most important first."""
    rate = (tally.answered + tally.failed) / seconds if seconds else 0.0
    counts = (("failed", tally.failed), *tally.cut_or_empty.items())
    figures = [f"{number:,} {what}" for what, number in counts if number]
    figures.append(f"{rate:,.0f}/s")
    if tally.trouble:
        figures.append(printable(tally.trouble)[:140])
    if tally.cost:
        figures.append(f"${tally.cost:,.2f} of about ${tally.cost / max(1, tally.done) * tally.total:,.2f}")
    figures.append(f"at most {tally.limit} concurrent")
    if tally.tokens_in or tally.tokens_out:
        figures.append(f"{tally.tokens_in:,} + {tally.tokens_out:,} tokens")
    return figures
