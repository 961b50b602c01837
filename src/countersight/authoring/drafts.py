"""What a writer proposes, why a proposal was rejected, and how many were left after each step."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Protocol

import msgspec

from countersight.authoring.sources import SourceQuestion
from countersight.errors import DatasetError
from countersight.files import write_whole

OPERATIONS: Final = ("add", "remove", "replace", "leave", "double", "halve", "all but", "each", "two in a row")
"""What a presupposition can do to a number."""


class PairDraft(msgspec.Struct, frozen=True):
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

    async def write(self, source: SourceQuestion, wanted: tuple[str, ...]) -> PairDraft:
        """A counterfactual question; raises Unwritten. `wanted` are operations, those most needed first."""
        ...


FUNNEL = "funnel.json"
REJECTED = "rejected.jsonl"


class FunnelStep(msgspec.Struct, frozen=True):
    """One step: what it is called, how many came through, and how many did not, by reason."""

    name: str
    left: int
    reasons: tuple[tuple[str, int], ...] = ()


class Funnel(msgspec.Struct, frozen=True):
    """The way from questions to pairs."""

    writer: str
    steps: tuple[FunnelStep, ...]
    operations: tuple[tuple[str, int], ...] = ()
    patterns: int = 0
    """How many different suppositions there are, numbers and names apart."""
    cost: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    blind: str = ""
    """The model that was asked without the pictures; nothing where none was."""
    told_blind: int = 0
    """How many pairs were left out because it answered them right every time."""
    faulted: int = 0
    """How many pairs were left out because it found fault with them."""

    @property
    def spent(self) -> str:
        """Tokens in words, and dollars where a price is known; nothing where nothing was asked for."""
        dollars = f", ${self.cost:,.4f}" if self.cost else ""
        told = f"{self.tokens_in:,} tokens read, {self.tokens_out:,} written{dollars}"
        return told if self.tokens_in or self.tokens_out else ""


def step(name: str, left: int, reasons: Counter[str]) -> FunnelStep:
    """A step with its reasons, the most frequent first."""
    return FunnelStep(name, left, tuple((reason, count) for reason, count in reasons.most_common() if count))


def write_funnel(folder: Path, funnel: Funnel, rejected: Iterable[Rejected]) -> None:
    """Write the funnel into a folder, and beside it everything that became no pair."""
    write_whole(folder / REJECTED, b"".join(msgspec.json.encode(each) + b"\n" for each in rejected))
    write_whole(folder / FUNNEL, msgspec.json.format(msgspec.json.encode(funnel), indent=2) + b"\n")


def read_funnel(folder: Path) -> Funnel | None:
    """The funnel of a dataset that was built, or None of one that was not."""
    path = folder / FUNNEL
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Funnel)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} is not the funnel of a dataset ({error}); build the dataset again") from error
