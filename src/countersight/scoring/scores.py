"""Accuracy in each world, the drop between them, and what a comparison of two runs shows."""

from typing import Any, Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import LETTERS, Telling, World
from countersight.scoring.intervals import wilson
from countersight.scoring.outcome import ASKED, FAILED, MISSING, UNREAD, WORLDS, Asked, Outcomes
from countersight.scoring.pairs import mcnemar, paired_bootstrap, sign_flips

ALL: Final = "all"
"""The name of the row over every group."""
CONFIDENCE: Final = 0.95

_Mask = NDArray[np.bool_]


class Rate(msgspec.Struct, frozen=True):
    """A share of right answers among those scored, with its Wilson interval.

    Where an answer can be worth less than all (VQA's soft accuracy) it is the mean of what the answers are worth, with
    a bootstrap interval.
    """

    right: int
    n: int
    low: float
    high: float
    credit: float | None = None
    """What all answers together are worth, where one can be worth less than all."""

    @property
    def worth(self) -> float:
        """What all answers together are worth: one each, where they are right or wrong."""
        return self.right if self.credit is None else self.credit

    @property
    def value(self) -> float | None:
        """The share, or None where nothing was scored."""
        return self.worth / self.n if self.n else None


class Difference(msgspec.Struct, frozen=True):
    """First minus second, over the cases scored in both: bootstrap interval, and McNemar's exact p.

    Where an answer can be worth less than all, p is that of flipping signs, of which McNemar's test is a special case.
    """

    value: float
    low: float
    high: float
    p: float
    n: int
    only_first: int
    """Cases that only the first has right, or for which its answer is worth more."""
    only_second: int
    test: Literal["McNemar exact", "sign flips"] = "McNemar exact"


class Row(msgspec.Struct, frozen=True):
    """The scores of one group of cases."""

    group: str
    n: int
    """Cases in the group, scored or not."""
    factual: Rate
    counterfactual: Rate
    drop: Difference | None
    """Factual minus counterfactual; None where no case was scored in both."""
    both_right: Rate
    """Of the cases scored in both worlds."""
    shown: Rate | None
    """Of the counterfactual pictures; None where no case has one."""
    imagination_gap: Difference | None
    """Shown minus told; None where no case was scored in both."""
    unread: int
    failed: int
    missing: int


class LetterShare(msgspec.Struct, frozen=True):
    """How often a letter was answered, and how often it was right, among the scored choices of one kind of asking."""

    world: World
    telling: Telling
    letter: str
    answered: int
    gold: int
    n: int


class Scores(msgspec.Struct, frozen=True):
    """Everything counted of a run."""

    rows: tuple[Row, ...]
    """One for each group in order of first appearance, then the one named "all"."""
    letters: tuple[LetterShare, ...]
    seed: int
    confidence: float
    unread: int
    failed: int
    missing: int
    strays: int

    @property
    def total(self) -> Row:
        """The row over every group."""
        return self.rows[-1]


class Comparison(msgspec.Struct, frozen=True):
    """One group of cases in two runs: first minus second, None where no case was scored in both."""

    group: str
    n: int
    """Cases that both runs have."""
    factual: Difference | None
    counterfactual: Difference | None
    both_right: Difference | None
    shown: Difference | None


def score(outcomes: Outcomes, *, seed: int = 0) -> Scores:
    """The scores of a run, by group and in all."""
    rows = tuple(score_line(outcomes, name, mask, seed=seed) for name, mask in _groups(outcomes))
    total = rows[-1]
    return Scores(
        rows=rows,
        letters=tuple(share for asked in ASKED for share in _letters(outcomes, asked)),
        seed=seed,
        confidence=CONFIDENCE,
        unread=total.unread,
        failed=total.failed,
        missing=total.missing,
        strays=outcomes.strays,
    )


def compare(first: Outcomes, second: Outcomes, *, seed: int = 0) -> tuple[Comparison, ...]:
    """How two runs differ on the cases they share, by group and in all."""
    here, there = shared_cases(first, second)
    rows = []
    for name, mask in _groups(first):
        inside = mask[here]
        a, b = here[inside], there[inside]
        differences: dict[str, Difference | None] = {}
        for asked in ASKED:
            scored = first.scored(asked)[a] & second.scored(asked)[b]
            differences[asked] = _difference(_worth(first, asked)[a], _worth(second, asked)[b], scored, seed)
        both = _in_both_worlds(first)[a] & _in_both_worlds(second)[b]
        differences["both_right"] = _difference(_both_right(first)[a], _both_right(second)[b], both, seed)
        rows.append(Comparison(group=name, n=len(a), **differences))
    return tuple(rows)


def _groups(outcomes: Outcomes) -> list[tuple[str, _Mask]]:
    groups = [(name, outcomes.groups == place) for place, name in enumerate(outcomes.group_names)]
    return [*groups, (ALL, np.ones(len(outcomes), dtype=np.bool_))]


def score_line(outcomes: Outcomes, name: str, mask: _Mask, *, seed: int = 0) -> Row:
    """The scores of some of the cases, under a name."""
    codes = outcomes.codes[mask]
    both, told = _in_both_worlds(outcomes) & mask, outcomes.scored("counterfactual") & mask
    both_shown = told & outcomes.scored("shown")
    has_shown = bool((codes[:, ASKED.index("shown")] > 0).any())
    return Row(
        group=name,
        n=int(mask.sum()),
        factual=accuracy(outcomes, "factual", mask, seed=seed),
        counterfactual=accuracy(outcomes, "counterfactual", mask, seed=seed),
        drop=_difference(_worth(outcomes, "factual"), _worth(outcomes, "counterfactual"), both, seed),
        both_right=share(int((_both_right(outcomes) & both).sum()), int(both.sum())),
        shown=accuracy(outcomes, "shown", mask, seed=seed) if has_shown else None,
        imagination_gap=_difference(_worth(outcomes, "shown"), _worth(outcomes, "counterfactual"), both_shown, seed),
        unread=int((codes == UNREAD).sum()),
        failed=int((codes == FAILED).sum()),
        missing=int((codes == MISSING).sum()),
    )


def accuracy(outcomes: Outcomes, asked: Asked, mask: _Mask, *, seed: int = 0) -> Rate:
    """How well some of the cases were answered, in the measure of their suite."""
    scored = outcomes.scored(asked) & mask
    n, right = int(scored.sum()), int((outcomes.right(asked) & scored).sum())
    if outcomes.credits is None or not n:
        return share(right, n)
    credits = outcomes.credit(asked)[scored].astype(np.float64).round(6)
    interval = paired_bootstrap(credits, np.zeros(n), seed=seed, confidence=CONFIDENCE)
    return Rate(right, n, interval.low, interval.high, float(credits.sum()))


def share(right: int, n: int) -> Rate:
    """A share of right answers, with its interval."""
    interval = wilson(right, n, CONFIDENCE)
    return Rate(right, n, interval.low, interval.high)


def _worth(outcomes: Outcomes, asked: Asked) -> NDArray[Any]:
    """Which answers are right, or what they are worth where that can be less than all."""
    return outcomes.right(asked) if outcomes.credits is None else outcomes.credit(asked)


def _difference(first: NDArray[Any], second: NDArray[Any], scored: _Mask, seed: int) -> Difference | None:
    one, other = first[scored], second[scored]
    if not one.size:
        return None
    interval = paired_bootstrap(one, other, seed=seed, confidence=CONFIDENCE)
    only_first, only_second = int((one > other).sum()), int((other > one).sum())
    exact = one.dtype == np.bool_ and other.dtype == np.bool_
    return Difference(
        value=float(one.sum(dtype=np.float64) - other.sum(dtype=np.float64)) / one.size,
        low=interval.low,
        high=interval.high,
        p=mcnemar(only_first, only_second) if exact else sign_flips(one, other, seed=seed),
        n=one.size,
        only_first=only_first,
        only_second=only_second,
        test="McNemar exact" if exact else "sign flips",
    )


def _in_both_worlds(outcomes: Outcomes) -> _Mask:
    return outcomes.scored("factual") & outcomes.scored("counterfactual")


def _both_right(outcomes: Outcomes) -> _Mask:
    return outcomes.right("factual") & outcomes.right("counterfactual")


def _letters(outcomes: Outcomes, asked: Asked) -> list[LetterShare]:
    column = ASKED.index(asked)
    scored = outcomes.scored(asked) & (outcomes.gold_letters[:, column] > 0)
    n = int(scored.sum())
    if not n:
        return []
    gold = np.bincount(outcomes.gold_letters[scored, column], minlength=len(LETTERS) + 1)
    by_text = np.bincount(outcomes.answers[scored, column], minlength=len(outcomes.answer_texts))
    answered = {text: int(count) for text, count in zip(outcomes.answer_texts, by_text, strict=True)}
    seen = [place for place, letter in enumerate(LETTERS, 1) if gold[place] or answered.get(letter)]
    world, telling = WORLDS[asked]
    return [
        LetterShare(world, telling, letter, answered.get(letter, 0), int(gold[place]), n)
        for place, letter in enumerate(LETTERS[: max(seen)], 1)
    ]


def shared_cases(first: Outcomes, second: Outcomes) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The positions, in both, of the cases that both have."""
    if first.ids == second.ids and np.array_equal(first.id_ends, second.id_ends):
        everything = np.arange(len(first))
        return everything, everything
    positions = {second.case(position): position for position in range(len(second))}
    pairs = [(i, positions[name]) for i in range(len(first)) if (name := first.case(i)) in positions]
    table = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return table[:, 0], table[:, 1]
