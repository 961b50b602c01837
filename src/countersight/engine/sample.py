"""A part of a dataset that is like the whole: of every group its share, chosen by a seed."""

from collections import defaultdict
from random import Random

import msgspec

from countersight.dataset import Dataset


class Sample(msgspec.Struct, frozen=True):
    """So many cases of a dataset, each with its controls. A larger sample with the same seed holds the smaller one."""

    cases: int
    seed: int = 0

    def rows(self, dataset: Dataset) -> frozenset[int]:
        """The rows of the cases that are in it."""
        groups: dict[str, list[int]] = defaultdict(list)
        controls: dict[str, list[int]] = defaultdict(list)
        names: dict[int, str] = {}
        for row, case in dataset.cases():
            if case.control_of:
                controls[case.control_of].append(row)
            else:
                groups[case.group].append(row)
                names[row] = case.id
        placed: list[tuple[float, str, int]] = []
        for group, rows in groups.items():
            Random(f"{self.seed}/{group}").shuffle(rows)
            # Each case has its place on the way through its group; who is first on all ways is a stratified sample.
            placed += [((nth + 0.5) / len(rows), group, row) for nth, row in enumerate(rows)]
        rows = [row for _, _, row in sorted(placed)[: self.cases]]
        return frozenset((*rows, *(control for row in rows for control in controls.get(names[row], ()))))
