"""Cues: single features that go with the right answer more often, or less often, than chance allows."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

import msgspec
import numpy as np

from countersight.blindness.asked import BlindQuestion
from countersight.blindness.choosing import Table
from countersight.case import World

SHOWN = 12
"""The most cues that are reported per world."""
_FEWEST = 20
_SURE = 0.01
"""The probability that any cue is reported for a dataset that has none."""


class Cue(msgspec.Struct, frozen=True):
    """A feature that goes with the right answer more often, or less often, than guessing would."""

    world: World
    group: str
    """The group in which it was found, or "" for all groups."""
    what: str
    seen: int
    """How many answers have the feature."""
    right: int
    expected: float
    """The expected number of right ones by chance."""

    @property
    def strength(self) -> float:
        """The distance from chance in standard deviations."""
        return abs(self.right - self.expected) / sqrt(max(1e-9, self.expected * (1 - self.expected / self.seen)))


def cues_in(world: World, questions: Sequence[BlindQuestion], table: Table) -> list[Cue]:
    """Return the strongest cues in the questions of a world; none if no feature differs from chance significantly."""
    chances = np.array([question.chance or np.nan for question in questions])[table.question]
    known = ~np.isnan(chances[table.answer])
    feature, answer = table.feature[known], table.answer[known]
    size = len(table.names)
    seen = np.bincount(feature, minlength=size)
    right = np.bincount(feature, table.right[answer], size)
    expected = np.bincount(feature, chances[answer], size)
    tried = np.flatnonzero(seen >= _FEWEST)
    limit = NormalDist().inv_cdf(1 - _SURE / (2 * max(1, len(tried))))
    cues = [_cue(world, table.names[n], int(seen[n]), round(right[n]), float(expected[n])) for n in tried.tolist()]
    everywhere = {(cue.what, cue.seen) for cue in cues if not cue.group}
    telling = [cue for cue in cues if cue.strength > limit and not (cue.group and (cue.what, cue.seen) in everywhere)]
    return sorted(telling, key=lambda cue: -cue.strength)[:SHOWN]


def _cue(world: World, name: str | tuple[str, str], seen: int, right: int, expected: float) -> Cue:
    group, what = ("", name) if isinstance(name, str) else name
    return Cue(world, group, what, seen, right, expected)
