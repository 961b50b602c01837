"""OK-VQA and VQAv2: the official questions and annotations about pictures of COCO, in two JSON files.

Questions are open and ask about the original picture. The answers of all ten people are kept for VQA's soft accuracy;
the most common one is the gold answer. Cases are grouped as in the papers' tables: OK-VQA by category of knowledge,
VQAv2 by type of answer.
"""

import re
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from countersight.case import Case, Question
from countersight.errors import CountersightError
from countersight.suites.layout import Layout
from countersight.suites.paper_terms import AS_IT_IS, Terms
from countersight.suites.rows import BadField, Row, Rows, checked, json_document, json_row, text_of
from countersight.suites.suite import SecondFile, Suite

OKVQA_NAME: Final = "okvqa"
VQAV2_NAME: Final = "vqav2"

FIELDS = ("question_id", "image_id", "question")
ANNOTATION_FIELDS = ("question_id", "answers")
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

_FEWEST, _MOST = 4, 100  # answers: with fewer than 4, no answer can get the full score
_LONGEST = 200  # characters of an answer
_SUBSET = re.compile(r"[a-z0-9]{1,20}")


class _Questions(msgspec.Struct):
    questions: list[msgspec.Raw]
    data_subtype: str = ""


class _Annotations(msgspec.Struct):
    annotations: list[msgspec.Raw]
    question_types: dict[str, str] = {}


class _Key(msgspec.Struct):
    question_id: int


def _rows(annotations: Path, path: Path) -> Rows:
    """Yield each question with its annotation, then the invalid annotations."""
    questions, answers = json_document(path, _Questions), json_document(annotations, _Annotations)
    file_fields = {"data_subtype": questions.data_subtype, "question_types": answers.question_types}
    annotated: dict[int, msgspec.Raw] = {}
    invalid: list[tuple[int, BadField]] = []
    for number, entry in enumerate(answers.annotations, start=1):
        fault = ""
        try:
            key = msgspec.json.decode(entry, type=_Key).question_id
            if annotated.setdefault(key, entry) is not entry:
                fault = f"question_id {key} is already on an earlier row"
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            fault = "has no whole number as its question_id"
        if fault:
            invalid.append((number, BadField("annotations", f"entry {number} of {annotations.name} {fault}")))
    for number, question in enumerate(questions.questions, start=1):
        row = json_row(bytes(question), FIELDS, "entry")
        if isinstance(row, BadField):
            yield number, row
        else:
            found = annotated.get(row["question_id"]) if isinstance(row["question_id"], int) else None
            annotation = json_row(bytes(found), ANNOTATION_FIELDS, "entry") if found else None
            yield number, {**row, **file_fields, "annotation": annotation}
    yield from invalid


def _as_case(name: str, row: Row, number: int) -> Case:
    annotation = row["annotation"]
    question_id, image_id = _id(row, "question_id"), _id(row, "image_id")
    if annotation is None:
        raise BadField("question_id", f"{question_id} has no annotation")
    if isinstance(annotation, BadField):
        raise BadField(f"annotation.{annotation.field}", annotation.reason)
    if annotation.get("image_id", image_id) != image_id:
        raise BadField(
            "annotation.image_id",
            f"is not the picture of question {question_id}; the annotations belong to other questions",
        )
    answers = _answers(annotation)
    counts = Counter(filter(None, answers))
    if not counts:
        raise BadField("annotation.answers", "are all empty")
    question = Question(text_of(row, "question"), counts.most_common(1)[0][0], "open", answers=answers)
    group = _word(annotation.get("answer_type"))
    if name == OKVQA_NAME:  # the file's own name of a category takes precedence over ours
        kind = _word(annotation.get("question_type"))
        group = _word(row["question_types"].get(kind)).lower() or CATEGORIES.get(kind, kind)
    return Case(
        id=f"{name}-{number:06d}",
        group=group,
        factual=checked(question, {"text": "question", "answer": "annotation.answers"}),
        provenance={"question_id": question_id, "image_id": image_id},
    )


def _answers(annotation: Row) -> tuple[str, ...]:
    answers = annotation["answers"]
    if not isinstance(answers, list) or not _FEWEST <= len(answers) <= _MOST:
        raise BadField("annotation.answers", f"is not a list of {_FEWEST} to {_MOST} answers")
    texts = [answer.get("answer") if isinstance(answer, dict) else None for answer in answers]
    if not all(isinstance(text, str) and "\0" not in text and len(text) <= _LONGEST for text in texts):
        raise BadField("annotation.answers", f'contains an entry without an "answer" of at most {_LONGEST} characters')
    return tuple(str(text).strip() for text in texts)


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


def _word(value: object) -> str:
    """Return a value as a short name, or "" if it is not printable text."""
    return " ".join(value.split())[:100] if isinstance(value, str) and value.isprintable() else ""


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
        SecondFile("--annotations", "the official annotations (JSON, or .json.gz): annotations with answers", True),
        title=title,
        terms=Terms(about=AS_IT_IS, measures={"factual": "VQA accuracy"}),
    )


OKVQA: Final = _suite(
    OKVQA_NAME,
    "OK-VQA",
    "open questions that need knowledge of the world,",
    "whose answers need knowledge of the world",
)
VQAV2: Final = _suite(VQAV2_NAME, "VQAv2", "open questions", "about visible things")
