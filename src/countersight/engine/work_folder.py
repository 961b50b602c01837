"""A folder that one process fills and any later one takes up: a manifest, a lock, a journal."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from countersight.engine.journal import Journal
from countersight.errors import CountersightError
from countersight.files import write_whole

LOCK = ".lock"

T = TypeVar("T")


def locked(path: Path, error: type[CountersightError]) -> BinaryIO:
    """A file whose lock says that this process alone writes there; it goes with the process, however it ends."""
    lock = open(path / LOCK, "wb")  # noqa: SIM115 - held for as long as the folder is written
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise error(f"another process is writing to {path}; wait for it or stop it") from None
    return lock


def is_unused(path: Path, manifest: str, *begun: str) -> bool:
    """Whether nothing is in a folder but what is left where somebody was killed as it began."""
    names = {LOCK, *begun}
    return path.is_dir() and all(file.name in names or file.name.startswith(f".{manifest}.") for file in path.iterdir())


def begun(path: Path, manifest: str, what: str, error: type[CountersightError], *parts: str) -> BinaryIO:
    """Make the folder, or take up what is there, and lock it; one that holds anything else is refused."""
    if path.exists() and not (path / manifest).exists() and not is_unused(path, manifest, *parts):
        raise error(f"{path} exists and is not {what}; choose another folder for `out`")
    path.mkdir(parents=True, exist_ok=True)
    return locked(path, error)


def read_manifest(file: Path, kind: type[T], what: str, error: type[CountersightError]) -> T:
    """What a folder says of itself."""
    if not file.is_file():
        raise error(f"{file.parent} is not {what}: there is no {file.name} in it")
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise error(f"{file} is damaged: {fault}") from None


def write_manifest(file: Path, manifest: msgspec.Struct) -> None:
    """Write down what the folder is; people read it too."""
    write_whole(file, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")


@contextlib.contextmanager
def appending(lock: BinaryIO, file: Path) -> Iterator[Journal]:
    """A journal of the folder, for this process alone; the lock is let go of at the end."""
    with lock, Journal(file) as journal:
        yield journal
