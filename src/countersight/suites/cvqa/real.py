"""C-VQA-Real: the published CSV, whose answers are numbers or yes and no, about pictures of COCO.

Answers are read as those of models are ("Two " is 2, "Yes." is yes). Questions stay as they were published, without
spaces around them.
"""

from functools import partial
from pathlib import Path

import msgspec

from countersight.case import AnswerKind, Case, Question
from countersight.reading import answer_in
from countersight.suites.csv_file import csv_rows
from countersight.suites.cvqa.suite import REAL_NAME
from countersight.suites.fields import checked, name_of, text_of
from countersight.suites.importing import BadField, Layout, Row, Rows
from countersight.suites.supposing import supposed

COLUMNS = ("img_path", "query", "answer", "new query", "new answer", "type")
KINDS: dict[str, AnswerKind] = {"direct": "number", "indirect": "number", "boolean": "boolean"}
_LONGEST_ANSWER = 100


def _rows(path: Path) -> Rows:
    return csv_rows(path, COLUMNS)


def _as_case(row: Row, number: int) -> Case:
    group = name_of(row, "type", tuple(KINDS))
    factual = _question(row, "query", "answer", KINDS[group])
    counterfactual = _question(row, "new query", "new answer", KINDS[group])
    return Case(
        id=f"{REAL_NAME}-{number:06d}",
        group=group,
        factual=factual,
        change=supposed(counterfactual.text),
        counterfactual=counterfactual,
        provenance={"img_path": row["img_path"].strip()},
    )


def _question(row: Row, query: str, answer: str, kind: AnswerKind) -> Question:
    text, published = text_of(row, query), text_of(row, answer)
    unread = Question(text, "", kind)
    gold = answer_in(published, unread) if len(published) <= _LONGEST_ANSWER else None
    if gold is None:
        reason = "a number" if kind == "number" else "yes or no"
        raise BadField(answer, f"{published[:40]!r} is not {reason}")
    return checked(Question(text, gold, kind), {"text": query, "answer": answer})


def _as_factual(row: Row, number: int) -> Case:
    """The published question alone: whoever builds on it needs no counterfactual one."""
    text, answer = text_of(row, "query"), text_of(row, "answer")
    return Case(
        id=f"{REAL_NAME}-{number:06d}",
        factual=checked(Question(text, answer, "open"), {"text": "query", "answer": "answer"}),
        provenance={"img_path": row["img_path"].strip()},
    )


LAYOUT = Layout(
    suite=REAL_NAME,
    title="C-VQA-Real",
    description="The published questions of C-VQA-Real (Zhang et al., What If the TV Was Off?) about pictures of COCO.",
    rows=_rows,
    as_case=_as_case,
    picture=lambda row: str(row["img_path"]).strip(),
    picture_field="img_path",
    folders=("", "val2014", "train2014"),
)

FACTUAL_LAYOUT = msgspec.structs.replace(
    LAYOUT, rows=partial(csv_rows, columns=("img_path", "query", "answer")), as_case=_as_factual
)
"""The same file read for its questions of VQAv2 alone."""
