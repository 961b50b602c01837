"""A part of a published file, drawn by chance: C-VQA's Table 5 is of a tenth of C-VQA-Real."""

from collections.abc import Sequence
from random import Random

import msgspec


class Part(msgspec.Struct, frozen=True):
    """So many cases of a file, or a share of them; the same seed draws the same ones."""

    cases: int | None = None
    share: float | None = None
    seed: int = 0

    def __str__(self) -> str:
        return f"{100 * self.share:g} %" if self.share is not None else f"{self.cases} cases"

    def drawn(self, numbers: Sequence[int]) -> frozenset[int]:
        """Those of the rows that are in it."""
        wanted = self.cases if self.share is None else max(1, round(self.share * len(numbers)))
        return frozenset(Random(self.seed).sample(numbers, min(wanted or 0, len(numbers))))
