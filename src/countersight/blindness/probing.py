"""Measure how much of a dataset can be answered without its pictures.

The classifier is a conditional logit over features of the answers, in plain numpy: six thousand questions take about a
second. Each fold is tested with a classifier that was trained on the others.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from countersight.blindness.features import (
    FOLDS,
    Answered,
    BlindQuestion,
    FeatureColumns,
    Floats,
    Ints,
    blind_questions,
    count_knowledge,
    knowledge_features,
    text_features,
)
from countersight.case import TWO_WORLDS, Case, World
from countersight.causal import Knowledge
from countersight.scoring import mean_interval
from countersight.text import several

Right = npt.NDArray[np.bool_]

VERSION = "5"
"""The version of the probes. Raise it with every change that alters figures, so that stored results are recomputed."""
ALL_GROUPS = "all"
TEXT: Final = "text"
KNOWLEDGE: Final = "knowledge"
"""The names of the probes of the text and of common knowledge."""
MIN_QUESTIONS = 30
"""The minimum number of questions; groups with fewer in a world are not reported."""
MAX_QUESTIONS = 4_000
"""The maximum number of questions per world that are probed; larger datasets are sampled evenly."""
_MAX_CUES = 12
"""The maximum number of cues reported per world."""
_MIN_CUE_COUNT = 20
_FALSE_CUE_PROBABILITY = 0.01
"""The probability that any cue is reported for a dataset that has none."""
_MIN_FEATURE_COUNT = 4
"""The minimum number of answers with a feature; rarer features are ignored."""
_STEPS = 30
_L2_PENALTY = 20.0
"""The strength of the L2 penalty."""
_LEARNING_RATE = 0.15

FeatureName = str | tuple[str, str]
"""The name of a feature, or a group and the name of a feature in that group."""


class Table:
    """Questions, their answers and the features of each answer, in columns."""

    def __init__(self, right: Sequence[int], features: FeatureColumns, groups: Sequence[str] = ()) -> None:
        """`right` has the position of the right answer to each question, or -1.

        If there are several groups, each feature counts twice: for all groups, and for the group of the question.
        """
        asked = np.arange(len(features.answers))
        self.question: Ints = np.repeat(asked, features.answers)
        """The question of each answer."""
        self.first: Ints = np.searchsorted(self.question, asked)
        """The first answer of each question."""
        self.right = np.zeros(len(self.question), bool)
        """Whether each answer is right; a question may have no right answer."""
        places = np.array(right, np.int64)
        self.right[(self.first + places)[places >= 0]] = True
        answer, feature, size = features.answer, features.feature, len(features.names)
        kinds = sorted(set(groups))
        if len(kinds) > 1:  # the features of a group have numbers of their own
            ids = {group: nth for nth, group in enumerate(kinds, start=1)}
            own = np.array([ids[group] if group else 0 for group in groups])[self.question[answer]]
            answer = np.concatenate([answer, answer[own > 0]])
            feature = np.concatenate([feature, (feature + own * size)[own > 0]])
            order = np.argsort(answer, kind="stable")
            answer, feature = answer[order], feature[order]
        often = np.bincount(feature) >= _MIN_FEATURE_COUNT
        first = np.zeros(len(often), np.int64)
        first[feature[::-1]] = np.arange(len(feature))[::-1]
        kept = np.flatnonzero(often)
        kept = kept[np.argsort(first[kept])]
        number = np.zeros(len(often), np.int64)
        number[kept] = np.arange(len(kept))
        self.names: list[FeatureName] = [
            (kinds[nth // size - 1], features.names[nth % size]) if nth >= size else features.names[nth]
            for nth in kept.tolist()
        ]
        """The name of each frequent feature; a pair (group, name) if it applies to one group only."""
        # One row per answer and frequent feature that it has.
        self.answer: Ints = answer[often[feature]]
        self.feature: Ints = number[feature[often[feature]]]

    def is_right(self, weights: Floats) -> Right:
        """Return whether the answer with the highest score is correct, for each question."""
        scores = _sum(self.answer, weights[self.feature], len(self.question))
        top = scores >= np.maximum.reduceat(scores, self.first)[self.question] - 1e-12
        # Breaking ties by position would favour a letter, so the position depends on the question.
        turn = (np.arange(len(scores)) - self.first[self.question] + 7 * self.question) % 26
        order = np.lexsort((turn, ~top, self.question))
        return self.right[order[self.first]]

    def train(self, kept: Right, steps: int = _STEPS) -> Floats:
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


def _sum(places: Ints, values: Floats, size: int) -> Floats:
    """Return the sum of the values for each index."""
    return np.bincount(places, values, size).astype(np.float64, copy=False)


class Share(msgspec.Struct, frozen=True):
    """The accuracy of a probe with its 95% interval."""

    right: float
    low: float
    high: float


class Cue(msgspec.Struct, frozen=True):
    """A feature that occurs with the right answer more often, or less often, than expected by chance."""

    world: World
    group: str
    """The group in which it was found, or "" for all groups."""
    what: str
    seen: int
    """The number of answers that have the feature."""
    right: int
    expected: float
    """The number of these answers expected to be right by chance."""

    @property
    def strength(self) -> float:
        """The distance from chance in standard deviations."""
        return abs(self.right - self.expected) / sqrt(max(1e-9, self.expected * (1 - self.expected / self.seen)))


class GroupBlind(msgspec.Struct, frozen=True):
    """The results for one group in one world."""

    group: str
    world: World
    questions: int
    chance: float | None
    probes: dict[str, Share]
    """The accuracy from the text, from common knowledge if there are causal graphs, and of each model."""

    @property
    def blind(self) -> Share:
        """The accuracy from the text."""
        return self.probes[TEXT]

    @property
    def knowledge(self) -> Share | None:
        """The accuracy from common knowledge; None if there are no causal graphs."""
        return self.probes.get(KNOWLEDGE)

    @property
    def gives_away(self) -> bool:
        """Whether any probe is significantly more accurate than guessing."""
        return self.chance is not None and any(share.low > self.chance for share in self.probes.values())


class Blind(msgspec.Struct, frozen=True):
    """How much of a dataset can be answered without its pictures."""

    questions: int
    groups: tuple[GroupBlind, ...]
    """Every group in each world, then all groups together; groups with too few questions are left out."""
    cues: tuple[Cue, ...]
    """The cues, strongest first."""

    def __repr__(self) -> str:
        totals = [total for world in TWO_WORLDS if (total := self.total(world))]
        told = ", ".join(f"{each.world} {each.blind.right:.1%}" for each in totals) or "too few questions"
        return f"Blind({several(self.questions, 'question')}, right without the pictures: {told})"

    def total(self, world: World) -> GroupBlind | None:
        """Return the results for all groups together in a world, if there are enough questions."""
        return next((group for group in self.groups if (group.group, group.world) == (ALL_GROUPS, world)), None)


def measure(
    cases: Iterable[Case], models: Mapping[str, Answered] | None = None, knowledge: Knowledge | None = None
) -> Blind:
    """Measure what can be answered from the words, options, templates and positions alone.

    Each probe is trained on four fifths of the pictures and tested on the others. `models` are answers that models gave
    without the pictures; each is one more probe. `knowledge` are counts from other pictures; by default the
    causal graphs of the cases are counted.
    """
    cases = list(cases)
    knowledge = knowledge or count_knowledge(cases)
    questions = blind_questions(cases)
    groups: list[GroupBlind] = []
    cues: list[Cue] = []
    for world in TWO_WORLDS:
        asked = [question for question in questions if question.world == world and question.answers]
        step = max(1.0, len(asked) / MAX_QUESTIONS)
        asked = [asked[int(place * step)] for place in range(min(len(asked), MAX_QUESTIONS))]
        if len(asked) >= MIN_QUESTIONS:
            found, noticed = _measure_world(world, asked, models or {}, knowledge)
            groups += found
            cues += noticed
    return Blind(len(questions), tuple(groups), tuple(sorted(cues, key=lambda cue: -cue.strength)))


def _measure_world(
    world: World, questions: list[BlindQuestion], models: Mapping[str, Answered], knowledge: Knowledge
) -> tuple[list[GroupBlind], list[Cue]]:
    folds = np.array([_digest(question.block) % FOLDS for question in questions])
    blocks = np.unique([question.block for question in questions], return_inverse=True)[1]
    names = [question.group for question in questions]
    places = [question.right for question in questions]
    tables = [Table(places, features, names) for features in text_features(questions, folds)]
    results = {TEXT: _tested(tables, folds)}
    if knowledge.names:
        results[KNOWLEDGE] = _tested([Table(places, knowledge_features(questions, knowledge), names)] * FOLDS, folds)
    for model, answered in models.items():
        results[model] = np.array([answered.get((question.case, question.world), False) for question in questions])
    groups = np.array(names)
    chances = np.array([question.chance or np.nan for question in questions])

    def share(right: Right, here: Right) -> Share:
        """Return the accuracy with its interval, which is clustered by picture."""
        mean, ends = float(right[here].mean()), mean_interval(right[here], blocks[here])
        return Share(mean, min(ends.low, mean), max(ends.high, mean))

    def group(name: str, here: Right) -> GroupBlind:
        chance = float(chances[here].mean())
        shares = {probe: share(right, here) for probe, right in results.items()}
        return GroupBlind(name, world, int(here.sum()), None if np.isnan(chance) else chance, shares)

    large = [name for name in dict.fromkeys(names) if names.count(name) >= MIN_QUESTIONS]
    found = [*(group(name, groups == name) for name in large), group(ALL_GROUPS, np.ones(len(questions), bool))]
    return found, _find_cues(world, chances, tables[0])


def _tested(tables: Sequence[Table], folds: Ints) -> Right:
    """Return which questions are answered correctly; each fold is tested with a classifier trained on the others."""
    right = np.zeros(len(folds), bool)
    for fold, table in enumerate(tables):
        tested = folds == fold
        if tested.any() and not tested.all():
            right[tested] = table.is_right(table.train(~tested))[tested]
    return right


def _find_cues(world: World, chances: Floats, table: Table) -> list[Cue]:
    """Return the strongest cues in the questions of a world; none if no feature differs from chance significantly."""
    chances = chances[table.question]
    known = ~np.isnan(chances[table.answer])
    feature, answer = table.feature[known], table.answer[known]
    size = len(table.names)
    seen = np.bincount(feature, minlength=size)
    right = np.bincount(feature, table.right[answer], size)
    expected = np.bincount(feature, chances[answer], size)
    tested = np.flatnonzero(seen >= _MIN_CUE_COUNT).tolist()
    limit = NormalDist().inv_cdf(1 - _FALSE_CUE_PROBABILITY / (2 * max(1, len(tested))))
    cues = []
    for nth in tested:
        name = table.names[nth]
        group, what = ("", name) if isinstance(name, str) else name
        cues.append(Cue(world, group, what, int(seen[nth]), round(right[nth]), float(expected[nth])))
    everywhere = {(cue.what, cue.seen) for cue in cues if not cue.group}
    strong = [cue for cue in cues if cue.strength > limit and not (cue.group and (cue.what, cue.seen) in everywhere)]
    return sorted(strong, key=lambda cue: -cue.strength)[:_MAX_CUES]


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest())
