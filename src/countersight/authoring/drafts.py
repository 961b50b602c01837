"""The draft of a counterfactual question, and the interface of everything that writes one."""

from typing import Final, Protocol

import msgspec

from countersight.authoring.sources import SourceQuestion
from countersight.case import Question

OPERATIONS: Final = ("add", "remove", "replace", "leave", "double", "halve", "all but", "each", "two in a row")
"""The possible effects of a presupposition on a number."""


class PairDraft(msgspec.Struct, frozen=True):
    """A counterfactual question by a writer, with its answer."""

    question: str
    answer: str
    operation: str
    pattern: str = ""
    """The presupposition without its numbers and names, for measuring the variety of wordings."""
    unpolished: str = ""
    """The question before its grammar was corrected, if that changed it."""
    told: str = ""
    """The question with names instead of pronouns, from which the change of the case is taken; empty if unneeded."""


def question_like(source: SourceQuestion, text: str) -> Question:
    """Return a text as a question with the same kind of answer as the source question."""
    return Question(text, "", "number" if source.group == "direct" else "boolean")


class Unwritten(Exception):  # noqa: N818 - the name says what happened
    """Raised if the writer's output is unusable; `reason` is counted, `details` are stored."""

    def __init__(self, reason: str, details: str = "", written: str = "") -> None:
        super().__init__(reason)
        self.reason, self.details, self.written = reason, details, written


class Writer(Protocol):
    """A writer of counterfactual questions."""

    name: str

    async def write(self, source: SourceQuestion, wanted: tuple[str, ...]) -> PairDraft:
        """Return a counterfactual question; raises Unwritten. `wanted` are operations, the most needed first."""
        ...
