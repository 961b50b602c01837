"""C-VQA: the two published CSV files. They have the same columns:

    img_path                   the picture's file name
    query, answer              the question about the original picture
    new query, new answer      the counterfactual question, with "if"
    type                       Real: direct, indirect or boolean; Synthetic: abs_counting_1 to abs_counting_6

C-VQA-Real asks about COCO images. Its answers are numbers, or yes and no, and are normalised ("Two " is 2, "Yes."
is yes); its questions are kept as published, without surrounding spaces. In C-VQA-Synthetic, the text of a question
includes its four options.
"""

import re
from typing import Final

from msgspec.structs import replace

from countersight.case import AnswerKind, Case, Change, Option, Question
from countersight.scenes import as_published
from countersight.suites.cvqa.templates import TEMPLATES
from countersight.suites.paper_terms import Terms
from countersight.suites.rows import checked, kind_of, name_of, plain_answer, text_of
from countersight.suites.statistics import ReportedPairs
from countersight.suites.suite import BadField, Layout, Row, Suite
from countersight.suites.supposing import as_sentence, supposed

SYNTHETIC_NAME: Final = "cvqa-synthetic"
REAL_NAME: Final = "cvqa-real"
COLUMNS: Final = ("img_path", "query", "answer", "new query", "new answer", "type")
KINDS: Final[dict[str, AnswerKind]] = {"direct": "number", "indirect": "number", "boolean": "boolean"}
SELECT: Final = "Select the correct answer:"
_OPTIONS = re.compile(r"\s*" + r"\s+".join(rf"{letter}:\s*([0-9]{{1,9}})" for letter in "ABCD") + r"\s*")
_TEMPLATE: Final = {template.published_type: template for template in TEMPLATES}
_LONGEST_ANSWER: Final = 100
_SECTION: Final = "C-VQA, 3.4"


def _real_case(row: Row, number: int) -> Case:
    group = name_of(row, "type", tuple(KINDS))
    factual = _real_question(row, "query", "answer", KINDS[group])
    counterfactual = _real_question(row, "new query", "new answer", KINDS[group])
    return Case(
        id=f"{REAL_NAME}-{number:06d}",
        group=group,
        factual=factual,
        change=supposed(counterfactual.text),
        counterfactual=counterfactual,
        provenance={"img_path": row["img_path"].strip()},
    )


def _real_question(row: Row, query: str, answer: str, kind: AnswerKind) -> Question:
    text, published = text_of(row, query), text_of(row, answer)
    gold = plain_answer(published) if len(published) <= _LONGEST_ANSWER else ""
    if kind_of(gold) != kind:
        reason = "a number" if kind == "number" else "yes or no"
        raise BadField(answer, f"{published[:40]!r} is not {reason}")
    return checked(Question(text, gold, kind), {"text": query, "answer": answer})


def _as_factual(row: Row, number: int) -> Case:
    """Return a case with the factual question only, from which counterfactual questions can be built."""
    text, answer = text_of(row, "query"), text_of(row, "answer")
    return Case(
        id=f"{REAL_NAME}-{number:06d}",
        factual=checked(Question(text, answer, "open"), {"text": "query", "answer": "answer"}),
        provenance={"img_path": row["img_path"].strip()},
    )


def _synthetic_case(row: Row, number: int) -> Case:
    template = _TEMPLATE.get(row["type"].strip())
    if template is None:
        raise BadField("type", f"{row['type'][:40]!r} is not one of {', '.join(_TEMPLATE)}")
    factual = _synthetic_question(row, "query", "answer")
    counterfactual = _synthetic_question(row, "new query", "new answer")
    _, found, clause = as_published(counterfactual.text).rstrip("?").partition(" if ")
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


def _synthetic_question(row: Row, query: str, answer: str) -> Question:
    text, found, listed = row[query].partition(SELECT)
    options = _OPTIONS.fullmatch(listed)
    if not found or options is None:
        raise BadField(query, f'does not end with "{SELECT}A:…  B:…  C:…  D:…" and four whole numbers')
    question = Question(
        text.strip(), row[answer].strip(), "choice", tuple(Option(number) for number in options.groups())
    )
    return checked(question, {"text": query, "options": query, "answer": answer})


_REAL: Final = Layout(
    description="The published questions of C-VQA-Real (Zhang et al., What If the TV Was Off?) about COCO images.",
    fields=COLUMNS,
    as_case=_real_case,
    picture=lambda row: str(row["img_path"]).strip(),
    picture_field="img_path",
    folders=("", "val2014", "train2014"),
)
FACTUAL_LAYOUT: Final = replace(
    _REAL,
    fields=("img_path", "query", "answer"),
    as_case=_as_factual,
)
"""The layout that reads only the VQAv2 questions of the same file."""

REAL: Final = Suite(
    REAL_NAME,
    "C-VQA-Real: counting and yes/no questions about photographs of COCO",
    "the authors' CSV: img_path, query, answer, new query, new answer, type (direct, indirect or boolean)",
    "COCO's, in one folder or in val2014 and train2014",
    _REAL,
    terms=Terms(groups={"direct": "numerical direct", "indirect": "numerical indirect", "boolean": "boolean"}),
    described=ReportedPairs(
        _SECTION,
        {
            "pairs": "3,144",
            "direct": "1,150",
            "indirect": "864",
            "boolean": "1,130",
            "words in a basic question": "5.88",
            "words in a counterfactual question": "13.15",
            "no, among yes and no": "55.13 %",
        },
    ),
    tables="countersight.suites.cvqa",
)
SYNTHETIC: Final = Suite(
    SYNTHETIC_NAME,
    "C-VQA-Synthetic: six templates of flowers and dots, with four options",
    "the authors' CSV: img_path, query, answer, new query, new answer, type (abs_counting_1 to abs_counting_6)",
    "named as in img_path",
    Layout(
        description="The published questions of C-VQA-Synthetic (Zhang et al., What If the TV Was Off?).",
        fields=COLUMNS,
        as_case=_synthetic_case,
        picture=lambda row: str(row["img_path"]),
        picture_field="img_path",
    ),
    maker="countersight.suites.cvqa.synthetic:make_synthetic",
    options={"seed": ("controls", "groups", "wording")},
    terms=Terms(group="template"),
    described=ReportedPairs(
        _SECTION,
        {
            "pairs": "3,000",
            "words in a basic question": "16.00",
            "words in a counterfactual question": "25.33",
        },
    ),
    tables="countersight.suites.cvqa",
)
