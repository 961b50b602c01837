"""Progress of long work: a bar in a terminal, a bar in a notebook, or nothing."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import Any

Progress = Callable[[str, int, str], AbstractContextManager[Callable[[int], None]]]
"""Displays progress: takes a label, the total and the unit, and yields a function to call with the number done."""

LOOKS_A_SECOND = 4


@contextmanager
def silent(what: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Show nothing."""
    yield lambda done: None


@contextmanager
def notebook(what: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Show a bar in a notebook cell; it disappears when the work is done."""
    from html import escape

    shell: Any = import_module("IPython.display")  # always installed in a notebook

    def bar(done: int) -> Any:
        return shell.HTML(
            f"<label>{escape(what)}: {done:,} of {total:,} {escape(unit)} "
            f'<progress value="{done}" max="{max(total, 1)}"></progress></label>'
        )

    reached = 0

    def move(done: int) -> None:
        nonlocal reached
        reached = done
        shown.update(bar(done))

    shown = shell.display(bar(0), display_id=True)
    try:
        yield move
    finally:
        shown.update(shell.HTML(f"<small>{escape(f'{what}: {reached:,} of {total:,} {unit}')}</small>"))


def usual() -> Progress:
    """Return the default display: a bar in a notebook, nothing elsewhere."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return notebook if type(shell).__name__ == "ZMQInteractiveShell" else silent


@contextmanager
def counted(progress: Progress, what: str, unit: str, count: Callable[[], tuple[int, int]]) -> Iterator[None]:
    """Show work whose total becomes known only after its start; `count` returns the number done and the total."""
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
