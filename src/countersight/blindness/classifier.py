"""The classifier behind the probes: a conditional logit over features of the answers, with cross-validation.

Plain numpy: six thousand questions take about a second.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from countersight.blindness.questions import BlindQuestion

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Right = npt.NDArray[np.bool_]

FeatureName = str | tuple[str, str]
"""The name of a feature, or a group and the name of a feature in that group."""

FOLDS = 5
_MIN_FEATURE_COUNT = 4
"""Features that fewer answers have are ignored."""
_STEPS, _FEW_STEPS = 30, 12
"""Training steps; the smaller number is used to choose among probes."""
_L2_PENALTY = 2.0
"""The strength of the L2 penalty."""
_LEARNING_RATE = 0.15


class Table:
    """Questions, their answers and the features of each answer, in columns."""

    def __init__(self, questions: Sequence[BlindQuestion], features: Iterable[list[list[str]]]) -> None:
        """`features` has, for each question, the names of the features of each of its answers."""
        self.question: Ints = np.repeat(np.arange(len(questions)), [len(one.answers) for one in questions])
        """The question of each answer."""
        self.first: Ints = np.searchsorted(self.question, np.arange(len(questions)))
        """The first answer of each question."""
        self.right = np.zeros(len(self.question), bool)
        """Whether each answer is right; a question may have no right answer."""
        for first, question in zip(self.first, questions, strict=True):
            if question.right >= 0:
                self.right[first + question.right] = True
        ids, by_answer = _number_features(questions, features)
        answer: Ints = np.repeat(np.arange(len(by_answer)), [len(numbers) for numbers in by_answer])
        feature = np.fromiter(chain.from_iterable(by_answer), np.int64)
        often = np.bincount(feature, minlength=len(ids)) >= _MIN_FEATURE_COUNT
        self.names = [name for name, kept in zip(ids, often.tolist(), strict=True) if kept]
        """The name of each frequent feature; a pair (group, name) if it applies to one group only."""
        # One row per answer and frequent feature that it has.
        self.answer: Ints = answer[often[feature]]
        self.feature: Ints = (np.cumsum(often) - 1)[feature[often[feature]]]

    def is_right(self, weights: Floats) -> Right:
        """Return whether the answer with the highest score is correct, for each question."""
        scores = _sum(self.answer, weights[self.feature], len(self.question))
        top = scores >= np.maximum.reduceat(scores, self.first)[self.question] - 1e-12
        # Breaking ties by position would favour a letter, so the position depends on the question.
        turn = (np.arange(len(scores)) - self.first[self.question] + 7 * self.question) % 26
        order = np.lexsort((turn, ~top, self.question))
        return self.right[order[self.first]]

    def train(self, kept: Right, steps: int) -> Floats:
        """Return the weight of each feature, learned from the questions in `kept`."""
        answered = kept & np.logical_or.reduceat(self.right, self.first)
        own = answered[self.question]
        inside = own[self.answer]
        answer, feature = self.answer[inside], self.feature[inside]
        weights = np.zeros(len(self.names))
        mean, square = np.zeros_like(weights), np.zeros_like(weights)
        for step in range(1, steps + 1):  # Adam
            scores = _sum(answer, weights[feature], len(self.question))
            raised = np.exp(scores - np.maximum.reduceat(scores, self.first)[self.question])
            shares = raised / np.add.reduceat(raised, self.first)[self.question]
            wrong = np.where(own, shares - self.right, 0.0)
            slope = _sum(feature, wrong[answer], len(weights)) + _L2_PENALTY * weights
            mean = 0.9 * mean + 0.1 * slope
            square = 0.99 * square + 0.01 * slope * slope
            weights -= _LEARNING_RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
        return weights


class ProbeResult(NamedTuple):
    """Which questions a probe answers correctly."""

    right: Right
    """Results of models trained on the other folds."""
    without: Sequence[Right]
    """For every fold, the results on the other folds by models that have not seen that fold either. They are used to
    choose a probe for the fold."""


def cross_validate(tables: Sequence[Table], folds: Ints) -> ProbeResult:
    """Test every fold with a model trained on the other folds; there is one table per test fold."""
    right = np.zeros(len(folds), bool)
    without = [np.zeros(len(folds), bool) for _ in tables]
    known: dict[tuple[int, frozenset[int]], Right] = {}
    for fold, table in enumerate(tables):
        for other in range(len(tables)):
            key = id(table), frozenset((fold, other))
            unseen = np.isin(folds, [fold, other])
            if key not in known and unseen.any() and not unseen.all():
                known[key] = table.is_right(table.train(~unseen, _STEPS if other == fold else _FEW_STEPS))
            if key in known:
                tested = folds == other
                (right if other == fold else without[fold])[tested] = known[key][tested]
    return ProbeResult(right, without)


def _number_features(
    questions: Sequence[BlindQuestion], features: Iterable[list[list[str]]]
) -> tuple[list[FeatureName], list[list[int]]]:
    """Return all features by number, and the numbers of the features of each answer.

    If there are several groups, each feature counts twice: for all groups, and for the group of the question.
    """
    ids: dict[FeatureName, int] = {}
    several = len({question.group for question in questions}) > 1
    by_answer: list[list[int]] = []
    for question, answers in zip(questions, features, strict=True):
        for names in answers:
            every: list[FeatureName] = [*names, *((question.group, name) for name in names if several)]
            by_answer.append([ids.setdefault(name, len(ids)) for name in every])
    return list(ids), by_answer


def _sum(places: Ints, values: Floats, size: int) -> Floats:
    """Return the sum of the values at each place."""
    return np.bincount(places, values, size).astype(np.float64, copy=False)
