"""A suite: a benchmark, the layout of its published file and, if it can be generated, how.

Fields whose value is slow to import may contain its name as `module:attribute` instead.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from countersight.case import Case
from countersight.errors import CountersightError
from countersight.progress import Progress, silent
from countersight.suites.paper_terms import Terms
from countersight.suites.statistics import SuiteTally


class BadField(Exception):  # noqa: N818 - named after the field, not the error
    """An invalid row: the field and the reason. Imports report and skip it."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field, self.reason = field, reason


class BadFile(BadField):
    """A fault of the whole file, such as a missing column."""


Row = Mapping[str, Any]
"""The fields of a row by name: text from a CSV, any value from JSON."""
Rows = Iterator[tuple[int, Row | BadField]]
"""Rows with the number of their last line (or their place in a list); an invalid row is replaced by a `BadField`."""


class Frames(NamedTuple):
    """The frames of a video: the pictures of a folder, in the order of their names."""

    folder: str

    def __str__(self) -> str:
        return f"{self.folder}/"


Pictured = str | bytes | Frames | None
"""The picture of a row: a file name, bytes, frames of a video, or nothing."""


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """How the rows of a published file become cases, and where their pictures are."""

    fields: tuple[str, ...] = ()
    """The fields that a row must have, if the file is a table: CSV, TSV, JSON lines, a JSON list, or Parquet."""
    optional: tuple[str, ...] = ()
    """Other known fields; case is ignored in their names, too. If there are any, unknown fields are reported, and
    misspelt ones are errors."""
    expand: Callable[[Row], Iterable[Row | BadField]] | None = None
    """Splits a row of the table into one row per case, if it contains several; raises BadField."""
    rows: Callable[[Path], Rows] | None = None
    """Returns the rows of a file that is not such a table."""
    as_case: Callable[[Row, int], Case]
    """Returns the case of a row, given the row's number counted from 1; raises BadField."""
    picture: Callable[[Row], Pictured]
    """Returns a row's picture: its file name, its bytes, or the folder of its frames; raises BadField."""
    picture_field: str
    folders: tuple[str, ...] = ("",)
    """Subfolders of the picture folder that may contain the picture, in order of preference."""
    flat: bool = False
    """Whether the picture may also be stored without the folders in its name."""
    license: str = "unknown"
    description: str = ""
    """The description on the dataset card; by default that of the suite."""


Way = Literal["seed", "file", "folder"]
"""How a dataset is made: from a seed, from its published file, or from a folder that another command wrote."""


class SecondFile(NamedTuple):
    """A second file that is read when a suite is imported."""

    words: str
    """A description of its content."""
    needed: bool


class Suite(NamedTuple):
    """A benchmark: its description, the layout of its published file and, if it can be generated, how."""

    name: str
    """The name of the suite on the command line."""
    words: str
    """A description of the suite."""
    file: str
    """A description of its file."""
    pictures: str
    """A description of the picture folder."""
    layout: Layout | Callable[..., Layout] | str
    """The layout of its file. For a suite with a second file, a function that returns the layout, given that file or
    None. Empty if the suite can only be generated."""
    second_file: SecondFile | None = None
    maker: str = ""
    """`module:attribute` of the function that generates it from a seed, if possible."""
    assembler: str = ""
    """`module:attribute` of the function that generates it from a folder of another command (CELLO: `mine`)."""
    options: Mapping[Way, tuple[str, ...]] = {}
    """Its own options, by how the dataset is made."""
    title: str = ""
    """Its name in the paper, if `words` do not begin with it ("MMVP: pairs of pictures")."""
    terms: Terms | str = ""
    """The terms of its scores, if it has its own."""
    described: Callable[[], SuiteTally] | str = ""
    """A function that returns a new `SuiteTally`, which counts cases for `describe` as the paper does. `ReportedPairs`
    is such a function for pairs of questions."""
    tables: str = ""
    """The package whose `reference.toml` has the tables of its paper; the last part of its name is the paper's name."""

    def __repr__(self) -> str:
        return f"Suite({self.name!r}: {self.words})"

    @property
    def heading(self) -> str:
        """The name in the paper, or the beginning of the description, or the name on the command line."""
        return self.title or (self.words.partition(": ")[0] if ": " in self.words else self.name)

    def open_layout(self, second_file: Path | None = None) -> Layout:
        """Return the layout of the suite's file, given its second file if it has one."""
        if not self.layout:
            raise CountersightError(f"{self.name} is made from a seed and has no file to import; leave out `source`")
        layout = _load(self.layout)
        opened: Layout = layout(second_file) if self.second_file else layout
        return opened

    def make(
        self,
        folder: Path,
        *,
        size: int | None,
        seed: int,
        workers: int | None = None,
        progress: Progress = silent,
        **own: Any,
    ) -> None:
        """Generate the suite in a new dataset folder; the same seed gives the same pixels.

        `own` contains the options of the suite. `workers` is the number of processes.
        """
        if not self.maker:
            raise CountersightError(f"{self.name} is imported: pass its file as `source` ({self.file})")
        _load(self.maker)(folder, size=size, seed=seed, workers=workers, progress=progress, **own)

    def assemble(self, source: Path, folder: Path, **how: Any) -> Any:
        """Generate the suite from a folder that another command wrote, and return the suite's own summary.

        `how` contains `size`, `seed`, `progress`, `on_bad` and the options of the suite.
        """
        return _load(self.assembler)(source, folder, **how)

    def way(self, source: Path | None) -> Way:
        """Return how the suite is made, given its source."""
        if source is None:
            return "seed"
        return "folder" if self.assembler and source.is_dir() else "file"

    def open_terms(self) -> Terms | None:
        """Return the terms in which its scores are reported; None for the default ones."""
        found: Terms | None = _load(self.terms) if self.terms else None
        return found

    def tally(self) -> SuiteTally | None:
        """Return the counter of its cases for `describe`, or None if there is none."""
        found: SuiteTally | None = _load(self.described)() if self.described else None
        return found

    def fields(self) -> str:
        """Return the documentation of its file format, from its module."""
        home = self.layout or self.maker
        reads = home.as_case if isinstance(home, Layout) else home
        reads = getattr(reads, "func", reads)  # the function in a partial
        module = reads.partition(":")[0] if isinstance(reads, str) else reads.__module__
        return (import_module(module).__doc__ or "").strip()


def _load(home: Any) -> Any:
    if not isinstance(home, str):
        return home
    module, _, attribute = home.partition(":")
    return getattr(import_module(module), attribute)
