"""How many questions were left at each step from the source to the pair, and why the others were not."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from countersight.build.drafts import Rejected
from countersight.errors import DatasetError
from countersight.files import write_whole

FUNNEL = "funnel.json"
REJECTED = "rejected.jsonl"


class Step(msgspec.Struct, frozen=True):
    """One step: what it is called, how many came through, and how many did not, by reason."""

    name: str
    left: int
    reasons: tuple[tuple[str, int], ...] = ()


class Funnel(msgspec.Struct, frozen=True):
    """The way from questions to pairs."""

    writer: str
    steps: tuple[Step, ...]
    operations: tuple[tuple[str, int], ...] = ()
    patterns: int = 0
    """How many different suppositions there are, numbers and names apart."""
    cost: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def spent(self) -> str:
        """Tokens in words, and dollars where a price is known; nothing where nothing was asked for."""
        dollars = f", ${self.cost:,.4f}" if self.cost else ""
        told = f"{self.tokens_in:,} tokens read, {self.tokens_out:,} written{dollars}"
        return told if self.tokens_in or self.tokens_out else ""


def step(name: str, left: int, reasons: Counter[str]) -> Step:
    """A step with its reasons, the most frequent first."""
    return Step(name, left, tuple((reason, count) for reason, count in reasons.most_common() if count))


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
