"""The questions of a training file: right answers, wrong answers, and the pictures of the other world."""

from collections.abc import Iterator
from decimal import Decimal
from random import Random

import msgspec

from countersight.case import LETTERS
from countersight.dataset import Dataset
from countersight.exchange.formats import Export
from countersight.exchange.named_questions import NamedQuestion, dataset_at, questions
from countersight.exchange.splits import Splits, refuse_testing


class TrainingRow(msgspec.Struct, frozen=True):
    """A question to train on, with a right and a wrong answer."""

    item: NamedQuestion
    rejected: str
    """A wrong answer, preferably the right answer of the other world; empty if no answer is known to be wrong."""

    @property
    def chosen(self) -> str:
        """The right answer, in the form requested."""
        return self.item.question.answer

    @property
    def other_pictures(self) -> tuple[tuple[str, str], ...]:
        """The pictures of the other world, if the same question has another answer there."""
        case = self.item.case
        one, other = case.factual, case.shown
        if one is None or other is None or one.text != other.text or one.right_text == other.right_text:
            return ()
        if self.item.asking == "factual":
            return case.pictures("counterfactual", "shown")
        return case.pictures("factual") if self.item.asking == "shown" else ()


def training_rows(order: Export, name: str) -> tuple[Dataset, Iterator[TrainingRow]]:
    """Return a dataset and the questions of one of its splits; raises if they contain test data."""
    dataset = dataset_at(order.source, name)
    refuse_testing(order, dataset)
    splits = Splits(dataset)
    rows = (
        TrainingRow(item, wrong_answer(item))
        for item in questions(dataset, order.on_bad)
        if order.split in ("all", splits.side(item.case))
    )
    return dataset, rows


def wrong_answer(item: NamedQuestion) -> str:
    """Return a wrong answer: the right answer of the other world if it is wrong here, otherwise a random one."""
    question, case = item.question, item.case
    other = (case.counterfactual or case.shown) if item.asking == "factual" else case.factual
    if question.kind == "choice":
        wrong = [letter for letter in LETTERS[: len(question.options)] if letter != question.answer]
        texts = {question.options[LETTERS.index(letter)].text: letter for letter in wrong}
        if other is not None and other.right_text in texts:
            return texts[other.right_text]
        return Random(item.key).choice(wrong)
    if other is not None and other.kind == question.kind and other.answer != question.answer:
        return other.answer
    if question.kind == "boolean":
        return "no" if question.answer == "yes" else "yes"
    return str(Decimal(question.answer) + 1) if question.kind == "number" else ""
