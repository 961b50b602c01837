"""What a writer proposes for a question, and why a proposal was not taken."""

from typing import Final, Protocol

import msgspec

from countersight.build.sources import Source

OPERATIONS: Final = ("add", "remove", "replace", "leave", "double", "halve", "all but", "each", "two in a row")
"""What a presupposition can do to a number."""


class Draft(msgspec.Struct, frozen=True):
    """A counterfactual question as a writer wrote it, with the answer it gives."""

    question: str
    answer: str
    operation: str
    pattern: str = ""
    """The presupposition without its numbers and names, for telling how varied the writer is."""
    unpolished: str = ""
    """The question before its grammar was polished, where that changed it."""
    told: str = ""
    """The question with names in the place of its pronouns, where what it supposes names nothing by itself."""


class Rejected(msgspec.Struct, frozen=True):
    """A question that became no pair: at which check, why in words, and what was written."""

    id: str
    question: str
    answer: str
    reason: str
    """The check, in the few words by which it is counted."""
    details: str = ""
    written: str = ""


class Unwritten(Exception):  # noqa: N818 - it names what happened
    """The writer wrote nothing that can be used; `reason` is counted, `details` are kept."""

    def __init__(self, reason: str, details: str = "", written: str = "") -> None:
        super().__init__(reason)
        self.reason, self.details, self.written = reason, details, written


class Writer(Protocol):
    """Whatever writes counterfactual questions."""

    name: str

    async def write(self, source: Source, wanted: tuple[str, ...]) -> Draft:
        """A counterfactual question; raises Unwritten. `wanted` are operations, those most needed first."""
        ...
