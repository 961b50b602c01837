"""Flow `cvqa`: pairs that a machine wrote are verified by two people; indirect questions are written by hand (C-VQA 3).

An item is either a pair of questions to verify, or a picture with its factual question, for which a person writes the
counterfactual question whose answer changes only indirectly. What a person wrote is verified like all the rest.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from countersight.case import Question
from countersight.collect.flows import verify
from countersight.collect.flows.protocol import Advance, Field, Form, Item, Past, Phase, Step, Text, answer_field

_HINT = "With a condition that changes the answer only indirectly."
_QUESTION: Final = Text("question", "The question under a condition", _HINT, rows=3, words=5, asks=True, supposes=True)
_STEPS: Final = Text("steps", "How does the condition lead to the new answer?", rows=2, words=3)


class Indirect(msgspec.Struct, frozen=True, omit_defaults=True):
    """A counterfactual question written for a factual one, and its answer."""

    question: str
    answer: str
    steps: str
    """The reasoning steps from the picture to the answer."""


class CvqaFlow(verify.VerifyFlow):
    """The flow of C-VQA-Real."""

    name = "cvqa"
    about = "Machine-written pairs verified by two people; indirect questions written by hand."
    phases = (
        Phase("write", "Write", "Write a question with an if-clause that changes the answer indirectly.", Indirect),
        msgspec.structs.replace(verify.VERIFY, sees=("write",)),
        msgspec.structs.replace(verify.ADJUDICATE, sees=("write", "verify")),
    )

    def fields(self, phase: str, item: Item, past: Past) -> Sequence[Field]:
        """Return the question with its answer and steps, or the fields of a verdict."""
        if phase != "write":
            return super().fields(phase, item, past)
        return _QUESTION, answer_field("answer", "The new answer", _factual(item)), _STEPS

    def read(self, phase: str, form: Form, item: Item, past: Past) -> Any:
        """Return a written question, or a verdict on one."""
        if phase != "write":
            return super().read(phase, form, item, past)
        written = Indirect(**form.read(self.fields(phase, item, past)))
        if written.answer and written.answer == _factual(item).answer:
            form.fail("answer", "The condition must change the answer: this is the answer without it.")
        return written

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """Send written questions to two verifiers."""
        return Advance("verify") if phase == "write" else super().settle(item, phase, past)

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """Return the factual question alone, or the whole pair."""
        return {"factual": _factual(item)} if phase == "write" else super().shown(phase, item, past)


def _factual(item: Item) -> Question:
    factual = verify.case_of(item, {}).factual
    assert factual is not None  # writing items are made from cases with a factual question
    return factual


FLOW = CvqaFlow()
