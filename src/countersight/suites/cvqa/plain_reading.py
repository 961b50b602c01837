"""C-VQA's way of extracting answers, kept next to ours so that figures can be compared with the paper's.

A few plain rules, those that descriptions of the benchmark give, written anew; the authors' own code was not looked at.
They read the first thing that looks like an answer, where ours read what the reply says of the question. The two are
never mixed: a table has two lines a run.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from countersight.case import LETTERS, Case, Question, Reply
from countersight.engine import RunFolder, status_of
from countersight.english import NUMBER_WORDS
from countersight.html import Grid, Line, count, name, percent
from countersight.scoring import READING_HEAD, Gold, judge_run, reading_line

NAME: Final = "cvqa"
"""The name of this reading on the command line."""
_UNREADABLE: Final = "?"


def read_otherwise(runs: Sequence[Path], *, dataset: Path | None = None, gold: Path | None = None) -> Grid:
    """Return a table of runs as read by our rules and by C-VQA's."""
    corrected = Gold.open(gold) if gold else None
    lines: list[Line] = []
    notes: list[str] = []
    for path in runs:
        run = RunFolder.open(path)
        ours = judge_run(run, dataset=dataset, gold=corrected)
        cases, alike = dict(ours.cases()), Counter[bool]()
        theirs = judge_run(
            run, dataset=dataset, gold=corrected, watch_replies=partial(_read_replies, run, cases, alike)
        )
        label = name(run.path.resolve().name)
        lines += [
            reading_line(label, by, judged.scores().overall)
            for by, judged in (("our rules", ours), ("C-VQA's rules", theirs))
        ]
        if alike:
            notes.append(
                f"{label}: both readers find an answer in {count(alike.total())} replies, and the same answer in "
                f"{percent(alike[True] / alike.total())} % of them."
            )
    about = (
        "C-VQA's rules take the first number, yes, no or letter of a reply, outside an if-clause. They follow the "
        "description of the benchmark, not its authors' code, and are separate from all other figures."
    )
    return Grid("Replies read with C-VQA's rules", READING_HEAD, tuple(lines), " ".join([about, *notes]))


def _read_replies(
    run: RunFolder, cases: dict[int, Case], alike: Counter[bool], replies: Iterable[Reply]
) -> Iterator[Reply]:
    """Replace replies by the answer that the plain rules find, and count how often ours find the same."""
    prompt = run.manifest.prompt
    for reply in replies:
        case = cases.get(reply.row)
        question = case.question(reply.world, reply.telling) if case else None
        if question is None or reply.state != "answered" or reply.orders or reply.losses:
            yield reply
            continue
        ours = status_of(reply, question, prompt.of(reply.world).reads).answer
        theirs = plain_answer(reply.text, question)
        if ours is not None and theirs is not None:
            alike[ours == theirs] += 1
        yield msgspec.structs.replace(reply, text=theirs or _UNREADABLE, finish="stop") if reply.text.strip() else reply


_IF: Final = re.compile(r"\bif\b[^,.]*,", re.IGNORECASE)
_NUMBER: Final = re.compile(rf"\d+|\b(?:{'|'.join(NUMBER_WORDS)}|no|none)\b", re.IGNORECASE)
_YES_NO: Final = re.compile(r"\b(yes|no)\b", re.IGNORECASE)
_NEGATED: Final = re.compile(r"\bnot\b|n't\b|\bnever\b", re.IGNORECASE)
_SAID: Final = re.compile(r"\b(?:is|are|was|were|would|could|will|can|does|do|has|have)\b", re.IGNORECASE)


def plain_answer(text: str, question: Question) -> str | None:
    """Return the answer that the plain rules find in a reply, or None."""
    words = _IF.sub(" ", text)
    if question.kind == "number":  # the first number, in digits or as a word; "no" and "none" are 0
        found = _NUMBER.search(words)
        said = found[0].casefold() if found else ""
        return None if not said else str(int(said)) if said.isdigit() else str(NUMBER_WORDS.get(said, 0))
    if question.kind == "boolean":  # the first yes or no; else whatever is denied is a no, and whatever is said a yes
        if found := _YES_NO.search(words):
            return found[0].casefold()
        return "no" if _NEGATED.search(words) else "yes" if _SAID.search(words) else None
    if question.kind == "choice":  # the first letter that stands alone; also an "A" that begins a sentence
        found = re.search(rf"\b([{LETTERS[: len(question.options)]}])\b", words)
        return found[1] if found else None
    return None
