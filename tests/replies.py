"""Replies with readings that were fixed by hand before the reader saw them: in the folders of `reading/`."""

import hashlib
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from countersight.case import Option, Question, Reply
from countersight.reading import agrees, read_reply

FOLDER = Path(__file__).parent / "reading"
SETS = (
    "corpus", "fresh", "further", "last", "rounds", "stranger", "second_stranger", "third_stranger", "fourth_stranger",
    "fifth_stranger", "sixth_stranger", "seventh_stranger",
)  # fmt: skip
_GOLD = {"number": "77777", "boolean": "yes", "choice": "A", "open": "gold"}

Half = Literal["development", "unseen"]


class Line(msgspec.Struct, frozen=True):
    """One reply to one question, and what a careful reader takes it to say (None: nothing)."""

    question: Question
    text: str
    expected: str | None
    read_from: Literal["whole", "end"]
    finish: str

    @property
    def half(self) -> Half:
        """Rules were written with one half in view; the other was looked at once, when they were done."""
        digest = hashlib.sha256(f"{self.question.text}\n{self.text}".encode()).digest()
        return "unseen" if digest[0] % 2 else "development"

    def is_misread(self, answer: str | None) -> bool:
        """Whether an answer is another than the fixed one; "In the kitchen" and "kitchen" are one."""
        if answer is None or self.expected is None:
            return answer is not None
        return not agrees(answer, replace(self.question, answer=self.expected))

    @property
    def reply(self) -> Reply:
        return Reply("case", 0, "factual", text=self.text, finish=self.finish)


@cache
def corpus(name: str = "corpus") -> tuple[Line, ...]:
    """Every line of a set, in the order of its files."""
    asked = [asked for path in _files(name) for asked in tomllib.loads(path.read_text(encoding="utf-8"))["asked"]]
    return tuple(
        Line(question_of(entry), text, answer or None, entry.get("from", "whole"), entry.get("finish", ""))
        for entry in asked
        for text, answer in entry["replies"]
    )


@cache
def answers(name: str) -> tuple[str | None, ...]:
    """What every line of a set is read to answer, read once for all tests that ask."""
    return tuple(read_reply(line.reply, line.question, line.read_from) for line in corpus(name))


def fingerprint(name: str = "corpus") -> str:
    """A digest of a whole set, so that no reading is changed after the fact without a trace."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in _files(name))).hexdigest()


def _files(name: str) -> list[Path]:
    return sorted((FOLDER / name).glob("*.toml"))


def question_of(entry: dict) -> Question:
    options = tuple(map(Option, entry.get("options", ())))
    return Question(entry["question"], _GOLD[entry["kind"]], entry["kind"], options)
