"""Waiting for what comes by itself, as long as a machine may need that is busy with other things."""

import subprocess
import time
from collections.abc import Callable
from typing import TypeVar

MOST = 250.0
"""Seconds after which something does not come any more."""

Found = TypeVar("Found")


def wait_until(come: Callable[[], object], process: subprocess.Popen | None = None) -> None:
    """Wait until something has come; fails where it does not, or where the process that brings it ended before."""
    ends = time.monotonic() + MOST
    while not come():
        ended = process is not None and process.poll() is not None
        assert come() or not ended, f"the process ended before, with {process and process.returncode}"
        assert time.monotonic() < ends, f"it has not come within {MOST:g} s"
        time.sleep(0.005)


def settled(check: Callable[[], Found]) -> Found:
    """What a check gives once nothing in it fails any more; where it never does, it fails as it did last."""
    ends = time.monotonic() + MOST
    while True:
        try:
            return check()
        except AssertionError:
            if time.monotonic() > ends:
                raise
        time.sleep(0.05)
