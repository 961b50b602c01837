"""Outcomes of the questions of a run: right, wrong, unread, or not scored for a stated reason."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import VARIANTS, QuestionVariant, Reply

Outcome = Literal["right", "wrong", "unread", "empty", "cut", "failed", "missing"]
"""Unread: no answer could be extracted, which counts as not right. The others are not scored. Empty: the reply has no
text. Cut: the token limit ended the reply before its answer. Failed: there is no reply. Missing: not asked yet."""

OUTCOMES: Final[tuple[Outcome | None, ...]] = (None, "missing", "failed", "cut", "empty", "unread", "wrong", "right")
"""The outcomes by code. 0 means that the case does not have the question; codes from UNREAD on are scored."""
MISSING, FAILED, CUT, EMPTY, UNREAD, WRONG, RIGHT = range(1, 8)
ALL: Final = "all"
"""The name of the line for all groups."""
PRIOR_KNOWN, PRIOR_GIVEN = 1, 2
"""Flags for a prior answer: the answer is known; it was given as a wrong answer."""


_BY_CASE: Final = (
    *(
        "rows",
        "groups",
        "pictures",
        "codes",
        "gold_letters",
        "offered",
        "answers",
        "replies",
        "priors",
        "restated",
        "ids",
    ),
)


class Outcomes(msgspec.Struct, frozen=True, eq=False):
    """The outcomes of all cases in compact arrays."""

    rows: NDArray[np.int64]
    group_names: tuple[str, ...]
    """The names of groups, in order of first appearance."""
    groups: NDArray[np.int32]
    """For each case, the index of its group in `group_names`."""
    pictures: NDArray[np.int32]
    """For each case, a number that is shared by dependent cases, such as those of one picture or one set."""
    codes: NDArray[np.uint8]
    """For each case and each of `VARIANTS`, the index of the outcome in `OUTCOMES`."""
    gold_letters: NDArray[np.uint8]
    """For each case and each of `VARIANTS`, the right option counted from 1, or 0 if the question is not a choice."""
    offered: NDArray[np.uint8]
    """For each case and each of `VARIANTS`, the number of options to guess among; 0 if there are none."""
    answers: NDArray[np.int32]
    """For each case and each of `VARIANTS`, the index of the extracted answer in `answer_texts`."""
    answer_texts: tuple[str | None, ...]
    replies: NDArray[np.int32]
    """For each case and each of `VARIANTS`, the number of the journal's reply that counts, from 0; -1 if there is
    none."""
    credits: NDArray[np.float32] | None
    """For each case and each of `VARIANTS`, the credit of the answer, from 0 to 1; None if all are right or wrong."""
    priors: NDArray[np.uint8]
    """For each case and each of `VARIANTS`, whether a prior is known, and whether it was given as a wrong answer."""
    restated: NDArray[np.bool_]
    """For each case and each of `VARIANTS`, whether the reply that counts restates an unread one."""
    ids: NDArray[Any]
    """For each case, its id."""

    def __len__(self) -> int:
        return len(self.rows)

    def case(self, position: int) -> str:
        """Return the id of the case at a position."""
        return str(self.ids[position])

    def only(self, mask: NDArray[np.bool_]) -> "Outcomes":
        """Return the outcomes of selected cases, in the same order."""
        return self.only_at(np.flatnonzero(mask))

    def only_at(self, positions: NDArray[np.int64]) -> "Outcomes":
        """Return the outcomes of the cases at these positions, in that order; empty groups are dropped."""
        kept = {name: getattr(self, name)[positions] for name in _BY_CASE}
        named = dict.fromkeys(kept["groups"].tolist())
        places = np.zeros(len(self.group_names), dtype=np.int32)
        places[list(named)] = np.arange(len(named))
        return msgspec.structs.replace(
            self,
            **kept | {"groups": places[kept["groups"]]},
            group_names=tuple(self.group_names[place] for place in named),
            credits=None if self.credits is None else self.credits[positions],
        )

    def lines(self) -> list[tuple[str, NDArray[np.bool_]]]:
        """Return each group with a mask of its cases, in order of first appearance, then `ALL` with all cases."""
        groups = [(name, np.equal(self.groups, place)) for place, name in enumerate(self.group_names)]
        return [*groups, (ALL, np.ones(len(self), dtype=np.bool_))]

    def asked(self, variant: QuestionVariant) -> NDArray[np.bool_]:
        """Return which cases have the question."""
        return np.greater(self._column(variant), 0)

    def scored(self, variant: QuestionVariant) -> NDArray[np.bool_]:
        """Return which cases have a scored reply to the question: right, wrong or unread."""
        return np.greater_equal(self._column(variant), UNREAD)

    def is_read(self, variant: QuestionVariant, mask: NDArray[Any]) -> bool:
        """Return whether any reply to these cases could be read; otherwise nothing is known about the model."""
        return bool((self._column(variant)[mask] > UNREAD).any())

    def unread(self, variant: QuestionVariant) -> NDArray[np.bool_]:
        """Return which cases have an unread reply to the question."""
        return np.equal(self._column(variant), UNREAD)

    def right(self, variant: QuestionVariant) -> NDArray[np.bool_]:
        """Return which cases have the right answer to the question."""
        return np.equal(self._column(variant), RIGHT)

    def in_both_worlds(self) -> NDArray[np.bool_]:
        """Return which cases are scored in both worlds."""
        return self.scored("factual") & self.scored("counterfactual")

    def both_right(self) -> NDArray[np.bool_]:
        """Return which cases are right in both worlds: CFMM's acc+."""
        return self.right("factual") & self.right("counterfactual")

    def credit(self, variant: QuestionVariant) -> NDArray[np.float32]:
        """Return the credit of each case's answer: 0 or 1, or between them if several people answered."""
        if self.credits is None:
            return self.right(variant).astype(np.float32)
        return self.credits[:, VARIANTS.index(variant)]

    def guess(self, variant: QuestionVariant) -> NDArray[np.float64]:
        """Return the probability that a random guess is right, for each case; 0 without options."""
        offered = self.offered[:, VARIANTS.index(variant)]
        return np.divide(1.0, offered, out=np.zeros(len(self)), where=offered > 0)

    def _column(self, variant: QuestionVariant) -> NDArray[np.uint8]:
        return self.codes[:, VARIANTS.index(variant)]


Find = Callable[[Iterable[int]], Mapping[int, Reply]]
"""A function that finds replies by number, in the order in which they were judged."""


def counted_replies(
    outcomes: Outcomes, positions: Iterable[int], find: Find
) -> dict[tuple[int, QuestionVariant], Reply]:
    """Return the replies that count for the cases at these positions, by position and variant."""
    wanted = {
        place: (position, variant)
        for position in positions
        for variant, place in zip(VARIANTS, outcomes.replies[position].tolist(), strict=True)
        if place >= 0
    }
    return {wanted[place]: reply for place, reply in find(wanted).items()}
