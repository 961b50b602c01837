"""Progress of a run: a status line on a terminal, or occasional lines elsewhere."""

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from countersight.engine.outcome import Tally
from countersight.text import columns, printable

LINE_SECONDS = 10.0
_SHORTEST_NAME = 8
_BAR = 20


@contextmanager
def show_progress(name: str, tally: Tally, unit: str = "questions") -> Iterator[None]:
    """Show the progress of a run: count, share, time left, rate, failures, tokens and cost."""
    show = _on_a_terminal if sys.stderr.isatty() else _line_by_line
    over = threading.Event()
    thread = threading.Thread(target=show, args=(name, tally, unit, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _on_a_terminal(name: str, tally: Tally, unit: str, over: threading.Event) -> None:
    start = time.monotonic()
    last = False
    while not last:
        last = over.wait(0.2)
        width = shutil.get_terminal_size().columns - 1  # some terminals wrap a line that fills the whole width
        line = progress_line(name, tally, time.monotonic() - start, width)
        rest = " " * (width - columns(line))
        print(f"\r{line}{rest}", end="\n" if last else "", file=sys.stderr, flush=True)


def _line_by_line(name: str, tally: Tally, unit: str, over: threading.Event) -> None:
    start = time.monotonic()
    while not over.wait(LINE_SECONDS):
        figures = " · ".join(_figures(tally, time.monotonic() - start))
        print(f"{name}: {tally.done:,} of {tally.total:,} {unit}, {figures}", file=sys.stderr, flush=True)


def progress_line(name: str, tally: Tally, seconds: float, width: int) -> str:
    """Format the state of a run as one line of at most `width` columns.

    Count, share and time left are always shown. If space is short, first the name of the model is shortened in the
    middle, since both ends tell models apart; then the other figures are left out, starting with the last, and the
    server's last error message is cut off.
    """
    asked, share, left = tally.answered + tally.failed, "–", "-:--:--"
    if tally.total:
        share = f"{100 * tally.done // tally.total}%"
    if asked and tally.total:
        rest = int(seconds / asked * max(0, tally.total - tally.done))
        left = f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"
    line = f"{tally.done:,}/{tally.total:,} {share} {left}"
    name, room = printable(name), max(_SHORTEST_NAME, width - len(line) - 1)
    if columns(name) > room:
        front = _front(name, (room - 1) // 3)
        name = f"{front}…{_front(name[::-1], room - 1 - columns(front))[::-1]}"
    if columns(name) + 1 + len(line) <= width:
        line = f"{name} {line}"
    if columns(line) + _BAR + 1 + 30 <= width:  # a bar only if it does not displace a figure
        full = _BAR * tally.done // max(1, tally.total)
        line += f" {'━' * full}{'╌' * (_BAR - full)}"
    for figure in _figures(tally, seconds):
        if columns(line) + 3 + columns(figure) > width and figure != _trouble(tally):
            break
        line += f" · {figure}"
    return _front(line, width)


def _front(text: str, room: int) -> str:
    """Return the longest beginning of a text that fits into `room` columns."""
    while columns(text) > room:
        text = text[: max(0, min(len(text) - 1, room))]
    return text


def _trouble(tally: Tally) -> str:
    return printable(tally.trouble)[:140]


def _figures(tally: Tally, seconds: float) -> list[str]:
    """Return further figures for the status line, the most important first."""
    rate = (tally.answered + tally.failed) / seconds if seconds else 0.0
    figures = [
        f"{number:,} {what}" for what, number in (("failed", tally.failed), *tally.cut_or_empty.items()) if number
    ]
    figures.append(f"{rate:,.0f}/s")
    if tally.trouble:
        figures.append(_trouble(tally))
    if tally.cost:
        figures.append(f"${tally.cost:,.2f} of about ${tally.cost / max(1, tally.done) * tally.total:,.2f}")
    figures.append(f"at most {tally.limit} concurrent")
    if tally.tokens_in or tally.tokens_out:
        figures.append(f"{tally.tokens_in:,} + {tally.tokens_out:,} tokens")
    return figures
