"""Resources of this machine."""

import os
from pathlib import Path


def cores() -> int:
    """Return the number of CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cache_folder() -> Path:
    """Return the folder for cached files: COUNTERSIGHT_CACHE, or a folder in the user's cache."""
    chosen = os.environ.get("COUNTERSIGHT_CACHE")
    return Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "countersight"
