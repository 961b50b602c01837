"""Every question of a dataset as other tools ask it: one at a time, each under a name by which it is found again."""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from countersight.asking import PROMPTS, Prompt, told
from countersight.case import ASKINGS, WORLDS, Asking, Case, Question
from countersight.dataset import BadRow, Dataset

FOURTH: Final = "twice"
"""What stands in the place of an asking for the question with "if" that is asked of the picture after the change."""
PROMPT: Final[Prompt] = PROMPTS["0-shot"]
"""How questions are worded for tools that word none themselves."""


class Asked(msgspec.Struct, frozen=True):
    """One question of one case."""

    row: int
    case: Case
    asking: Asking
    question: Question

    @property
    def key(self) -> str:
        """Its name in the files of other tools."""
        return key_of(self.case.id, self.asking)

    @property
    def words(self) -> str:
        """The question as it is put to a model."""
        return PROMPT.render(self.question, told(self.case, *WORLDS[self.asking]))

    @property
    def unlisted_words(self) -> str:
        """The question without its options, for tools that rank them."""
        return PROMPT.render(self.question, told(self.case, *WORLDS[self.asking]), listed=False)

    @property
    def pictures(self) -> tuple[tuple[str, str], ...]:
        """The files of the pictures it is asked about, each with what is known of its bytes."""
        return self.case.pictures(*WORLDS[self.asking])


def key_of(case: str, asking: str) -> str:
    """The name of a question in the files of other tools: an asking, or the fourth, which our own logs have."""
    return f"{case}:{asking}"


def questions(dataset: Dataset, on_bad: Callable[[BadRow], None] | None = None) -> Iterator[Asked]:
    """Every question of a dataset; those of one case follow each other."""
    for row, case in dataset.cases(on_bad):
        yield from questions_of(row, case)


def questions_of(row: int, case: Case) -> Iterator[Asked]:
    """The questions of one case: as it is, told the change, shown the change."""
    for asking in ASKINGS:
        question = case.question(*WORLDS[asking])
        if question is not None:
            yield Asked(row, case, asking, question)
