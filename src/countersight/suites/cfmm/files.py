"""CFMM: pairs of a basic and a counterfactual question that share two options, in a file format of our own.

The authors' file is not public, so this is how to write the cases down: a CSV with a header, or a .jsonl file with one
JSON object a line, whose fields are all text.

    image                    the picture's file name inside the folder of pictures
    aspect                   count, color, shape, size, direction or common
    basic_question           "Is the cat to the left of the dog?"
    counterfactual_question  "If the cat and the dog changed places, would the cat be to the left of the dog?"
    option_a, option_b       the two answers that both questions offer: "Yes", "No"
    basic_answer             A or B, or the option's text
    counterfactual_answer    the same

An aspect and an answer may be in capitals or not; "colour" is "color".
"""

from pathlib import Path

from countersight.case import Case, Option, Question
from countersight.suites.cfmm.suite import NAME
from countersight.suites.csv_file import csv_rows
from countersight.suites.fields import checked, name_of, text_of
from countersight.suites.importing import BadField, Layout, Row, Rows
from countersight.suites.json_lines import jsonl_rows
from countersight.suites.supposing import supposed

ASPECTS = ("count", "color", "shape", "size", "direction", "common")
OPTIONS = ("option_a", "option_b")
FIELDS = (
    "image",
    "aspect",
    "basic_question",
    "counterfactual_question",
    *OPTIONS,
    "basic_answer",
    "counterfactual_answer",
)


def _rows(path: Path) -> Rows:
    rows = jsonl_rows if path.suffix.lower() in (".jsonl", ".ndjson", ".json") else csv_rows
    return rows(path, FIELDS)


def _as_case(row: Row, number: int) -> Case:
    aspect = name_of(row, "aspect", (*ASPECTS, "colour"))
    factual = _question(row, "basic_question", "basic_answer")
    counterfactual = _question(row, "counterfactual_question", "counterfactual_answer")
    return Case(
        id=f"{NAME}-{number:06d}",
        group="color" if aspect == "colour" else aspect,
        factual=factual,
        change=supposed(counterfactual.text),
        counterfactual=counterfactual,
        provenance={"image": _picture(row)},
    )


def _question(row: Row, text: str, answer: str) -> Question:
    options = tuple(text_of(row, field) for field in OPTIONS)
    if options[0].casefold() == options[1].casefold():
        raise BadField(OPTIONS[1], f"is the same as {OPTIONS[0]}")
    question = Question(
        text_of(row, text), _letter(row, answer, options), "choice", tuple(Option(option) for option in options)
    )
    return checked(question, {"text": text, "answer": answer, "options": OPTIONS[1]})


def _letter(row: Row, field: str, options: tuple[str, ...]) -> str:
    text = text_of(row, field)
    said = text.casefold()
    meant = {
        letter for letter, option in zip("AB", options, strict=True) if said in (letter.casefold(), option.casefold())
    }
    if len(meant) == 2:
        raise BadField(field, f"{text[:40]!r} is the letter of one option and the text of the other")
    if not meant:
        raise BadField(field, f"{text[:40]!r} is neither A or B nor the text of an option")
    return meant.pop()


def _picture(row: Row) -> str:
    return text_of(row, "image")


LAYOUT = Layout(
    suite=NAME,
    title="CFMM",
    description="Basic and counterfactual questions with two shared options, after CFMM.",
    rows=_rows,
    as_case=_as_case,
    picture=_picture,
    picture_field="image",
)
