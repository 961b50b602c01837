"""Flow `verify`: two people verify a case independently; a third decides if they differ (C-VQA 3.2).

They check whether the question is about the picture and whether the answer is right; for a pair, both answers. Wrong
answers are corrected. A question that is not about the picture, or that cannot be decided, is rejected.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from countersight.case import LETTERS, Case, Option, Question
from countersight.collect.flows.forms import Field, Form, answer_field
from countersight.collect.flows.new_items import CaseFlow
from countersight.collect.flows.protocol import Advance, Finish, Item, NewItem, Past, Step, item_key
from countersight.scoring import is_right
from countersight.suites import supposed
from countersight.suites.cvqa import REAL_NAME

Verdict = Literal["keep", "correct", "reject"]


class CaseVerdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """One person's verdict on a case."""

    verdict: Verdict
    related: bool
    answer: str = ""
    """The corrected answer, if the verdict is `correct`."""
    words: str = ""
    """Why it is rejected or corrected."""
    factual_answer: str = ""
    """The corrected answer to the factual question of a pair, if that answer was wrong."""

    @property
    def settled(self) -> tuple[str, str, str]:
        """The fields that must be equal for two people to agree."""
        return self.verdict, self.answer, self.factual_answer


class VerifyFlow(CaseFlow):
    """The flow that verifies an existing dataset."""

    name = "verify"
    contents: tuple[type[msgspec.Struct], ...] = (CaseVerdict, CaseVerdict)

    def fault(self, case: Case) -> str:
        """Return the reason why people cannot verify a case; empty if they can."""
        if any(question and question.hidden for question in (case.factual, case.counterfactual)):
            return "its answer is hidden, so it cannot be verified"
        return super().fault(case)

    def items_of(self, case: Case, source: dict[str, Any]) -> Iterator[NewItem]:
        """Yield one item."""
        yield NewItem(item_key(case.id), source, "verify")

    def check_item(self, item: NewItem) -> NewItem | None:
        """Return the item with its right answer or, for every second item, with a wrong answer to correct."""
        case = msgspec.convert(item.source["case"], Case)
        wrong = with_wrong_answer(case) if item.source["row"] % 2 else None
        source = item.source | {"case": msgspec.to_builtins(wrong or case)}
        gold = {"verdict": "correct", "answer": asked(case).answer} if wrong else {"verdict": "keep"}
        return NewItem(item.key, source, "verify", gold)

    def fields(self, phase: str, item: Item, past: Past) -> Sequence[Field]:
        """Return the fields of a verdict; answers are judged only if the question is about the picture."""
        case = case_of(item, past)
        questions = questions_to_verify(case)
        related, right, words = super().fields("verify", item, past)
        worlds = {"factual_": "As it is", "": "What if" if supposes(case) else "As it is"}
        labels = {"factual_": "Is the first answer right?", "": "Is the second answer right?"}
        fields = [replace(related, hint=worlds[""], about=asked(case).text)]
        for prefix, question in questions.items():
            name, judged = f"{prefix}right", ("related", ("yes", ""))
            label = labels[prefix] if len(questions) > 1 else right.label
            fields.append(
                replace(right, name=name, label=label, hint=worlds[prefix], about=question.right_text, when=judged)
            )
            hint = worlds[prefix] if len(questions) > 1 else ""
            label = "If not, which answer is right?"
            fields.append(answer_field(f"{prefix}answer", label, question, hint, when=(name, ("no",))))
        return [*fields, words]

    def read(self, phase: str, form: Form, item: Item, past: Past) -> Any:
        """Return the verdict of a verifier or adjudicator."""
        read = form.read(self.fields(phase, item, past))
        questions, words = questions_to_verify(case_of(item, past)), read["words"]
        related = read["related"] != "no"
        if not related or "unclear" in [read[f"{prefix}right"] for prefix in questions]:
            if not words:
                form.fail("words", "Say why it should be rejected.")
            return CaseVerdict("reject", related, "", words)
        for prefix, question in questions.items():
            if question.answer == read[f"{prefix}answer"]:
                form.fail(f"{prefix}answer", "This is already the given answer.")
        answer, factual_answer = read["answer"], read.get("factual_answer", "")
        outcome: Verdict = "correct" if answer or factual_answer else "keep"
        verdict = CaseVerdict(outcome, True, answer, words, factual_answer)
        if past.get("verify") and not words and verdict.settled not in [each.settled for each in past["verify"]]:
            form.fail("words", "Your decision differs from both: say why.")
        return verdict

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """Finish the item if two people agree; otherwise a third person decides."""
        if phase == "verify" and len({each.settled for each in past["verify"]}) > 1:
            return Advance("adjudicate")
        return Finish(kept=final_verdict(past).verdict != "reject")

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """Return the case, and both verdicts for the adjudicator."""
        case = case_of(item, past)
        beside = questions_to_verify(case).get("factual_")
        return {"case": case, "asked": asked(case), "beside": beside, "supposes": supposes(case), "letters": LETTERS}

    def labels(self, phase: str, content: Any) -> dict[str, str]:
        """Return the verdict only: free texts cannot be compared."""
        if not isinstance(content, CaseVerdict):
            return {}
        return {"about the picture": "yes" if content.related else "no", "verdict": content.verdict}

    def case(self, item: Item, past: Past) -> Case | None:
        """Return the case after verification."""
        case = verified_case(case_of(item, past), final_verdict(past))
        return replace(case, image=item.source.get("picture") or None) if case else None


def case_of(item: Item, past: Past) -> Case:
    """Return the case that an item was made from, with the question that somebody wrote for it (C-VQA), if any."""
    case = msgspec.convert(item.source["case"], Case)
    if not past.get("write"):
        return case
    written = past["write"][-1]
    assert case.factual is not None  # items to write for are made of cases that have one
    question = Question(written.question, written.answer, case.factual.kind)
    group = "boolean" if question.kind == "boolean" else "indirect"  # the indirect questions of C-VQA ask for numbers
    changed = {"group": group, "counterfactual": question, "change": supposed(written.question)}
    return replace(case, suite=REAL_NAME, **changed)


def asked(case: Case) -> Question:
    """Return the question to verify: the counterfactual one if there is one."""
    question = case.counterfactual or case.factual
    assert question is not None  # a case has one of them
    return question


def with_wrong_answer(case: Case) -> Case | None:
    """Return the case with an answer that is certainly wrong; None if no such answer can be constructed."""
    world = "counterfactual" if case.counterfactual else "factual"
    question = asked(case)
    match question.kind:
        case "boolean":
            wrong = "no" if question.answer == "yes" else "yes"
        case "number":
            wrong = str(int(float(question.answer)) + 3)
        case "choice":
            wrong = next(letter for letter in LETTERS if letter != question.answer)
        case "open":
            return None
    return replace(case, **{world: replace(question, answer=wrong)})


def supposes(case: Case) -> bool:
    """Whether the question to verify supposes a change; CELLO's discovery questions do not."""
    return case.counterfactual is not None and (case.change is not None or case.factual is not None)


def questions_to_verify(case: Case) -> dict[str, Question]:
    """Return the questions whose answers are verified, by the prefix of their fields; for a pair, both."""
    pair = {"factual_": case.factual} if case.factual and case.counterfactual else {}
    return pair | {"": asked(case)}


def final_verdict(past: Past) -> CaseVerdict:
    """Return the final verdict."""
    decided: CaseVerdict = (past.get("adjudicate") or past["verify"])[-1]
    return decided


def verified_case(case: Case, verdict: CaseVerdict) -> Case | None:
    """Return the case with its answer corrected if necessary; None if it was rejected."""
    if verdict.verdict == "reject":
        return None
    case = _answered(case, "counterfactual" if case.counterfactual else "factual", verdict.answer)
    return _answered(case, "factual", verdict.factual_answer)


def _answered(case: Case, world: str, answer: str) -> Case:
    """Return the case with the answer to one question replaced, or unchanged if none is given.

    If the question about the shown change had the same answer, it is replaced too. The maker's explanation is removed.
    """
    if not answer:
        return case
    question: Question = getattr(case, world)
    same = case.shown and (case.shown.answer, case.shown.options) == (question.answer, question.options)
    worlds = (world, "shown") if world == "counterfactual" and same else (world,)
    mended = {each: _corrected(getattr(case, each), answer) for each in worlds}
    provenance = {key: value for key, value in case.provenance.items() if key != "why"}
    return replace(case, **mended, provenance=provenance)


def _corrected(question: Question, answer: str) -> Question:
    """Return the question with another answer, without answers and priors that belong to the old one."""
    options = _options(question, answer)
    mended = replace(question, answer=answer, answers=(), prior="", options=options)
    prior = "" if question.prior and is_right(question.prior, mended) else question.prior
    # The corrected answer may be the text of two options.
    doubled = [option.text.strip() for option in options].count(mended.right_text.strip()) > 1
    return replace(mended, prior=prior, doubled=doubled)


def _options(question: Question, answer: str) -> tuple[Option, ...]:
    """Return the options with the role of the right one moved to the new right option."""
    if question.kind != "choice":
        return question.options
    roles = {question.answer: "", answer: question.options[LETTERS.index(question.answer)].role}
    lettered = zip(LETTERS, question.options, strict=False)
    return tuple(Option(option.text, roles.get(letter, option.role)) for letter, option in lettered)


FLOW = VerifyFlow()
