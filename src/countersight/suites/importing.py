"""Import a published file as a dataset folder: shared code of the importers of all suites.

The `Layout` of a suite defines how rows are read and converted to cases. Invalid rows are reported with line, field and
reason, and skipped.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from random import Random

import msgspec

from countersight import __version__
from countersight.case import Case
from countersight.dataset import DatasetWriter
from countersight.errors import CountersightError, DatasetError
from countersight.suites.layout import BadField, BadFile, Layout, Row
from countersight.suites.picture_files import with_shown
from countersight.suites.rows import rows_of

_MAX_NAMED = 20
OnBad = Callable[[int, str, str], None]
"""Called for an invalid row with its line (or its number in a list), the field, and the reason."""


class Part(msgspec.Struct, frozen=True):
    """A random part of a file, given as a number or share of its cases. A seed draws the same part; sets stay whole."""

    cases: int | None = None
    share: float | None = None
    seed: int = 0

    def __str__(self) -> str:
        return f"{100 * self.share:g} %" if self.share is not None else f"{self.cases} cases"

    def draw(self, sets: Sequence[Sequence[int]]) -> frozenset[int]:
        """Return the row numbers of randomly drawn whole sets: at least one, and no more rows than requested."""
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
    """Pictures that are not in the given folder, each with the first line (or entry) that names it; a trailing slash
    marks a folder of frames."""
    text_only: int = 0
    """Cases that have no picture by design."""
    sets: int = 0
    """The number of sets (HallusionBench, NaturalBench, MMVP, …)."""
    unused: tuple[str, ...] = ()
    """Columns of the user's own table that are not known and were ignored."""
    mixed: dict[str, int] = {}
    """Cases of the user's own table whose two answers are of different kinds, each with its line (or entry)."""
    repeated: dict[str, int] = {}
    """Cases of the user's own table with the picture and questions of an earlier one, each with its line (or entry)."""
    kinds: dict[str, int] = {}
    """The number of questions of each kind in the user's own table."""

    def slips(self, row_name: str = "line") -> list[str]:
        """Return a sentence for each kind of probable slip in the user's own table, with the cases concerned."""
        unknown = f"Unknown columns, which are ignored: {', '.join(self.unused)[:1000]}"
        sentences = [unknown] if self.unused else []
        for problem, cases in (
            ("The factual and the counterfactual answer are of different kinds", self.mixed),
            ("Picture and questions are those of an earlier case", self.repeated),
        ):
            named = first_of([f"{case} ({row_name} {line})" for case, line in cases.items()])
            sentences += [f"{problem}; correct the table if this is a slip: {named}"] if cases else []
        return sentences


def first_of(names: Sequence[str]) -> str:
    """Return the first of these as text."""
    return "; ".join(names[:_MAX_NAMED]) + ("; …" if len(names) > _MAX_NAMED else "")


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
    """Import a published file, or a randomly drawn `part` of it, into a new dataset folder.

    Invalid rows are passed to `on_bad` and skipped. Cases whose picture is not in `pictures` have no picture. The
    card records `how` the layout was opened.
    """
    if pictures is not None and not pictures.is_dir():
        raise CountersightError(f"{pictures} is not a folder; name the folder that contains the pictures")
    from countersight.blindness import card_section  # slow to import

    provenance: dict[str, str | int] = {"suite": layout.suite, "file": source.name, "countersight": __version__}
    provenance |= how or {}
    if part is not None:
        provenance |= {"part": str(part), "seed": part.seed}
    with DatasetWriter(
        folder,
        name=layout.title,
        description=layout.description,
        license=layout.license,
        provenance=provenance,
        sections=(card_section,),
    ) as writer:
        imported = _import_rows(layout, source, writer, pictures, on_bad, part)
        if not imported.cases:
            raise CountersightError(f"no row of {source} is a case of {layout.suite}; nothing was made")
        return imported


def _import_rows(
    layout: Layout,
    source: Path,
    writer: DatasetWriter,
    pictures: Path | None,
    on_bad: OnBad,
    part: Part | None,
) -> Imported:
    drawn = part.draw(_sets_of_rows(layout, source)) if part else None
    counts = _Counts()
    for number, (line, row) in enumerate(rows_of(layout, source), start=1):
        try:
            if isinstance(row, BadFile):
                raise DatasetError(f"{source}: {row.field} {row.reason}")
            if isinstance(row, BadField):
                raise row
            counts.unused |= _unknown_columns(source, row, layout.columns, counts.unused)
            case = _as_case(layout, source, line, row, number)
            if drawn is not None and number not in drawn:
                continue
            if case.id in counts.ids:
                raise BadField("id", f"{case.id[:80]!r} is already on an earlier line")
            picture = layout.picture(row) if pictures is not None or layout.embeds else None
            case = with_shown(case, layout, picture, pictures, writer.staging)
        except BadField as wrong:
            on_bad(line, wrong.field, wrong.reason)
            counts.bad += 1
            continue
        writer.add(msgspec.structs.replace(case, suite=layout.suite))
        counts.add(case)
        if layout.tries_pictures:
            counts.add_of_table(case, line)
        if case.image is None and pictures is not None and picture is not None:
            counts.not_found.setdefault(str(picture), line)
    return counts.result()


class _Counts:
    """Counts cases and problems during an import; the names are those of `Imported`."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.bad = 0
        self.not_found: dict[str, int] = {}
        self.unused: dict[str, None] = {}
        self.mixed: dict[str, int] = {}
        self.repeated: dict[str, int] = {}
        self.kinds: Counter[str] = Counter()
        self._first: dict[Hashable, Case] = {}
        """The first case with each picture and questions, in the user's own table."""
        self._without_picture = 0
        self._text_only = 0
        self._sizes: Counter[str] = Counter()
        """The number of cases of each set."""
        self._planned_sizes: dict[str, int] = {}

    def add(self, case: Case) -> None:
        """Count a case."""
        self.ids.add(case.id)
        self._text_only += case.text_only
        self._without_picture += case.image is None and not case.text_only
        if case.cell:
            self._sizes[case.cell.set] += 1
            self._planned_sizes[case.cell.set] = case.cell.of

    def add_of_table(self, case: Case, line: int) -> None:
        """Count the kinds of questions in the user's own table, and record probable slips."""
        if kinds := _different_kinds(case):
            self.mixed[f"{case.id}: {kinds}"] = line
        asked = [question for question in (case.factual, case.counterfactual) if question]
        self.kinds.update(question.kind for question in asked)
        key = (case.provenance.get("image"), *((question.text, question.options) for question in asked))
        first = self._first.setdefault(key, case)
        if first is not case:
            answers = [question.answer for question in (first.factual, first.counterfactual) if question]
            differs = answers != [question.answer for question in asked]
            self.repeated[f"{case.id}, as {first.id}{', with another answer' * differs}"] = line

    def result(self) -> Imported:
        """Return the result of the import."""
        incomplete = tuple(
            f"{name[:80]!r} has {count} of {self._planned_sizes[name]} cases"
            for name, count in self._sizes.items()
            if count < self._planned_sizes[name]
        )
        return Imported(
            cases=len(self.ids),
            bad=self.bad,
            without_picture=self._without_picture,
            incomplete=incomplete,
            not_found=self.not_found,
            text_only=self._text_only,
            sets=len(self._sizes),
            unused=tuple(self.unused),
            mixed=self.mixed,
            repeated=self.repeated,
            kinds=dict(self.kinds),
        )


def _different_kinds(case: Case) -> str:
    """Return the two answers of a case with their kinds if the kinds differ, which may be a slip of typing."""
    asked = [question for question in (case.factual, case.counterfactual) if question]
    if len({question.kind for question in asked}) < 2:
        return ""
    return ", ".join(f"{question.right_text[:40]!r} ({question.kind})" for question in asked)


def _as_case(layout: Layout, source: Path, line: int, row: Row, number: int) -> Case:
    """Return the case of a row; an error in the code of a suite names the suite, the file and the row."""
    try:
        return layout.as_case(row, number)
    except (BadField, CountersightError):
        raise
    except Exception as error:
        raise CountersightError(
            f"the suite {layout.suite} failed on row {line} of {source}: {type(error).__name__}: {error}; "
            "correct its `as_case`, or raise BadField there for an invalid row"
        ) from error


def _unknown_columns(source: Path, row: Row, columns: tuple[str, ...], seen: Mapping[str, None]) -> dict[str, None]:
    """Return the columns that a layout does not know; one that is probably a misspelt column is an error."""
    if not columns:
        return {}
    found = dict.fromkeys(name for name in row if name not in columns and name not in seen)
    absent = [column for column in columns if column not in row]
    for name in found:
        parts = [column for column in absent if column.endswith(f"_{name.casefold()}")]
        if similar := parts or get_close_matches(name.casefold(), absent, 1, 0.7):
            raise DatasetError(
                f"{source} has an unknown column {name!r}; did you mean {similar[0]!r}? Rename the column, or remove it"
            )
    return found


def _sets_of_rows(layout: Layout, source: Path) -> list[list[int]]:
    """Return the numbers of the valid rows, grouped by set; a case without a set is a group of its own."""
    sets: dict[str | int, list[int]] = {}
    for number, (line, row) in enumerate(rows_of(layout, source), start=1):
        with contextlib.suppress(BadField):
            if not isinstance(row, BadField):
                cell = _as_case(layout, source, line, row, number).cell
                sets.setdefault(cell.set if cell else number, []).append(number)
    return list(sets.values())
