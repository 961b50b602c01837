"""Progress of long work, as whoever watches wants it: a bar in a terminal, a bar in a notebook, or nothing."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

Progress = Callable[[str, int, str], AbstractContextManager[Callable[[int], None]]]
"""Shows how far work has come: told what is done, how many there are, and of what; then how many are done."""


@contextmanager
def silent(what: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Nobody watches."""
    yield lambda done: None
