"""OK-VQA and VQAv2: the official questions and annotations about COCO images, in two JSON files.

Questions are open and ask about the original picture. The answers of all ten people are kept for VQA's soft accuracy;
the most common one is the gold answer. Cases are grouped as in the tables of the papers: OK-VQA by category of
knowledge, VQAv2 by type of answer.
"""

import re
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import msgspec

from countersight.case import Case, Question
from countersight.errors import CountersightError
from countersight.suites.paper_terms import AS_IT_IS, Terms
from countersight.suites.rows import checked, json_document, json_row, text_of
from countersight.suites.suite import BadField, Layout, Row, Rows, SecondFile, Suite

OKVQA_NAME: Final = "okvqa"
VQAV2_NAME: Final = "vqav2"

FIELDS = ("question_id", "image_id", "question")
CATEGORIES = {
    "one": "vehicles and transportation",
    "two": "brands, companies and products",
    "three": "objects, material and clothing",
    "four": "sports and recreation",
    "five": "cooking and food",
    "six": "geography, history, language and culture",
    "seven": "people and everyday life",
    "eight": "plants and animals",
    "nine": "science and technology",
    "ten": "weather and climate",
    "other": "other",
}
"""OK-VQA's categories of knowledge, by their names in its file."""

_SUBSET = re.compile(r"[a-z0-9]{1,20}")


class _Questions(msgspec.Struct):
    questions: list[msgspec.Raw]
    data_subtype: str = ""


class _Annotations(msgspec.Struct):
    annotations: list[msgspec.Raw]
    question_types: dict[str, str] = {}


class _Key(msgspec.Struct):
    question_id: int


class _Answer(msgspec.Struct):
    answer: Annotated[str, msgspec.Meta(max_length=200, pattern=r"^[^\x00]*$")]


class _Annotation(msgspec.Struct):
    answers: Annotated[list[_Answer], msgspec.Meta(min_length=4, max_length=100)]
    """The answers of people; with fewer than 4, no answer can get the full score."""
    image_id: int | None = None
    answer_type: str = ""
    question_type: str = ""


def _rows(annotations: Path, path: Path) -> Rows:
    """Yield each question with its annotation; None if it has none, or several."""
    questions, answers = json_document(path, _Questions), json_document(annotations, _Annotations)
    file_fields = {"data_subtype": questions.data_subtype, "question_types": answers.question_types}
    annotated: dict[int, msgspec.Raw | None] = {}
    for entry in answers.annotations:
        with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            key = msgspec.json.decode(entry, type=_Key).question_id
            annotated[key] = None if key in annotated else entry
    for number, question in enumerate(questions.questions, start=1):
        row = json_row(bytes(question), FIELDS, "entry")
        if isinstance(row, BadField):
            yield number, row
        else:
            found = annotated.get(row["question_id"]) if isinstance(row["question_id"], int) else None
            yield number, {**row, **file_fields, "annotation": found}


def _as_case(name: str, row: Row, number: int) -> Case:
    question_id, image_id = _id(row, "question_id"), _id(row, "image_id")
    if row["annotation"] is None:
        raise BadField("question_id", f"{question_id} has no valid annotation, or several")
    try:
        annotation = msgspec.json.decode(row["annotation"], type=_Annotation)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadField("annotation", f"is invalid: {error}") from error
    if annotation.image_id not in (None, image_id):
        raise BadField("annotation", "is about another picture; the annotations belong to other questions")
    answers = tuple(each.answer.strip() for each in annotation.answers)
    counts = Counter(filter(None, answers))
    if not counts:
        raise BadField("annotation", "has only empty answers")
    question = Question(text_of(row, "question"), counts.most_common(1)[0][0], "open", answers=answers)
    group = _word(annotation.answer_type)
    if name == OKVQA_NAME:  # the file's own name of a category takes precedence over ours
        kind = _word(annotation.question_type)
        group = _word(row["question_types"].get(kind, "")).lower() or CATEGORIES.get(kind, kind)
    return Case(
        id=f"{name}-{number:06d}",
        group=group,
        factual=checked(question, {"text": "question", "answer": "annotation"}),
        provenance={"question_id": question_id, "image_id": image_id},
    )


def _id(row: Row, field: str) -> int:
    value = row[field]
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise BadField(field, "is not a whole number")
    return value


def _picture(row: Row) -> str:
    subset = row["data_subtype"]
    if not _SUBSET.fullmatch(subset):
        raise BadField("data_subtype", "does not name the split of COCO's pictures (val2014, …)")
    return f"COCO_{subset}_{_id(row, 'image_id'):012d}.jpg"


def _word(text: str) -> str:
    """Return a text as a short name, or "" if it is not printable."""
    return " ".join(text.split())[:100] if text.isprintable() else ""


def _layout(name: str, description: str, annotations: Path | None) -> Layout:
    if annotations is None:
        raise CountersightError(f"{name} needs its annotations")
    return Layout(
        description=description,
        rows=partial(_rows, annotations),
        as_case=partial(_as_case, name),
        picture=_picture,
        picture_field="image_id",
        folders=("", "val2014", "train2014", "test2015"),
        license="CC-BY-4.0",
    )


def _suite(name: str, title: str, words: str, about: str) -> Suite:
    description = f"The published questions of {title}, {about}, each with the answers of ten people."
    return Suite(
        name,
        f"{title}: {words} about photographs of COCO",
        "the official questions (JSON, or .json.gz): questions with question_id, image_id, question",
        "COCO's, in one folder or in val2014 and train2014",
        partial(_layout, name, description),
        SecondFile("the official annotations (JSON, or .json.gz): annotations with answers", True),
        terms=Terms(about=AS_IT_IS, measures={"factual": "VQA accuracy"}),
    )


OKVQA: Final = _suite(
    OKVQA_NAME,
    "OK-VQA",
    "open questions that need knowledge of the world,",
    "whose answers need knowledge of the world",
)
VQAV2: Final = _suite(VQAV2_NAME, "VQAv2", "open questions", "about visible things")
