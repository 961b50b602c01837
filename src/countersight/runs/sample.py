"""A part of a dataset that is like the whole: of every group its share, chosen by a seed."""

from collections import defaultdict
from random import Random

import msgspec

from countersight.dataset import Dataset


class Sample(msgspec.Struct, frozen=True):
    """So many cases of a dataset. A larger sample with the same seed holds the smaller one."""

    cases: int
    seed: int = 0

    def rows(self, dataset: Dataset) -> frozenset[int]:
        """The rows of the cases that are in it."""
        groups: dict[str, list[int]] = defaultdict(list)
        for row, case in dataset.cases():
            groups[case.group].append(row)
        placed: list[tuple[float, str, int]] = []
        for group, rows in groups.items():
            Random(f"{self.seed}/{group}").shuffle(rows)
            # Each case has its place on the way through its group; who is first on all ways is a stratified sample.
            placed += [((nth + 0.5) / len(rows), group, row) for nth, row in enumerate(rows)]
        return frozenset(row for _, _, row in sorted(placed)[: self.cases])
