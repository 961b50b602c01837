"""The classifier behind the probes: a conditional logit over features of the answers, with cross-validation.

Plain numpy: six thousand questions take about a second.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from countersight.blindness.asked import BlindQuestion

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Right = npt.NDArray[np.bool_]

FOLDS = 5
_FEWEST = 4
"""Features that fewer answers have are ignored."""
_STEPS, _ROUGH = 30, 12
"""Training steps; the smaller number is used to choose among probes."""
_PULL = 2.0
"""The strength of the L2 penalty."""
_RATE = 0.15


class Table:
    """Questions, their answers and the features of each answer, in columns."""

    def __init__(self, questions: Sequence[BlindQuestion], noticed: Iterable[list[list[str]]]) -> None:
        self.question: Ints = np.repeat(np.arange(len(questions)), [len(one.answers) for one in questions])
        self.first: Ints = np.searchsorted(self.question, np.arange(len(questions)))
        self.right = np.zeros(len(self.question), bool)
        for place, one in zip(self.first.tolist(), questions, strict=True):
            if one.right >= 0:
                self.right[place + one.right] = True
        several = len({one.group for one in questions}) > 1
        ids: dict[str | tuple[str, str], int] = {}
        found: list[list[int]] = []
        for one, answers in zip(questions, noticed, strict=True):
            for names in answers:
                # Each feature counts twice: for all groups, and for the group of the question.
                found.append([ids.setdefault(name, len(ids)) for name in names])
                if several:
                    found[-1] += [ids.setdefault((one.group, name), len(ids)) for name in names]
        answer: Ints = np.repeat(np.arange(len(found)), [len(names) for names in found])
        feature = np.fromiter(chain.from_iterable(found), np.int64)
        often = np.bincount(feature, minlength=len(ids)) >= _FEWEST
        self.names = [name for name, kept in zip(ids, often.tolist(), strict=True) if kept]
        """The name of each feature; a pair (group, name) if it applies to one group only."""
        self.answer: Ints = answer[often[feature]]
        self.feature: Ints = (np.cumsum(often) - 1)[feature[often[feature]]]

    def chosen(self, scores: Floats) -> Right:
        """Return whether the answer with the highest score is correct, for each question."""
        best = np.maximum.reduceat(scores, self.first)[self.question]
        top = scores >= best - 1e-12
        # Breaking ties by position would favour a letter, so the position depends on the question.
        turn = (np.arange(len(scores)) - self.first[self.question] + 7 * self.question) % 26
        order = np.lexsort((turn, ~top, self.question))
        return self.right[order[self.first]]


class Tried(NamedTuple):
    """Which questions a probe answers correctly."""

    right: Right
    """Results of models trained on the other folds."""
    without: Sequence[Right]
    """For every fold, the results on the other folds by models that have not seen that fold either. They are used to
    choose a probe for the fold."""


def out_of_fold(tables: Sequence[Table], folds: Ints) -> Tried:
    """Test every fold with a model trained on the other folds; there is one table per test fold."""
    right = np.zeros(len(folds), bool)
    without = [np.zeros(len(folds), bool) for _ in tables]
    known: dict[tuple[int, frozenset[int]], Right] = {}
    for fold, table in enumerate(tables):
        for other in range(len(tables)):
            unseen = frozenset((fold, other))
            if (key := (id(table), unseen)) not in known:
                known[key] = _tried(table, np.isin(folds, list(unseen)), _STEPS if other == fold else _ROUGH)
            tried = folds == other
            (right if other == fold else without[fold])[tried] = known[key][tried]
    return Tried(right, without)


def _tried(table: Table, unseen: Right, steps: int) -> Right:
    """Which questions are answered correctly after training on those that are not in `unseen`."""
    if not unseen.any() or unseen.all():
        return np.zeros(len(unseen), bool)
    return table.chosen(_scores(table, learned(table, ~unseen, steps)))


def learned(table: Table, kept: Right, steps: int) -> Floats:
    """Train on the questions in `kept`, and return the weight of each feature."""
    answered = kept & np.logical_or.reduceat(table.right, table.first)
    own = answered[table.question]
    inside = own[table.answer]
    answer, feature = table.answer[inside], table.feature[inside]
    weights = np.zeros(len(table.names))
    pace, speed = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):
        scores = _summed(answer, weights[feature], len(table.question))
        wrong = np.where(own, _shares(table, scores) - table.right, 0.0)
        slope = _summed(feature, wrong[answer], len(weights)) + _PULL * weights
        pace = 0.9 * pace + 0.1 * slope
        speed = 0.99 * speed + 0.01 * slope * slope
        weights -= _RATE * (pace / (1 - 0.9**step)) / (np.sqrt(speed / (1 - 0.99**step)) + 1e-9)
    return weights


def _summed(places: Ints, values: Floats, size: int) -> Floats:
    """The sum of the values at each place."""
    return np.bincount(places, values, size).astype(np.float64, copy=False)


def _scores(table: Table, weights: Floats) -> Floats:
    return _summed(table.answer, weights[table.feature], len(table.question))


def _shares(table: Table, scores: Floats) -> Floats:
    raised = np.exp(scores - np.maximum.reduceat(scores, table.first)[table.question])
    shares: Floats = raised / np.add.reduceat(raised, table.first)[table.question]
    return shares
