"""NaturalBench: the table as lmms-eval (.parquet) and VLMEvalKit (.tsv) have it, four rows a group.

    index      0, 1, 2, …: of four that follow each other, the first question of both pictures, then the second
    image      the picture, inside the file
    question   its text, with both options where it is no question for yes or no
    answer     Yes or No, A or B
    type       yes_no or multiple_choice (lmms-eval: question_type)

Names of columns may have capitals. Options are read where the question ends with "Option: A: …; B: …".
"""

import re
from pathlib import Path

from countersight.case import Case, Cell, Option, Question
from countersight.suites.csv_file import header_fault
from countersight.suites.fields import checked, name_of, text_of
from countersight.suites.importing import BadField, Layout, Row, Rows
from countersight.suites.naturalbench.suite import NAME
from countersight.suites.picture_files import Pictured
from countersight.suites.table_file import picture_in, table_rows

FIELDS = ("index", "image", "question", "answer", "type")
_OPTIONS = re.compile(r"\s*options?\s*:\s*A\s*:\s*(?P<A>.+?)\s*[;,]?\s*B\s*:\s*(?P<B>.+?)\s*;?\s*", re.I | re.S)


def _rows(path: Path) -> Rows:
    """Rows with the names of their columns in small letters; a column that the file lacks is said once."""
    is_table = path.suffix.lower() in (".parquet", ".tsv", ".csv")
    for line, row in table_rows(path, ()):
        if isinstance(row, BadField):
            yield line, row
            continue
        plain = {str(name).casefold(): value for name, value in row.items()}
        if "question_type" in plain:
            plain.setdefault("type", plain["question_type"])
        if is_table and (wrong := header_fault(list(plain), FIELDS)):
            yield line, wrong
            return
        absent = next((field for field in FIELDS if plain.get(field) is None), None)
        yield line, plain if absent is None else BadField(absent, "is missing")


def _as_case(row: Row, _number: int) -> Case:
    index = _index(row)
    group, place = divmod(index, 4)
    question, picture = divmod(place, 2)
    return Case(
        id=f"{NAME}-{group:05d}-q{question}i{picture}",
        group=name_of(row, "type", ("yes_no", "multiple_choice")).replace("_", " "),
        factual=_question(row),
        cell=Cell(str(group), str(question), str(picture), of=4),
        provenance={"index": index},
    )


def _index(row: Row) -> int:
    text = str(row["index"])
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise BadField("index", f"{text[:40]!r} is not a whole number")
    return int(text)


def _question(row: Row) -> Question:
    text, answer = text_of(row, "question"), text_of(row, "answer")
    fields = {"text": "question", "answer": "answer", "options": "question"}
    if name_of(row, "type", ("yes_no", "multiple_choice")) == "yes_no":
        return checked(Question(text, answer.casefold(), "boolean"), fields)
    found = next(
        (found for start in re.finditer("option", text, re.I) if (found := _at_end(text, start.start()))), None
    )
    if found is None:
        raise BadField("question", "does not end with its options, as in: Option: A: red; B: blue;")
    options = Option(found["A"]), Option(found["B"])
    return checked(Question(text[: found.start()].strip(), answer.upper(), "choice", options), fields)


def _at_end(text: str, start: int) -> re.Match[str] | None:
    return _OPTIONS.fullmatch(text, start)


def _picture(row: Row) -> Pictured:
    return picture_in(row, "image")


LAYOUT = Layout(
    suite=NAME,
    title="NaturalBench",
    description="Groups of two pictures and two questions; each question has another answer for each picture.",
    rows=_rows,
    as_case=_as_case,
    picture=_picture,
    picture_field="image",
    embeds=True,
)
