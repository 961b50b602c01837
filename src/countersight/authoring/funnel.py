"""The statistics of a build: how many questions passed each step, and which were rejected."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Self

import msgspec

from countersight.authoring.sources import Rejected
from countersight.errors import DatasetError
from countersight.files import write_whole

FUNNEL = "funnel.json"
REJECTED = "rejected.jsonl"


class FunnelStep(msgspec.Struct, frozen=True):
    """One step: its name, how many passed, and how many failed for each reason."""

    name: str
    passed: int = msgspec.field(name="left")
    reasons: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, name: str, passed: int, reasons: Counter[str]) -> Self:
        """Return a step with its reasons, the most frequent first."""
        return cls(name, passed, tuple((reason, count) for reason, count in reasons.most_common() if count))


class Funnel(msgspec.Struct, frozen=True):
    """The steps from questions to pairs, with counts."""

    writer: str
    steps: tuple[FunnelStep, ...]
    operations: tuple[tuple[str, int], ...] = ()
    patterns: int = 0
    """The number of different suppositions, ignoring numbers and names."""
    cost: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    blind: str = ""
    """The model that answered without the pictures; empty if there was none."""
    dropped_as_blind: int = msgspec.field(default=0, name="told_blind")
    """The number of pairs dropped because the model answered them correctly every time."""
    dropped_as_underived: int = msgspec.field(default=0, name="faulted")
    """The number of pairs dropped because the model gave a different answer, or none."""

    @property
    def spent(self) -> str:
        """The tokens used and, if the price is known, the cost, as text; empty if no request was made."""
        dollars = f", ${self.cost:,.4f}" if self.cost else ""
        tokens = f"{self.tokens_in:,} input tokens, {self.tokens_out:,} output tokens{dollars}"
        return tokens if self.tokens_in or self.tokens_out else ""


def write_funnel(folder: Path, funnel: Funnel, rejected: Iterable[Rejected]) -> None:
    """Write the statistics of the steps to a folder, together with all rejected drafts."""
    write_whole(folder / REJECTED, b"".join(msgspec.json.encode(each) + b"\n" for each in rejected))
    write_whole(folder / FUNNEL, msgspec.json.format(msgspec.json.encode(funnel), indent=2) + b"\n")


def read_funnel(folder: Path) -> Funnel | None:
    """Return the step statistics stored in a dataset folder, or None if the dataset was not built from questions."""
    path = folder / FUNNEL
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Funnel)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read ({error}); build the dataset again") from error
