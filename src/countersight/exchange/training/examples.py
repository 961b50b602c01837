"""What a model is trained on: a question, its right answer, and a wrong one that is as near as can be."""

from collections.abc import Iterator
from decimal import Decimal
from random import Random

import msgspec

from countersight.case import LETTERS, Asking, Case, Question
from countersight.dataset import Dataset
from countersight.exchange.asked import Asked, dataset_at, questions
from countersight.exchange.formats import Export
from countersight.exchange.splits import Splits, refuse_testing


class Example(msgspec.Struct, frozen=True):
    """A question to train on."""

    asked: Asked
    rejected: str
    """A wrong answer: that of the other world where it is one. Nothing where no answer is known to be wrong."""

    @property
    def chosen(self) -> str:
        """The right answer, as it is asked for."""
        return self.asked.question.answer

    @property
    def other_pictures(self) -> tuple[tuple[str, str], ...]:
        """The pictures of the other world, where the same question has another answer there."""
        case = self.asked.case
        if not _differs(case):
            return ()
        if self.asked.asking == "factual":
            return case.pictures("counterfactual", "shown")
        return case.pictures("factual") if self.asked.asking == "shown" else ()


class Examples:
    """The questions of one split of a dataset; a dataset that is there to test with is refused."""

    def __init__(self, order: Export, name: str) -> None:
        self.dataset: Dataset = dataset_at(order.source, name)
        refuse_testing(order, self.dataset)
        self._order = order
        self._splits = Splits(self.dataset)

    def __iter__(self) -> Iterator[Example]:
        for asked in questions(self.dataset, self._order.on_bad):
            if self._order.split in ("all", self._splits.side(asked.case)):
                yield Example(asked, wrong_answer(asked))


def wrong_answer(asked: Asked) -> str:
    """A wrong answer: what is right in the other world where it is wrong here, or else one by chance."""
    question, other = asked.question, _other(asked.case, asked.asking)
    if question.kind == "choice":
        return _wrong_option(asked, other)
    if other is not None and other.kind == question.kind and other.answer != question.answer:
        return other.answer
    if question.kind == "boolean":
        return "no" if question.answer == "yes" else "yes"
    return str(Decimal(question.answer) + 1) if question.kind == "number" else ""


def _wrong_option(asked: Asked, other: Question | None) -> str:
    question = asked.question
    wrong = [letter for letter in LETTERS[: len(question.options)] if letter != question.answer]
    texts = {question.options[LETTERS.index(letter)].text: letter for letter in wrong}
    if other is not None and other.right_text in texts:
        return texts[other.right_text]
    return Random(asked.key).choice(wrong)


def _differs(case: Case) -> bool:
    """Whether one question is asked of both worlds' pictures and has another answer in each."""
    one, other = case.factual, case.shown
    return one is not None and other is not None and one.text == other.text and one.right_text != other.right_text


def _other(case: Case, asking: Asking) -> Question | None:
    """The question of the other world."""
    return (case.counterfactual or case.shown) if asking == "factual" else case.factual
