"""A run by batches: what is sent is written down first, and any later call of the same command collects it."""

import secrets
import time
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec

from countersight.case import Reply
from countersight.dataset import Dataset
from countersight.engine import Journal, Tally
from countersight.engine.batch_log import BATCHES, Event, asked_once, outstanding
from countersight.engine.conversations import Conversations, NoExample
from countersight.engine.examples import Examples
from countersight.engine.plan import TELLINGS, Ask, QuestionPlan
from countersight.engine.run import Way, begun_run, note_sample
from countersight.engine.run_folder import RunFolder
from countersight.errors import (
    BadPicture,
    BatchRefused,
    CountersightError,
    ModelError,
    Overloaded,
    Refused,
    Unreachable,
)
from countersight.models import Answer, Batched, Batches, Hosted, Model, batches_of

_RESTATED = "-restated"
"""How the name of a question ends that asks for a reply to be restated."""


class Out(msgspec.Struct, frozen=True):
    """What is out, and what came back."""

    out: int
    """Batches that are not done."""
    questions: int
    """Questions in them."""
    collected: int
    """Answers that this call brought home."""
    sent: int
    """Questions that this call sent."""


async def ask_in_batches(
    dataset: Dataset, output: Path, model: Model, way: Way, *, pool: Dataset | None = None, tally: Tally | None = None
) -> Out:
    """Collect what is done, and send what was never sent. What came back without an answer is left for ordinary asking.

    The model is closed.
    """
    try:
        batches = batches_for(model, way)
        assert isinstance(model, Hosted)
        run = begun_run(dataset, output, model, way, pool)
        note_sample(run, way)
        with run.writing() as journal, Journal(output / BATCHES) as log:
            work = _Work(run, dataset, model, batches, journal, log, way, pool, tally or Tally())
            return await work.collect_and_send()
    finally:
        await model.close()


def batches_for(model: Model, way: Way) -> Batches:
    """How a model is asked by batches; raises where its provider takes none, or the way of asking allows none."""
    batches = batches_of(model)
    if way.answering == "rank" or way.prompt.needs_fact or way.prompt.orders != "one" or way.again in ("cut", "empty"):
        raise CountersightError(
            f"`batch` asks each question once and alone, which {way.prompt.name} or another option does not"
        )
    return batches


class _Work:
    """One call: everything it knows."""

    def __init__(
        self,
        run: RunFolder,
        dataset: Dataset,
        model: Hosted,
        batches: Batches,
        journal: Journal,
        log: Journal,
        way: Way,
        pool: Dataset | None,
        tally: Tally,
    ) -> None:
        self._run, self._model, self._batches, self._journal, self._log = run, model, batches, journal, log
        examples = Examples(pool or dataset, run.manifest.examples.seed) if run.manifest.examples else None
        self._conversations = Conversations(run.manifest, dataset, examples)
        self._dataset, self._way, self._tally = dataset, way, tally

    async def collect_and_send(self) -> Out:
        out = outstanding(self._run.path)
        restating = any(_is_restated(name) for event in out.values() for name in event.names)
        left = self._left(self._tally, "unread" if restating else self._way.again)
        collected = sum([await self._collect(event, left) for event in out.values()])
        if self._way.again and collected:  # some of these may be unread in their turn
            left = self._left(Tally(), self._way.again)
        once = asked_once(self._run.path)
        unsent = [ask for name, ask in left.items() if name not in once and (self._way.again or not ask.unread)]
        if unsent:
            await self._try_out(unsent)
        sent = 0
        async for label, requests in self._cut(unsent):
            await self._send(label, requests)
            sent += len(requests)
        out = outstanding(self._run.path)
        self._run.observe(self._model.observed)
        return Out(len(out), sum(len(event.names) for event in out.values()), collected, sent)

    def _left(self, tally: Tally, again: str) -> dict[str, Ask]:
        """What there is to ask, by the name it has in a batch."""
        picture, sample = self._model.needs_picture, self._way.sample
        asks = QuestionPlan(self._run, self._dataset, tally, needs_picture=picture, again=again, sample=sample)
        return {_name(ask): ask for (ask,) in asks.chains()}

    async def _try_out(self, unsent: list[Ask]) -> None:
        """Ask one question in the ordinary way: what the model refuses is found out before all of them are sent."""
        for ask in unsent:
            try:
                request = self._conversations.request(ask)
            except (BadPicture, NoExample):
                continue  # the ordinary way says what is wrong with it
            try:
                self._take(ask, await self._model.reply(request))
            except Refused as refusal:
                raise ModelError(f"no batch was sent, since one question asked alone was refused: {refusal}") from None
            except Overloaded:
                return  # it has too much to do now; whatever else is amiss, the batch will say
            unsent.remove(ask)
            self._journal.sync()
            return

    def _take(self, ask: Ask, answer: Answer) -> None:
        reply: Reply = ask.reply(
            text=answer.text,
            reasoning=answer.reasoning,
            finish=answer.finish,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            cost=answer.cost,
            model=answer.model,
        )
        self._journal.append(reply)
        self._tally.count(reply)

    async def _collect(self, event: Event, left: dict[str, Ask]) -> int:
        """Bring home what a batch gave; one that was never known to have arrived is looked for."""
        batch = event.batch or await self._batches.find(event.label, event.at)
        if batch is None:
            if time.time() - event.at > self._batches.lost_after:
                self._write(Event("collected", event.label, time.time()))
            return 0
        if not event.batch:
            self._write(Event("sent", event.label, time.time(), batch))
        try:
            answers = await self._batches.collect(batch)
        except BatchRefused:
            self._write(Event("refused", event.label, time.time(), batch))
            raise
        if answers is None:
            return 0
        found = 0
        for name, answer in answers.items():
            ask = left.pop(name.removeprefix(f"{event.label}-"), None)
            if ask is None:
                continue  # answered by now in another way
            self._take(ask, answer)
            found += 1
        self._journal.sync()
        self._write(Event("collected", event.label, time.time(), batch))
        return found

    async def _send(self, label: str, requests: list[Batched]) -> None:
        """Write down what is about to go, send it, and write down that it went: nothing is paid for twice."""
        names = tuple(request.name.removeprefix(f"{label}-") for request in requests)
        self._write(Event("sending", label, time.time(), names=names))
        try:
            batch = await self._batches.send(label, requests)
        except (BatchRefused, Unreachable):
            self._write(Event("refused", label, time.time()))
            raise
        self._write(Event("sent", label, time.time(), batch))

    async def _cut(self, asks: list[Ask]) -> AsyncIterator[tuple[str, list[Batched]]]:
        """The questions in batches of a size that the provider takes."""
        label, size = _label(), 0
        part: list[Batched] = []
        for ask in asks:
            try:
                request = self._conversations.request(ask)
            except (BadPicture, NoExample):
                continue  # the ordinary way says what is wrong with it
            body = await self._model.request_body(request.turns)
            if part and (len(part) >= self._batches.most_requests or size + len(body) + 300 > self._batches.most_bytes):
                yield label, part
                label, part, size = _label(), [], 0
            part.append(Batched(f"{label}-{_name(ask)}", body))
            size += len(body) + 300
        if part:
            yield label, part

    def _write(self, event: Event) -> None:
        self._log.write(msgspec.json.encode(event) + b"\n")
        self._log.sync()


def _label() -> str:
    return f"cs{secrets.token_hex(6)}"


def _name(ask: Ask) -> str:
    return f"{ask.row}-{TELLINGS.index((ask.world, ask.telling))}{_RESTATED if ask.unread else ''}"


def _is_restated(name: str) -> bool:
    return name.endswith(_RESTATED)
