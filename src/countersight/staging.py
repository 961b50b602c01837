"""Folders that appear whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from countersight.errors import CountersightError


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A folder to fill; it takes its place under its own name when that went well, and is cleared away otherwise."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CountersightError(f"{folder} exists already; remove it or choose another name")
    _remove_abandoned(folder)
    staging = folder.with_name(f".{folder.name}.making-{os.getpid()}")
    staging.mkdir(parents=True)
    try:
        yield staging
        if folder.exists():
            folder.rmdir()
        staging.rename(folder)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise


def _remove_abandoned(folder: Path) -> None:
    """Clear away what a process that was killed had begun of this folder."""
    for staging in folder.parent.glob(f".{folder.name}.making-*"):
        try:
            os.kill(int(staging.name.rpartition("-")[2]), 0)
        except (ProcessLookupError, ValueError):
            shutil.rmtree(staging, ignore_errors=True)
        except PermissionError:  # alive, and another user's
            pass
