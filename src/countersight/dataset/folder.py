"""A dataset is a folder of cases: a Hugging Face image folder with a card.

Cases are read as a stream, so memory use does not depend on the number of cases.
"""

import hashlib
import os
import re
from array import array
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from random import Random
from shlex import quote
from typing import Self

import msgspec

from countersight.case import Case
from countersight.errors import BadPicture, DatasetError, LinkedPicture
from countersight.files import bounded_lines
from countersight.picture import Picture, read_picture
from countersight.suggestions import nearest

METADATA = "metadata.jsonl"
MAX_LINE = 4 * 1024 * 1024
_DRIVE = re.compile(r"[A-Za-z]:")
_decoder = msgspec.json.Decoder(Case)


class BadRow(msgspec.Struct, frozen=True):
    """An invalid row: file, line, field and reason."""

    file: str
    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file} line {self.line}: {self.field}: {self.reason}"


class Dataset:
    """A folder of cases, opened for reading."""

    def __init__(self, path: Path | str) -> None:
        """Open a dataset folder and read all rows once to count them and to compute their fingerprint."""
        self.path = path = Path(path)
        self.name = path.resolve().name
        self.lines, self.count, self.fingerprint = _counted(path)
        """The number of lines and of rows, valid or not, and a digest of the rows; a run stores the digest to detect
        changes."""
        self._root = os.path.realpath(path)
        self._directories: dict[str, str] = {}

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open a dataset folder."""
        return cls(path)

    def __repr__(self) -> str:
        return f"Dataset({str(self.path)!r}: {self.count:,} cases)"

    def cases(self, on_bad: Callable[[BadRow], None] | None = None) -> Iterator[tuple[int, Case]]:
        """Iterate over all valid cases with their row numbers (from 0); invalid rows are passed to `on_bad`."""
        seen: set[int] = set()  # hashes need less memory than ids: less than 100 MB for 1,000,000 cases
        with open(self.path / METADATA, "rb") as file:
            for row, line in enumerate(bounded_lines(file, MAX_LINE)):
                if line.isspace():
                    continue
                case = parse_case(line)
                if isinstance(case, Case):
                    key = hash(case.id)
                    if key not in seen:
                        seen.add(key)
                        yield row, case
                        continue
                    case = ("id", f"{case.id!r} is already on an earlier line")
                if on_bad:
                    field, reason = case
                    on_bad(BadRow(METADATA, row + 1, field, reason))

    def __iter__(self) -> Iterator[Case]:
        """Iterate over all valid cases, in the order of the rows."""
        return (case for _, case in self.cases())

    def __len__(self) -> int:
        """Return the number of valid cases."""
        return len(self._good)

    def __bool__(self) -> bool:
        """Return True, even for a dataset without cases."""
        return True

    def __getitem__(self, position: int) -> Case:
        """Return a valid case by its position: `dataset[0]` is the first."""
        return self.case_at(self._good[position])

    @cached_property
    def _good(self) -> "array[int]":
        """The rows of all valid cases."""
        return array("q", (row for row, _ in self.cases()))

    def card(self) -> tuple[dict[str, str], str]:
        """Return the card's simple header fields, such as the license, and its text."""
        from countersight.dataset.provenance import read_card

        return read_card(self.path)

    def provenance(self) -> dict[str, str]:
        """How the dataset was made: its suite, and the seed or the published file."""
        from countersight.dataset.provenance import read_provenance

        return read_provenance(self.path)

    def shuffled(
        self,
        on_bad: Callable[[BadRow], None] | None = None,
        on_case: Callable[[int, Case], None] | None = None,
    ) -> Iterator[tuple[int, Case]]:
        """Iterate over all valid cases with their rows, in a random order that depends only on the rows.

        If you stop early, you have a random sample, the same one each time. A first pass finds the valid rows (16 MB of
        memory per million) and calls `on_case` for each of them; only then is the first case yielded.
        """
        rows = array("q")
        for row, case in self.cases(on_bad):
            rows.append(row)
            if on_case:
                on_case(row, case)
        Random(self.fingerprint).shuffle(rows)
        starts = self._starts
        with open(self.path / METADATA, "rb", buffering=0) as file:
            for row in rows:
                line = os.pread(file.fileno(), starts[row + 1] - starts[row], starts[row])
                yield row, _decoder.decode(line)  # validated in the first pass

    def case_at(self, row: int) -> Case:
        """Return the case on a row without reading the rows before it."""
        with open(self.path / METADATA, "rb") as file:
            file.seek(self._starts[row])
            return _decoder.decode(file.readline())

    @cached_property
    def _starts(self) -> "array[int]":
        """The offset in bytes at which each row starts, followed by the end of the file."""
        starts = array("q", [0])
        with open(self.path / METADATA, "rb") as file:
            for line in file:
                starts.append(starts[-1] + len(line))
        return starts

    def picture(self, file_name: str, digest: str = "") -> Picture:
        """Read and check a picture; raises BadPicture if it is invalid, was changed, or is outside the folder."""
        if "\x00" in file_name or file_name.startswith(("/", "\\", "~")) or _DRIVE.match(file_name):
            raise BadPicture("is not a path inside the dataset folder")
        directory, _, name = file_name.rpartition("/")
        full = self._followed(file_name) if name in ("", ".", "..") else f"{self._inside(directory)}/{name}"
        try:
            picture = read_picture(full, follow=False)
        except LinkedPicture:
            picture = read_picture(self._followed(file_name))
        if digest and digest != picture_digest(picture.data):
            raise BadPicture("has changed since the dataset was made")
        return picture

    def _inside(self, directory: str) -> str:
        """Return a folder of the dataset with links resolved; cached, because resolving them for every picture is
        slow."""
        if directory not in self._directories:
            if len(self._directories) > 10_000:
                self._directories.clear()
            self._directories[directory] = self._followed(directory)
        return self._directories[directory]

    def _followed(self, path: str) -> str:
        full = os.path.realpath(os.path.join(self._root, path))  # noqa: PTH118 - 10 times as fast as Path
        if full != self._root and not full.startswith(self._root + os.sep):
            raise BadPicture("is outside the dataset folder")
        return full


def picture_digest(data: bytes) -> str:
    """Return the digest of a picture that its case stores, so that the fingerprint of the rows also covers the
    pictures."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _counted(path: Path) -> tuple[int, int, str]:
    """Return the number of lines, the number of rows and the fingerprint; raises DatasetError if this is not a
    dataset."""
    rows = path / METADATA
    if path.is_file():
        made = f"countersight make SUITE --from {quote(str(path))} -o FOLDER"
        raise DatasetError(f"{path} is not a folder; make a dataset from it with: {made}")
    if not path.is_dir():
        near = nearest(path.name, (other.parent.name for other in path.parent.glob(f"*/{METADATA}")))
        hint = f"did you mean {path.with_name(near)}?" if near else ""
        made = f"make a dataset with: countersight make SUITE -o {quote(str(path))}"
        raise DatasetError(f"{path} is not a folder; {hint or made}")
    if not rows.is_file():
        raise DatasetError(f"{path} is not a dataset: it contains no {METADATA}")
    digest = hashlib.blake2b(digest_size=16)
    lines = count = 0
    with open(rows, "rb") as file:
        for line in bounded_lines(file, MAX_LINE):
            digest.update(line)
            lines += 1
            count += not line.isspace()
    return lines, count, digest.hexdigest()


def parse_case(line: bytes) -> Case | tuple[str, str]:
    """Return the case on a line, or the invalid field and the reason."""
    if len(line) > MAX_LINE:
        return "line", f"is longer than {MAX_LINE:,} bytes"
    try:
        case = _decoder.decode(line)
    except msgspec.ValidationError as error:
        reason, _, field = str(error).partition(" - at `$")
        named = re.search(r"required field `([^`]+)`", reason)
        place = field.rstrip("`").lstrip(".") or (named.group(1) if named else "line")
        return place, reason
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return "line", f"is not JSON ({error})"
    fault = case.fault()
    if fault:
        field, _, reason = fault.partition(": ")
        return field, reason
    return case
