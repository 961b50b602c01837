"""Import a published file as a dataset folder: shared code of the importers of all suites.

A suite says in a `Layout` how its rows are read and what case a row is. A row that is no case is reported to the caller
by its line, its field and the reason.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

import msgspec

from countersight import __version__
from countersight.dataset import DatasetWriter
from countersight.errors import CountersightError, DatasetError
from countersight.suites.picture_files import BadField, BadFile, with_shown
from countersight.suites.picture_files import Layout as Layout

OnBad = Callable[[int, str, str], None]
"""Called for an invalid row with its line (or its number in a list), the field, and the reason."""


class Part(msgspec.Struct, frozen=True):
    """A number of cases of a file, or a share of them; the same seed draws the same ones. Sets are drawn whole."""

    cases: int | None = None
    share: float | None = None
    seed: int = 0

    def __str__(self) -> str:
        return f"{100 * self.share:g} %" if self.share is not None else f"{self.cases} cases"

    def drawn(self, sets: Sequence[Sequence[int]]) -> frozenset[int]:
        """Return the row numbers of randomly drawn sets: at least one set, and more while they fit the wanted size."""
        rows = sum(map(len, sets))
        wanted = min(rows, self.cases or 0) if self.share is None else max(1, round(self.share * rows))
        found: list[int] = []
        for each in Random(self.seed).sample(sets, min(wanted, len(sets))):
            if not found or len(found) + len(each) <= wanted:
                found += each
        return frozenset(found)


class Imported(msgspec.Struct, frozen=True):
    """The result of an import: the numbers of cases and of invalid rows."""

    cases: int
    bad: int
    without_picture: int
    incomplete: tuple[str, ...] = ()
    """Sets with missing cases, each with its number of cases: they are not scored as sets."""
    not_found: dict[str, int] = {}
    """Pictures that are not in the given folder, each with the first line (or entry) that names it; with a slash at its
    end it is a folder of frames."""
    text_only: int = 0
    """Cases that have no picture on purpose."""
    sets: int = 0
    """The number of sets (HallusionBench, NaturalBench, MMVP, …)."""


def import_dataset(
    layout: Layout,
    source: Path,
    folder: Path,
    *,
    pictures: Path | None,
    on_bad: OnBad,
    part: Part | None = None,
    how: Mapping[str, str] | None = None,
) -> Imported:
    """Import a published file, or a part of it, into a new dataset folder; see `import_rows`.

    The card records `how` its layout was opened.
    """
    if pictures is not None and not pictures.is_dir():
        raise CountersightError(f"{pictures} is not a folder; name the folder that contains the pictures")
    from countersight.blindness import card_section  # which takes long to import

    provenance: dict[str, str | int] = {"suite": layout.suite, "file": source.name, "countersight": __version__}
    provenance |= how or {}
    if part is not None:
        provenance |= {"part": str(part), "seed": part.seed}
    writer = DatasetWriter(
        folder,
        name=layout.title,
        description=layout.description,
        license=layout.license,
        provenance=provenance,
        sections=(card_section,),
    )
    with writer:
        imported = import_rows(layout, source, writer, pictures, on_bad, part)
        if not imported.cases:
            raise CountersightError(f"no row of {source} is a case of {layout.suite}; nothing was made")
        return imported


def import_rows(
    layout: Layout,
    source: Path,
    writer: DatasetWriter,
    pictures: Path | None,
    on_bad: OnBad,
    part: Part | None = None,
) -> Imported:
    """Import the rows of a published file into a dataset, with the pictures of a folder if one is given.

    A bad row is told to `on_bad` and left out. A case whose picture is not in the folder has none. With a `part` only
    cases drawn by chance are taken.
    """
    drawn = part.drawn(_sets_of_rows(layout, source)) if part else None
    cases = bad = without_picture = text_only = 0
    ids: set[str] = set()
    sets: dict[str, tuple[int, int]] = {}
    not_found: dict[str, int] = {}
    for number, (line, row) in enumerate(layout.rows(source), start=1):
        try:
            if isinstance(row, BadFile):
                raise DatasetError(f"{source}: {row.field} {row.reason}")
            if isinstance(row, BadField):
                raise row
            case = layout.as_case(row, number)
            if drawn is not None and number not in drawn:
                continue
            if case.id in ids:
                raise BadField("id", f"{case.id[:80]!r} is already on an earlier line")
            shown = layout.picture(row) if pictures is not None or layout.embeds else None
            case = with_shown(case, layout, shown, pictures, writer.staging)
        except BadField as wrong:
            on_bad(line, wrong.field, wrong.reason)
            bad += 1
        else:
            writer.add(msgspec.structs.replace(case, suite=layout.suite))
            ids.add(case.id)
            if case.cell:
                sets[case.cell.set] = sets.get(case.cell.set, (0, 0))[0] + 1, case.cell.of
            cases += 1
            text_only += case.text_only
            without_picture += case.image is None and not case.text_only
            if case.image is None and pictures is not None and shown is not None:
                not_found.setdefault(str(shown), line)
    return Imported(cases, bad, without_picture, _incomplete(sets), not_found, text_only, len(sets))


def _sets_of_rows(layout: Layout, source: Path) -> list[list[int]]:
    """The numbers of the rows that are cases, by the set each belongs to; a case of no set is one of its own."""
    sets: dict[str | int, list[int]] = {}
    for number, (_, row) in enumerate(layout.rows(source), start=1):
        with contextlib.suppress(BadField):
            if not isinstance(row, BadField):
                cell = layout.as_case(row, number).cell
                sets.setdefault(cell.set if cell else number, []).append(number)
    return list(sets.values())


def _incomplete(sets: dict[str, tuple[int, int]]) -> tuple[str, ...]:
    """The sets with fewer cases than they have in their suite, each in a few words; they are scored as no set."""
    return tuple(
        f"{name[:80]!r} has {count} of {wanted} cases" for name, (count, wanted) in sets.items() if count < wanted
    )
