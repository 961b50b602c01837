"""What this machine lets us use."""

import os
from pathlib import Path


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cache_folder() -> Path:
    """Where this user keeps what can be made again."""
    chosen = os.environ.get("COUNTERSIGHT_CACHE")
    return Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "countersight"
