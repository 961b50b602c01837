"""Pairs of similar questions about pictures of different groups of which only one is answered right (C-VQA's Figure 4).

An example proves nothing, and this one is chosen to show what the drop by groups says; so all pairs of alike questions
are counted beside it, in both directions.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import ASKINGS, LETTERS, Case, Question
from countersight.html import name, percent
from countersight.reports.image_groups import PictureGroups
from countersight.scoring import OUTCOMES, Outcomes
from countersight.text import several

ALIKE: Final = 0.5
"""Share of their words that two questions have in common to be called alike."""
MOST: Final = 2_000
"""Questions of a group that are compared; of more, so many evenly."""
_UNDER_CHANGE: Final = ASKINGS.index("counterfactual")


class ComparedQuestion(msgspec.Struct, frozen=True):
    """A question under the change, as it is compared and shown."""

    case: str
    picture: str
    question: str
    gold: str
    options: tuple[str, ...] = ()

    def words(self, answer: str | None) -> str:
        """An answer as it was read, in words: of a letter, its option."""
        place = LETTERS.find(answer) if self.options and answer else -1
        return self.options[place] if 0 <= place < len(self.options) else answer or ""


class MatchedQuestion(msgspec.Struct, frozen=True):
    """One of two similar questions, and what a run answered."""

    group: str
    asked: ComparedQuestion
    answer: str
    right: bool


class MatchedPair(msgspec.Struct, frozen=True):
    """Two similar questions of which a run had one right, and how many such pairs there are."""

    run: str
    shown: tuple[MatchedQuestion, MatchedQuestion]
    """The first is the one that was answered right."""
    alike: float
    pairs: int
    only_first: int
    """Pairs in which the question of the first group alone was right; then the other way round."""
    only_second: int
    groups: tuple[str, str]

    def sentence(self) -> str:
        """What is counted, before what is shown."""
        first, second = map(name, self.groups)
        return (
            f"{several(self.pairs, 'pair')} of alike questions (at least {percent(ALIKE, 0)}% of the words) about "
            f"{first} and {second}: in {self.only_first:,} only {first} was answered right, in {self.only_second:,} "
            f"only {second}."
        )


def asked_under_change(cases: Iterable[Case]) -> list[ComparedQuestion | None]:
    """What each case asks under the change; None where it asks nothing, or shows no picture."""
    return [
        _asked(case.id, case.image, case.counterfactual) if case.counterfactual and case.image else None
        for case in cases
    ]


def _asked(case: str, picture: str, question: Question) -> ComparedQuestion:
    options = tuple(option.text for option in question.options) if question.kind == "choice" else ()
    return ComparedQuestion(case, picture, question.text, question.right_text, options)


def find_pairs(
    asked: Sequence[ComparedQuestion | None], groups: PictureGroups, runs: Sequence[tuple[str, Outcomes]]
) -> tuple[MatchedPair, ...]:
    """For each run the most alike pair across the two largest groups that it answers right and wrong, where one is."""
    pairs, alike = _alike(asked, groups)
    return tuple(found for label, outcomes in runs if (found := _of_run(label, outcomes, asked, groups, pairs, alike)))


def _of_run(
    label: str,
    outcomes: Outcomes,
    asked: Sequence[ComparedQuestion | None],
    groups: PictureGroups,
    pairs: NDArray[np.intp],
    alike: NDArray[np.float32],
) -> MatchedPair | None:
    right, wrong = (outcomes.codes[pairs, _UNDER_CHANGE] == OUTCOMES.index(code) for code in ("right", "wrong"))
    split = [right[:, 0] & wrong[:, 1], wrong[:, 0] & right[:, 1]]
    counts = [int(each.sum()) for each in split]
    if not any(counts):
        return None
    better = int(counts[1] > counts[0])
    best = int(np.flatnonzero(split[better])[np.argmax(alike[split[better]])])
    sides = (better, 1 - better)
    return MatchedPair(
        run=label,
        shown=(
            _question(outcomes, asked, groups.names[sides[0]], int(pairs[best, sides[0]]), right=True),
            _question(outcomes, asked, groups.names[sides[1]], int(pairs[best, sides[1]]), right=False),
        ),
        alike=float(alike[best]),
        pairs=int(((right | wrong).all(axis=1)).sum()),
        only_first=counts[0],
        only_second=counts[1],
        groups=(groups.names[0], groups.names[1]),
    )


def _question(
    outcomes: Outcomes, asked: Sequence[ComparedQuestion | None], group: str, position: int, *, right: bool
) -> MatchedQuestion:
    question = asked[position]
    assert question is not None  # only such were paired
    answer = outcomes.answer_texts[outcomes.answers[position, _UNDER_CHANGE]]
    return MatchedQuestion(group, question, question.words(answer), right)


def _alike(
    asked: Sequence[ComparedQuestion | None], groups: PictureGroups
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Pairs of positions, the most alike first and each question in one, with the share of words that both have."""
    first, second = (_positions(asked, groups.group_of == side) for side in (0, 1))
    common = _shares(_questions(asked, first), _questions(asked, second))
    rows, columns = np.nonzero(common >= ALIKE)
    order = np.argsort(-common[rows, columns], kind="stable")
    taken: dict[int, int] = {}
    used: set[int] = set()
    for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if row not in taken and column not in used:
            taken[row] = column
            used.add(column)
    left, right = np.array(list(taken), dtype=np.intp), np.array(list(taken.values()), dtype=np.intp)
    return np.stack([first[left], second[right]], axis=1), common[left, right]


def _questions(asked: Sequence[ComparedQuestion | None], positions: NDArray[np.intp]) -> list[str]:
    return [question.question for at in positions.tolist() if (question := asked[at])]


def _positions(asked: Sequence[ComparedQuestion | None], of_group: NDArray[np.bool_]) -> NDArray[np.intp]:
    there = np.array([at for at in np.flatnonzero(of_group).tolist() if asked[at]], dtype=np.intp)
    return there if len(there) <= MOST else there[np.arange(MOST) * len(there) // MOST]


def _shares(first: list[str], second: list[str]) -> NDArray[np.float32]:
    """For every two questions, the words that both have among those that either has."""
    words = [[frozenset(question.casefold().split()) for question in side] for side in (first, second)]
    number = {
        word: place for place, word in enumerate(sorted({word for side in words for each in side for word in each}))
    }
    bags = [_bags(side, number) for side in words]
    both = bags[0] @ bags[1].T
    either = bags[0].sum(axis=1)[:, None] + bags[1].sum(axis=1)[None, :] - both
    shares: NDArray[np.float32] = both / np.maximum(either, 1)
    return shares


def _bags(side: list[frozenset[str]], number: dict[str, int]) -> NDArray[np.float32]:
    bags = np.zeros((len(side), len(number)), dtype=np.float32)
    for row, words in enumerate(side):
        bags[row, [number[word] for word in words]] = 1
    return bags
