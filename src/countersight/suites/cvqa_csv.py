"""The published file layout of C-VQA-Synthetic: one row a picture, both questions with their options in the text."""

import csv
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import TextIO

import msgspec

from countersight import __version__
from countersight.case import LETTERS, Case, Change, Option, Question
from countersight.dataset import DatasetWriter
from countersight.errors import CountersightError
from countersight.suites.cvqa_synthetic import NAME, as_sentence
from countersight.suites.cvqa_templates import TEMPLATES

COLUMNS = ("img_path", "query", "answer", "new query", "new answer", "type")
SELECT = "Select the correct answer:"
IMAGES = "images/"
MAX_LINE = 1 << 20
"""Longest piece of a line read at once: a file of one endless line must not fill the memory."""
_OPTIONS = re.compile(r"\s*" + r"\s+".join(rf"{letter}:\s*([0-9]{{1,9}})" for letter in "ABCD") + r"\s*")
_TEMPLATE = {template.published_type: template for template in TEMPLATES}

OnBad = Callable[[int, str, str], None]
"""Told of a bad row: its line, the column, and what is wrong with it."""


class Imported(msgspec.Struct, frozen=True):
    """How many rows became cases, and how many were bad."""

    cases: int
    bad: int
    without_picture: int


class _BadRow(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field, self.reason = field, reason


def export_csv(cases: Iterable[Case], path: Path) -> int:
    """Write cases of this suite in the published layout; says how many."""
    written = 0
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for case in cases:
            writer.writerow(_as_row(case))
            written += 1
    return written


def import_dataset(source: Path, folder: Path, *, pictures: Path | None, on_bad: OnBad) -> Imported:
    """Read a file of the published layout into a new dataset folder; see `import_csv`."""
    writer = DatasetWriter(
        folder,
        name="C-VQA-Synthetic",
        description="The published questions of C-VQA-Synthetic (Zhang et al., What If the TV Was Off?).",
        license="unknown",
        provenance={"suite": "cvqa-synthetic", "file": source.name, "countersight": __version__},
    )
    with writer:
        imported = import_csv(source, writer, pictures, on_bad)
        if not imported.cases:
            raise CountersightError(f"{source} holds no questions of C-VQA-Synthetic; nothing was made")
        return imported


def import_csv(path: Path, writer: DatasetWriter, pictures: Path | None, on_bad: OnBad) -> Imported:
    """Read a file of the published layout into a dataset, with the pictures of a folder where one is given.

    A bad row is told to `on_bad` and left out. A case whose picture is not in the folder has none.
    """
    cases = bad = without_picture = 0
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        for number, (line, row) in enumerate(_rows(file), start=1):
            try:
                if isinstance(row, _BadRow):
                    raise row
                case = _as_case(row, number)
                if pictures is not None:
                    case = _with_picture(case, row["img_path"], pictures, writer.staging)
            except _BadRow as reason:
                on_bad(line, reason.field, reason.reason)
                bad += 1
            else:
                writer.add(case)
                cases += 1
                without_picture += case.image is None
    return Imported(cases, bad, without_picture)


def _as_row(case: Case) -> tuple[str, ...]:
    kind = case.provenance.get("type")
    if kind not in _TEMPLATE or not case.factual or not case.counterfactual:
        raise CountersightError(f"case {case.id!r} is none of {NAME}: it cannot be written in the published layout")
    questions = case.factual, case.counterfactual
    if any(len(question.options) != 4 for question in questions):
        raise CountersightError(f"case {case.id!r} has not four options: the published layout needs four")
    (query, new_query) = (
        f"{question.text} {SELECT}"
        + "  ".join(f"{LETTERS[nth]}:{option.text}" for nth, option in enumerate(question.options))
        for question in questions
    )
    image = case.image.removeprefix(IMAGES) if case.image else str(case.provenance.get("img_path", ""))
    return image, query, case.factual.answer, new_query, case.counterfactual.answer, str(kind)


def _rows(file: TextIO) -> Iterator[tuple[int, dict[str, str] | _BadRow]]:
    """Rows by column name with the line each ends on; what cannot be read as a row comes as what is wrong with it."""
    reader = csv.reader(iter(lambda: file.readline(MAX_LINE), ""))
    try:
        header = next(reader, [])
    except csv.Error as error:
        yield 1, _BadRow("header", str(error))
        return
    absent = [column for column in COLUMNS if column not in header]
    if absent:
        yield 1, _BadRow(absent[0], f"is not a column of the file; it needs {', '.join(COLUMNS)}")
        return
    while True:
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield reader.line_num, _BadRow("row", str(error))
            continue
        if not values:
            continue
        if len(values) != len(header):
            reason = f"has {len(values)} values where the header has {len(header)}"
            yield reader.line_num, _BadRow("row", reason)
        else:
            yield reader.line_num, dict(zip(header, values, strict=True))


def _as_case(row: dict[str, str], number: int) -> Case:
    for column in COLUMNS:
        if "\ufffd" in row[column] or "\0" in row[column]:
            raise _BadRow(column, "is not UTF-8 text")
    template = _TEMPLATE.get(row["type"].strip())
    if template is None:
        raise _BadRow("type", f"{row['type'][:40]!r} is none of {', '.join(_TEMPLATE)}")
    factual = _question(row, "query", "answer")
    counterfactual = _question(row, "new query", "new answer")
    _, found, clause = counterfactual.text.rstrip("?").partition(" if ")
    if not found or not clause.strip():
        raise _BadRow("new query", 'has no "if"')
    return Case(
        id=f"{NAME}-{number:06d}",
        group=template.group,
        factual=factual,
        change=Change(as_sentence(clause), template.kinds),
        counterfactual=counterfactual,
        provenance={"type": template.published_type, "img_path": row["img_path"]},
    )


def _question(row: dict[str, str], query: str, answer: str) -> Question:
    text, found, listed = row[query].partition(SELECT)
    options = _OPTIONS.fullmatch(listed)
    if not found or options is None:
        raise _BadRow(query, f'does not end with "{SELECT}A:…  B:…  C:…  D:…" and four whole numbers')
    question = Question(
        text.strip(), row[answer].strip(), "choice", tuple(Option(number) for number in options.groups())
    )
    fault = question.fault()
    if fault:
        field, _, reason = fault.partition(": ")
        raise _BadRow(answer if field == "answer" else query, reason[:200])
    return question


def _with_picture(case: Case, name: str, pictures: Path, staging: Path) -> Case:
    """The case with its picture copied beside it, or as it is where there is no such picture."""
    relative = PurePosixPath(name)
    if not name or relative.is_absolute() or ".." in relative.parts or "\\" in name or ":" in name:
        raise _BadRow("img_path", f"{name[:80]!r} is not a path inside the folder of pictures")
    try:
        source = (pictures / relative).resolve()
        if not source.is_relative_to(pictures.resolve()):
            raise _BadRow("img_path", f"{name[:80]!r} leads out of the folder of pictures")
        if not source.is_file():
            return case
        target = staging / IMAGES / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    except OSError as error:
        raise _BadRow("img_path", f"cannot be read: {error.strerror}") from error
    return msgspec.structs.replace(case, image=f"{IMAGES}{relative}")
