"""Files and folders that appear whole or not at all, and lines that anybody may have written."""

import errno
import os
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from countersight.errors import CountersightError

_PART = ".part-"
"""Between the name of a file that is being written and who writes it."""
_OLD_PART = re.compile(r"\..+\.\d+(-\d+)?")
"""What 0.1 called such a file."""


class Staging:
    """A folder to fill; it takes its place under its own name when that went well, and is cleared away otherwise.

    A folder with something in it is refused at once, before anything was worked out for it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder.with_name(f".{folder.name}.making-{os.getpid()}")
        """Where it is filled."""
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CountersightError(f"{folder} exists already; remove it or choose another name")

    def __enter__(self) -> Path:
        _remove_abandoned(self.folder)
        self.path.mkdir(parents=True)
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError):
            _name_full_disk(error, self.folder.parent)
        try:
            if kind is None:
                if self.folder.exists():
                    self.folder.rmdir()
                self.path.rename(self.folder)
        finally:
            shutil.rmtree(self.path, ignore_errors=True)  # nothing is left of it where it took its place


def _name_full_disk(error: OSError, folder: Path) -> None:
    """Add the folder to an error that says only that some disk is full."""
    if error.errno == errno.ENOSPC and not error.filename:
        error.filename = str(folder.resolve())


def _remove_abandoned(folder: Path) -> None:
    """Clear away what a process that was killed had begun of this folder."""
    for staging in folder.parent.glob(f".{folder.name}.making-*"):
        try:
            os.kill(int(staging.name.rpartition("-")[2]), 0)
        except (ProcessLookupError, ValueError):
            shutil.rmtree(staging, ignore_errors=True)
        except PermissionError:  # alive, and another user's
            pass


def write_whole(path: Path, content: bytes | memoryview) -> None:
    """Write a file so that it is there in full or not at all, whatever happens."""
    with whole_file(path) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to fill bit by bit, which is there in full once that went well, or not at all."""
    part = path.with_name(f".{path.name}{_PART}{os.getpid()}-{threading.get_ident()}")  # two threads may write the same
    try:
        with open(part, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        _name_full_disk(error, path.parent)
        raise
    finally:
        part.unlink(missing_ok=True)


def refuse_foreign_page(page: Path) -> None:
    """Refuse to overwrite a page that another program wrote; the titles of our pages name Countersight."""
    if page.is_file():
        with open(page, "rb") as file:
            if b"Countersight" not in file.read(16_384):
                raise CountersightError(f"{page} was not written by Countersight; choose another folder for `out`")


def clear_parts(folder: Path) -> None:
    """Take away what a kill left of files that were being written there."""
    for file in folder.glob(".*"):
        if (_PART in file.name or _OLD_PART.fullmatch(file.name)) and file.is_file():
            file.unlink()


def bounded_lines(file: BinaryIO, most: int) -> Iterator[bytes]:
    """Lines of a file; of one longer than `most` bytes only so much as shows that it is."""
    while line := file.readline(most + 1):
        yield line
        while not line.endswith(b"\n") and (line := file.readline(most + 1)):
            pass


def write_text(path: Path, content: str) -> Path:
    """Write a text file so that it is there in full or not at all."""
    write_whole(path, content.encode())
    return path
