"""A second reader at work: it is asked once for each reply, and what it said is kept."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from countersight.case import Question, Reply
from countersight.engine import (
    Client,
    RetriesExhausted,
    RetryPolicy,
    RunFolder,
    Tally,
    Workers,
    appending,
    blocking,
    fate_of,
    locked,
    read_journal,
)
from countersight.errors import RunError
from countersight.models import Answer, Model, Request
from countersight.rereading.request import second_answer, second_request
from countersight.scoring import Gold, JudgedRun, Scores, judge_run

JOURNAL: Final = "second_reader.jsonl"
"""What the second reader said, in the folder of the report: nothing is asked twice."""
SAMPLE: Final = 100
"""So many replies of a run that the rules read are read by the second reader too, to see whether they agree."""


class Rereading(msgspec.Struct, frozen=True):
    """A run as the rules read it, and as it is where a second reader reads what they left unread."""

    run: str
    reader: str
    unread: int
    """Replies that the rules left unread."""
    found: int
    """Of these, those in which the second reader found an answer."""
    compared: int
    """Replies that the rules read and the second reader was shown as well."""
    agreed: int
    rules: Scores
    both: Scores


class _Shown(msgspec.Struct, frozen=True):
    """A reply that the second reader is to read; `place` is that of the reply in its journal."""

    place: int
    question: Question
    answer: str | None
    request: Request


def reread(
    runs: Sequence[Path],
    model: Model,
    folder: Path,
    *,
    dataset: Path | None = None,
    gold: Path | None = None,
    seed: int = 0,
) -> tuple[Rereading, ...]:
    """The same as `reread_async`, for those who do not write asynchronous code."""
    return blocking(lambda: reread_async(runs, model, folder, dataset=dataset, gold=gold, seed=seed))


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
    """Have a model read what the rules left unread in some runs; the model is closed.

    What it says is kept in `folder`, and asked for once. The runs themselves are left as they are.
    """
    corrected = Gold.open(gold) if gold else None
    judged = [judge_run(RunFolder.open(path), dataset=dataset, gold=corrected) for path in runs]
    shown = [_shown(run, seed) for run in judged]
    try:
        said = await _ask(
            (each.request for of_run in shown for each in of_run),
            model,
            folder,
            retry,
            tally or Tally(),
            stop or asyncio.Event(),
        )
    finally:
        await model.close()
    return tuple(_rereading(run, each, said, model.name) for run, each in zip(judged, shown, strict=True))


def _shown(judged: JudgedRun, seed: int) -> list[_Shown]:
    """The replies that the rules left unread, and some that they read."""
    cases = [case for _, case in judged.cases()]
    counted = frozenset(judged.outcomes.replies.flatten().tolist())
    positions = {int(row): position for position, row in enumerate(judged.outcomes.rows)}
    unread: list[_Shown] = []
    read: list[_Shown] = []
    for place, reply in enumerate(judged.run.replies()):
        position = positions.get(reply.row)
        question = cases[position].question(reply.world, reply.telling) if position is not None else None
        if place not in counted or question is None or not _is_text(reply):
            continue
        answer = fate_of(reply, question, judged.run.manifest.prompt.of(reply.world).reads).answer
        (unread if answer is None else read).append(
            _Shown(place, question, answer, second_request(reply.text, question))
        )
    return [*unread, *Random(seed).sample(read, min(SAMPLE, len(read)))]


def _is_text(reply: Reply) -> bool:
    """Whether a reply is one that can be read again: written, not ranked, and not cut off."""
    is_written = bool(reply.text.strip()) and not reply.orders and not reply.losses
    return reply.state == "answered" and is_written and not reply.is_cut


async def _ask(
    requests: Iterable[Request], model: Model, folder: Path, retry: RetryPolicy, tally: Tally, stop: asyncio.Event
) -> dict[str, str]:
    """What the second reader says to each request, by its key; what it said before is not asked again."""
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    file = folder / JOURNAL
    mine = f"{model.name}/"
    said = {reply.case: reply.text for reply in read_journal(file) if reply.state == "answered"}
    open_ones = {mine + request.key: request for request in requests}
    tally.total = len(open_ones)
    tally.before = sum(key in said for key in open_ones)
    asker: Client[Request, Answer] = Client(model.reply, retry, stop, tally)
    with appending(locked(folder, RunError), file) as journal:

        async def take(one: tuple[str, Request]) -> None:
            reply = await _reply(asker, *one)
            journal.append(reply)
            tally.count(reply)
            if reply.state == "answered":
                said[reply.case] = reply.text

        left = iter([(key, request) for key, request in open_ones.items() if key not in said])
        await Workers(take, stop=stop, sync=journal.sync).work(left, retry.concurrency)
    return {key.removeprefix(mine): text for key, text in said.items() if key.startswith(mine)}


async def _reply(asker: Client[Request, Answer], key: str, request: Request) -> Reply:
    try:
        answered = await asker.ask(request)
    except RetriesExhausted as given_up:
        return Reply(key, 0, "factual", state="failed", reason=str(given_up), attempts=given_up.attempts)
    answer = answered.answer
    return Reply(
        key,
        0,
        "factual",
        text=answer.text,
        finish=answer.finish,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        cost=answer.cost,
        seconds=answered.seconds,
        attempts=answered.attempts,
        model=answer.model,
    )


def _rereading(judged: JudgedRun, shown: list[_Shown], said: dict[str, str], reader: str) -> Rereading:
    unread = [each for each in shown if each.answer is None]
    compared = [each for each in shown if each.answer is not None and each.request.key in said]
    found = {
        each.place: answer
        for each in unread
        if each.request.key in said and (answer := second_answer(said[each.request.key], each.question)) is not None
    }
    again = judge_run(judged.run, dataset=judged.dataset.path, gold=judged.gold, watch_replies=_instead(found))
    return Rereading(
        run=judged.run.path.name,
        reader=reader,
        unread=len(unread),
        found=len(found),
        compared=len(compared),
        agreed=sum(second_answer(said[each.request.key], each.question) == each.answer for each in compared),
        rules=judged.scores(),
        both=again.scores(),
    )


def _instead(found: dict[int, str]) -> Callable[[Iterable[Reply]], Iterator[Reply]]:
    """Replies, with what the second reader found in the place of what the rules could not read."""

    def watch(replies: Iterable[Reply]) -> Iterator[Reply]:
        for place, reply in enumerate(replies):
            yield msgspec.structs.replace(reply, text=found[place]) if place in found else reply

    return watch
