"""The probe that uses the answers to the other questions.

If a dataset is balanced so that every name is right as often as it is wrong, a name that was right in the other
questions is probably wrong in this one. So answers are ranked by how often they were right in the other folds, and the
probe learns which rank to choose. Its training questions are ranked without the test fold as well: otherwise the
balance of that fold would reverse the rank that it learns.

Yes/no questions can be asked in two directions ("still there", "no longer there"), which hides how a name relates to
what happens. So answers are also counted as reversed by a word of the question.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from countersight.blindness.asked import BlindQuestion, words
from countersight.blindness.choosing import FOLDS, Ints, Table

Kind = tuple[str, ...]
"""A group, and the counted item in it: an option, or an answer with a name."""
_USUAL = 0.2
"""Words in a larger share of a group's questions belong to the template and name nothing."""
_EITHER = 0.1
"""A word in about half of a group's questions, within this share, may reverse yes and no."""


def elsewhere(questions: Sequence[BlindQuestion], _templates: Sequence[str], folds: Ints) -> list[Table]:
    """For every test fold: how often each answer was right, and was offered, in the folds other than the test fold and
    the fold of the question."""
    common = wordings(questions)
    kinds = [_kinds(question, common[question.group]) for question in questions]
    right, there = _Counts(), _Counts()
    for question, own, fold in zip(questions, kinds, folds.tolist(), strict=True):
        for place, ways in enumerate(own):
            for of_answer in ways.values():
                there.add(of_answer, fold)
                if place == question.right:
                    right.add(of_answer, fold)
    return [
        Table(
            questions,
            [
                ranked([_figures(ways, right, there, {fold, tried}) for ways in own])
                for own, fold in zip(kinds, folds.tolist(), strict=True)
            ],
        )
        for tried in range(FOLDS)
    ]


class _Counts:
    """How often something was seen in each fold, and in all."""

    def __init__(self) -> None:
        self._all: Counter[Kind] = Counter()
        self._of_fold: Counter[tuple[Kind, int]] = Counter()

    def add(self, kinds: Sequence[Kind], fold: int) -> None:
        for kind in kinds:
            self._all[kind] += 1
            self._of_fold[kind, fold] += 1

    def outside(self, kind: Kind, folds: set[int]) -> int:
        """How often it was seen outside some folds."""
        return self._all[kind] - sum(self._of_fold[kind, fold] for fold in folds)


class Wording(NamedTuple):
    """The common wording of the questions of a group."""

    usual: frozenset[str]
    """Words that do not name things."""
    turning: tuple[str, ...]
    """Those of them that may reverse yes and no; "" stands for the unchanged answer."""


def wordings(questions: Sequence[BlindQuestion]) -> dict[str, Wording]:
    """Return the common wording of the questions of each group."""
    found: dict[str, dict[str, set[int]]] = {}
    sizes: Counter[str] = Counter()
    for question in questions:
        stands = found.setdefault(question.group, {})
        for word in set(words(question.text)):
            stands.setdefault(word, set()).add(sizes[question.group])
        sizes[question.group] += 1
    return {
        group: Wording(
            frozenset(word for word, places in stands.items() if len(places) >= _USUAL * sizes[group]),
            ("", *_turning(stands, sizes[group])),
        )
        for group, stands in found.items()
    }


def _turning(stands: Mapping[str, set[int]], size: int) -> list[str]:
    """Words in about half of the questions; of words that occur in the same questions, only one."""
    told: dict[frozenset[int], str] = {}
    for word, places in sorted(stands.items()):
        if abs(len(places) / size - 0.5) < _EITHER:
            told.setdefault(frozenset(places if 0 in places else set(range(size)) - places), word)
    return list(told.values())


def _kinds(question: BlindQuestion, wording: Wording) -> list[dict[str, list[Kind]]]:
    """What can recur in other questions, for each answer and reversing word: the option, or yes and no beside the names
    in the question."""
    if question.offered:
        return [{"": [(question.group, answer.casefold())]} for answer in question.answers]
    said = words(question.text)
    named = [(str(place), word) for place, word in enumerate(word for word in said if word not in wording.usual)]
    turning = wording.turning if len(question.answers) == 2 else ("",)
    return [
        {turn: [(question.group, turn, other if turn in said else answer, *name) for name in named] for turn in turning}
        for answer, other in zip(question.answers, reversed(question.answers), strict=True)
    ]


def _figures(ways: Mapping[str, Sequence[Kind]], right: _Counts, there: _Counts, unseen: set[int]) -> dict[str, float]:
    found: dict[str, float] = {}
    for turn, kinds in ways.items():
        often = [right.outside(kind, unseen) for kind in kinds]
        shown = [there.outside(kind, unseen) for kind in kinds]
        shares = [one / (both or 1) for one, both in zip(often, shown, strict=True)]
        told = f" (turned by “{turn}”)" if turn else ""
        found |= {
            f"right{told}": sum(often),
            f"shown{told}": sum(shown),
            f"right of those shown{told}": sum(shares),
        }
    return found


def ranked(figures: list[dict[str, float]]) -> list[list[str]]:
    """Return the ranks of each answer by each of its figures."""
    return [list(_ranks(own, figures)) for own in figures]


def _ranks(own: dict[str, float], figures: list[dict[str, float]]) -> Iterator[str]:
    for name, number in own.items():
        below = sum(other[name] < number for other in figures)
        above = sum(other[name] > number for other in figures)
        yield f"{name} elsewhere: more often than {below} others, less often than {above}"
