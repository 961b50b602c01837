"""Measure how much of a dataset can be answered without its pictures, with cross-validated probes."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import NormalDist

import msgspec
import numpy as np

from countersight.blindness.classifier import FOLDS, ProbeResult, Right, Table, cross_validate
from countersight.blindness.features import PROBES, count_knowledge, knowledge_features, templates
from countersight.blindness.questions import Answered, BlindQuestion, blind_questions
from countersight.case import TWO_WORLDS, Case, World
from countersight.causal import Knowledge
from countersight.scoring import mean_interval
from countersight.text import several

VERSION = "4"
"""The version of the probes. Raise it with every change that alters figures, so that stored results are recomputed."""
ALL_GROUPS = "all"
KNOWLEDGE = "knowledge"
"""The name of the knowledge probe, which is reported separately from the probes of words."""
MIN_QUESTIONS = 30
"""Groups with fewer questions in a world are not reported."""
MAX_QUESTIONS = 4_000
"""The most questions per world that are probed; larger datasets are sampled evenly."""
_MAX_CUES = 12
"""The most cues that are reported per world."""
_MIN_CUE_COUNT = 20
_FALSE_CUE_PROBABILITY = 0.01
"""The probability that any cue is reported for a dataset that has none."""


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
    blind: Share
    """The accuracy of the best probe of words; for each fold, the probe that does best on the other folds is used."""
    knowledge: Share | None = None
    """The accuracy of the knowledge probe; None if there are no causal graphs."""

    @property
    def gives_away(self) -> bool:
        """Whether words or common knowledge answer significantly more than guessing."""
        shares = [self.blind, *([self.knowledge] if self.knowledge else [])]
        return self.chance is not None and any(share.low > self.chance for share in shares)


class Blind(msgspec.Struct, frozen=True):
    """How much of a dataset is answered without its pictures."""

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
    without the pictures; each counts as one more probe. `knowledge` are counts from other pictures; by default the
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
    named = templates(questions)
    folds = np.array([_digest(question.block) % FOLDS for question in questions])
    blocks = np.unique([question.block for question in questions], return_inverse=True)[1]
    tables = {probe: features(questions, named, folds) for probe, (_, features) in PROBES.items()}
    results = {probe: cross_validate(by_fold, folds) for probe, by_fold in tables.items()}
    for model, answered in models.items():
        right = np.array([answered.get((question.case, question.world), False) for question in questions])
        results[model] = ProbeResult(right, [right] * FOLDS)
    by_words = list(results)
    if knowledge.names:
        results[KNOWLEDGE] = cross_validate(knowledge_features(knowledge)(questions, named, folds), folds)
    groups = np.array([question.group for question in questions])
    chances = np.array([question.chance or np.nan for question in questions])

    def share(right: Right, here: Right) -> Share:
        """Return the accuracy with its interval, which is clustered by picture."""
        mean, ends = float(right[here].mean()), mean_interval(right[here], blocks[here])
        return Share(mean, min(ends.low, mean), max(ends.high, mean))

    def group(name: str, here: Right) -> GroupBlind:
        shares = {probe: share(result.right, here) for probe, result in results.items()}
        # Each fold is answered by the probe that does best on the other folds, by models that have not seen the fold.
        best = np.zeros(len(folds), bool)
        for fold in range(FOLDS):
            own = folds == fold
            chosen = max(by_words, key=lambda probe: results[probe].without[fold][here & ~own].sum())
            best[own] = results[chosen].right[own]
        chance = float(chances[here].mean())
        return GroupBlind(
            group=name,
            world=world,
            questions=int(here.sum()),
            chance=None if np.isnan(chance) else chance,
            probes=shares,
            blind=share(best, here),
            knowledge=shares.get(KNOWLEDGE),
        )

    large = [name for name in dict.fromkeys(groups.tolist()) if np.count_nonzero(groups == name) >= MIN_QUESTIONS]
    found = [*(group(name, groups == name) for name in large), group(ALL_GROUPS, np.ones(len(questions), bool))]
    return found, _find_cues(world, questions, tables["words"][0])


def _find_cues(world: World, questions: Sequence[BlindQuestion], table: Table) -> list[Cue]:
    """Return the strongest cues in the questions of a world; none if no feature differs from chance significantly."""
    chances = np.array([question.chance or np.nan for question in questions])[table.question]
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
