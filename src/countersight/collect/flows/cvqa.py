"""Flow `cvqa`: pairs that a machine wrote are verified by two people; indirect questions are written by hand (C-VQA 3).

An item is either a pair of questions to verify, or a picture with its factual question, for which a person writes a
counterfactual question. Pairs written by people are verified like all others. `import_vqav2` makes such items from
VQAv2's files.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.case import Case, Question
from countersight.collect.flows import verify
from countersight.collect.flows.forms import Field, Form, answer_field
from countersight.collect.flows.protocol import Advance, Item, NewItem, Past, Step, item_key
from countersight.errors import CampaignError, CountersightError
from countersight.suites import VQAV2_NAME, BadField, Layout, Part, Row, Rows, find_suite, import_file
from countersight.text import several

_GIVEN: Final = "The given question"
CLOSED: Final = ("number", "boolean")
"""The kinds of questions in C-VQA."""


class Indirect(msgspec.Struct, frozen=True, omit_defaults=True):
    """A counterfactual question written for a factual one, and its answer."""

    question: str
    answer: str


class CvqaFlow(verify.VerifyFlow):
    """The flow of C-VQA-Real."""

    name = "cvqa"
    contents = (Indirect,)

    def __init__(self) -> None:
        super().__init__()
        self.phases += verify.FLOW.phases

    def adapt(self, case: Case) -> Case:
        """Return a case with the kind of its factual question set from the answer: a number, or yes or no."""
        return with_closed_question(case) if case.counterfactual is None else case

    def fault(self, case: Case) -> str:
        """Return the reason why people cannot write a question for a case or verify it; empty if they can."""
        fault = super().fault(case)
        if fault or case.counterfactual is not None:
            return fault
        if case.factual is None or case.factual.kind not in CLOSED:
            return "its question asks neither for a number nor for yes or no; C-VQA allows only these"
        return "" if case.image else "it has no picture to write about"

    def items_of(self, case: Case, source: dict[str, Any]) -> Iterator[NewItem]:
        """Yield one item: a pair to verify, or a question for which a pair is written."""
        yield NewItem(item_key(case.id), source, "verify" if case.counterfactual else "write")

    def check_item(self, item: NewItem) -> NewItem | None:
        """Return a pair to verify whose answer is known."""
        return super().check_item(item) if item.phase == "verify" else None

    def fields(self, phase: str, item: Item, past: Past) -> Sequence[Field]:
        """Return the question with its answer, or the fields of a verdict."""
        if phase != "write":
            return super().fields(phase, item, past)
        return *self.phase(phase).fields, answer_field("answer", "The new answer", _factual(item))

    def read(self, phase: str, form: Form, item: Item, past: Past) -> Any:
        """Return a written question, or a verdict on one."""
        if phase != "write":
            return super().read(phase, form, item, past)
        written = Indirect(**form.read(self.fields(phase, item, past), {_GIVEN: _factual(item).text}))
        if written.answer and written.answer == _factual(item).answer:
            form.fail("answer", "The condition must change the answer: this is the answer without it.")
        return written

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """Send written questions to two verifiers."""
        return Advance("verify") if phase == "write" else super().settle(item, phase, past)

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """Return the factual question alone, or the whole pair."""
        return {"factual": _factual(item)} if phase == "write" else super().shown(phase, item, past)


def with_closed_question(case: Case) -> Case:
    """Turn an open question whose answer is a number, yes or no (as in VQAv2) into a question of that kind."""
    question = case.factual
    if question is None or question.kind != "open" or question.hidden:
        return case
    answer = question.answer.casefold()
    if answer in ("yes", "no"):
        return msgspec.structs.replace(case, factual=Question(question.text, answer, "boolean"))
    if answer.isascii() and answer.isdigit():
        return msgspec.structs.replace(case, factual=Question(question.text, answer, "number"))
    return case


def _factual(item: Item) -> Question:
    factual = verify.case_of(item, {}).factual
    assert factual is not None  # writing items are made from cases with a factual question
    return factual


def import_vqav2(
    folder: Path,
    *,
    questions: Path,
    annotations: Path,
    pictures: Path,
    size: int | None = None,
    seed: int = 0,
    on_bad: Callable[[str], None] = lambda words: None,
) -> str:
    """Write usable questions of VQAv2, or `size` of them drawn at random, as a dataset; return a summary.

    Invalid entries are reported. Questions that cannot be used are only counted, because VQAv2 has very many of them.
    """
    suite = find_suite(VQAV2_NAME)
    layout = suite.open_layout(annotations)
    counts: Counter[str] = Counter()

    def rows(path: Path) -> Rows:
        """Yield the usable questions, and invalid entries, which the import reports."""
        counts.clear()  # if questions are drawn, the file is read twice
        assert layout.rows is not None
        for entry, row in layout.rows(path):
            fault = "" if isinstance(row, BadField) else _fault(layout, row, entry, pictures)
            counts[fault] += 1
            if not fault:
                yield entry, row

    chosen = msgspec.structs.replace(layout, rows=rows)
    try:
        made = import_file(
            suite._replace(layout=lambda _: chosen),
            questions,
            folder,
            pictures=pictures,
            second_file=annotations,
            part=Part(size, None, seed) if size else None,
            on_bad=lambda line, field, reason: on_bad(f"{questions} entry {line}: {field}: {reason}"),
        )
    except CountersightError as error:
        raise CampaignError(f"{error}{_count_skipped(counts)}") from None
    return f"{made.cases:,} of {several(counts[''], 'usable question')} of VQAv2{_count_skipped(counts)}"


def _fault(layout: Layout, row: Row, entry: int, pictures: Path) -> str:
    """Return the reason why people cannot write a question for an entry; empty if they can."""
    try:
        question, file = with_closed_question(layout.as_case(row, entry)).factual, str(layout.picture(row))
    except BadField:
        return ""  # the import reports it
    if question is None or question.kind not in CLOSED:
        return "ask neither for a number nor for yes or no, the kinds that C-VQA allows"
    there = any((pictures / subfolder / file).is_file() for subfolder in layout.folders)
    return "" if there else f"have no picture in {pictures}"


def _count_skipped(counts: Counter[str]) -> str:
    return "".join(f"; {number:,} {fault}" for fault, number in counts.items() if fault)


FLOW = CvqaFlow()
