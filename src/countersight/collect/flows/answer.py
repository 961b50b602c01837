"""Flow `answer`: people answer the questions of a dataset as a model does (CoSIm 7, its human evaluation)."""

from typing import Any

import msgspec

from countersight.case import LETTERS, Case, Question, World
from countersight.collect.flows.protocol import Flow, Form, Item, Past, Phase
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

    def read(self, phase: str, form: Form, item: Item, past: Past) -> PersonAnswer:
        """Return the answer, in the form of gold answers."""
        question, sure = question_of(item), not form.chosen("unsure")
        if question.kind == "choice":
            return PersonAnswer(form.choice("answer", "an answer", tuple(LETTERS[: len(question.options)])), sure)
        return PersonAnswer(form.answer("answer", "Your answer", question, most=500), sure)

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """Return the picture, earlier statements, the change and the question, but not the gold answer."""
        case = msgspec.convert(item.source["case"], Case)
        question = msgspec.structs.replace(question_of(item), answer="")
        told = item.source["world"] == "counterfactual" and case.suite == COSIM
        context, change = (case.context, case.change.text if case.change else "") if told else ("", "")
        return {"question": question, "context": context, "change": change, "letters": LETTERS}

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
