"""Progress of long-running work: a bar in a terminal, a bar in a notebook, or nothing."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

Progress = Callable[[str, int, str], AbstractContextManager[Callable[[int], None]]]
"""Displays progress; takes a label, the total and the unit, and yields a function to call with the number done."""

LOOKS_A_SECOND = 4


@contextmanager
def silent(what: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Show nothing."""
    yield lambda done: None


@contextmanager
def bar(what: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Show a bar in a terminal, on stderr, or in a notebook cell; it disappears when the work is done."""
    if not (sys.stderr.isatty() or in_notebook()):
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit))
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=total)
        yield lambda done: shown.update(task, completed=done)


def in_notebook() -> bool:
    """Return whether this process runs a notebook."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def usual() -> Progress:
    """Return the default display of the library: a bar in a notebook, nothing elsewhere."""
    return bar if in_notebook() else silent


@contextmanager
def counted(progress: Progress, what: str, unit: str, count: Callable[[], tuple[int, int]]) -> Iterator[None]:
    """Show work whose total is not known at the start; `count` returns the number done and the total."""
    if progress is silent:
        yield
        return
    over = threading.Event()

    def watch() -> None:
        while not count()[1]:
            if over.wait(1 / LOOKS_A_SECOND) and not count()[1]:  # the work ended before the total was known
                return
        with progress(what, count()[1], unit) as done:
            while not over.wait(1 / LOOKS_A_SECOND):
                done(count()[0])
            done(count()[0])

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
