"""Write files and folders atomically, and read lines with a size limit."""

import errno
import hashlib
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from countersight.errors import CountersightError
from countersight.suggestions import nearest

_PART = ".part-"
"""The separator between the name of a file and the id of the process that is writing it."""


class Staging:
    """A temporary folder that is renamed to its final name on success and removed on failure.

    A folder that is not empty is refused at once, before any work is done.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder.with_name(f".{folder.name}.making-{os.getpid()}")
        """The temporary folder."""
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
            shutil.rmtree(self.path, ignore_errors=True)  # on success it was renamed, so there is nothing to remove


def _name_full_disk(error: OSError, folder: Path) -> None:
    """Add the name of the folder to the error message of a full disk."""
    if error.errno == errno.ENOSPC and not error.filename:
        error.filename = str(folder.resolve())


def _remove_abandoned(folder: Path) -> None:
    """Remove temporary folders that killed processes left for this folder."""
    for staging in folder.parent.glob(f".{folder.name}.making-*"):
        try:
            os.kill(int(staging.name.rpartition("-")[2]), 0)
        except (ProcessLookupError, ValueError):
            shutil.rmtree(staging, ignore_errors=True)
        except PermissionError:  # the process is running and belongs to another user
            pass


def digest_of(*files: Path | None) -> str:
    """Return the SHA-256 of the SHA-256 digests of several files; None values are skipped."""
    digest = hashlib.sha256()
    for path in filter(None, files):
        with open(path, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def write_whole(path: Path, content: bytes | memoryview) -> None:
    """Write a file atomically."""
    with whole_file(path) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing; it appears under its name only when it is complete."""
    part = path.with_name(f".{path.name}{_PART}{os.getpid()}-{threading.get_ident()}")  # one name per thread
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


def refuse_foreign_folder(folder: Path, page: str, *unfinished: str) -> None:
    """Raise an error if a folder has files, but no page of this name that was written by Countersight.

    `unfinished` has the names of files that an interrupted command leaves in the folder.
    """
    files = {each.name for each in folder.iterdir() if not each.name.startswith(".")} if folder.is_dir() else set()
    if files <= set(unfinished):
        return
    if not (folder / page).is_file():
        raise CountersightError(f"{folder} has other files and no {page}; choose a new folder for `out`")
    with open(folder / page, "rb") as file:
        if b"Countersight" not in file.read(16_384):  # the titles of our pages name it
            raise CountersightError(f"{folder / page} was not written by Countersight; choose a new folder for `out`")


def missing_folder(folder: Path) -> str:
    """Return the message that a folder does not exist, with a similar name in the same place if there is one."""
    near = nearest(folder.name, (each.name for each in folder.parent.glob("*") if each.is_dir()))
    return f"there is no folder {folder}" + (f"; did you mean {folder.with_name(near)}?" if near else "")


def clear_parts(folder: Path) -> None:
    """Remove unfinished files that a killed process left behind."""
    for file in folder.glob(f".*{_PART}*"):
        file.unlink()


def bounded_lines(file: BinaryIO, most: int) -> Iterator[bytes]:
    """Yield the lines of a file; a line longer than `most` bytes is cut after `most` + 1 bytes."""
    while line := file.readline(most + 1):
        yield line
        while not line.endswith(b"\n") and (line := file.readline(most + 1)):
            pass


def write_text(path: Path, content: str) -> Path:
    """Write a text file atomically."""
    write_whole(path, content.encode())
    return path
