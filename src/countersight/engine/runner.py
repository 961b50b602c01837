"""The runner: asks every question of the plan exactly once, even after failures and interruptions."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from inspect import isawaitable
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from countersight.case import LETTERS, TWO_WORLDS, Option, Order, Question, Reply
from countersight.dataset import Dataset
from countersight.engine.batches import check_outstanding
from countersight.engine.conversations import Conversations, NoExample, conversations_of, ranked_answer
from countersight.engine.journal import Journal
from countersight.engine.options import RunOptions, Sample
from countersight.engine.outcome import ReplyStatus, Tally, is_doubtful, status_of
from countersight.engine.plan import YES_NO, Ask, QuestionPlan
from countersight.engine.prompts import Prompt
from countersight.engine.retry import Client, RetriesExhausted, RetryPolicy, Stopped
from countersight.engine.run_folder import LEFT_OUT, ORDERS, RunFolder
from countersight.engine.starting import as_ranker, begin_run, record_sample
from countersight.engine.workers import process_all
from countersight.errors import BadPicture, ModelError, RunError
from countersight.models import Answer, Model, Observant, Priced, Ranker, Request, Turn
from countersight.reading import ReadFrom, read_reply

_log = logging.getLogger(__name__)

COMPOSED: Final = "composed"
"""The `finish` of a reply that the composer computed without the model."""


async def ask_dataset(
    dataset: Dataset,
    output: Path,
    model: Model,
    options: RunOptions,
    *,
    retry: RetryPolicy = RetryPolicy(),  # noqa: B008 - frozen
    pool: Dataset | None = None,
    tally: Tally | None = None,
    stop: asyncio.Event | None = None,
    budget: float | None = None,
    more: Callable[[RunFolder], Awaitable[Sample | None]] | None = None,
) -> RunFolder:
    """Ask a model all questions of a dataset that have no answer yet, until `stop` is set; then close the model.

    With a `budget` in dollars, the run stops before its total cost, including earlier calls, exceeds the budget. When
    the sample in `options` is finished, `more` may return a larger sample to continue with. Examples for the prompt
    are cases of `pool` (default: the dataset itself).
    """
    try:
        check_outstanding(output)
        stop, tally = stop or asyncio.Event(), tally or Tally()
        limit = Budget(budget, tally, model)
        run = begin_run(dataset, output, model, options, pool)
        runner = _Runner(run, dataset, model, retry, conversations_of(run, dataset, pool=pool), tally, stop, limit)
        _log.info("asking %s about %s, in %s", model.name, dataset.path, output)
        failed_too = True
        while True:
            record_sample(run, options)
            await runner.ask_all(options, failed_too=failed_too)
            done = tally.before + tally.answered
            _log.info("%s: %d of %d answered, %d failed", output, done, tally.total, tally.failed)
            sample = await more(run) if more and not stop.is_set() else None
            if sample is None:
                return run
            options, failed_too = replace(options, sample=sample), False
    finally:
        await model.close()


FIRST_REPLIES: Final = 20
"""The number of first replies after which a new run stops if none of them is readable."""

_ADVICE: Final[dict[ReplyStatus, str]] = {
    "cut": "increase `max_tokens` and choose a new folder",
    "empty": "increase `max_tokens`, or check the log of the server",
    "unread": "read the replies in replies.jsonl, and choose another `prompt` or model",
    "failed": "see the reasons in replies.jsonl",
}


class FirstReplies:
    """Watches the first replies of a new run and stops it if none is readable."""

    def __init__(self, prompt: Prompt, *, resumed: bool) -> None:
        self._prompt = prompt
        self._counts: Counter[ReplyStatus] = Counter()
        self._over = resumed

    def status(self, reply: Reply, question: Question) -> ReplyStatus:
        """Return the status of a reply; after the first replies, only doubtful or restated ones are read."""
        if self._over and reply.state == "answered" and not is_doubtful(reply) and not reply.restates:
            return "read"
        return status_of(reply, question, self._prompt.of(reply.world).reads).status

    def look(self, status: ReplyStatus, reply: Reply, *, left: int) -> None:
        """Count the next reply; raises RunError if none of the first replies is readable and questions are left."""
        if self._over:
            return
        self._counts[status] += 1
        self._over = status == "read"
        if self._over or self._counts.total() < FIRST_REPLIES or left <= 0:
            return
        counted = ", ".join(f"{number} {status}" for status, number in self._counts.most_common())
        words = reply.reason or " ".join(reply.text.split())[:80]
        last = f" (the last: {words!r})" if words else ""
        raise RunError(
            f"none of the first {self._counts.total()} replies has a readable answer: {counted}{last}; "
            f"{_ADVICE[self._counts.most_common(1)[0][0]]}; to continue anyway, start the run again"
        )


FIRST_COSTS: Final = 5
"""The number of first answers after which a run with a budget stops if none of them reports its cost."""


class Budget:
    """The maximum cost of a run in dollars, including earlier calls; None for no limit."""

    def __init__(self, dollars: float | None, tally: Tally, model: Model) -> None:
        """Raises ModelError if the price of a hosted model is unknown."""
        if dollars is not None and isinstance(model, Priced) and not model.is_priced:
            raise ModelError(f"the price of {model.name} is unknown: set it with `price` IN,OUT, or leave out `budget`")
        self._dollars = dollars
        self._tally = tally
        self._free = 0
        """The number of answers without a cost."""
        self._alone = asyncio.Lock()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until a question may start: with a budget, questions run one at a time until the first cost is known."""
        await self._alone.acquire()
        if self._dollars is None or self._tally.paid:
            self._alone.release()
            yield
            return
        try:
            yield
        finally:
            self._alone.release()

    def is_spent(self, under_way: int) -> bool:
        """Whether one more question would exceed the budget; running questions are assumed to have the average cost."""
        if self._dollars is None:
            return False
        each = self._tally.cost / max(1, self._tally.paid)
        return self._tally.cost + each * (under_way + 1) > self._dollars

    def look(self, reply: Reply) -> None:
        """Check a counted reply; raises RunError if none of the first answers reports a cost."""
        if self._dollars is None or self._tally.cost or reply.state != "answered" or not reply.attempts:
            return
        self._free += 1
        if self._free >= FIRST_COSTS:
            raise RunError(
                f"none of the first {FIRST_COSTS} answers reports its cost or number of tokens, so the budget cannot "
                "be enforced; leave out `budget`, or limit the run with `cases`"
            )


class _Runner:
    """Asks the pending questions of a run and writes every reply to the journal."""

    def __init__(
        self,
        run: RunFolder,
        dataset: Dataset,
        model: Model,
        retry: RetryPolicy,
        conversations: Conversations,
        tally: Tally,
        stop: asyncio.Event,
        budget: Budget,
    ) -> None:
        self._run, self._dataset, self._model, self._conversations = run, dataset, model, conversations
        self._tally, self._stop, self._budget = tally, stop, budget
        self._prompt: Prompt = run.manifest.prompt
        self._ranker = as_ranker(model) if run.manifest.answering == "rank" else None
        self._client = Client(self._answer, retry, stop, tally)
        self._concurrency = retry.concurrency
        self._first = FirstReplies(self._prompt, resumed=next(run.replies(), None) is not None)
        self._under_way = 0
        self._bad_row_seen = -1

    async def ask_all(self, options: RunOptions, *, failed_too: bool) -> None:
        """Ask all pending questions until `stop` is set; raises an error that would affect every remaining question."""
        plan = QuestionPlan(self._run, self._dataset, self._tally, options, self._model, failed_too=failed_too)
        in_orders = any(self._prompt.of(world).orders != "one" for world in TWO_WORLDS)
        with self._run.writing() as journal, Journal(self._run.path / ORDERS) if in_orders else nullcontext() as orders:

            async def take(chain: tuple[Ask, ...]) -> None:
                async with self._client.limit, self._budget.turn():
                    self._tally.limit = int(self._client.limit.limit)
                    if self._budget.is_spent(self._under_way):
                        self._tally.spent = True
                        self._stop.set()
                    if not self._stop.is_set():  # the user may have stopped while this question waited for a slot
                        self._under_way += 1
                        try:
                            await self._ask_in_turn(chain, journal, orders)
                        finally:
                            self._under_way -= 1

            def sync() -> None:
                journal.sync()
                if orders:
                    orders.sync()
                self._note_findings()

            try:
                await process_all(plan.chains(), take, concurrency=self._concurrency, stop=self._stop, sync=sync)
            finally:
                self._note_findings()
            if not self._stop.is_set() and options.sample is None:
                (self._run.path / ORDERS).unlink(missing_ok=True)

    async def _ask_in_turn(self, chain: tuple[Ask, ...], journal: Journal, orders: Journal | None) -> None:
        """Ask questions that each depend on the answer to the previous one; write each reply as it arrives."""
        fact: Reply | None = None
        for ask in chain:
            reply = await self._ask(replace(ask, fact=fact) if fact else ask)
            if ask.collector is not None:
                whole = ask.collector.add(ask.places, reply)
                if orders and whole is None and reply is not None and reply.state == "answered" and not ask.unread:
                    orders.append(replace(reply, orders=(Order(ask.places, reply.text),)))
                reply = whole
            if reply is None:
                return
            journal.append(reply)
            status = self._first.status(reply, ask.case.question(ask.world, ask.telling) or ask.question)
            self._tally.count(reply, status)
            left = self._tally.total - self._tally.done - (self._under_way - 1)
            self._first.look(status, reply, left=left)
            self._budget.look(reply)
            fact = reply
            if self._stop.is_set():
                return

    async def _ask(self, ask: Ask) -> Reply | None:
        """Ask a question until it is answered or has failed; returns None if the run was stopped first."""
        if ask.collector is not None and ask.collector.failed:
            return None
        if ask.fact is not None and ask.fact.state == "failed":
            return ask.reply(state="failed", reason=f"the factual question failed: {ask.fact.reason}")
        if ask.fact is not None and self._prompt.composed:
            factual, reads = ask.case.factual, self._prompt.of("factual").reads
            if factual and not ask.unread and (text := composed_answer(ask.fact, factual, ask.question, reads)):
                return ask.reply(text=text, finish=COMPOSED, attempts=0, model=ask.fact.model)
            ask = ask if self._prompt.fact else replace(ask, fact=None)
        try:
            request = self._conversations.request(ask)
        except (BadPicture, NoExample) as error:
            if isinstance(error, BadPicture) and ask.row != self._bad_row_seen:  # counted once per case
                self._bad_row_seen = ask.row
                self._tally.bad_pictures += 1
            return ask.reply(state="failed", reason=str(error))
        try:
            done = await self._client.ask_within((request, self._prompt.of(ask.world)))
        except Stopped:
            return None
        except RetriesExhausted as given_up:
            return ask.failed(given_up)
        return ask.answered(done.answer, seconds=done.seconds, attempts=done.attempts)

    async def _answer(self, question: tuple[Request, Prompt]) -> Answer:
        """Return the model's answer, or the option with the smallest loss."""
        request, prompt = question
        answer = await (self._restated(request) if request.restates else self._answered(request, prompt))
        if not isinstance(answer, Answer):
            raise ModelError(f"{self._model.name}: `reply` must return an Answer, not {type(answer).__name__}")
        if not isinstance(answer.text, str):
            raise ModelError(f"{self._model.name}: the text of an Answer must be a str, not {answer.text!r}")
        return answer

    async def _answered(self, request: Request, prompt: Prompt) -> Answer:
        if self._ranker is None:
            return await self._reply(request)
        thought: Answer | None = None
        if prompt.reads == "end":  # the model reasons first, then the options are ranked
            thought = await self._reply(request)
            turns = (*request.turns, Turn("assistant", thought.text), Turn("user", prompt.concluding))
            request = replace(request, turns=turns)
        losses = await self._ranker.losses(request)
        answer = ranked_answer(request.kind, request.options, losses)
        if thought is None:
            return Answer(answer, losses=losses)
        return replace(thought, text=f"{thought.text}\nAnswer: {answer}", losses=losses, finish="stop")

    async def _reply(self, request: Request) -> Answer:
        reply = self._model.reply(request)
        if not isawaitable(reply):
            raise ModelError(f"{self._model.name}: reply must be an async function (async def)")
        return await reply

    async def _restated(self, request: Request) -> Answer:
        """Return the final answer that a model states after its own reply; local models rank the options."""
        options = request.options
        if self._ranker is None:  # the conversation lists the options with their letters
            letters = tuple(map(Option, LETTERS[: len(request.options)]))
            options = YES_NO if request.kind == "boolean" else letters
        if not options or not isinstance(self._model, Ranker) or isinstance(self._model, Priced):
            return await self._reply(request)
        losses = await self._model.losses(replace(request, options=options))
        return Answer(ranked_answer(request.kind, options, losses), losses=losses, finish="stop")

    def _note_findings(self) -> None:
        if isinstance(self._model, Observant):
            self._run.observe(self._model.observed)
        if len(self._tally.models) > 1:
            self._run.observe({"models": dict(self._tally.models)})
        if self._tally.unasked or LEFT_OUT in self._run.manifest.observed:
            self._run.observe({LEFT_OUT: dict(self._tally.unasked)})


def composed_answer(fact: Reply, factual: Question, imagined: Question, read_from: ReadFrom) -> str | None:
    """Compute the answer to a question about a change from the model's answer about the unchanged picture.

    Returns None if the question does not ask for a number, the model gave none, the composer cannot decide, or no
    option is that number; the model must then be asked.
    """
    from countersight.composer import compose  # imported here because it is slow

    answer = read_reply(fact, factual, read_from)
    if answer is None or imagined.kind not in ("number", "choice"):
        return None
    number = factual.options[LETTERS.index(answer)].text.strip() if factual.kind == "choice" else answer
    if not (number.isascii() and number.isdigit() and len(number) <= 9):
        return None
    changed = compose(int(number), imagined.text, factual.text)
    if changed is None or imagined.kind == "number":
        return None if changed is None else str(changed)
    places = [place for place, option in enumerate(imagined.options) if option.text.strip() == str(changed)]
    return LETTERS[places[0]] if len(places) == 1 else None
