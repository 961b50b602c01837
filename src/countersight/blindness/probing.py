"""Measure how much of a dataset can be answered without its pictures, with cross-validated probes."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import numpy as np

from countersight.blindness import features
from countersight.blindness.asked import Answered, BlindQuestion, asked_of
from countersight.blindness.choosing import FOLDS, Floats, Ints, Right, Table, Tried, out_of_fold
from countersight.blindness.cues import Cue, cues_in
from countersight.blindness.knowing import knowing, knowledge_of
from countersight.blindness.other_questions_probe import elsewhere
from countersight.case import TWO_WORLDS, Case, World
from countersight.causal import Knowledge
from countersight.scoring import mean_interval
from countersight.text import several

VERSION = "3"
"""The version of the probes. Raise it with every change that alters figures, so that stored results are recomputed."""
ALL = "all"
KNOWLEDGE = "knowledge"
"""The name of the knowledge probe, which is reported separately from the probes of words."""
FEWEST = 30
"""Groups with fewer questions in a world are not reported."""
MOST = 4_000
"""The most questions per world that are probed; larger datasets are sampled evenly."""

Notices = Callable[[Sequence[BlindQuestion], Sequence[str], Ints], Sequence[Table]]
"""Takes all questions, their templates and folds, and returns a table of features for every test fold."""


def _each(*notices: features.Noticed) -> Notices:
    """Features that depend on the question alone and are the same for every test fold."""

    def noticed(questions: Sequence[BlindQuestion], templates: Sequence[str], _folds: Ints) -> Sequence[Table]:
        found = (
            _joined(notice(question, template) for notice in notices)
            for question, template in zip(questions, templates, strict=True)
        )
        return [Table(questions, found)] * FOLDS

    return noticed


def _joined(parts: Iterable[list[list[str]]]) -> list[list[str]]:
    """The names of every part, answer by answer."""
    return [[name for names in of_answer for name in names] for of_answer in zip(*parts, strict=True)]


PROBES: dict[str, tuple[str, Notices]] = {
    "majority": ("the answer, or the letter, most often right for the template", _each(features.majority)),
    "form": ("length and rank of the options, gaps and parity of their numbers", _each(features.form)),
    "nearest": ("the option nearest to the mean of the options, or most like the others", _each(features.nearest)),
    "options": ("the words of the options", _each(features.option_words)),
    "words": ("the words of the question and of the options", _each(features.all_words)),
    "elsewhere": ("how often an answer is right, or offered, in the other questions", elsewhere),
    "together": (
        "all of these cues together",
        _each(features.majority, features.form, features.nearest, features.all_words),
    ),
}
"""For each probe, a description and the function that computes its features."""


class Share(msgspec.Struct, frozen=True):
    """The accuracy of a probe with its 95% interval."""

    right: float
    low: float
    high: float


class GroupBlind(msgspec.Struct, frozen=True):
    """The results for one group in one world."""

    group: str
    world: World
    questions: int
    chance: float | None
    probes: dict[str, Share]
    best: str
    """The probe that does best."""
    blind: Share
    """The accuracy of the best probe of words; for each fold, the probe that does best on the other folds is taken."""
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
        return next((group for group in self.groups if (group.group, group.world) == (ALL, world)), None)


def measure(
    cases: Iterable[Case], models: Mapping[str, Answered] | None = None, knowledge: Knowledge | None = None
) -> Blind:
    """Measure what can be answered from the words, options, templates and positions alone.

    Each probe is trained on four fifths of the pictures and tested on the others. `models` are answers that models gave
    without the pictures; each counts as one more probe. `knowledge` are counts from other pictures; by default the
    causal graphs of the cases are counted.
    """
    cases = list(cases)
    knowledge = knowledge or knowledge_of(cases)
    questions = asked_of(cases)
    groups: list[GroupBlind] = []
    cues: list[Cue] = []
    for world in TWO_WORLDS:
        of_world = _evenly([question for question in questions if question.world == world and question.answers])
        if len(of_world) >= FEWEST:
            found, told = _of_world(world, of_world, models or {}, knowledge)
            groups += found
            cues += told
    return Blind(len(questions), tuple(groups), tuple(sorted(cues, key=lambda cue: -cue.strength)))


def _evenly(questions: list[BlindQuestion]) -> list[BlindQuestion]:
    step = max(1.0, len(questions) / MOST)
    return [questions[int(place * step)] for place in range(min(len(questions), MOST))]


def _of_world(
    world: World, questions: list[BlindQuestion], models: Mapping[str, Answered], knowledge: Knowledge
) -> tuple[list[GroupBlind], list[Cue]]:
    named = features.templates(questions)
    folds = np.array([_digest(question.block) % FOLDS for question in questions])
    blocks = np.unique([question.block for question in questions], return_inverse=True)[1]
    tried: dict[str, Tried] = {}
    for probe, (_, notices) in PROBES.items():
        tables = notices(questions, named, folds)
        tried[probe] = out_of_fold(tables, folds)
    for model, answered in models.items():
        right = np.array([answered.get((question.case, question.world), False) for question in questions])
        tried[model] = Tried(right, [right] * FOLDS)
    if knowledge.names:
        tried[KNOWLEDGE] = out_of_fold(knowing(knowledge, questions, named, folds), folds)
    groups = np.array([question.group for question in questions])
    chances = np.array([question.chance or np.nan for question in questions])
    names = [name for name in dict.fromkeys(groups.tolist()) if np.count_nonzero(groups == name) >= FEWEST]
    parts = [(name, groups == name) for name in names]
    found = [_group(name, world, here, tried, chances, folds, blocks) for name, here in parts]
    found.append(_group(ALL, world, np.ones(len(questions), bool), tried, chances, folds, blocks))
    return found, cues_in(world, questions, tables[0])


def _group(
    name: str,
    world: World,
    here: Right,
    tried: dict[str, Tried],
    chances: Floats,
    folds: Ints,
    blocks: Ints,
) -> GroupBlind:
    by_words = {probe: found for probe, found in tried.items() if probe != KNOWLEDGE}
    shares = {probe: _share(found.right[here], blocks[here]) for probe, found in tried.items()}
    chance = float(chances[here].mean())
    return GroupBlind(
        group=name,
        world=world,
        questions=int(here.sum()),
        chance=None if np.isnan(chance) else chance,
        probes=shares,
        best=max(by_words, key=lambda probe: shares[probe].right),
        blind=_share(_by_the_best(by_words.values(), here, folds)[here], blocks[here]),
        knowledge=shares.get(KNOWLEDGE),
    )


def _by_the_best(tried: Iterable[Tried], here: Right, folds: Ints) -> Right:
    """Each fold answered by the probe that does best on the other folds, by models that have not seen the fold."""
    probes = list(tried)
    chosen = np.zeros(len(folds), bool)
    for fold in range(FOLDS):
        own = folds == fold
        best = max(probes, key=lambda probe: probe.without[fold][here & ~own].sum())
        chosen[own] = best.right[own]
    return chosen


def _share(right: Right, blocks: Ints) -> Share:
    """A share with its interval, which is clustered by picture."""
    share = float(right.mean())
    ends = mean_interval(right, blocks)
    return Share(share, min(ends.low, share), max(ends.high, share))


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest())
