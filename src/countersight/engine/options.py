"""The options of a run, and random samples of the cases of a dataset."""

from collections import defaultdict
from random import Random
from typing import Literal

import msgspec

from countersight.case import Case
from countersight.dataset import Dataset
from countersight.engine.prompts import Prompt

Answering = Literal["generate", "rank"]
"""How answers are obtained: the model writes them (`generate`), or the option with the smallest loss is chosen
(`rank`).
"""


class Sample(msgspec.Struct, frozen=True):
    """A random sample of the cases of a dataset, with their controls; a larger sample with the same seed contains it.

    Samples of cases are stratified by group. With `by="picture"`, pictures are drawn with equal probability, each with
    all of its cases, as a confidence sequence requires.
    """

    cases: int
    seed: int = 0
    by: Literal["case", "picture"] = "case"

    def rows(self, dataset: Dataset) -> frozenset[int]:
        """Return the rows of the sampled cases and of their controls."""
        controls: dict[str, list[int]] = defaultdict(list)
        names: dict[int, str] = {}
        for row, case in dataset.cases():
            if case.control_of:
                controls[case.control_of].append(row)
            else:
                names[row] = case.id
        units = self.order(dataset)[: self.cases]
        rows = [row for unit in units for row in unit]
        return frozenset((*rows, *(control for row in rows for control in controls.get(names[row], ()))))

    def order(self, dataset: Dataset) -> list[list[int]]:
        """Return all cases without controls, in the order in which they are sampled: the rows of each case or
        picture."""
        units: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for row, case in dataset.cases():
            if not case.control_of:
                by_picture = self.by == "picture"
                units["" if by_picture else case.group][cluster_key(row, case) if by_picture else str(row)].append(row)
        placed: list[tuple[float, str, list[int]]] = []
        for group, of in units.items():
            drawn = list(of.values())
            Random(f"{self.seed}/{group}").shuffle(drawn)
            # Each case has a relative position in its group; the first positions of all groups are a stratified sample.
            placed += [((nth + 0.5) / len(drawn), group, rows) for nth, rows in enumerate(drawn)]
        return [rows for _, _, rows in sorted(placed)]


def cluster_key(row: int, case: Case) -> str:
    """Return a key shared by cases that are not independent: the set, or else the picture."""
    if case.cell:
        return f"\x00set {case.cell.set}"
    return case.image_digest or case.image or f"\x00{row}"


class RunOptions(msgspec.Struct, frozen=True):
    """Options of a run, apart from the model's own settings."""

    prompt: Prompt
    shown: bool = False
    answering: Answering = "generate"
    seed: int = 0
    again: str = ""
    """Which replies to request again: `cut`, `empty` or `unread`; "" to ask only pending questions."""
    sample: Sample | None = None
    """The sample to ask, or None for all cases; a later call may extend it."""
