"""Runs through batch APIs: batches are recorded before they are sent, and a later call collects the answers."""

import secrets
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from countersight.dataset import Dataset
from countersight.engine.conversations import Conversations, NoExample, conversations_of
from countersight.engine.journal import Journal
from countersight.engine.options import RunOptions
from countersight.engine.outcome import Tally
from countersight.engine.plan import CASE_QUESTIONS, Ask, QuestionPlan
from countersight.engine.run_folder import RunFolder
from countersight.engine.starting import begin_run, record_sample
from countersight.errors import (
    BadPicture,
    BatchRefused,
    CountersightError,
    ModelError,
    Overloaded,
    Refused,
    RunError,
    Unreachable,
)
from countersight.models import Answer, Batched, Batches, Hosted, Model, Request, batches_of
from countersight.text import several

BATCHES = "batches.jsonl"


class BatchEvent(msgspec.Struct, frozen=True):
    """An event of a batch: it is about to be sent, was sent, was refused, or all its answers are in the journal."""

    what: Literal["sending", "sent", "refused", "collected"]
    label: str
    at: float
    batch: str = ""
    """The provider's id of the batch, if known."""
    names: tuple[str, ...] = ()
    """The questions in the batch, each by row and way of asking."""


def events(run: Path) -> list[BatchEvent]:
    """Return the recorded events of the batches of a run; damaged lines are skipped."""
    found = []
    for line in (run / BATCHES).read_bytes().splitlines() if (run / BATCHES).exists() else []:
        try:
            found.append(msgspec.json.decode(line, type=BatchEvent))
        except msgspec.DecodeError:
            continue
    return found


def outstanding(run: Path) -> dict[str, BatchEvent]:
    """Return the last event of each batch that is not collected yet, by label."""
    batches: dict[str, BatchEvent] = {}
    for event in events(run):
        if event.what in ("collected", "refused"):
            batches.pop(event.label, None)
        else:
            known = batches.get(event.label)
            batches[event.label] = event if known is None else msgspec.structs.replace(event, names=known.names)
    return batches


def sent_questions(run: Path) -> set[str]:
    """Return the questions that were already sent in a batch."""
    recorded = events(run)
    refused = {event.label for event in recorded if event.what == "refused"}
    arrived = {event.label for event in recorded if event.batch} | outstanding(run).keys()
    return {name for event in recorded if event.label in arrived - refused for name in event.names}


def check_outstanding(run: Path) -> None:
    """Raise an error if questions of a run are in outstanding batches, because they would be paid for twice."""
    batches = outstanding(run)
    if batches:
        questions = several(sum(len(event.names) for event in batches.values()), "question")
        names = ", ".join(event.batch or event.label for event in batches.values())
        raise RunError(
            f"{questions} of {run} are in outstanding batches ({names}) and would be paid for twice; run the "
            "same command with `batch` first to collect them"
        )


class BatchStatus(msgspec.Struct, frozen=True):
    """The state of the batches of a run."""

    out: int
    """The number of outstanding batches."""
    questions: int
    """The number of questions in outstanding batches."""
    collected: int
    """The number of answers that this call collected."""
    sent: int
    """The number of questions that this call sent."""


async def ask_in_batches(
    dataset: Dataset,
    output: Path,
    model: Model,
    options: RunOptions,
    *,
    pool: Dataset | None = None,
    tally: Tally | None = None,
) -> BatchStatus:
    """Collect finished batches and send questions that were never sent; then close the model.

    Questions that a batch left unanswered are asked by the next normal run.
    """
    try:
        batches = batches_for(model, options)
        assert isinstance(model, Hosted)
        run = begin_run(dataset, output, model, options, pool)
        record_sample(run, options)
        tally = tally or Tally()
        plan = QuestionPlan(run, dataset, tally, options, model)
        conversations = conversations_of(run, dataset, pool=pool)
        with run.writing() as journal, Journal(output / BATCHES) as log:
            work = _BatchCall(run, model, batches, conversations, journal, log, tally)
            return await work.collect_and_send({_name(ask): ask for (ask,) in plan.chains()})
    finally:
        await model.close()


def batches_for(model: Model, options: RunOptions) -> Batches:
    """Return the batch API of a model; raises an error if there is none or the options of the run do not allow it."""
    batches, prompt = batches_of(model), options.prompt
    if options.answering == "rank" or options.again or prompt.needs_fact or prompt.orders != "one":
        raise CountersightError(
            f"`batch` asks each question once, on its own; the prompt {prompt.name} or another option does not allow "
            "this"
        )
    return batches


class _BatchCall:
    """One call of `ask_in_batches`, with its state."""

    def __init__(
        self,
        run: RunFolder,
        model: Hosted,
        batches: Batches,
        conversations: Conversations,
        journal: Journal,
        log: Journal,
        tally: Tally,
    ) -> None:
        self._run, self._model, self._batches, self._conversations = run, model, batches, conversations
        self._journal, self._log, self._tally = journal, log, tally

    async def collect_and_send(self, pending: dict[str, Ask]) -> BatchStatus:
        collected = sum([await self._collect(event, pending) for event in outstanding(self._run.path).values()])
        once = sent_questions(self._run.path)
        unsent = [ask for name, ask in pending.items() if name not in once]
        if unsent:
            await self._try_out(unsent)
        sent = 0
        async for label, requests in self._split(unsent):
            await self._send(label, requests)
            sent += len(requests)
        out = outstanding(self._run.path)
        self._run.observe(self._model.observed)
        return BatchStatus(len(out), sum(len(event.names) for event in out.values()), collected, sent)

    async def _try_out(self, unsent: list[Ask]) -> None:
        """Send one question as a normal request, to find out what the model refuses before all questions are sent."""
        found = next(self._requests(unsent), None)
        if found is None:
            return
        ask, request = found
        try:
            self._record(ask, await self._model.reply(request))
        except Refused as refusal:
            raise ModelError(f"no batch was sent, because a test request was refused: {refusal}") from None
        except Overloaded:
            return  # the server is busy now; other problems will show up in the batch
        unsent.remove(ask)
        self._journal.sync()

    def _requests(self, asks: list[Ask]) -> Iterator[tuple[Ask, Request]]:
        """Yield each question with its request; those without a valid request are skipped, and the next normal run
        reports the reason."""
        for ask in asks:
            with suppress(BadPicture, NoExample):
                yield ask, self._conversations.request(ask)

    def _record(self, ask: Ask, answer: Answer) -> None:
        reply = ask.answered(answer)
        self._journal.append(reply)
        self._tally.count(reply)

    async def _collect(self, event: BatchEvent, pending: dict[str, Ask]) -> int:
        """Collect the answers of a batch; a batch without a known id is searched for at the provider."""
        batch = event.batch or await self._batches.find(event.label, event.at)
        if batch is None:
            if time.time() - event.at > self._batches.lost_after:
                self._write(BatchEvent("collected", event.label, time.time()))
            return 0
        if not event.batch:
            self._write(BatchEvent("sent", event.label, time.time(), batch))
        try:
            answers = await self._batches.collect(batch)
        except BatchRefused:
            self._write(BatchEvent("refused", event.label, time.time(), batch))
            raise
        if answers is None:
            return 0
        count = 0
        for name, answer in answers.items():
            ask = pending.pop(name.removeprefix(f"{event.label}-"), None)
            if ask is None:
                continue  # a normal request has answered it in the meantime
            self._record(ask, answer)
            count += 1
        self._journal.sync()
        self._write(BatchEvent("collected", event.label, time.time(), batch))
        return count

    async def _send(self, label: str, requests: list[Batched]) -> None:
        """Record a batch, send it, and record that it was sent, so that nothing is paid for twice."""
        names = tuple(request.name.removeprefix(f"{label}-") for request in requests)
        self._write(BatchEvent("sending", label, time.time(), names=names))
        try:
            batch = await self._batches.send(label, requests)
        except (BatchRefused, Unreachable):
            self._write(BatchEvent("refused", label, time.time()))
            raise
        self._write(BatchEvent("sent", label, time.time(), batch))

    async def _split(self, asks: list[Ask]) -> AsyncIterator[tuple[str, list[Batched]]]:
        """Split the questions into batches within the provider's size limits."""
        label, size = _label(), 0
        part: list[Batched] = []
        for ask, request in self._requests(asks):
            body = await self._model.request_body(request.turns)
            if part and (len(part) >= self._batches.most_requests or size + len(body) + 300 > self._batches.most_bytes):
                yield label, part
                label, part, size = _label(), [], 0
            part.append(Batched(f"{label}-{_name(ask)}", body))
            size += len(body) + 300
        if part:
            yield label, part

    def _write(self, event: BatchEvent) -> None:
        self._log.write(msgspec.json.encode(event) + b"\n")
        self._log.sync()


def _label() -> str:
    return f"cs{secrets.token_hex(6)}"


def _name(ask: Ask) -> str:
    return f"{ask.row}-{CASE_QUESTIONS.index((ask.world, ask.telling))}"
