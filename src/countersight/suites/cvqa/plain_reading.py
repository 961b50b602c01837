"""C-VQA's way of extracting answers, kept next to ours so that figures can be compared with the paper's.

A few plain rules, those that descriptions of the benchmark give, written anew; the authors' own code was not looked at.
They read the first thing that looks like an answer, where ours read what the reply says of the question. The two are
never mixed: a table has two lines a run.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from countersight.case import LETTERS, Case, Question, Reply
from countersight.engine import RunFolder, status_of
from countersight.english import NUMBER_WORDS
from countersight.html import Grid, Line, count, name, percent
from countersight.scoring import READING_HEAD, Gold, JudgedRun, judge_run, reading_line

NAME: Final = "cvqa"
"""The name of this reading on the command line."""
_UNREADABLE: Final = "?"


class _Compared:
    """Hands on replies as the plain rules read them, and counts how often ours read the same."""

    def __init__(self, judged: JudgedRun) -> None:
        self._prompt = judged.run.manifest.prompt
        self._cases: dict[int, Case] = dict(judged.cases())
        self.both = self.alike = 0

    def watch(self, replies: Iterable[Reply]) -> Iterator[Reply]:
        for reply in replies:
            case = self._cases.get(reply.row)
            question = case.question(reply.world, reply.telling) if case else None
            if question is None or reply.state != "answered" or reply.orders or reply.losses:
                yield reply
                continue
            ours = status_of(reply, question, self._prompt.of(reply.world).reads).answer
            theirs = plain_answer(reply.text, question)
            if ours is not None and theirs is not None:
                self.both += 1
                self.alike += ours == theirs
            text = theirs if theirs is not None else _UNREADABLE
            yield msgspec.structs.replace(reply, text=text, finish="stop") if reply.text.strip() else reply


def read_otherwise(runs: Sequence[Path], *, dataset: Path | None = None, gold: Path | None = None) -> Grid:
    """Return a table of runs as read by our rules and by C-VQA's."""
    corrected = Gold.open(gold) if gold else None
    lines: list[Line] = []
    notes: list[str] = []
    for path in runs:
        run = RunFolder.open(path)
        ours = judge_run(run, dataset=dataset, gold=corrected)
        compared = _Compared(ours)
        theirs = judge_run(run, dataset=dataset, gold=corrected, watch_replies=compared.watch)
        label = name(run.path.resolve().name)
        for by, judged in (("our rules", ours), ("C-VQA's rules", theirs)):
            lines.append(reading_line(label, by, judged.scores().overall))
        if compared.both:
            share = percent(compared.alike / compared.both)
            notes.append(
                f"{label}: both readers find an answer in {count(compared.both)} replies, and the same answer in "
                f"{share} % of them."
            )
    about = (
        "C-VQA's rules take the first number, yes, no or letter of a reply, outside an if-clause. They follow the "
        "description of the benchmark, not its authors' code, and are separate from all other figures."
    )
    return Grid("Replies read with C-VQA's rules", READING_HEAD, tuple(lines), " ".join([about, *notes]))


_IF: Final = re.compile(r"\bif\b[^,.]*,", re.IGNORECASE)
_NUMBER: Final = re.compile(rf"\d+|\b(?:{'|'.join(NUMBER_WORDS)}|no|none)\b", re.IGNORECASE)
_YES_NO: Final = re.compile(r"\b(yes|no)\b", re.IGNORECASE)
_NEGATED: Final = re.compile(r"\bnot\b|n't\b|\bnever\b", re.IGNORECASE)
_SAID: Final = re.compile(r"\b(?:is|are|was|were|would|could|will|can|does|do|has|have)\b", re.IGNORECASE)


def plain_answer(text: str, question: Question) -> str | None:
    """Return the answer that the plain rules find in a reply, or None."""
    words = _IF.sub(" ", text)
    if question.kind == "number":
        return _number(words)
    if question.kind == "boolean":
        return _yes_or_no(words)
    return _letter(words, question) if question.kind == "choice" else None


def _number(words: str) -> str | None:
    """The first number, in digits or as a word; "no" and "none" are 0."""
    found = _NUMBER.search(words)
    if found is None:
        return None
    said = found[0].casefold()
    return str(int(said)) if said.isdigit() else str(NUMBER_WORDS.get(said, 0))


def _yes_or_no(words: str) -> str | None:
    """The first yes or no; else whatever is said to be so is a yes, and whatever is denied a no."""
    found = _YES_NO.search(words)
    if found:
        return found[0].casefold()
    if _NEGATED.search(words):
        return "no"
    return "yes" if _SAID.search(words) else None


def _letter(words: str, question: Question) -> str | None:
    """The first letter of an option that stands alone; a sentence that begins with "A" is read so too."""
    found = re.search(rf"\b([{LETTERS[: len(question.options)]}])\b", words)
    return found[1] if found else None
