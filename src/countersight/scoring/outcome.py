"""The outcomes of a run: its replies joined with their cases, and each answer compared with the gold answer."""

from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import LETTERS, VARIANTS, WORLDS, Case, Question, QuestionVariant, Reply, World, variant_of
from countersight.engine import UNCERTAIN, cluster_key, status_of
from countersight.reading import ReadFrom
from countersight.scoring.credit import is_right, soft_accuracy

Outcome = Literal["right", "wrong", "unread", "empty", "cut", "failed", "missing"]
"""Unread: no answer could be extracted; the reply does not count as right. The others are not scored. Empty: the reply
has no text. Cut: the token limit ended the reply before its answer. Failed: there is no reply. Missing: the question
was not asked yet, or cannot be asked."""

OUTCOMES: Final[tuple[Outcome | None, ...]] = (None, "missing", "failed", "cut", "empty", "unread", "wrong", "right")
"""The outcomes by code. 0 means that the case does not have the question; codes from UNREAD on are scored."""
MISSING: Final = 1
FAILED: Final = 2
CUT: Final = 3
EMPTY: Final = 4
UNREAD: Final = 5
WRONG: Final = 6
RIGHT: Final = 7
ALL: Final = "all"
"""The name of the results over all groups."""
PRIOR_KNOWN, PRIOR_GIVEN = 1, 2
"""Flags about the prior answer: whether it is known, and whether it was given as a wrong answer."""


_BY_CASE: Final = (
    *("rows", "groups", "pictures", "codes", "gold_letters", "offered"),
    *("answers", "replies", "priors", "restated", "ids"),
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
    """For each case and each of `VARIANTS`, the number of the reply in the journal that counts, from 0; -1 if there is
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
        """Return a mask of the cases that have the question."""
        return np.greater(self._column(variant), 0)

    def scored(self, variant: QuestionVariant) -> NDArray[np.bool_]:
        """Return a mask of the cases with a scored reply to the question: right, wrong or unread."""
        return np.greater_equal(self._column(variant), UNREAD)

    def is_read(self, variant: QuestionVariant, mask: NDArray[Any]) -> bool:
        """Return whether any reply to these cases could be read; otherwise nothing is known about the model."""
        return bool((self._column(variant)[mask] > UNREAD).any())

    def unread(self, variant: QuestionVariant) -> NDArray[np.bool_]:
        """Return a mask of the cases with an unread reply to the question."""
        return np.equal(self._column(variant), UNREAD)

    def right(self, variant: QuestionVariant) -> NDArray[np.bool_]:
        """Return a mask of the cases with the right answer to the question."""
        return np.equal(self._column(variant), RIGHT)

    def in_both_worlds(self) -> NDArray[np.bool_]:
        """Return a mask of the cases that are scored in both worlds."""
        return self.scored("factual") & self.scored("counterfactual")

    def both_right(self) -> NDArray[np.bool_]:
        """Return a mask of the cases that are right in both worlds (acc+ in CFMM)."""
        return self.right("factual") & self.right("counterfactual")

    def credit(self, variant: QuestionVariant) -> NDArray[np.float32]:
        """Return the credit of each case's answer: 0 or 1, or a value in between if several people answered."""
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


MIN_CREDIT_FOR_RIGHT: Final = 0.5
"""The minimum credit of an answer that counts as right, for questions that several people answered."""
_MAX_ANSWER_LENGTH = 120  # characters of a long open answer that are kept for display
_PRECEDENCE: Final = (0, 0, 1, 2, 2, 3, 4, 4)
"""The precedence of a reply by the code of its outcome: first an answer, then unread, cut or empty, and failed."""
_CODES: Final[dict[str, int]] = {outcome: code for code, outcome in enumerate(OUTCOMES) if outcome}


class JudgedReply(msgspec.Struct, frozen=True):
    """The result of judging a reply: the code of its outcome, the extracted answer and its credit."""

    code: int
    answer: str | None = None
    credit: float = 0.0
    is_prior: bool = False
    """Whether the answer is wrong and equal to the prior one."""


def judge(reply: Reply, question: Question, read_from: ReadFrom = "whole") -> JudgedReply:
    """Extract the answer of a reply and compare it with the gold answer."""
    read = status_of(reply, question, read_from)
    if read.answer is None:
        return JudgedReply(_CODES[read.status])
    if question.accepts_uncertain and read.answer == UNCERTAIN:
        return JudgedReply(RIGHT, read.answer, 1.0)
    credit = (
        soft_accuracy(read.answer, question.answers) if question.answers else float(is_right(read.answer, question))
    )
    if credit >= MIN_CREDIT_FOR_RIGHT:
        return JudgedReply(RIGHT, read.answer, credit)
    prior = msgspec.structs.replace(question, answer=question.prior, prior="")
    return JudgedReply(WRONG, read.answer, credit, is_prior=bool(question.prior) and is_right(read.answer, prior))


def outcomes(
    cases: Iterable[tuple[int, Case]],
    replies: Iterable[Reply],
    read_from: ReadFrom = "whole",
    *,
    factual_from: ReadFrom | None = None,
    by_id: bool = False,
) -> Outcomes:
    """Join the cases of a dataset with the replies of a run, in any order, and judge each answer.

    If there are several replies to a question, the first reply of the best kind counts. From best to worst, the kinds
    are: answered, unread, cut or empty, failed. `factual_from` overrides `read_from` for factual questions. Replies are
    matched with cases by row and id; with `by_id`, only by id, because rows may have moved.
    """
    builder = _OutcomeBuilder(read_from, factual_from or read_from)
    rows: dict[str, int] = {}
    for row, case in cases:
        builder.add(row, case)
        if by_id:
            rows[case.id] = row
    for place, reply in enumerate(replies):
        builder.judge(place, msgspec.structs.replace(reply, row=rows.get(reply.case, -1)) if by_id else reply)
    return builder.outcomes()


class _OutcomeBuilder:
    """The cases of a dataset and their outcomes in compact arrays, filled case by case and reply by reply."""

    def __init__(self, read_from: ReadFrom, factual_from: ReadFrom) -> None:
        self.read_from: dict[World, ReadFrom] = {"factual": factual_from, "counterfactual": read_from}
        self.rows = array("q")
        self.positions = array("i")  # by row; -1 if the dataset has no such case
        self.groups: dict[str, int] = {}
        self.group_of = array("i")
        self.pictures: dict[str, int] = {}
        self.picture_of = array("i")
        # One value per question, case by case, under the names that they have in `Outcomes`.
        self.codes, self.gold_letters, self.offered, self.priors, self.restated = (bytearray() for _ in range(5))
        self.answers, self.replies = array("i"), array("i")
        self.credits: array[float] | None = None  # None until a question has the answers of several people
        self.texts: dict[str | None, int] = {None: 0}
        self.ids: list[str] = []
        self.questions: list[bytes] = []  # encoded, because Question objects would need much more memory
        self.decoder = msgspec.msgpack.Decoder(Question)
        self.encoder = msgspec.msgpack.Encoder()

    def add(self, row: int, case: Case) -> None:
        if row >= len(self.positions):
            self.positions.extend([-1] * (row + 1 - len(self.positions)))
        self.positions[row] = len(self.rows)
        self.rows.append(row)
        self.group_of.append(self.groups.setdefault(case.group, len(self.groups)))
        self.picture_of.append(self.pictures.setdefault(cluster_key(row, case), len(self.pictures)))
        self.ids.append(case.id)
        for world, telling in WORLDS.values():
            self._add_question(case.question(world, telling))

    def _add_question(self, question: Question | None) -> None:
        self.codes.append(MISSING if question else 0)
        self.answers.append(0)
        self.replies.append(-1)
        self.restated.append(0)
        self.gold_letters.append(LETTERS.index(question.answer) + 1 if question and question.kind == "choice" else 0)
        self.offered.append(question.guessed_among if question else 0)
        self.priors.append(PRIOR_KNOWN if question and question.prior else 0)
        if question and question.answers and self.credits is None:
            self.credits = array("f", bytes(4 * len(self.questions)))
        if self.credits is not None:
            self.credits.append(0.0)
        self.questions.append(self.encoder.encode(question) if question else b"")

    def judge(self, number: int, reply: Reply) -> None:
        """Judge the reply with this number in the journal; the fourth question of a case is scored only in its set."""
        if reply.telling == "twice":
            return
        position = self.positions[reply.row] if 0 <= reply.row < len(self.positions) else -1
        place = len(VARIANTS) * position + VARIANTS.index(variant_of(reply.world, reply.telling))
        if position < 0 or self.ids[position] != reply.case or not self.codes[place]:
            return  # a reply to a question that the dataset does not have
        before = _PRECEDENCE[self.codes[place]]
        if before == _PRECEDENCE[RIGHT]:
            return
        judged = judge(reply, self.decoder.decode(self.questions[place]), self.read_from[reply.world])
        self.restated[place] |= bool(reply.restates) and judged.code == UNREAD
        if _PRECEDENCE[judged.code] > before:
            self.codes[place] = judged.code
            self.replies[place] = number
            self.restated[place] = bool(reply.restates)
            if self.priors[place]:
                self.priors[place] = PRIOR_GIVEN if judged.is_prior else PRIOR_KNOWN
            shown = None if judged.answer is None else judged.answer[:_MAX_ANSWER_LENGTH]
            self.answers[place] = self.texts.setdefault(shown, len(self.texts))
            if self.credits is not None:
                self.credits[place] = judged.credit

    def outcomes(self) -> Outcomes:
        return Outcomes(
            rows=np.array(self.rows, dtype=np.int64),
            group_names=tuple(self.groups),
            groups=np.array(self.group_of, dtype=np.int32),
            pictures=np.array(self.picture_of, dtype=np.int32),
            answer_texts=tuple(self.texts),
            credits=None if self.credits is None else _table(self.credits, np.float32),
            ids=np.array(self.ids, dtype=np.dtypes.StringDType()),
            restated=_table(self.restated, np.bool_),
            **{name: _table(getattr(self, name), np.uint8) for name in ("codes", "gold_letters", "offered", "priors")},
            **{name: _table(getattr(self, name), np.int32) for name in ("answers", "replies")},
        )


def _table(values: "bytearray | array[int] | array[float]", kind: type[np.generic]) -> NDArray[Any]:
    return np.frombuffer(values, dtype=kind).reshape(-1, len(VARIANTS)).copy()
