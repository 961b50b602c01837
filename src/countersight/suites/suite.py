"""A suite: its description, how its published file is imported, and how it is generated, if possible.

What a suite names may be the thing itself, or `module:attribute` where importing it takes long.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from countersight.errors import CountersightError
from countersight.files import digest_of
from countersight.progress import Progress, silent
from countersight.suites.importing import Imported, OnBad, Part, import_dataset
from countersight.suites.paper_terms import Terms
from countersight.suites.picture_files import Layout
from countersight.suites.statistics import SuiteTally

Way = Literal["seed", "file", "folder"]
"""How a dataset is made: from a seed, from its published file, or from a folder of another verb."""


class SecondFile(NamedTuple):
    """A second file that a suite is imported with."""

    option: str
    """Its option on the command line."""
    words: str
    """A description of its content."""
    needed: bool


class Suite(NamedTuple):
    """A benchmark: its description, the layout of its published file and, if it can be generated, how."""

    name: str
    """The name on the command line."""
    words: str
    """A description of the suite."""
    file: str
    """A description of its file."""
    pictures: str
    """A description of the picture folder."""
    layout: Layout | Callable[..., Layout] | str
    """Its layout; of a suite with a second file, what makes one, given that file or None. Nothing for a suite that is
    only made."""
    beside: SecondFile | None = None
    counts: str = "line"
    """The unit of the numbers of invalid rows."""
    maker: str = ""
    """`module:attribute` of the function that generates it from a seed, if possible."""
    assembler: str = ""
    """`module:attribute` of the function that generates it from a folder of another verb (CELLO: `mine`)."""
    options: Mapping[Way, tuple[str, ...]] = {}
    """Its own options, by the way in which it is made."""
    title: str = ""
    """Its name in the paper."""
    terms: Terms | str = ""
    """The terms of its scores, if it has its own."""
    described: Callable[[], SuiteTally] | str = ""
    """What gives a fresh `SuiteTally`, which counts its cases as its paper does: what `describe` adds. A
    `ReportedPairs` does for pairs of questions."""
    tables: str = ""
    """The package with the tables of its paper in `reference.toml`; its last name is the name of the paper."""

    def __repr__(self) -> str:
        return f"Suite({self.name!r}: {self.words})"

    def read(
        self,
        source: Path,
        folder: Path,
        *,
        pictures: Path | None,
        on_bad: OnBad,
        beside: Path | None = None,
        part: Part | None = None,
        **own: Any,
    ) -> Imported:
        """Import the suite's published file into a new dataset folder, with pictures if their folder is given.

        A bad row is told to `on_bad` (line, field, reason) and left out. With a `part` only some cases are taken, drawn
        by chance; `own` is what the layout of the suite alone takes.
        """
        layout = self.open_layout(beside, **own)
        how = {name: str(value) for name, value in own.items()} | {"sha256": digest_of(source, beside)}
        return import_dataset(layout, source, folder, pictures=pictures, on_bad=on_bad, part=part, how=how)

    def open_layout(self, beside: Path | None = None, **own: Any) -> Layout:
        """The layout of the suite's file, given its second file if it has one."""
        if not self.layout:
            raise CountersightError(f"{self.name} is made from a seed and has no file to import; leave out `source`")
        layout = _load(self.layout)
        opened: Layout = layout(beside, **own) if self.beside else layout
        # One layout may serve several suites: the cases are of the one that was named.
        about = self.words.partition(": ")[2] or self.words
        return replace(
            opened,
            suite=self.name,
            title=opened.title or self.title,
            description=opened.description or f"{about[:1].upper()}{about[1:]}.",
        )

    def make(
        self,
        folder: Path,
        *,
        size: int | None,
        seed: int,
        workers: int | None = None,
        ray: str = "",
        progress: Progress = silent,
        **own: Any,
    ) -> None:
        """Generate the suite in a new dataset folder; the same seed gives the same pixels. `own` has its own options.

        So many `workers` of this machine make it, or, where an address is given, a `ray` cluster.
        """
        if not self.maker:
            raise CountersightError(f"{self.name} is imported: name its file as `source` ({self.file})")
        if ray:  # a maker of somebody else's package may know no cluster
            own["ray"] = ray
        _load(self.maker)(folder, size=size, seed=seed, workers=workers, progress=progress, **own)

    def assemble(
        self,
        source: Path,
        folder: Path,
        *,
        size: int | None,
        seed: int,
        progress: Progress,
        on_bad: OnBad,
        **own: Any,
    ) -> Any:
        """Generate the suite from a folder written by another verb; returns the suite's own summary."""
        return _load(self.assembler)(source, folder, size=size, seed=seed, progress=progress, on_bad=on_bad, **own)

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
        """Return the counter of its cases for `describe`, or None if it adds nothing."""
        found: SuiteTally | None = _load(self.described)() if self.described else None
        return found

    def fields(self) -> str:
        """Return the documentation of its file format, from its module."""
        home = self.layout or self.maker
        reads = home.as_case if isinstance(home, Layout) else home
        reads = getattr(reads, "func", reads)  # of a function that was given its first arguments
        module = reads.partition(":")[0] if isinstance(reads, str) else reads.__module__
        return (import_module(module).__doc__ or "").strip()


def _load(home: Any) -> Any:
    if not isinstance(home, str):
        return home
    module, _, attribute = home.partition(":")
    return getattr(import_module(module), attribute)
