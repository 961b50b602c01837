"""Import a published file as a dataset folder, in the same way for all suites.

The `Layout` of a suite defines how rows are read and converted to cases. Invalid rows are reported with line, field and
reason, and skipped.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from countersight import __version__
from countersight.case import Case
from countersight.dataset import DatasetWriter
from countersight.errors import CountersightError, DatasetError
from countersight.files import digest_of
from countersight.suites.picture_files import with_pictures
from countersight.suites.rows import rows_of
from countersight.suites.suite import BadField, BadFile, Layout, Row, Suite

_MAX_NAMED = 20
OnBad = Callable[[int, str, str], None]
"""Called for an invalid row with its line (or its number in a list), the field, and the reason."""


class Part(msgspec.Struct, frozen=True):
    """A random part of a file, given as a number or a share of its cases. A seed determines it; sets are not split."""

    cases: int | None = None
    share: float | None = None
    seed: int = 0

    def __str__(self) -> str:
        return f"{100 * self.share:g} %" if self.share is not None else f"{self.cases} cases"

    def draw(self, cases: Iterator[Case]) -> set[str]:
        """Return the ids of randomly drawn whole sets: at least one, and no more cases than requested."""
        sets: dict[tuple[str, str], list[str]] = {}
        for case in cases:
            sets.setdefault(("set", case.cell.set) if case.cell else ("case", case.id), []).append(case.id)
        total = sum(map(len, sets.values()))
        wanted = min(total, self.cases or 0) if self.share is None else max(1, round(self.share * total))
        found: list[str] = []
        for each in Random(self.seed).sample([*sets.values()], min(wanted, len(sets))):
            if not found or len(found) + len(each) <= wanted:
                found += each
        return set(found)


class Imported(msgspec.Struct, frozen=True):
    """The result of an import: the numbers of cases and of invalid rows."""

    cases: int
    bad: int
    without_picture: int
    incomplete: tuple[str, ...] = ()
    """Sets with missing cases, each with its number of cases; they are not scored as sets."""
    not_found: dict[str, int] = {}
    """Pictures that are not in the given folder, each with the first line (or entry) that names it; a trailing slash
    marks a folder of frames."""
    text_only: int = 0
    """The number of cases that have no picture by design."""
    sets: int = 0
    """The number of sets (HallusionBench, NaturalBench, MMVP, …)."""
    kinds: dict[str, int] = {}
    """The number of questions of each kind of answer."""
    notes: tuple[str, ...] = ()
    """Messages about unknown columns and repeated rows in the user's own table."""


def first_of(names: Sequence[str]) -> str:
    """Return the first few of these names, joined into one string."""
    return "; ".join(names[:_MAX_NAMED]) + ("; …" if len(names) > _MAX_NAMED else "")


def import_file(
    suite: Suite,
    source: Path,
    folder: Path,
    *,
    pictures: Path | None,
    on_bad: OnBad,
    second_file: Path | None = None,
    part: Part | None = None,
) -> Imported:
    """Import the published file of a suite into a new dataset folder, with pictures if their folder is given.

    Invalid rows are passed to `on_bad` (line, field, reason) and skipped. With `part`, only a random part of the cases
    is imported. The dataset card records the settings.
    """
    from countersight.blindness import card_section  # slow to import

    layout = suite.open_layout(second_file)
    if pictures is not None and not pictures.is_dir():
        raise CountersightError(f"{pictures} is not a folder; name the folder that contains the pictures")
    drawn = None
    if part is not None:
        drawn = part.draw(each.case for each in _read(suite, layout, source, lambda *bad: None))
    about = suite.words.partition(": ")[2] or suite.words
    provenance: dict[str, str | int] = {"suite": suite.name, "file": source.name, "countersight": __version__}
    provenance["sha256"] = digest_of(source, second_file)
    provenance |= {"part": str(part), "seed": part.seed} if part else {}
    with DatasetWriter(
        folder,
        name=suite.heading,
        description=layout.description or f"{about[:1].upper()}{about[1:]}.",
        license=layout.license,
        provenance=provenance,
        sections=(card_section,),
    ) as writer:
        imported = _import_rows(suite, layout, source, writer, pictures, on_bad, drawn)
        if not imported.cases:
            raise CountersightError(f"no row of {source} is a valid case of {suite.name}; no dataset was made")
        return imported


class _Read(NamedTuple):
    """A row that was read from a file, its case, and the name of its picture."""

    line: int
    row: Row
    case: Case
    picture: Any


def _read(suite: Suite, layout: Layout, source: Path, on_bad: OnBad) -> Iterator[_Read]:
    """Yield the valid rows of a file with their cases; the others are passed to `on_bad`."""
    line = 0
    try:
        for number, (line, row) in enumerate(rows_of(layout, source), start=1):
            if isinstance(row, BadFile):
                raise DatasetError(f"{source}: {row.field} {row.reason}")
            try:
                if isinstance(row, BadField):
                    raise row
                read = _Read(line, row, layout.as_case(row, number), layout.picture(row))
            except BadField as wrong:
                on_bad(line, wrong.field, wrong.reason)
                continue
            yield read
    except (CountersightError, OSError):
        raise
    except Exception as error:
        raise CountersightError(
            f"the suite {suite.name} failed on row {line} of {source}: {type(error).__name__}: {error}; "
            "correct its code, or raise BadField there for an invalid row"
        ) from error


def _import_rows(
    suite: Suite,
    layout: Layout,
    source: Path,
    writer: DatasetWriter,
    pictures: Path | None,
    on_bad: OnBad,
    drawn: set[str] | None,
) -> Imported:
    bad: list[int] = []
    fields: dict[str, None] = {}
    asked: dict[Hashable, Case] = {}
    repeated: list[str] = []
    ids: set[str] = set()
    not_found: dict[str, int] = {}
    kinds: Counter[str] = Counter()
    sizes: Counter[tuple[str, int]] = Counter()
    text_only = without_picture = 0

    def report(line: int, field: str, reason: str) -> None:
        bad.append(line)
        on_bad(line, field, reason)

    for line, row, case, picture in _read(suite, layout, source, report):
        if drawn is not None and case.id not in drawn:
            continue
        try:
            if case.id in ids:
                raise BadField("id", f"{case.id[:80]!r} is already on an earlier line")
            case = with_pictures(case, layout, picture, pictures, writer.staging)
        except BadField as wrong:
            report(line, wrong.field, wrong.reason)
            continue
        writer.add(msgspec.structs.replace(case, suite=suite.name))
        ids.add(case.id)
        kinds.update(question.kind for question in (case.factual, case.counterfactual) if question)
        if layout.optional:
            fields |= dict.fromkeys(row)
            questions = [question for question in (case.factual, case.counterfactual) if question]
            key = (str(picture), *((question.text, question.options) for question in questions))
            if (earlier := asked.setdefault(key, case)) is not case:
                repeated.append(f"{case.id}, as {earlier.id} (line {line})")
        if case.cell:
            sizes[case.cell.set, case.cell.of] += 1
        text_only += case.text_only
        if case.image is None and not case.text_only:
            without_picture += 1
            if pictures is not None and picture is not None:
                not_found.setdefault(str(picture), line)
    return Imported(
        len(ids),
        len(bad),
        without_picture,
        tuple(f"{name[:80]!r} has {count} of {of} cases" for (name, of), count in sizes.items() if count < of),
        not_found,
        text_only,
        len({name for name, _ in sizes}),
        dict(kinds),
        tuple(
            f"{problem}: {first_of(names)}"
            for problem, names in (
                ("Unknown columns, which are ignored", _unknown_fields(layout, source, list(fields))),
                ("Cases with the picture and the questions of an earlier case", repeated),
            )
            if names
        ),
    )


def _unknown_fields(layout: Layout, source: Path, fields: list[str]) -> tuple[str, ...]:
    """Return the fields that the layout does not know; raises an error for a misspelt optional field."""
    unknown = tuple(name for name in fields if name not in (*layout.fields, *layout.optional))
    absent = [name for name in layout.optional if name not in fields]
    for name in unknown:
        ends = [field for field in absent if field.endswith(f"_{name.casefold()}")]
        if similar := ends or get_close_matches(name.casefold(), absent, 1, 0.7):
            raise DatasetError(
                f"{source} has an unknown column {name!r}; did you mean {similar[0]!r}? Rename the column, or remove it"
            )
    return unknown
