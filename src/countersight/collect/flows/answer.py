"""Flow `answer`: people answer the questions of a dataset as a model does (human evaluation, CoSIm 7)."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from countersight.case import TWO_WORLDS, Case, Question, World
from countersight.collect.flows.forms import Field, answer_field
from countersight.collect.flows.new_items import CaseFlow
from countersight.collect.flows.protocol import Item, KeepPicture, Known, NewItem, Past, Sources, item_key
from countersight.errors import CampaignError
from countersight.suites.cosim import NAME as COSIM


class PersonAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One person's answer: the letter of an option, a number, yes or no, or free text."""

    answer: str


class AnswerFlow(CaseFlow):
    """The flow in which people answer questions."""

    name = "answer"
    contents = (PersonAnswer,)

    def new_items(self, sources: Sources, keep: KeepPicture, known: Known) -> Iterator[NewItem]:
        """Yield the items of a dataset; items with known answers may come from another."""
        fingerprints = {source["fingerprint"] for key, source in known.items() if not key.startswith("known/")}
        for item in super().new_items(sources, keep, known):
            if item.gold is None and fingerprints - {item.source["fingerprint"]}:
                raise CampaignError(
                    "the export of `answer` is a run of one dataset: make another campaign for this dataset"
                )
            yield item

    def items_of(self, case: Case, source: dict[str, Any]) -> Iterator[NewItem]:
        """Yield one item for each question of a case."""
        for world in TWO_WORLDS:
            if case.question(world) is not None:
                yield NewItem(item_key(case.id, world), {**source, "world": world}, "answer")

    def check_item(self, item: NewItem) -> NewItem | None:
        """Return the question with its gold answer."""
        return msgspec.structs.replace(item, gold={"answer": question_of(item).answer})

    def fields(self, phase: str, item: Item, past: Past) -> Sequence[Field]:
        """Return the question itself."""
        question = question_of(item)
        return (answer_field("answer", question.text, question),)

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """Return earlier statements and the change, but not the gold answer."""
        case = msgspec.convert(item.source["case"], Case)
        told = item.source["world"] == "counterfactual" and case.suite == COSIM
        context, change = (case.context, case.change.text if case.change else "") if told else ("", "")
        return {"context": context, "change": change}

    def labels(self, phase: str, content: PersonAnswer) -> dict[str, str]:
        """Return the answer itself."""
        return {"answer": content.answer.casefold()}


def question_of(item: Item | NewItem) -> Question:
    """Return the question to ask."""
    world: World = item.source["world"]
    question = msgspec.convert(item.source["case"], Case).question(world)
    assert question is not None  # items are made from existing questions
    return question


FLOW = AnswerFlow()
