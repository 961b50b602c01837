"""Judge replies: join them with their cases, select the reply that counts, extract its answer and compare it with the
gold answer."""

from array import array
from collections.abc import Iterable
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import LETTERS, VARIANTS, WORLDS, Case, Question, Reply, World, variant_of
from countersight.engine import UNCERTAIN, cluster_key, status_of
from countersight.reading import ReadFrom
from countersight.scoring.credit import is_right, soft_accuracy
from countersight.scoring.outcome import MISSING, OUTCOMES, PRIOR_GIVEN, PRIOR_KNOWN, RIGHT, UNREAD, WRONG, Outcomes

MIN_CREDIT_FOR_RIGHT: Final = 0.5
"""The minimum credit of an answer that counts as right, for questions that several people answered."""
_MAX_ANSWER_LENGTH = 120  # characters of a long open answer that are kept for display
_PRECEDENCE: Final = (0, 0, 1, 2, 2, 3, 4, 4)
"""The precedence of a reply by the code of its outcome: an answer first, then unread, cut or empty, failed."""
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

    Of several replies to a question, the first of the best kind counts: answered, unread, cut or empty, failed.
    `factual_from` overrides `read_from` for factual questions. Replies are matched with cases by row and id; with
    `by_id`, only by id, because rows may have moved.
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
        self.codes = bytearray()
        self.gold = bytearray()
        self.offered = bytearray()
        self.priors = bytearray()
        self.answers = array("i")
        self.replies = array("i")
        self.restated = bytearray()
        self.texts: dict[str | None, int] = {None: 0}
        self.ids: list[str] = []
        self.questions = bytearray()
        self.question_ends = array("q")
        self.credits: array[float] | None = None  # None until a question has the answers of several people
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
        self.gold.append(LETTERS.index(question.answer) + 1 if question and question.kind == "choice" else 0)
        self.offered.append(question.guessed_among if question else 0)
        self.priors.append(PRIOR_KNOWN if question and question.prior else 0)
        if question:
            self.questions += self.encoder.encode(question)
            if question.answers and self.credits is None:
                self.credits = array("f", bytes(4 * len(self.question_ends)))
        if self.credits is not None:
            self.credits.append(0.0)
        self.question_ends.append(len(self.questions))

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
        judged = judge(reply, self._question(place), self.read_from[reply.world])
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
        codes = _table(self.codes, np.uint8)
        return Outcomes(
            rows=np.array(self.rows, dtype=np.int64),
            group_names=tuple(self.groups),
            groups=np.array(self.group_of, dtype=np.int32),
            pictures=np.array(self.picture_of, dtype=np.int32),
            codes=codes,
            gold_letters=_table(self.gold, np.uint8),
            offered=_table(self.offered, np.uint8),
            answers=_table(self.answers, np.int32),
            answer_texts=tuple(self.texts),
            replies=_table(self.replies, np.int32),
            credits=None if self.credits is None else _table(self.credits, np.float32),
            priors=_table(self.priors, np.uint8),
            restated=_table(self.restated, np.bool_),
            ids=np.array(self.ids, dtype=np.dtypes.StringDType()),
        )

    def _question(self, place: int) -> Question:
        start = self.question_ends[place - 1] if place else 0
        return self.decoder.decode(self.questions[start : self.question_ends[place]])


def _table(values: "bytearray | array[int] | array[float]", kind: type[np.generic]) -> NDArray[Any]:
    return np.frombuffer(values, dtype=kind).reshape(-1, len(VARIANTS)).copy()
