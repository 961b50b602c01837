"""MMVP: the authors' Questions.csv, with "MMVP Images" as the picture folder; two consecutive rows are a pair.

Index             1, 2, 3, …; the picture is Index.jpg
Question          the same for both pictures of a pair
Options           "(a) Open (b) Closed"
Correct Answer    (a) or (b); the two pictures of a pair have different answers
"""

import re
from typing import Final

from countersight.case import Case, Cell, Option, Question
from countersight.suites.paper_terms import ACCURACY, AS_IT_IS, Terms
from countersight.suites.rows import checked, text_of, whole_number
from countersight.suites.suite import BadField, Layout, Row, Suite

NAME: Final = "mmvp"
_OPTIONS = re.compile(r"\s*\(a\)\s*(.+?)\s*\(b\)\s*(.+?)\s*", re.I | re.S)


def _as_case(row: Row, _number: int) -> Case:
    index = whole_number(row, "Index", least=1)
    pair, picture = divmod(index - 1, 2)
    found = _OPTIONS.fullmatch(text_of(row, "Options"))
    if found is None:
        raise BadField("Options", "is not written as: (a) Open (b) Closed")
    letter = text_of(row, "Correct Answer").strip("() ").upper()
    question = Question(text_of(row, "Question"), letter, "choice", (Option(found[1]), Option(found[2])))
    return Case(
        id=f"{NAME}-{index:04d}",
        factual=checked(question, {"text": "Question", "answer": "Correct Answer", "options": "Options"}),
        cell=Cell(str(pair), "0", str(picture), of=2),
        provenance={"index": index},
    )


SUITE: Final = Suite(
    NAME,
    "MMVP: pairs of pictures that CLIP cannot tell apart",
    "the authors' Questions.csv: Index, Question, Options, Correct Answer",
    '"MMVP Images"',
    Layout(
        fields=("Index", "Question", "Options", "Correct Answer"),
        as_case=_as_case,
        picture=lambda row: f"{whole_number(row, 'Index', least=1)}.jpg",
        picture_field="Index",
        folders=("", "MMVP Images"),
    ),
    terms=Terms(about=AS_IT_IS, measures=ACCURACY, wholes={"set": "pair accuracy"}),
)
