"""Yes as often as no, with each kind of wording and in all: which of the pairs that were written are kept."""

from collections import Counter
from collections.abc import Sequence

from countersight.build.drafts import Draft

_OTHER = {"yes": "no", "no": "yes"}


class Evening:
    """Counts yes/no questions by their kind of wording and answer, and how many of them can be kept."""

    def __init__(self) -> None:
        self._kinds: dict[str, Counter[str]] = {}

    def take(self, draft: Draft) -> bool:
        """Count one more, and say whether more can be kept than before."""
        before = self.kept
        self._kinds.setdefault(draft.operation, Counter())[draft.answer] += 1
        return self.kept > before

    @property
    def kept(self) -> int:
        """How many can be kept."""
        return _even(sum(map(_even, self._kinds.values()), Counter[str]())).total()


def evened(drafts: Sequence[Draft], most: int) -> list[int]:
    """The places of those that are kept: the first of each kind of wording, and not more than `most`."""
    places: dict[str, dict[str, list[int]]] = {}
    for place, draft in enumerate(drafts):
        places.setdefault(draft.operation, {"yes": [], "no": []})[draft.answer].append(place)
    for kind in places.values():
        for answer, number in _even(_counted(kind)).items():
            del kind[answer][number:]
    while True:
        answers = sum(map(_counted, places.values()), Counter[str]())
        if answers == _even(answers) and answers.total() <= most:
            return sorted(place for kind in places.values() for kept in kind.values() for place in kept)
        _drop_last(places, max(_OTHER, key=lambda answer: answers[answer]))


def _drop_last(places: dict[str, dict[str, list[int]]], answer: str) -> None:
    """Drop the last with an answer, of the kinds of wording that have it at least as often as the other."""
    often = [kind for kind in places.values() if kind[answer] and len(kind[answer]) >= len(kind[_OTHER[answer]])]
    max(often, key=lambda kind: kind[answer][-1])[answer].pop()


def _counted(kind: dict[str, list[int]]) -> Counter[str]:
    return Counter({answer: len(kept) for answer, kept in kind.items()})


def _even(answers: Counter[str]) -> Counter[str]:
    """As many of either answer as of the other, give or take one."""
    return Counter({answer: min(answers[answer], answers[other] + 1) for answer, other in _OTHER.items()})
