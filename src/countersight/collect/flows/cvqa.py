"""Flow `cvqa`: pairs that a machine wrote are verified by two people; indirect questions are written by hand (C-VQA 3).

An item is either a pair of questions to verify, or a picture with its factual question, for which a person writes the
counterfactual question whose answer changes only indirectly. What a person wrote is verified like all the rest.
"""

from typing import Any

import msgspec

from countersight.case import Case, Question
from countersight.collect.flows import verifying
from countersight.collect.flows.protocol import Advance, Content, Form, Instance, Item, Past, Phase, Step
from countersight.reading import answer_in
from countersight.suites import supposed
from countersight.suites.cvqa import REAL_NAME


class Indirect(msgspec.Struct, frozen=True, omit_defaults=True):
    """A counterfactual question that somebody wrote for a factual one, and its answer."""

    question: str
    answer: str
    steps: str
    """What has to be thought to get from the picture to the answer."""
    first: str = ""
    """The question as it was before its writer saw what a model proposes; nothing where none did."""
    proposal: str = ""
    """What the model proposed."""


WRITE = Phase(
    "write",
    "Write",
    "Write a question with an if-clause that changes the answer indirectly.",
    Indirect,
    proposes=True,
)


class Cvqa:
    """C-VQA-Real's people."""

    name = "cvqa"
    about = "Machine-written pairs verified by two people; indirect questions written by hand."
    phases: tuple[Phase, ...] = (
        WRITE,
        msgspec.structs.replace(verifying.VERIFY, sees=("write",)),
        msgspec.structs.replace(verifying.ADJUDICATE, sees=("write", "verify")),
    )
    balance: tuple[str, ...] = ()
    grouped_in = ""

    def read(self, phase: str, form: Form, item: Item, past: Past) -> Indirect | verifying.Verified:
        """A question that was written, or a verdict on one."""
        if phase == "write":
            return _read_indirect(form, _factual(item))
        return verifying.read_verdict(form, pair_of(item, past), past, adjudicating=phase == "adjudicate")

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """What was written goes to two verifiers."""
        return Advance("verify") if phase == "write" else verifying.settle_verification(phase, past)

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """The factual question alone, or the whole pair."""
        if phase == "write":
            return {"factual": _factual(item)}
        return verifying.shown_case(pair_of(item, past))

    def first_draft(self, phase: str, item: Item, past: Past) -> dict[str, str]:
        """Nothing is filled in."""
        return {}

    def groups(self, content: Content) -> tuple[str, ...]:
        """Nobody decides on groups here."""
        return ()

    def labels(self, phase: str, content: Any) -> dict[str, str]:
        """Of the verdicts only: what is written freely is never alike."""
        return verifying.verdict_labels(content) if isinstance(content, verifying.Verified) else {}

    def instance(self, past: Past) -> Instance | None:
        """There is no model in this loop."""
        return None

    def case(self, item: Item, past: Past) -> Case | None:
        """The pair as people left it."""
        case = verifying.verified_case(pair_of(item, past), verifying.final_verdict(past))
        return msgspec.structs.replace(case, image=item.source.get("picture") or None) if case else None


def _factual(item: Item) -> Question:
    factual = verifying.case_of(item).factual
    assert factual is not None  # items to write for are made of cases that have one
    return factual


def pair_of(item: Item, past: Past) -> Case:
    """The case, with the question that was written for it where one was."""
    case = verifying.case_of(item)
    if not past.get("write"):
        return case
    written: Indirect = past["write"][-1]
    question = Question(written.question, written.answer, _factual(item).kind)
    group = "boolean" if question.kind == "boolean" else "indirect"  # the indirect questions of C-VQA ask for numbers
    changed = {"group": group, "counterfactual": question, "change": supposed(written.question)}
    return msgspec.structs.replace(case, suite=REAL_NAME, **changed)


def _read_indirect(form: Form, factual: Question) -> Indirect:
    question = form.text("question", "The question", least=5, most=400)
    if question and supposed(question) is None:
        form.fail("question", "Put what is different into an if-clause: “How many …, if the TV was off?”")
    said = form.text("answer", "The answer", most=100)
    answer = answer_in(said, msgspec.structs.replace(factual, text=question or factual.text)) or ""
    if said and not answer:
        form.fail("answer", "Write a number." if factual.kind == "number" else "Write yes or no.")
    return Indirect(question, answer, form.text("steps", "What one has to think", least=3, most=600))


FLOW = Cvqa()
