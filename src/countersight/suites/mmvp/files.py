"""MMVP: the authors' Questions.csv, with "MMVP Images" as the folder of pictures; two rows in a row are a pair.

Index             1, 2, 3, …; the picture is Index.jpg
Question          the same for both pictures of a pair
Options           "(a) Open (b) Closed"
Correct Answer    (a) or (b): another one for each picture of a pair
"""

import re
from functools import partial

from countersight.case import Case, Cell, Option, Question
from countersight.suites.fields import checked, text_of
from countersight.suites.importing import BadField, Layout, Row
from countersight.suites.mmvp.suite import NAME
from countersight.suites.table_file import table_rows

FIELDS = ("Index", "Question", "Options", "Correct Answer")
_OPTIONS = re.compile(r"\s*\(a\)\s*(.+?)\s*\(b\)\s*(.+?)\s*", re.I | re.S)


def _as_case(row: Row, _number: int) -> Case:
    index = _index(row)
    pair, picture = divmod(index - 1, 2)
    return Case(
        id=f"{NAME}-{index:04d}",
        factual=_question(row),
        cell=Cell(str(pair), "0", str(picture), of=2),
        provenance={"index": index},
    )


def _index(row: Row) -> int:
    text = str(row["Index"]).strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text)):
        raise BadField("Index", f"{text[:40]!r} is not a whole number from 1 on")
    return int(text)


def _question(row: Row) -> Question:
    found = _OPTIONS.fullmatch(text_of(row, "Options"))
    if found is None:
        raise BadField("Options", "is not written as: (a) Open (b) Closed")
    letter = text_of(row, "Correct Answer").strip("() ").upper()
    question = Question(text_of(row, "Question"), letter, "choice", (Option(found[1]), Option(found[2])))
    return checked(question, {"text": "Question", "answer": "Correct Answer", "options": "Options"})


def _picture(row: Row) -> str:
    return f"{_index(row)}.jpg"


LAYOUT = Layout(
    suite=NAME,
    title="MMVP",
    description="Pairs of pictures that CLIP takes for the same, and one question with another answer for each.",
    rows=partial(table_rows, fields=FIELDS),
    as_case=_as_case,
    picture=_picture,
    picture_field="Index",
    folders=("", "MMVP Images"),
)
