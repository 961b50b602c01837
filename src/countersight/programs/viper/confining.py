"""Interpreters that are confined by the system too: how they are started, and what of it holds on this machine."""

import os
import resource
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from countersight.programs.limits import Limits
from countersight.programs.viper import confined

OWN_MEMORY = 32 * 1024 * 1024
"""Bytes an interpreter takes before it has read a program."""
SESSIONS = 200
"""Programs an interpreter runs before another takes its place."""


def most_memory(limits: Limits) -> int:
    """Bytes of data one interpreter can have: what its program may, once more while that is copied, and its own."""
    return 2 * limits.memory + OWN_MEMORY


class Starter:
    """A file to start in the place of the interpreter; it is gone when this is closed."""

    def __init__(self, interpreter: str, limits: Limits) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="countersight-programs-")
        self.path = Path(self._folder.name) / "interpreter"
        seconds = max(1, round(SESSIONS * 2 * limits.seconds))
        command = [sys.executable, "-I", "-S", confined.__file__, str(most_memory(limits)), str(seconds), interpreter]
        # Ctrl-C is for whoever runs the programs: the interpreters end when they are told to.
        self.path.write_text(f"#!/bin/sh\ntrap '' INT QUIT\nexec {shlex.join(command)} \"$@\"\n", encoding="utf-8")
        self.path.chmod(0o700)

    def close(self) -> None:
        """Take the file away."""
        self._folder.cleanup()


def held(pid: int) -> dict[str, Any]:
    """What confines a process beside its interpreter, as the system tells it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        data = resource.prlimit(pid, resource.RLIMIT_DATA)[1]
    except (OSError, AttributeError):  # no Linux
        return {"seccomp": False, "rlimits": False}
    return {"seccomp": "\nSeccomp:\t2" in status, "rlimits": data != resource.RLIM_INFINITY}


def resident(pid: int) -> int:
    """Bytes of memory that a process has for itself; 0 where the system does not tell."""
    try:
        _, all_pages, shared, *_ = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return 0
    return (int(all_pages) - int(shared)) * os.sysconf("SC_PAGESIZE")
