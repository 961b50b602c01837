"""The run: every question of a dataset put to a model once, whatever the server, the disk or the user does."""

import asyncio
import random
from collections.abc import Iterator

import msgspec

from countersight.asking.folder import RunFolder
from countersight.asking.gate import Gate
from countersight.asking.journal import Journal
from countersight.asking.prompts import Prompt
from countersight.asking.tally import Tally
from countersight.case import LETTERS, Case, Option, Question, Reply, Telling, World
from countersight.dataset import BadRow, Dataset
from countersight.errors import CountersightError
from countersight.models import (
    Answer,
    AskingFailed,
    Model,
    ModelError,
    Overloaded,
    Ranker,
    Refused,
    Request,
    Turn,
    Unreachable,
)
from countersight.picture import BadPicture, Picture

TELLINGS: tuple[tuple[World, Telling], ...] = (
    ("factual", "told"),
    ("counterfactual", "told"),
    ("counterfactual", "shown"),
)
YES_NO = (Option("yes"), Option("no"))
SYNC_SECONDS = 1.0
REFUSALS = 8
"""So many questions refused and none answered: it is not about the questions."""
LONGEST_DROUGHT = 600.0
"""Seconds without an answer after which a server that turns every question away is left alone."""
PATIENCE = 2
"""A question may be turned away so many times as often as it may fail otherwise, while the server answers nobody."""


class Patience(msgspec.Struct, frozen=True):
    """How hard to try."""

    concurrency: int = 64
    attempts: int = 5
    backoff: float = 0.5
    """Seconds before the second attempt; each further wait is twice as long, with jitter, up to 30."""


def as_ranker(model: Model) -> Ranker:
    """The model as one whose options can be ranked, or a sentence that says it is none."""
    if not isinstance(model, Ranker):
        raise ModelError(f"{model.name} gives no losses, so its options cannot be ranked; leave out --rank")
    return model


class _Ask(msgspec.Struct, frozen=True):
    """One question of one case that waits for its answer."""

    row: int
    case: Case
    world: World
    telling: Telling
    question: Question

    def reply(self, **what: object) -> Reply:
        return Reply(self.case.id, self.row, self.world, self.telling, **what)  # type: ignore[arg-type]


class Engine:
    """Asks what is missing in a run and writes every reply to its journal."""

    def __init__(
        self, run: RunFolder, dataset: Dataset, model: Model, patience: Patience, tally: Tally, stop: asyncio.Event
    ) -> None:
        self._run = run
        self._dataset = dataset
        self._model = model
        self._prompt: Prompt = run.manifest.prompt
        self._tellings = TELLINGS if run.manifest.shown else TELLINGS[:2]
        self._ranker = as_ranker(model) if run.manifest.answering == "rank" else None
        self._patience = patience
        self._tally = tally
        self._stop = stop
        self._gate = Gate(patience.concurrency)
        self._picture: tuple[str, Picture | BadPicture] | None = None
        self._bad_row_seen = -1
        self._answers = 0
        self._refusals = 0
        self._last_answer = 0.0
        self._fatal: Exception | None = None
        self._jitter = random.Random()

    async def ask_all(self) -> None:
        """Ask until nothing is missing, or `stop` is set. Raises where every further question would fail too."""
        with self._run.writing() as journal:
            answered = self._answered_before()
            self._tally.total = self._dataset.count * len(self._tellings)
            self._last_answer = asyncio.get_running_loop().time()
            asks = self._asks(answered)
            syncing = asyncio.create_task(self._sync_for_ever(journal))
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(self._patience.concurrency):
                        group.create_task(self._work(asks, journal))
            finally:
                syncing.cancel()
        if self._fatal:
            raise self._fatal

    def _answered_before(self) -> bytearray:
        """Which questions have their answer already: a bit for each telling, a byte a row."""
        answered = bytearray(self._dataset.lines)
        for reply in self._run.replies(self._damaged):
            bit = 1 << TELLINGS.index((reply.world, reply.telling))
            if reply.state == "answered" and 0 <= reply.row < len(answered) and not answered[reply.row] & bit:
                answered[reply.row] |= bit
                self._tally.before += 1
                self._tally.tokens_in += reply.tokens_in
                self._tally.tokens_out += reply.tokens_out
                self._tally.cost += reply.cost
        return answered

    def _damaged(self) -> None:
        self._tally.damaged += 1

    def _asks(self, answered: bytearray) -> Iterator[_Ask]:
        def bad_row(bad: BadRow) -> None:
            self._tally.bad_row(bad)
            self._tally.total -= len(self._tellings)

        for row, case in self._dataset.cases(bad_row):
            for bit, (world, telling) in enumerate(self._tellings):
                question = case.question(world, telling)
                if question is None:
                    self._tally.total -= 1
                elif case.picture(world, telling) is None and self._model.needs_picture:
                    self._tally.total -= 1
                    self._tally.without_picture += 1
                elif self._ranker and not self._offered(question):
                    self._tally.total -= 1
                    self._tally.without_options += 1
                elif not answered[row] >> bit & 1:
                    yield _Ask(row, case, world, telling, question)

    async def _work(self, asks: Iterator[_Ask], journal: Journal) -> None:
        """Take question after question; what stops the run lets the others finish what they have under way."""
        count = 0
        while not self._stop.is_set():
            self._tally.limit = int(self._gate.limit)
            await self._gate.enter()
            try:
                ask = None if self._stop.is_set() else next(asks, None)
                if ask is None:
                    return
                reply = await self._ask(ask)
                if reply is not None:
                    journal.append(reply)
                    self._tally.count(reply)
            except (CountersightError, OSError) as error:
                self._fatal = self._fatal or error
                self._stop.set()
                return
            finally:
                self._gate.leave()
            count += 1
            if count % 64 == 0:  # a model that never waits would keep the loop from hearing Ctrl-C
                await asyncio.sleep(0)

    async def _ask(self, ask: _Ask) -> Reply | None:
        """Ask until there is an answer or a reason why not; None if the run was stopped before there was either."""
        file_name = ask.case.picture(ask.world, ask.telling)
        try:
            picture = self._load(file_name, ask.case.digest(ask.world, ask.telling)) if file_name is not None else None
        except BadPicture as error:
            if ask.row != self._bad_row_seen:
                self._bad_row_seen = ask.row
                self._tally.bad_pictures += 1
            return ask.reply(state="failed", reason=f"picture {file_name} {error}")
        request = Request(
            key=f"{ask.case.id}/{ask.world}/{ask.telling}",
            turns=(Turn("user", self._prompt.render(ask.question), picture),),
            kind=ask.question.kind,
            options=self._offered(ask.question),
        )
        clock = asyncio.get_running_loop().time
        faults = turned_away = in_vain = 0
        while True:
            while (pause := self._gate.pause()) > 0:
                if await self._stopped_within(pause):
                    return None
            sent, answers = clock(), self._answers
            try:
                answer = await self._answer(request)
            except Overloaded as error:
                turned_away += 1
                # A server that answers others has only too much to do: that alone never fails a question.
                in_vain = in_vain + 1 if self._answers == answers else 0
                wait = self._wait(turned_away)
                if error.wait is not None:  # the server knows best; but "now" said to all at once is no answer
                    wait = max(error.wait, min(wait, 1.0))
                self._gate.overloaded(sent, wait if error.wait is None else error.wait)
                failure: AskingFailed = error
            except AskingFailed as error:
                faults += 1
                wait = self._wait(faults)
                failure = error
            else:
                self._answers += 1
                self._last_answer = clock()
                self._tally.trouble = ""
                self._gate.kept_up()
                return ask.reply(
                    text=answer.text,
                    losses=answer.losses,
                    finish=answer.finish,
                    tokens_in=answer.tokens_in,
                    tokens_out=answer.tokens_out,
                    cost=answer.cost,
                    seconds=round(clock() - sent, 4),
                    attempts=faults + turned_away + 1,
                    model=answer.model,
                )
            self._tally.trouble = str(failure)
            tried = faults >= self._patience.attempts or in_vain >= self._patience.attempts * PATIENCE
            self._stop_if_hopeless(failure, tried)
            if tried or not failure.again:
                return ask.reply(state="failed", reason=str(failure), attempts=faults + turned_away)
            if await self._stopped_within(wait):
                return None

    def _stop_if_hopeless(self, failure: AskingFailed, tried: bool) -> None:
        """Raise where asking on would only fail every question that is left."""
        drought = asyncio.get_running_loop().time() - self._last_answer
        if isinstance(failure, Refused):
            self._refusals += 1
            if self._refusals >= REFUSALS and not self._answers and not self._tally.before:
                raise ModelError(
                    f"the server refuses every question ({failure}); check the key, the address, the model"
                )
        elif tried and isinstance(failure, Unreachable):
            raise ModelError(f"{failure}; start the server, then run the same command to go on")
        elif tried and isinstance(failure, Overloaded) and drought > LONGEST_DROUGHT:
            raise ModelError(f"the server has turned every question away for {drought / 60:.0f} minutes ({failure})")

    def _offered(self, question: Question) -> tuple[Option, ...]:
        if self._ranker and question.kind == "boolean":
            return YES_NO
        return question.options

    async def _answer(self, request: Request) -> Answer:
        """What the model writes, or the option it gives the smallest loss."""
        if self._ranker is None:
            return await self._model.reply(request)
        losses = await self._ranker.losses(request)
        best = min(range(len(losses)), key=losses.__getitem__)
        return Answer(request.options[best].text if request.kind == "boolean" else LETTERS[best], losses=losses)

    def _load(self, file_name: str, digest: str) -> Picture:
        """A picture of the dataset; the questions of a case follow each other, so the last one is kept."""
        if self._picture is None or self._picture[0] != file_name:
            try:
                self._picture = (file_name, self._dataset.picture(file_name, digest))
            except BadPicture as error:
                self._picture = (file_name, error)
        picture = self._picture[1]
        if isinstance(picture, BadPicture):
            raise picture
        return picture

    def _wait(self, times: int) -> float:
        return min(30.0, self._patience.backoff * 2.0 ** (times - 1)) * self._jitter.uniform(0.5, 1.0)

    async def _stopped_within(self, seconds: float) -> bool:
        """Sleep, unless the run is stopped meanwhile."""
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            return False
        return True

    async def _sync_for_ever(self, journal: Journal) -> None:
        while True:
            await asyncio.sleep(SYNC_SECONDS)
            try:
                await asyncio.to_thread(journal.sync)
            except OSError as error:
                self._fatal = self._fatal or error
                self._stop.set()
