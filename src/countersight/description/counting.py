"""Count the questions of a group of cases: their lengths, their right answers and the shares of both."""

from collections import Counter
from collections.abc import Callable
from typing import Final

import msgspec

from countersight.case import LETTERS, Case, Question, World
from countersight.suites import words

ALL: Final = "all"
OTHER: Final = "(other)"
"""The name under which rare open answers are counted together."""
_MAX_DISTINCT_ANSWERS = 10_000
"""The number of distinct open answers counted separately; others are counted as OTHER, to limit memory."""
_RARE_SHARE = 0.005
"""Answers to fewer questions than this share are not listed as frequent."""
_MAX_ANSWERS = 40
"""The maximum number of answers in a chart or table."""


class WorldStatistics:
    """The statistics of one group's questions in one world, updated question by question."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.questions = 0
        self.lengths = Counter[int]()
        """The number of questions by length in words."""
        self.answers = Counter[str]()
        """How often each answer is right; for a choice, the text of the right option."""
        self.options = Counter[str]()
        """How often each letter is right, for every offered letter, and how often yes and no are."""

    def add(self, question: Question) -> None:
        """Count a question."""
        self.questions += 1
        self.lengths[words(question)] += 1
        if question.hidden:
            return
        answer = question.right_text
        self.answers[answer if len(self.answers) < _MAX_DISTINCT_ANSWERS or answer in self.answers else OTHER] += 1
        if question.kind == "choice":
            self.options.update(dict.fromkeys(LETTERS[: len(question.options)], 0))
        if question.kind in ("choice", "boolean"):
            self.options[question.answer] += 1

    @property
    def mean_words(self) -> float:
        """The mean length of a question in words."""
        return sum(length * n for length, n in self.lengths.items()) / self.questions if self.questions else 0.0

    @property
    def frequent_answers(self) -> list[tuple[str, int]]:
        """The frequent right answers with their counts; empty if nearly every question has a different answer."""
        found = sorted(self.answers.items(), key=lambda item: (-item[1], item[0]))
        return [(answer, n) for answer, n in found if n >= _RARE_SHARE * self.questions]

    @property
    def balance(self) -> str:
        """The shares of the letters, or of yes and no, among the right answers of closed questions."""
        total = self.options.total()
        order = (*LETTERS, "yes", "no")
        listed = [(option, self.options[option]) for option in order if option in self.options]
        return "  ".join(f"{option} {100 * n / total:.1f}%" for option, n in listed) if total else ""


class GroupStatistics:
    """The statistics of one group's cases, updated case by case."""

    def __init__(self, group: str) -> None:
        self.group = group
        self.cases = self.pairs = self.changed = 0
        self.factual, self.counterfactual = WorldStatistics("factual"), WorldStatistics("counterfactual")

    @property
    def worlds(self) -> tuple[WorldStatistics, WorldStatistics]:
        """The factual world, then the counterfactual one."""
        return self.factual, self.counterfactual

    def add(self, case: Case) -> None:
        """Count a case; a pair has questions in both worlds, and is changed if their right answers differ."""
        self.cases += 1
        for world, question in zip(self.worlds, (case.factual, case.counterfactual), strict=True):
            if question:
                world.add(question)
        if case.factual and case.counterfactual and not case.factual.hidden:
            self.pairs += 1
            self.changed += case.factual.right_text != case.counterfactual.right_text


class WorldShares(msgspec.Struct, frozen=True):
    """One category and its share of the questions in each world, factual first."""

    label: str
    shares: tuple[float, ...]


def answer_bars(group: GroupStatistics) -> list[WorldShares]:
    """Return the share of each right answer: words by frequency, then numbers in order; empty if none is frequent."""
    if not any(world.frequent_answers for world in group.worlds):
        return []
    both = group.factual.answers + group.counterfactual.answers
    kept = sorted(both.keys() - {OTHER}, key=lambda answer: (-both[answer], answer))[:_MAX_ANSWERS]
    kept.sort(key=lambda answer: (_is_number(answer), float(answer) if _is_number(answer) else 0.0))
    bars = [_shares(group, answer, lambda world: world.answers[answer]) for answer in kept]  # noqa: B023 - called at once
    rest = _shares(group, OTHER, lambda world: world.answers.total() - sum(world.answers[answer] for answer in kept))
    return [*bars, rest] if any(rest.shares) else bars


def length_bars(group: GroupStatistics, most: int = 40) -> list[WorldShares]:
    """Return the share of questions of each length in words, with lengths grouped into at most `most` bars."""
    lengths = group.factual.lengths + group.counterfactual.lengths
    if not lengths:
        return []
    low, high = min(lengths), max(lengths)
    step = -(-(high - low + 1) // most)
    bars = []
    for start in range(low, high + 1, step):
        inside = range(start, start + step)
        label = str(start) if step == 1 else f"{start}–{inside[-1]}"
        bars.append(_shares(group, label, lambda world: sum(world.lengths[each] for each in inside)))  # noqa: B023 - called at once
    return bars


def _shares(group: GroupStatistics, label: str, number: Callable[[WorldStatistics], int]) -> WorldShares:
    return WorldShares(label, tuple(number(world) / (world.questions or 1) for world in group.worlds))


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False
