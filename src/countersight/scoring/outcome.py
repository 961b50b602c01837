"""What became of every question of a run: right, wrong, unread, failed or missing."""

from array import array
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import LETTERS, AnswerKind, Case, Option, Question, Reply, Telling, World
from countersight.reading import ReadFrom, agrees, read_reply
from countersight.scoring.soft import soft_accuracy

Outcome = Literal["right", "wrong", "unread", "failed", "missing"]
"""Missing: never asked, or no reply to it was kept. Failed: asked, and no answer came. Neither is scored."""

Asked = Literal["factual", "counterfactual", "shown"]
"""The three questions a case may ask: of the world as it is, and of the other one, told or shown."""

ASKED: Final[tuple[Asked, ...]] = get_args(Asked)
OUTCOMES: Final[tuple[Outcome | None, ...]] = (None, "missing", "failed", "unread", "wrong", "right")
"""Outcomes by their code. 0 is a question that the case does not have; from UNREAD on it is scored."""
MISSING, FAILED, UNREAD, WRONG, RIGHT = range(1, 6)

WORLDS: Final[dict[Asked, tuple[World, Telling]]] = {
    "factual": ("factual", "told"),
    "counterfactual": ("counterfactual", "told"),
    "shown": ("counterfactual", "shown"),
}
_COLUMN = {"told": 1, "shown": 2}
HALF: Final = 0.5
"""The least credit with which an answer that several people were asked for too is called right."""
_SHOWN_OF_AN_ANSWER = 120  # characters of a long open answer that are kept to be shown


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
    codes: NDArray[np.uint8]
    """For each case and each of `ASKED`, the place of the outcome in `OUTCOMES`."""
    gold_letters: NDArray[np.uint8]
    """For each case and each of `ASKED`, the right option counted from 1, or 0 where the question is no choice."""
    answers: NDArray[np.int32]
    """For each case and each of `ASKED`, the place of the read answer in `answer_texts`."""
    answer_texts: tuple[str | None, ...]
    strays: int
    """Replies to questions that the dataset does not have."""
    credits: NDArray[np.float32] | None
    """For each case and each of `ASKED`, what its answer is worth, from 0 to 1: None where all are right or wrong."""
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

    def scored(self, asked: Asked) -> NDArray[np.bool_]:
        """Which cases have an answer to a question that counts, readable or not."""
        return np.greater_equal(self._column(asked), UNREAD)

    def right(self, asked: Asked) -> NDArray[np.bool_]:
        """Which cases have the right answer to a question."""
        return np.equal(self._column(asked), RIGHT)

    def credit(self, asked: Asked) -> NDArray[np.float32]:
        """What each case's answer to a question is worth: 0 or 1, and between them where several people answered."""
        if self.credits is None:
            return self.right(asked).astype(np.float32)
        return self.credits[:, ASKED.index(asked)]

    def _column(self, asked: Asked) -> NDArray[np.uint8]:
        return self.codes[:, ASKED.index(asked)]


class _Gist(msgspec.Struct, frozen=True, array_like=True):
    """What reading and judging an answer needs of a question, in few bytes."""

    kind: AnswerKind
    answer: str
    options: tuple[str, ...]
    text: str
    answers: tuple[str, ...]


def outcomes(cases: Iterable[tuple[int, Case]], replies: Iterable[Reply], read_from: ReadFrom = "whole") -> Outcomes:
    """Joins a dataset's cases with a run's replies, in any order, and reads and judges each answer.

    Of several replies to one question an answered one wins over a failed one, and the first answered one wins.
    """
    gathered = _Gathered(read_from)
    for row, case in cases:
        gathered.add(row, case)
    for reply in replies:
        gathered.judge(reply)
    return gathered.outcomes()


class _Gathered:
    """The dataset, packed: a million cases are never held as objects."""

    def __init__(self, read_from: ReadFrom) -> None:
        self.read_from: ReadFrom = read_from
        self.rows = array("q")
        self.positions = array("i")  # by row; -1 where the dataset has no such case
        self.groups: dict[str, int] = {}
        self.group_of = array("i")
        self.codes = bytearray()
        self.gold = bytearray()
        self.answers = array("i")
        self.texts: dict[str | None, int] = {None: 0}
        self.ids = bytearray()
        self.id_ends = array("q")
        self.gists = bytearray()
        self.gist_ends = array("q")
        self.strays = 0
        self.credits: array[float] | None = None  # until the first question that has several people's answers
        self.decoder = msgspec.msgpack.Decoder(_Gist)
        self.encoder = msgspec.msgpack.Encoder()

    def add(self, row: int, case: Case) -> None:
        if row >= len(self.positions):
            self.positions.extend([-1] * (row + 1 - len(self.positions)))
        self.positions[row] = len(self.rows)
        self.rows.append(row)
        self.group_of.append(self.groups.setdefault(case.group, len(self.groups)))
        self.ids += case.id.encode()
        self.id_ends.append(len(self.ids))
        for world, telling in WORLDS.values():
            question = case.question(world, telling)
            self.codes.append(MISSING if question else 0)
            self.answers.append(0)
            letter = LETTERS.index(question.answer) + 1 if question and question.kind == "choice" else 0
            self.gold.append(letter)
            if question:
                options = tuple(option.text for option in question.options)
                gist = _Gist(question.kind, question.answer, options, question.text, question.answers)
                self.gists += self.encoder.encode(gist)
                if question.answers and self.credits is None:
                    self.credits = array("f", bytes(4 * len(self.gist_ends)))
            if self.credits is not None:
                self.credits.append(0.0)
            self.gist_ends.append(len(self.gists))

    def judge(self, reply: Reply) -> None:
        position = self.positions[reply.row] if 0 <= reply.row < len(self.positions) else -1
        if position < 0 or not self._is_case(position, reply.case):
            self.strays += 1
            return
        place = 3 * position + (0 if reply.world == "factual" else _COLUMN[reply.telling])
        code = self.codes[place]
        if code == 0:
            self.strays += 1
        elif code >= UNREAD:
            return
        elif reply.state == "failed":
            self.codes[place] = FAILED
        else:
            question = self._question(place)
            answer = read_reply(reply, question, self.read_from)
            if answer is None:
                self.codes[place] = UNREAD
                return
            self.codes[place] = RIGHT if self._credited(place, answer, question) >= HALF else WRONG
            self.answers[place] = self.texts.setdefault(answer[:_SHOWN_OF_AN_ANSWER], len(self.texts))

    def _credited(self, place: int, answer: str, question: Question) -> float:
        """What an answer is worth, kept where there are questions whose answers can be worth less than all."""
        credit = soft_accuracy(answer, question.answers) if question.answers else float(agrees(answer, question))
        if self.credits is not None:
            self.credits[place] = credit
        return credit

    def outcomes(self) -> Outcomes:
        return Outcomes(
            rows=np.array(self.rows, dtype=np.int64),
            group_names=tuple(self.groups),
            groups=np.array(self.group_of, dtype=np.int32),
            codes=_table(self.codes, np.uint8),
            gold_letters=_table(self.gold, np.uint8),
            answers=_table(self.answers, np.int32),
            answer_texts=tuple(self.texts),
            strays=self.strays,
            credits=None if self.credits is None else _table(self.credits, np.float32),
            ids=bytes(self.ids),
            id_ends=np.array(self.id_ends, dtype=np.int64),
        )

    def _is_case(self, position: int, case: str) -> bool:
        start = self.id_ends[position - 1] if position else 0
        return self.ids[start : self.id_ends[position]] == case.encode()

    def _question(self, place: int) -> Question:
        start = self.gist_ends[place - 1] if place else 0
        gist = self.decoder.decode(self.gists[start : self.gist_ends[place]])
        options = tuple(Option(text) for text in gist.options)
        return Question(text=gist.text, answer=gist.answer, kind=gist.kind, options=options, answers=gist.answers)


def _table(values: "bytearray | array[int] | array[float]", kind: type[np.generic]) -> NDArray[Any]:
    return np.frombuffer(values, dtype=kind).reshape(-1, len(ASKED)).copy()
