"""NaturalBench: the table of lmms-eval (.parquet) or VLMEvalKit (.tsv), with four rows per group.

    index      0, 1, 2, …: four consecutive rows are the first question for both pictures, then the second
    image      the embedded picture
    question   its text, including both options unless it is a yes/no question
    answer     Yes or No, A or B
    type       yes_no or multiple_choice (lmms-eval: question_type)

Upper and lower case do not matter in column names. Options are read if the question ends with "Option: A: …; B: …".
"""

import re
from functools import partial
from typing import Final

from countersight.case import Case, Cell, Option, Question
from countersight.suites.paper_terms import AS_IT_IS, Terms
from countersight.suites.rows import checked, name_of, picture_in, text_of, whole_number
from countersight.suites.suite import BadField, Layout, Row, Suite

NAME: Final = "naturalbench"
_OPTIONS = re.compile(r"\s*options?\s*:\s*A\s*:\s*(?P<A>.+?)\s*[;,]?\s*B\s*:\s*(?P<B>.+?)\s*;?\s*", re.I | re.S)


def _as_case(row: Row, _number: int) -> Case:
    index = whole_number(row, "index")
    group, place = divmod(index, 4)
    question, picture = divmod(place, 2)
    type_field = next((name for name in row if name.casefold() in ("type", "question_type")), "type")
    kind = name_of(row, type_field, ("yes_no", "multiple_choice"))
    return Case(
        id=f"{NAME}-{group:05d}-q{question}i{picture}",
        group=kind.replace("_", " "),
        factual=checked(_question(row, kind), {"text": "question", "answer": "answer", "options": "question"}),
        cell=Cell(str(group), str(question), str(picture), of=4),
        provenance={"index": index},
    )


def _question(row: Row, kind: str) -> Question:
    text, answer = text_of(row, "question"), text_of(row, "answer")
    if kind == "yes_no":
        return Question(text, answer.casefold(), "boolean")
    starts = (start.start() for start in re.finditer("option", text, re.I))
    found = next((found for start in starts if (found := _OPTIONS.fullmatch(text, start))), None)
    if found is None:
        raise BadField("question", "does not end with its options, as in: Option: A: red; B: blue;")
    options = Option(found["A"]), Option(found["B"])
    return Question(text[: found.start()].strip(), answer.upper(), "choice", options)


SUITE: Final = Suite(
    NAME,
    "NaturalBench: groups of two pictures and two questions",
    "the table of lmms-eval (.parquet) or VLMEvalKit (.tsv): index, image, question, answer, type",
    "inside the file",
    Layout(
        fields=("index", "image", "question", "answer"),
        as_case=_as_case,
        picture=partial(picture_in, field="image"),
        picture_field="image",
    ),
    terms=Terms(
        about=AS_IT_IS,
        group="type",
        measures={"factual": "Acc"},
        wholes={"question": "Q-Acc", "picture": "I-Acc", "set": "G-Acc"},
    ),
)
