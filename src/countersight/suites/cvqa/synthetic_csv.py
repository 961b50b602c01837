"""The published file layout of C-VQA-Synthetic: one row a picture, both questions with their options in the text."""

import csv
import re
from collections.abc import Iterable
from pathlib import Path

from countersight.case import LETTERS, Case, Change, Option, Question
from countersight.errors import CountersightError
from countersight.suites.csv_file import csv_rows
from countersight.suites.cvqa.suite import SYNTHETIC_NAME
from countersight.suites.cvqa.templates import TEMPLATES
from countersight.suites.fields import checked
from countersight.suites.importing import IMAGES, BadField, Layout, Row, Rows
from countersight.suites.supposing import as_sentence

COLUMNS = ("img_path", "query", "answer", "new query", "new answer", "type")
SELECT = "Select the correct answer:"
_OPTIONS = re.compile(r"\s*" + r"\s+".join(rf"{letter}:\s*([0-9]{{1,9}})" for letter in "ABCD") + r"\s*")
_TEMPLATE = {template.published_type: template for template in TEMPLATES}


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


def _as_row(case: Case) -> tuple[str, ...]:
    kind = case.provenance.get("type")
    if kind not in _TEMPLATE or not case.factual or not case.counterfactual:
        raise CountersightError(
            f"case {case.id!r} is none of {SYNTHETIC_NAME}: it cannot be written in the published layout"
        )
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


def _rows(path: Path) -> Rows:
    return csv_rows(path, COLUMNS)


def _as_case(row: Row, number: int) -> Case:
    template = _TEMPLATE.get(row["type"].strip())
    if template is None:
        raise BadField("type", f"{row['type'][:40]!r} is none of {', '.join(_TEMPLATE)}")
    factual = _question(row, "query", "answer")
    counterfactual = _question(row, "new query", "new answer")
    _, found, clause = counterfactual.text.rstrip("?").partition(" if ")
    if not found or not clause.strip():
        raise BadField("new query", 'has no "if"')
    return Case(
        id=f"{SYNTHETIC_NAME}-{number:06d}",
        group=template.group,
        factual=factual,
        change=Change(as_sentence(clause), template.kinds),
        counterfactual=counterfactual,
        provenance={"type": template.published_type, "img_path": row["img_path"]},
    )


def _question(row: Row, query: str, answer: str) -> Question:
    text, found, listed = row[query].partition(SELECT)
    options = _OPTIONS.fullmatch(listed)
    if not found or options is None:
        raise BadField(query, f'does not end with "{SELECT}A:…  B:…  C:…  D:…" and four whole numbers')
    question = Question(
        text.strip(), row[answer].strip(), "choice", tuple(Option(number) for number in options.groups())
    )
    return checked(question, {"text": query, "options": query, "answer": answer})


LAYOUT = Layout(
    suite=SYNTHETIC_NAME,
    title="C-VQA-Synthetic",
    description="The published questions of C-VQA-Synthetic (Zhang et al., What If the TV Was Off?).",
    rows=_rows,
    as_case=_as_case,
    picture=lambda row: str(row["img_path"]),
    picture_field="img_path",
)
