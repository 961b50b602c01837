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
def showing(name: str, tally: Tally, unit: str = "questions") -> Iterator[None]:
    """Show a run's tally while it changes: count, share, time left, rate, failures, tokens, cost."""
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
        width = shutil.get_terminal_size().columns - 1  # a full line would make some terminals start another
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

    Count, share and time left are always shown. If space is short, first the name of the model is shortened, then the
    other figures are left out, starting with the last.
    """
    kept = f"{tally.done:,}/{tally.total:,} {_share(tally)} {_time_left(tally, seconds)}"
    name = _shortened(printable(name), max(_SHORTEST_NAME, width - len(kept) - 1))
    line = f"{name} {kept}" if columns(name) + 1 + len(kept) <= width else kept
    if columns(line) + _BAR + 1 + 30 <= width:  # a bar only if it does not displace a figure
        line += f" {_bar(tally)}"
    for figure in _figures(tally, seconds):
        if columns(line) + 3 + columns(figure) > width:
            break
        line += f" · {figure}"
    return _front(line, width)


def _shortened(name: str, room: int) -> str:
    """Shorten a name to `room` columns by leaving out its middle, since both ends tell models apart."""
    if columns(name) <= room:
        return name
    front = _front(name, (room - 1) // 3)
    return f"{front}…{_front(name[::-1], room - 1 - columns(front))[::-1]}"


def _front(text: str, room: int) -> str:
    """Return the longest beginning of a text that fits into `room` columns."""
    while columns(text) > room:
        text = text[: max(0, min(len(text) - 1, room))]
    return text


def _share(tally: Tally) -> str:
    return f"{100 * tally.done // tally.total}%" if tally.total else "–"


def _time_left(tally: Tally, seconds: float) -> str:
    asked = tally.answered + tally.failed
    if not asked or not tally.total:
        return "-:--:--"
    left = int(seconds / asked * max(0, tally.total - tally.done))
    return f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}"


def _bar(tally: Tally) -> str:
    full = _BAR * tally.done // tally.total if tally.total else 0
    return "━" * full + "╌" * (_BAR - full)


def _figures(tally: Tally, seconds: float) -> list[str]:
    """Return further figures for the status line, the most important first."""
    rate = (tally.answered + tally.failed) / seconds if seconds else 0.0
    figures = [f"{number:,} {what}" for what, number in (("failed", tally.failed), *tally.amiss.items()) if number]
    figures.append(f"{rate:,.0f}/s")
    if tally.cost:
        figures.append(f"${tally.cost:,.2f} of about ${tally.cost / max(1, tally.done) * tally.total:,.2f}")
    if tally.trouble:
        figures.append(printable(tally.trouble)[:100])
    figures.append(f"at most {tally.limit} concurrent")
    if tally.tokens_in or tally.tokens_out:
        figures.append(f"{tally.tokens_in:,} + {tally.tokens_out:,} tokens")
    return figures
