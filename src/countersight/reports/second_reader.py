"""A second reader: a language model reads the unread replies; its results are separate from the scores.

It sees neither the picture nor the gold answer, and is asked once per reply; its replies are stored with the report.
"""

import asyncio
import hashlib
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from countersight.case import LETTERS, AnswerKind, Question, Reply
from countersight.engine import (
    ReplyStore,
    RetriesExhausted,
    RetryPolicy,
    StoredModel,
    Tally,
    process_all,
)
from countersight.html import Grid, table_line
from countersight.models import Model, Request, Turn
from countersight.number_formats import count, interval, percent
from countersight.reading import answer_in
from countersight.reports.data import Analysis
from countersight.reports.loaded_run import DamagedRun, listing_damage, open_runs
from countersight.scoring import Gold, JudgedRun, ScoredAnswer, Scores, judge_run, share

_TASK: Final = (
    "Somebody was asked a question about a picture and replied. Say which answer the reply gives. Do not answer the "
    "question yourself, and do not correct the reply."
)
_ANSWER_FORMATS: Final[dict[AnswerKind, str]] = {
    "number": "Write the number that the reply gives, in digits",
    "boolean": "Write yes or no, as the reply says",
    "choice": "Write the letter of the option that the reply chooses",
    "open": "Write the answer in the reply's own words",
}
_NO_ANSWER_RULE: Final = (
    "and nothing else. If the reply gives no answer, or more than one, or breaks off before it comes to one, write: "
    "none"
)
_NONE = re.compile(r"\W*(?:none|no answer|unread)\W*", re.IGNORECASE)
_MAX_CHARACTERS: Final = 8_000  # maximum characters of a reply to show, half of them from its end


def second_request(reply: str, question: Question) -> Request:
    """Return the request that asks a model to read a reply. The key of the request is a digest of its text."""
    if len(reply) > _MAX_CHARACTERS:
        reply = f"{reply[: _MAX_CHARACTERS // 2]}\n[…]\n{reply[-_MAX_CHARACTERS // 2 :]}"
    options = [f"{letter}: {option.text}" for letter, option in zip(LETTERS, question.options, strict=False)]
    listed = "\n".join(["Options:", *options, ""]) if options else ""
    text = (
        f"{_TASK}\n\nQuestion: {question.text}\n{listed}\n"
        f"Reply, between the lines:\n-----\n{reply}\n-----\n\n"
        f"{_ANSWER_FORMATS[question.kind]}, {_NO_ANSWER_RULE}"
    )
    key = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
    return Request(key, (Turn("user", text),), question.kind, question.options, question.text)


def second_answer(said: str, question: Question) -> str | None:
    """Return the answer that a second reader found, or None if it says that there is none."""
    return None if _NONE.fullmatch(said) else answer_in(said, question)


READINGS: Final = "readings"
"""The folder with the second reader's replies, in the report folder; stored replies are not requested again."""
SAMPLE: Final = 100
"""The number of replies per run read by both the rules and the second reader, to measure their agreement."""


class Rereading(msgspec.Struct, frozen=True):
    """The scores of a run as read by the rules alone, and with a second reader for the unread replies."""

    run: str
    reader: str
    unread: int
    """The number of replies that the rules left unread."""
    found: int
    """The number of unread replies in which the second reader found an answer."""
    compared: int
    """The number of replies read by both the rules and the second reader."""
    agreed: int
    rules: Scores
    both: Scores


_ReplyToRead = tuple[ScoredAnswer, Request]
"""A reply and the request to read it."""


async def reread_async(
    runs: Sequence[Path],
    model: Model,
    folder: Path,
    *,
    dataset: Path | None = None,
    gold: Path | None = None,
    seed: int = 0,
    retry: RetryPolicy = RetryPolicy(),  # noqa: B008 - frozen
    tally: Tally | None = None,
    stop: asyncio.Event | None = None,
) -> tuple[Rereading, ...]:
    """Have a model read the unread replies of some runs, and close the model; damaged runs are skipped.

    Its replies are stored in `folder` and never requested twice. The runs are not modified.
    """
    corrected = Gold.open(gold) if gold else None
    judged: list[JudgedRun] = []
    damaged: list[DamagedRun] = []
    for run in open_runs(runs, damaged):
        with listing_damage(run.path, damaged):
            judged.append(judge_run(run, dataset=dataset, gold=corrected))
    shown = [_replies_to_read(each, seed) for each in judged]
    try:
        said = await _ask(
            (request for of_run in shown for _, request in of_run),
            model,
            folder,
            retry,
            tally or Tally(),
            stop or asyncio.Event(),
        )
    finally:
        await model.close()
    return tuple(_rereading(*each, said, model.name) for each in zip(judged, shown, strict=True))


def _replies_to_read(judged: JudgedRun, seed: int) -> list[_ReplyToRead]:
    """Return the replies that the rules left unread, and a sample of those that they read; ranked ones are left out."""
    unread: list[_ReplyToRead] = []
    read: list[_ReplyToRead] = []
    for each in judged.answers():
        reply = each.reply
        if reply and reply.text.strip() and not (each.case.control_of or reply.is_cut or reply.orders or reply.losses):
            if each.outcome == "unread":
                unread.append((each, second_request(reply.text, each.question)))
            elif each.answer is not None:
                read.append((each, second_request(reply.text, each.question)))
    return [*unread, *Random(seed).sample(read, min(SAMPLE, len(read)))]


async def _ask(
    requests: Iterable[Request], model: Model, folder: Path, retry: RetryPolicy, tally: Tally, stop: asyncio.Event
) -> dict[str, str]:
    """Return the second reader's reply to each request, by key; earlier replies are reused."""
    wanted = {request.key: request for request in requests}
    tally.total = len(wanted)
    said: dict[str, str] = {}
    with ReplyStore(folder / READINGS / "replies.jsonl", tally).open() as store:
        stored = StoredModel(model, store, retry, stop)

        async def take(request: Request) -> None:
            with suppress(RetriesExhausted):
                said[request.key] = await stored.ask(request)

        requests = iter(wanted.values())
        await process_all(requests, take, concurrency=retry.concurrency, stop=stop, sync=store.sync)
    return said


def _rereading(judged: JudgedRun, shown: list[_ReplyToRead], said: dict[str, str], reader: str) -> Rereading:
    readings = [
        (each, second_answer(said[request.key], each.question)) for each, request in shown if request.key in said
    ]
    compared = [(each.answer, found) for each, found in readings if each.answer is not None]
    found = {(each.row, *each.place): answer for each, answer in readings if each.answer is None and answer is not None}

    def with_reading(reply: Reply) -> Reply:
        answer = found.get((reply.row, reply.world, reply.telling)) if reply.state == "answered" else None
        return reply if answer is None else msgspec.structs.replace(reply, text=answer)

    again = judge_run(judged.run, dataset=judged.dataset.path, gold=judged.gold, changed=with_reading)
    return Rereading(
        run=judged.run.path.name,
        reader=reader,
        unread=sum(each.answer is None for each, _ in shown),
        found=len(found),
        compared=len(compared),
        agreed=sum(answer == second for answer, second in compared),
        rules=judged.scores(),
        both=again.scores(),
    )


def rereading_analysis(rereadings: Sequence[Rereading]) -> Analysis:
    """Compare the scores with and without the second reader for the replies that the rules left unread."""
    readings = [
        (each.run, by, scores.overall)
        for each in rereadings
        for by, scores in (("rules", each.rules), (f"rules, then {each.reader}", each.both))
    ]
    measures = ("factual", "counterfactual", "drop")
    lines = (table_line(run, by, *map(row.figure, measures), row.unread, n=row.n) for run, by, row in readings)
    head = ("run", "read by", *measures, "unread")
    return Analysis(
        key="readings",
        heading="Second reader",
        about="Scores with a language model reading the unread replies. No other figure of the report uses them.",
        tables=(Grid("With a second reader", head, tuple(lines), " ".join(map(_note, rereadings))),),
    )


def _note(each: Rereading) -> str:
    """Describe how many unread replies were read, and how reliable the second reader is."""
    found = (
        f"{each.run}: {each.reader} found an answer in {count(each.found)} of {count(each.unread)} replies in which "
        "the rules found none"
    )
    if not each.compared:
        return f"{found}; there were no replies to compare it with the rules."
    alike = share(each.agreed, each.compared)
    return (
        f"{found}; it agrees with the rules on {percent(alike.value or 0.0)}% of {count(each.compared)} replies "
        f"that the rules could read ({interval(alike)})."
    )
