"""Replies with readings that were fixed by hand before the reader saw them: `reading/corpus/*.toml`."""

import hashlib
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from countersight.case import Option, Question, Reply

FOLDER = Path(__file__).parent / "reading" / "corpus"
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

    @property
    def reply(self) -> Reply:
        return Reply("case", 0, "factual", text=self.text, finish=self.finish)


@cache
def corpus() -> tuple[Line, ...]:
    """Every line of the corpus, in the order of its files."""
    asked = [asked for path in sorted(FOLDER.glob("*.toml")) for asked in tomllib.loads(path.read_text())["asked"]]
    return tuple(
        Line(_question(entry), text, answer or None, entry.get("from", "whole"), entry.get("finish", ""))
        for entry in asked
        for text, answer in entry["replies"]
    )


def fingerprint() -> str:
    """A digest of the whole corpus, so that no reading is changed after the fact without a trace."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(FOLDER.glob("*.toml")))).hexdigest()


def _question(entry: dict) -> Question:
    options = tuple(map(Option, entry.get("options", ())))
    return Question(entry["question"], _GOLD[entry["kind"]], entry["kind"], options)
