"""Replies with the answers that people read in them, one file for each thing they show: in `reading/replies/`."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from countersight.case import Option, Question, Reply

FOLDER = Path(__file__).parent / "reading" / "replies"
_GOLD = {"number": "77777", "boolean": "yes", "choice": "A", "open": "gold"}


class Line(NamedTuple):
    """One reply to one question, and the answer in it (None: it gives none)."""

    question: Question
    reply: Reply
    expected: str | None
    read_from: Literal["whole", "end"]


def replies(name: str) -> Iterator[Line]:
    """The replies of one file."""
    for entry in tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))["asked"]:
        options = tuple(map(Option, entry.get("options", ())))
        question = Question(entry["question"], _GOLD[entry["kind"]], entry["kind"], options)
        for text, answer in entry["replies"]:
            reply = Reply("case", 0, "factual", text=text, finish=entry.get("finish", ""))
            yield Line(question, reply, answer or None, entry.get("from", "whole"))


NAMES = sorted(path.stem for path in FOLDER.glob("*.toml"))
