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
from countersight.case import Case, Question, Reply, Telling, World
from countersight.dataset import BadRow, Dataset
from countersight.errors import CountersightError
from countersight.models import AskingFailed, Model, ModelError, Overloaded, Request, Turn, Unreachable
from countersight.picture import BadPicture, Picture

TELLINGS: tuple[tuple[World, Telling], ...] = (
    ("factual", "told"),
    ("counterfactual", "told"),
    ("counterfactual", "shown"),
)
SYNC_SECONDS = 1.0
PATIENCE = 2
"""A question may be turned away so many times as often as it may fail otherwise, while the server answers nobody."""


class Patience(msgspec.Struct, frozen=True):
    """How hard to try."""

    concurrency: int = 64
    attempts: int = 5
    backoff: float = 0.5
    """Seconds before the second attempt; each further wait is twice as long, with jitter, up to 30."""


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
        self._patience = patience
        self._tally = tally
        self._stop = stop
        self._gate = Gate(patience.concurrency)
        self._picture: tuple[str, Picture | BadPicture] | None = None
        self._bad_row_seen = -1
        self._answers = 0
        self._jitter = random.Random()

    async def ask_all(self) -> None:
        """Ask until nothing is missing, or `stop` is set. Raises where every further question would fail too."""
        with self._run.writing() as journal:
            answered = self._answered_before()
            self._tally.total = self._dataset.count * len(self._tellings)
            asks = self._asks(answered)
            syncing = asyncio.create_task(_sync_for_ever(journal))
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(self._patience.concurrency):
                        group.create_task(self._work(asks, journal))
            except ExceptionGroup as errors:
                raise _first(errors) from None
            finally:
                syncing.cancel()

    def _answered_before(self) -> bytearray:
        """Which questions have their answer already: a bit for each telling, a byte a row."""
        answered = bytearray(self._dataset.lines)
        for reply in self._run.replies():
            bit = 1 << TELLINGS.index((reply.world, reply.telling))
            if reply.state == "answered" and 0 <= reply.row < len(answered) and not answered[reply.row] & bit:
                answered[reply.row] |= bit
                self._tally.before += 1
                self._tally.tokens_in += reply.tokens_in
                self._tally.tokens_out += reply.tokens_out
                self._tally.cost += reply.cost
        return answered

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
                elif not answered[row] >> bit & 1:
                    yield _Ask(row, case, world, telling, question)

    async def _work(self, asks: Iterator[_Ask], journal: Journal) -> None:
        count = 0
        while not self._stop.is_set():
            await self._gate.enter()
            try:
                ask = None if self._stop.is_set() else next(asks, None)
                if ask is None:
                    return
                reply = await self._ask(ask)
            finally:
                self._gate.leave()
            if reply is not None:
                journal.append(reply)
                self._tally.count(reply)
                self._tally.limit = int(self._gate.limit)
            count += 1
            if count % 64 == 0:  # a model that never waits would keep the loop from hearing Ctrl-C
                await asyncio.sleep(0)

    async def _ask(self, ask: _Ask) -> Reply | None:
        """Ask until there is an answer or a reason why not; None if the run was stopped before there was either."""
        file_name = ask.case.picture(ask.world, ask.telling)
        try:
            picture = self._load(file_name) if file_name is not None else None
        except BadPicture as error:
            if ask.row != self._bad_row_seen:
                self._bad_row_seen = ask.row
                self._tally.bad_pictures += 1
            return ask.reply(state="failed", reason=f"picture {file_name} {error}")
        request = Request(
            key=f"{ask.case.id}/{ask.world}/{ask.telling}",
            turns=(Turn("user", self._prompt.render(ask.question), picture),),
            kind=ask.question.kind,
            options=ask.question.options,
        )
        clock = asyncio.get_running_loop().time
        faults = turned_away = in_vain = 0
        while True:
            while (pause := self._gate.pause()) > 0:
                if await self._stopped_within(pause):
                    return None
            sent, answers = clock(), self._answers
            try:
                answer = await self._model.reply(request)
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
                self._gate.kept_up()
                return ask.reply(
                    text=answer.text,
                    finish=answer.finish,
                    tokens_in=answer.tokens_in,
                    tokens_out=answer.tokens_out,
                    cost=answer.cost,
                    seconds=round(clock() - sent, 4),
                    attempts=faults + turned_away + 1,
                    model=answer.model,
                )
            tried = faults >= self._patience.attempts or in_vain >= self._patience.attempts * PATIENCE
            if tried and isinstance(failure, Unreachable):
                raise ModelError(f"{failure}; start the server, then run the same command to go on") from None
            if tried or not failure.again:
                return ask.reply(state="failed", reason=str(failure), attempts=faults + turned_away)
            if await self._stopped_within(wait):
                return None

    def _load(self, file_name: str) -> Picture:
        """A picture of the dataset; the questions of a case follow each other, so the last one is kept."""
        if self._picture is None or self._picture[0] != file_name:
            try:
                self._picture = (file_name, self._dataset.picture(file_name))
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


async def _sync_for_ever(journal: Journal) -> None:
    while True:
        await asyncio.sleep(SYNC_SECONDS)
        await asyncio.to_thread(journal.sync)


def _first(errors: ExceptionGroup[Exception]) -> Exception:
    """The error to show of several workers that failed: a sentence for the user before anything else."""
    for error in errors.exceptions:
        if isinstance(error, CountersightError):
            return error
    return errors.exceptions[0]
