"""Flow `answer`: people answer the questions of a dataset as a model does (CoSIm 7, its human evaluation)."""

from collections.abc import Sequence
from typing import Any

import msgspec

from countersight.case import Case, Question, World
from countersight.collect.flows.protocol import Box, Field, Flow, Form, Item, Past, Phase, answer_field
from countersight.suites.cosim import NAME as COSIM


class PersonAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One person's answer: the letter of an option, a number, yes or no, or free text."""

    answer: str
    sure: bool = True


class AnswerFlow(Flow):
    """The flow in which people answer questions."""

    name = "answer"
    about = "People answer the questions of a dataset; the export is a run that can be compared with models."
    phases = (
        Phase("answer", "Answer", "Answer a question about a picture, as it is or under a change.", PersonAnswer),
    )

    def fields(self, phase: str, item: Item, past: Past) -> Sequence[Field]:
        """Return the question itself, and a box for doubts."""
        question = question_of(item)
        return answer_field("answer", question.text, question), Box("unsure", "I am not sure")

    def read(self, phase: str, form: Form, item: Item, past: Past) -> PersonAnswer:
        """Return the answer, in the form of gold answers."""
        answer, unsure = form.read(self.fields(phase, item, past)).values()
        return PersonAnswer(answer, not unsure)

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """Return earlier statements and the change, but not the gold answer."""
        case = msgspec.convert(item.source["case"], Case)
        told = item.source["world"] == "counterfactual" and case.suite == COSIM
        context, change = (case.context, case.change.text if case.change else "") if told else ("", "")
        return {"context": context, "change": change}

    def labels(self, phase: str, content: PersonAnswer) -> dict[str, str]:
        """Return the answer itself."""
        return {"answer": content.answer.casefold()}

    def case(self, item: Item, past: Past) -> Case | None:
        """Return the unchanged case: the export of this flow is a run."""
        return msgspec.convert(item.source["case"], Case)


def question_of(item: Item) -> Question:
    """Return the question to ask."""
    world: World = item.source["world"]
    question = msgspec.convert(item.source["case"], Case).question(world)
    assert question is not None  # items are made from existing questions
    return question


FLOW = AnswerFlow()
