"""What the answers to other questions tell of this one: a set that is balanced by name gives its last answer away.

Where every name is right as often as it is wrong, a name that was right in the others is wrong in this one. So answers
are ranked by how often they were right in the other folds, and a probe learns which rank to choose. What it learns from
must not have looked at the fold it is tried on: whether many or few were right there would turn the rank it learns.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from countersight.blind.asked import Asked, words
from countersight.blind.choosing import FOLDS, Ints, Table

Kind = tuple[str, ...]
"""A group, and what is counted in it."""
_USUAL = 0.2
"""Words of so large a share of a group's questions are its template's: they name nothing."""


def elsewhere(questions: Sequence[Asked], _templates: Sequence[str], folds: Ints) -> list[Table]:
    """For every fold to be tried: how often each answer was right, and was there to choose, in the folds that are
    neither that one nor the question's own."""
    usual = _usual_words(questions)
    kinds = [_kinds(question, usual[question.group]) for question in questions]
    right, there = _Counts(), _Counts()
    for question, own, fold in zip(questions, kinds, folds.tolist(), strict=True):
        for place, of_answer in enumerate(own):
            there.add(of_answer, fold)
            if place == question.right:
                right.add(of_answer, fold)
    return [
        Table(
            questions,
            [
                _ranked([_figures(of_answer, right, there, {fold, tried}) for of_answer in own])
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


def _usual_words(questions: Sequence[Asked]) -> dict[str, frozenset[str]]:
    counts: dict[str, Counter[str]] = {}
    sizes: Counter[str] = Counter()
    for question in questions:
        counts.setdefault(question.group, Counter()).update(set(words(question.text)))
        sizes[question.group] += 1
    return {
        group: frozenset(word for word, number in found.items() if number >= _USUAL * sizes[group])
        for group, found in counts.items()
    }


def _kinds(question: Asked, usual: frozenset[str]) -> list[list[Kind]]:
    """What of each answer may come back in other questions: the option, or yes and no beside the names asked about."""
    if question.offered:
        return [[(question.group, answer.casefold())] for answer in question.answers]
    named = [word for word in words(question.text) if word not in usual]
    return [
        [(question.group, answer, str(place), word) for place, word in enumerate(named)] for answer in question.answers
    ]


def _figures(kinds: Sequence[Kind], right: _Counts, there: _Counts, unseen: set[int]) -> dict[str, float]:
    often = [right.outside(kind, unseen) for kind in kinds]
    shown = [there.outside(kind, unseen) for kind in kinds]
    shares = [one / (both or 1) for one, both in zip(often, shown, strict=True)]
    return {"right": sum(often), "shown": sum(shown), "right of those shown": sum(shares)}


def _ranked(figures: list[dict[str, float]]) -> list[list[str]]:
    return [list(_ranks(own, figures)) for own in figures]


def _ranks(own: dict[str, float], figures: list[dict[str, float]]) -> Iterator[str]:
    for name, number in own.items():
        below = sum(other[name] < number for other in figures)
        above = sum(other[name] > number for other in figures)
        yield f"{name} elsewhere: more often than {below} others, less often than {above}"
