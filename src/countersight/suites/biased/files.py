"""VLMs Are Biased: the authors' table, a .parquet file of any of its splits with the pictures inside, or a .jsonl file.

    image              the picture; where it is not inside, image_path names it
    topic, sub_topic   "Logos", "Adidas": what is shown
    prompt             the question as it is asked, with the form of the answer
    ground_truth       what the picture shows: a number, or yes or no
    expected_bias      what one would say without looking: "3" stripes

and, where the file has them, ID, type_of_question, with_title and pixel. An answer that is wrong and the expected bias
is told from any other wrong answer. Where both are the same (pictures that were not changed) there is no bias to tell.
"""

import re
from functools import partial

from countersight.case import AnswerKind, Case, Question
from countersight.suites.biased.suite import NAME
from countersight.suites.fields import checked, text_of
from countersight.suites.importing import Layout, Row
from countersight.suites.picture_files import Pictured
from countersight.suites.table_file import picture_in, table_rows

FIELDS = ("topic", "prompt", "ground_truth", "expected_bias")
_KEPT = ("ID", "sub_topic", "type_of_question", "with_title", "pixel")
_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


def _as_case(row: Row, number: int) -> Case:
    return Case(
        id=f"{NAME}-{number:06d}",
        group=text_of(row, "topic"),
        factual=_question(row),
        provenance={field: str(row[field])[:200] for field in _KEPT if row.get(field) is not None},
    )


def _question(row: Row) -> Question:
    answer, prior = (_plain(row, field) for field in ("ground_truth", "expected_bias"))
    kind: AnswerKind = "number" if _NUMBER.fullmatch(answer) else "boolean" if answer in ("yes", "no") else "open"
    question = Question(text_of(row, "prompt"), answer, kind, prior="" if prior == answer else prior)
    return checked(question, {"text": "prompt", "answer": "ground_truth", "prior": "expected_bias"})


def _plain(row: Row, field: str) -> str:
    """An answer without the braces that the prompt asks for, yes and no in small letters."""
    value = row[field]
    text = text_of({field: str(value) if isinstance(value, int) else value}, field).strip("{} ")
    return text.casefold() if text.casefold() in ("yes", "no") else text


def _picture(row: Row) -> Pictured:
    return picture_in(row, "image" if row.get("image") else "image_path")


LAYOUT = Layout(
    suite=NAME,
    title="VLMs Are Biased",
    description="Counterfactual pictures of well known things, with the answer that knowledge alone would give (Vo et "
    "al.).",
    rows=partial(table_rows, fields=FIELDS),
    as_case=_as_case,
    picture=_picture,
    picture_field="image",
    license="MIT",
    embeds=True,
)
