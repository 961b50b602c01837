"""Flow `answer`: people answer the questions of a dataset as a model does (CoSIm 7, its human evaluation)."""

from typing import Any

import msgspec

from countersight.case import LETTERS, Case, Question, World
from countersight.collect.flows.protocol import Content, Done, Form, Instance, Item, Past, Phase, Step
from countersight.reading import answer_in
from countersight.suites.cosim import NAME as COSIM


class Answered(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one person answers: the letter of an option, a number, yes or no, or free text."""

    answer: str
    sure: bool = True


class Answer:
    """Answering by people."""

    name = "answer"
    about = "People answer the questions of a dataset; the export is a run beside those of models."
    phases: tuple[Phase, ...] = (
        Phase("answer", "Answer", "Answer a question about a picture, or about the picture under a change.", Answered),
    )
    balance: tuple[str, ...] = ()
    grouped_in = ""

    def read(self, phase: str, form: Form, item: Item, past: Past) -> Answered:
        """The answer, in the form gold answers have."""
        question = question_of(item)
        sure = not form.chosen("unsure")
        if question.kind == "choice":
            letters = tuple(LETTERS[: len(question.options)])
            return Answered(form.choice("answer", "an answer", letters), sure)
        if question.kind == "boolean":
            return Answered(form.choice("answer", "yes or no", ("yes", "no")), sure)
        said = form.text("answer", "Your answer", most=500)
        answer = (answer_in(said, question) or "") if question.kind == "number" else said
        if said and not answer:
            form.fail("answer", "Write a number.")
        return Answered(answer, sure)

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """Everybody who was to answer has."""
        return Done()

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """The picture, what was said of it before, the change, and the question; never the gold answer."""
        case = msgspec.convert(item.source["case"], Case)
        question = msgspec.structs.replace(question_of(item), answer="")
        told = item.source["world"] == "counterfactual" and case.suite == COSIM
        return {
            "question": question,
            "context": case.context if told else "",
            "change": case.change.text if told and case.change else "",
            "letters": LETTERS,
        }

    def first_draft(self, phase: str, item: Item, past: Past) -> dict[str, str]:
        """Nothing is filled in."""
        return {}

    def groups(self, content: Content) -> tuple[str, ...]:
        """Nobody decides on groups here."""
        return ()

    def labels(self, phase: str, content: Answered) -> dict[str, str]:
        """The answer itself."""
        return {"answer": content.answer.casefold()}

    def instance(self, past: Past) -> Instance | None:
        """There is no model in this loop."""
        return None

    def case(self, item: Item, past: Past) -> Case | None:
        """The case as it was: the export of this flow is a run."""
        return msgspec.convert(item.source["case"], Case)


def question_of(item: Item) -> Question:
    """The question that is asked."""
    world: World = item.source["world"]
    question = msgspec.convert(item.source["case"], Case).question(world)
    assert question is not None  # items are made of the questions that there are
    return question


FLOW = Answer()
