"""Source questions and drafts: real questions with a clear answer, and counterfactual questions written from them.

A source question is a how-many question or a yes/no question.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, Protocol

import msgspec

from countersight.case import AnswerKind, Case, Question
from countersight.dataset import BadRow, Dataset
from countersight.english import number_of
from countersight.errors import CountersightError
from countersight.reading import answer_in
from countersight.suites import VQAV2_NAME, BadField, Layout, find_suite, json_document, rows_of
from countersight.suites.cvqa import FACTUAL_LAYOUT

Group = Literal["direct", "boolean"]
GROUPS: Final[tuple[Group, ...]] = ("direct", "boolean")
OPERATIONS: Final = ("add", "remove", "replace", "leave", "double", "halve", "all but", "two in a row")
"""The possible effects of a supposition on a number."""
CLEAR_MAJORITY = 0.6
"""The minimum share of annotators who must agree."""
INVALID_ROW: Final = "an invalid row"
_LONGEST_QUESTION = 200
_HOW_MANY = re.compile(r"\s*how many\b", re.IGNORECASE)
_YES_NO = re.compile(
    r"\s*(?:is|are|was|were|does|do|did|has|have|can|could|will|would|should)\b(?!.*\bor\b)", re.IGNORECASE
)

_IN_PARTS = re.compile(r"\d *[/⁄] *\d|[¼-¾⅐-⅞]|\b(?:half|halves|third|quarter)s?\b", re.IGNORECASE)
"""Fractions in an answer: two and a half is neither two nor three."""
_WANTED: Final = "specify VQA's file with its annotations, C-VQA's CSV or a dataset"


class SourceQuestion(msgspec.Struct, frozen=True):
    """A question with its answer, from which a pair can be made."""

    id: str
    question: str
    answer: str
    group: Group
    image: str = ""
    """The file name of the picture, in the picture folder or in a dataset."""
    agreement: float = 1.0
    """The share of annotators who gave this answer, if several were asked."""
    text_only: bool = False
    """Whether the question has no picture by design."""

    @property
    def is_stored(self) -> bool:
        """Whether the picture is part of the dataset that the question came from."""
        return self.image.startswith("images/")


class Rejected(msgspec.Struct, frozen=True):
    """A question that did not become a pair: the check that failed, the reason, and the draft if there is one."""

    id: str
    question: str
    answer: str
    reason: str
    """The short name of the check that the statistics use."""
    details: str = ""
    written: str = ""


class PairDraft(msgspec.Struct, frozen=True):
    """A counterfactual question by a writer, with its answer."""

    question: str
    answer: str
    operation: str
    pattern: str = ""
    """The supposition without its numbers and names, for measuring the variety of wordings."""
    unpolished: str = ""
    """The question before its grammar was corrected, if that changed it."""


def question_like(source: SourceQuestion, text: str) -> Question:
    """Return a text as a question with the same kind of answer as the source question."""
    return Question(text, "", "number" if source.group == "direct" else "boolean")


class Unwritten(Exception):  # noqa: N818 - the name says what happened
    """Raised if the writer's output is unusable; `reason` is counted, `details` are stored."""

    def __init__(self, reason: str, details: str = "", written: str = "") -> None:
        super().__init__(reason)
        self.reason, self.details, self.written = reason, details, written


class Writer(Protocol):
    """A writer of counterfactual questions."""

    name: str

    async def write(self, source: SourceQuestion, wanted: tuple[str, ...]) -> PairDraft:
        """Return a counterfactual question; raises Unwritten. `wanted` are operations, the most needed first."""
        ...


class _QuestionEntries(msgspec.Struct):
    questions: list[msgspec.Raw]


def read_sources(questions: Path, annotations: Path | None) -> Iterator[SourceQuestion | Rejected]:
    """Yield the questions of a file or a dataset, each as a source or with the reason why it is unsuitable.

    Reads VQAv2's and OK-VQA's official files, C-VQA's CSV, and any dataset folder with factual questions.
    """
    for file in (questions, annotations):
        if file is not None and not file.exists():
            raise CountersightError(f"the file {file} does not exist")
    found = list((_from_dataset if questions.is_dir() else _from_file)(questions, annotations))
    if not any(isinstance(each, Case) for each in found):
        told = (each.details or each.reason for each in found if isinstance(each, Rejected))
        wrong = Counter(re.sub(r"\d+", "N", words) for words in told).most_common(1)
        rows = f" ({wrong[0][1]:,} x {wrong[0][0]})" if wrong else ""
        raise CountersightError(f"{questions} contains no questions{rows}; {_WANTED}")
    for each in found:
        yield _source(each) if isinstance(each, Case) else each


def _from_file(questions: Path, annotations: Path | None) -> Iterator[Case | Rejected]:
    layout: Layout = FACTUAL_LAYOUT
    if questions.suffix.lower() == ".csv":
        _refuse_annotations(annotations, "C-VQA's CSV contains its answers")
    elif annotations is not None:
        layout = find_suite(VQAV2_NAME).open_layout(annotations)
    else:
        try:
            json_document(questions, _QuestionEntries)
        except CountersightError:
            raise CountersightError(f"{questions} contains no questions; {_WANTED}") from None
        raise CountersightError(f"{questions} contains no answers; pass VQA's annotations as `annotations`")
    for number, (line, row) in enumerate(rows_of(layout, questions), start=1):
        try:
            if isinstance(row, BadField):
                raise row
            yield msgspec.structs.replace(layout.as_case(row, number), image=str(layout.picture(row)))
        except BadField as wrong:
            yield Rejected(f"line {line}", "", "", INVALID_ROW, f"{wrong.field}: {wrong.reason}")


def _from_dataset(folder: Path, annotations: Path | None) -> Iterator[Case | Rejected]:
    _refuse_annotations(annotations, "a dataset contains its answers")
    bad: list[BadRow] = []
    for _, case in Dataset.open(folder).cases(bad.append):
        yield msgspec.structs.replace(case, image=case.image or str(case.provenance.get("img_path", "")))
    for row in bad:
        yield Rejected(f"line {row.line}", "", "", INVALID_ROW, f"{row.field}: {row.reason}")


def _refuse_annotations(annotations: Path | None, why: str) -> None:
    if annotations is not None:
        raise CountersightError(f"`annotations` works only with VQA's questions; {why}")


def _source(case: Case) -> SourceQuestion | Rejected:
    if case.factual is None:
        return Rejected(case.id, "", "", "no factual question")
    question = case.factual
    if question.kind == "choice" and number_of(right := question.right_text.strip().casefold()) is not None:
        question = Question(question.text, right, "number")  # a choice whose right option is a number
    text = " ".join(question.text.split())
    text = text.capitalize() if text.isupper() else text
    group = _group(text, question)
    if group is None:
        return Rejected(case.id, text, "", "neither a counting nor a yes/no question")
    if len(text) > _LONGEST_QUESTION:
        return Rejected(case.id, text[:_LONGEST_QUESTION], "", "the question is too long")
    answer, agreement = _majority(question, "number" if group == "direct" else "boolean")
    if answer is None:
        return Rejected(case.id, text, "", "the answer is neither a number nor yes or no")
    if group == "direct" and not answer.isdecimal():
        return Rejected(case.id, text, "", "the answer is not a whole number")
    if agreement < CLEAR_MAJORITY:
        return Rejected(case.id, text, "", "no clear majority")
    return SourceQuestion(case.id, text, answer, group, case.image or "", round(agreement, 3), case.text_only)


def _group(text: str, question: Question) -> Group | None:
    if _HOW_MANY.match(text) and question.kind in ("number", "open"):
        return "direct"
    return "boolean" if _YES_NO.match(text) and question.kind in ("boolean", "open") else None


def _majority(question: Question, kind: AnswerKind) -> tuple[str | None, float]:
    """Return the most frequent answer, as a number or yes or no, and its share; "two" and "2" are the same answer."""
    asked = Question(question.text, "", kind)
    answers = question.answers or (question.answer,)
    read_as = Counter("" if _IN_PARTS.search(answer) else answer_in(answer, asked) or "" for answer in answers)
    (first, most), *_ = read_as.most_common(1)
    return first or None, most / len(answers)
