"""Two people verify a case without seeing each other; a third decides where they differ (C-VQA 3.2).

Both look at two things: is the question about the picture, and is the answer right. An answer that is wrong is
corrected; a question that has no one answer, or is not about the picture, is thrown out.
"""

from typing import Any, Literal

import msgspec

from countersight.case import LETTERS, Case, Question
from countersight.collect.flows.protocol import Advance, Done, Form, Item, Past, Phase, Step
from countersight.reading import answer_in

Verdict = Literal["keep", "correct", "reject"]
CAUSES = {
    "picture": "The picture is ambiguous",
    "guidelines": "The guidelines do not say",
    "mistake": "One of them made a mistake",
    "opinion": "It is a matter of opinion",
}
"""Why two people disagreed, for whoever decides."""


class Verified(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one person says of a case."""

    verdict: Verdict
    related: bool
    answer: str = ""
    """The corrected answer, where the verdict is to correct."""
    words: str = ""
    """Why it is thrown out or corrected."""
    cause: str = ""
    """Why the two others disagreed, where this decides between them."""

    @property
    def settled(self) -> tuple[str, str]:
        """What two people have to say alike to agree."""
        return self.verdict, self.answer if self.verdict == "correct" else ""


VERIFY = Phase(
    "verify",
    "Verify",
    "Look whether a question belongs to its picture and whether its answer is right.",
    Verified,
)
ADJUDICATE = Phase(
    "adjudicate",
    "Decide",
    "Two people disagreed about a case: look at both and decide.",
    Verified,
    sees=("verify",),
    adjudicates=True,
)


def case_of(item: Item) -> Case:
    """The case that an item was made from."""
    return msgspec.convert(item.source["case"], Case)


def asked(case: Case) -> Question:
    """The question that is verified: the counterfactual one where there is one."""
    question = case.counterfactual or case.factual
    assert question is not None  # a case has one of them
    return question


def read_verdict(form: Form, question: Question, past: Past, *, adjudicating: bool) -> Verified:
    """What a form of these phases says."""
    related = form.choice("related", "whether the question is about the picture", ("yes", "no"))
    words = form.text("words", "The reason", needed=False, most=1000)
    cause = form.choice("cause", "why the two disagreed", tuple(CAUSES)) if adjudicating else ""
    if related == "no":
        _need_words(form, words)
        return Verified("reject", False, "", words, cause)
    right = form.choice("right", "whether the answer is right", ("yes", "no", "unclear"))
    if right == "unclear":
        _need_words(form, words)
        return Verified("reject", True, "", words, cause)
    answer = corrected(form, question) if right == "no" else ""
    verdict = Verified("correct" if right == "no" else "keep", True, answer, words, cause)
    if adjudicating and not words and verdict.settled not in [each.settled for each in past.get("verify", ())]:
        form.fail("words", "You decide otherwise than both: say why.")
    return verdict


def _need_words(form: Form, words: str) -> None:
    if not words:
        form.fail("words", "Say why it should be thrown out.")


def corrected(form: Form, question: Question) -> str:
    """The answer somebody puts in place of the one there is, in the form gold answers have."""
    if question.kind == "choice":
        letters = tuple(LETTERS[: len(question.options)])
        answer = form.choice("answer", "the right option", letters)
    else:
        said = form.text("answer", "The right answer", most=200)
        answer = (answer_in(said, question) or "") if question.kind in ("number", "boolean") else said
        if said and not answer:
            form.fail("answer", "Write a number." if question.kind == "number" else "Write yes or no.")
    if answer and answer == question.answer:
        form.fail("answer", "This is the answer that stands there already.")
    return answer


def settle_verification(phase: str, past: Past) -> Step:
    """Two who agree settle an item; where they do not, a third person does."""
    if phase == "verify" and len({each.settled for each in past["verify"]}) > 1:
        return Advance("adjudicate")
    return Done(kept=final_verdict(past).verdict != "reject")


def final_verdict(past: Past) -> Verified:
    """What holds in the end."""
    decided: Verified = (past.get("adjudicate") or past["verify"])[-1]
    return decided


def verified_case(case: Case, verdict: Verified) -> Case | None:
    """The case with its answer corrected where it was; None where it was thrown out."""
    if verdict.verdict == "reject":
        return None
    if verdict.verdict == "keep":
        return case
    question = msgspec.structs.replace(asked(case), answer=verdict.answer)
    world = "counterfactual" if case.counterfactual else "factual"
    return msgspec.structs.replace(case, **{world: question})


def shown_case(case: Case) -> dict[str, Any]:
    """What the pages show of a case."""
    return {"case": case, "asked": asked(case), "letters": LETTERS, "causes": CAUSES}


def verdict_labels(content: Verified) -> dict[str, str]:
    """What agreement is measured on."""
    return {"about the picture": "yes" if content.related else "no", "verdict": content.verdict}
