"""What became of every question of a run: right, wrong, unread, or none of these for a reason that is said."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import ASKINGS, Asking, Reply

Outcome = Literal["right", "wrong", "unread", "empty", "cut", "failed", "missing"]
"""Unread: no answer could be read, which counts as not right. The others are not scored. Empty: the model said nothing.
Cut: the limit of tokens ended the reply before its answer. Failed: no reply came. Missing: not asked yet."""

OUTCOMES: Final[tuple[Outcome | None, ...]] = (None, "missing", "failed", "cut", "empty", "unread", "wrong", "right")
"""Outcomes by their code. 0 is a question that the case does not have; from UNREAD on it is scored."""
MISSING, FAILED, CUT, EMPTY, UNREAD, WRONG, RIGHT = range(1, 8)
KNOWN, GIVEN = 1, 2
"""Of a prior: that there is one, and that it was the wrong answer given."""


_BY_CASE: Final = (
    *("rows", "groups", "pictures", "codes", "gold_letters", "offered", "answers", "replies", "priors", "restated"),
)


class CaseOutcome(msgspec.Struct, frozen=True):
    """What became of one case. An outcome is None where the case does not ask that question."""

    row: int
    case: str
    group: str
    factual: Outcome | None
    counterfactual: Outcome | None
    shown: Outcome | None
    factual_answer: str | None
    counterfactual_answer: str | None
    shown_answer: str | None


class Outcomes(msgspec.Struct, frozen=True, eq=False):
    """The outcomes of all cases, in a few bytes each. Iterate for one `CaseOutcome` a case."""

    rows: NDArray[np.int64]
    group_names: tuple[str, ...]
    """In order of first appearance."""
    groups: NDArray[np.int32]
    """For each case, the place of its group in `group_names`."""
    pictures: NDArray[np.int32]
    """For each case, a number that the cases of one picture, or of one set, share: they are not independent."""
    codes: NDArray[np.uint8]
    """For each case and each of `ASKINGS`, the place of the outcome in `OUTCOMES`."""
    gold_letters: NDArray[np.uint8]
    """For each case and each of `ASKINGS`, the right option counted from 1, or 0 where the question is no choice."""
    offered: NDArray[np.uint8]
    """For each case and each of `ASKINGS`, among how many answers one would guess; 0 where nothing is offered."""
    answers: NDArray[np.int32]
    """For each case and each of `ASKINGS`, the place of the read answer in `answer_texts`."""
    answer_texts: tuple[str | None, ...]
    replies: NDArray[np.int32]
    """For each case and each of `ASKINGS`, which reply of the journal counts, from 0; -1 where there is none."""
    strays: int
    """Replies to questions that the dataset does not have."""
    credits: NDArray[np.float32] | None
    """For each case and each of `ASKINGS`, what its answer is worth, from 0 to 1: None where all are right or wrong."""
    priors: NDArray[np.uint8]
    """For each case and each of `ASKINGS`, whether a prior is known, and whether it is the wrong answer given."""
    restated: NDArray[np.bool_]
    """For each case and each of `ASKINGS`, whether the reply that counts restates one that could not be read."""
    ids: bytes
    id_ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def case(self, position: int) -> str:
        """The id of the case at a position."""
        start = int(self.id_ends[position - 1]) if position else 0
        return self.ids[start : int(self.id_ends[position])].decode()

    def __iter__(self) -> Iterator[CaseOutcome]:
        for position in range(len(self)):
            codes, answers = self.codes[position], self.answers[position]
            yield CaseOutcome(
                int(self.rows[position]),
                self.case(position),
                self.group_names[self.groups[position]],
                *(OUTCOMES[code] for code in codes),
                *(self.answer_texts[answer] for answer in answers),
            )

    def only(self, mask: NDArray[np.bool_]) -> "Outcomes":
        """The outcomes of some of the cases, in the same order."""
        return self.only_at(np.flatnonzero(mask))

    def only_at(self, positions: NDArray[np.int64]) -> "Outcomes":
        """The outcomes of the cases at these positions, in that order; empty groups are dropped."""
        kept = {name: getattr(self, name)[positions] for name in _BY_CASE}
        named = dict.fromkeys(kept["groups"].tolist())
        places = np.zeros(len(self.group_names), dtype=np.int32)
        places[list(named)] = np.arange(len(named))
        ids = [self.case(place).encode() for place in positions.tolist()]
        return msgspec.structs.replace(
            self,
            **kept | {"groups": places[kept["groups"]]},
            group_names=tuple(self.group_names[place] for place in named),
            credits=None if self.credits is None else self.credits[positions],
            ids=b"".join(ids),
            id_ends=np.cumsum([len(name) for name in ids], dtype=np.int64),
        )

    def asked(self, asking: Asking) -> NDArray[np.bool_]:
        """Which cases have the question."""
        return np.greater(self._column(asking), 0)

    def scored(self, asking: Asking) -> NDArray[np.bool_]:
        """Which cases have a reply to a question that counts: right, wrong or unread."""
        return np.greater_equal(self._column(asking), UNREAD)

    def is_read(self, asking: Asking, mask: NDArray[Any]) -> bool:
        """Whether any reply to these cases' questions could be read; without one, nothing is known of the model."""
        return bool((self._column(asking)[mask] > UNREAD).any())

    def unread(self, asking: Asking) -> NDArray[np.bool_]:
        """Which cases have a reply to a question in which no answer was found."""
        return np.equal(self._column(asking), UNREAD)

    def right(self, asking: Asking) -> NDArray[np.bool_]:
        """Which cases have the right answer to a question."""
        return np.equal(self._column(asking), RIGHT)

    def credit(self, asking: Asking) -> NDArray[np.float32]:
        """What each case's answer to a question is worth: 0 or 1, and between them where several people answered."""
        if self.credits is None:
            return self.right(asking).astype(np.float32)
        return self.credits[:, ASKINGS.index(asking)]

    def guess(self, asking: Asking) -> NDArray[np.float64]:
        """How often guessing would answer each case's question right; 0 where there is nothing to guess among."""
        offered = self.offered[:, ASKINGS.index(asking)]
        return np.divide(1.0, offered, out=np.zeros(len(self)), where=offered > 0)

    def _column(self, asking: Asking) -> NDArray[np.uint8]:
        return self.codes[:, ASKINGS.index(asking)]


Counted = dict[tuple[int, Asking], Reply]
"""The replies that count, by the position of the case and its asking."""


Find = Callable[[Iterable[int]], Mapping[int, Reply]]
"""Finds replies by their numbers in the order in which they were judged."""


def counted_replies(outcomes: Outcomes, positions: Iterable[int], find: Find) -> Counted:
    """Of the replies that some cases were judged from, those that count."""
    wanted = {
        place: (position, asking)
        for position in positions
        for asking, place in zip(ASKINGS, outcomes.replies[position].tolist(), strict=True)
        if place >= 0
    }
    return {wanted[place]: reply for place, reply in find(wanted).items()}
