"""The outcomes of large runs in the user's cache folder, because reading 100,000 replies takes half a minute.

The cache is not in the run folder, so that a run from somebody else cannot bring its own scores.
"""

import hashlib
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import msgspec
import numpy as np

import countersight
from countersight.dataset import Dataset
from countersight.engine import JOURNAL, MANIFEST, RunFolder
from countersight.files import write_whole

MIN_JOURNAL_SIZE: Final = 1_000_000
"""The size in bytes of a journal from which its outcomes are cached; smaller ones are read in a second."""

_Kept = TypeVar("_Kept", bound=msgspec.Struct)


class OutcomeCache(Generic[_Kept]):
    """The cached outcomes of one run, valid for the current files of the run and of its dataset."""

    def __init__(self, run: RunFolder, dataset: Dataset, kind: type[_Kept]) -> None:
        self._kind = kind
        self._file: Path | None = None
        """The cached outcomes; None if the run is small, or if this user has no home folder."""
        journal = run.path / JOURNAL
        if journal.exists() and journal.stat().st_size >= MIN_JOURNAL_SIZE:
            stats = [file.stat() for file in (run.path / MANIFEST, journal)]
            state = [(each.st_size, each.st_mtime_ns, each.st_ino) for each in stats]
            self._key = _digest(repr((state, dataset.fingerprint, _program())).encode())
            with suppress(RuntimeError):
                self._file = _folder() / _digest(os.fsencode(run.path.resolve())).hex()

    def read(self) -> _Kept | None:
        """Return the outcomes; None if they are not cached, or if the files have changed."""
        with suppress(OSError, ValueError, TypeError, msgspec.MsgspecError):
            content = self._file.read_bytes() if self._file else b""
            if content and content.startswith(self._key):
                return msgspec.msgpack.decode(content[len(self._key) :], type=self._kind, dec_hook=_decoded)
        return None

    def write(self, outcomes: _Kept) -> None:
        """Keep the outcomes in place of earlier ones of this run; if the folder is not writable, do nothing."""
        if self._file:
            with suppress(OSError):
                self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                write_whole(self._file, self._key + msgspec.msgpack.encode(outcomes, enc_hook=_encoded))


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "countersight" / "outcomes"


@cache
def _program() -> tuple[str, int]:
    """Return the version of the program, and when its code was last changed."""
    sources = Path(countersight.__file__).parent.rglob("*.py")
    return countersight.__version__, max(file.stat().st_mtime_ns for file in sources)


def _encoded(array: Any) -> tuple[str, Any]:
    """Encode an array: its type, then its values as bytes, or as a list of strings."""
    if array.dtype.kind == "T":
        return "T", array.tolist()
    return f"{array.dtype.str} {' '.join(map(str, array.shape))}", array.tobytes()


def _decoded(_: Any, encoded: tuple[str, Any]) -> Any:
    described, values = encoded
    if described == "T":
        return np.array(values, dtype=np.dtypes.StringDType())
    kind, *shape = described.split()
    return np.frombuffer(values, dtype=kind).reshape([int(size) for size in shape])
