"""The run: every question of a dataset put to a model once, whatever the server, the disk or the user does."""

import asyncio

import msgspec

from countersight.case import LETTERS, Option, Reply
from countersight.dataset import Dataset
from countersight.engine import (
    COMPOSED,
    Answered,
    Client,
    Journal,
    Prompt,
    RetriesExhausted,
    RetryPolicy,
    Stopped,
    Tally,
    Workers,
    composed_answer,
)
from countersight.engine.budget import Budget
from countersight.engine.conversations import Conversations, NoExample, ranked_answer
from countersight.engine.examples import Examples
from countersight.engine.first_replies import FirstReplies
from countersight.engine.plan import YES_NO, Ask, QuestionPlan
from countersight.engine.run_folder import LEFT_OUT, Answering, RunFolder
from countersight.engine.sample import Sample
from countersight.errors import AskingFailed, BadPicture, CountersightError, ModelError
from countersight.models import Answer, Model, Observant, Priced, Ranker, Request, Turn, Viewer


def as_ranker(model: Model) -> Ranker:
    """The model as one whose options can be ranked, or a sentence that says it is none."""
    if not isinstance(model, Ranker):
        raise ModelError(f"{model.name} gives no losses, so its options cannot be ranked; leave out `answering`")
    return model


def refuse_nonsense(prompt: Prompt, model: Model, answering: Answering, *, shown: bool) -> None:
    """Say in a sentence, before anything is asked, why a way of asking makes no sense."""
    if answering == "rank":
        as_ranker(model)
        if prompt.orders != "one":
            raise CountersightError(
                f"{prompt.name} asks for the options in several orders, but where they are ranked their position "
                "cannot matter; leave out `answering`, or choose another prompt"
            )
    if shown and not prompt.picture:
        raise CountersightError(f"{prompt.name} shows no picture; leave out `shown`")
    least, most = model.picture_limits if isinstance(model, Viewer) else (0, 2)
    if least and not prompt.picture:
        raise ModelError(f"{model.name} says nothing without a picture; ask it with a prompt other than {prompt.name}")
    if prompt.picture and prompt.shots and most < 2:
        raise ModelError(
            f"{model.name} takes one picture at a time, so that no example can be shown with its own; ask it with a "
            f"prompt other than {prompt.name}"
        )


class Runner:
    """Asks what is missing in a run and writes every reply to its journal."""

    def __init__(
        self,
        run: RunFolder,
        dataset: Dataset,
        model: Model,
        retry: RetryPolicy,
        tally: Tally,
        stop: asyncio.Event,
        *,
        pool: Dataset | None = None,
        again: str = "",
        budget: float | None = None,
        sample: Sample | None = None,
    ) -> None:
        """With a `budget` no question is begun that would cost more dollars; with a `sample` only those are asked."""
        self._run = run
        self._budget = Budget(budget, tally)
        self._sample = sample
        self._under_way = 0
        self._again = again
        self._dataset = dataset
        self._model = model
        self._prompt: Prompt = run.manifest.prompt
        examples = Examples(pool or dataset, run.manifest.examples.seed) if run.manifest.examples else None
        self._conversations = Conversations(run.manifest, dataset, examples)
        self._ranker = as_ranker(model) if run.manifest.answering == "rank" else None
        self._retry = retry
        self._tally = tally
        self._stop = stop
        self._asker = Client(self._answer, retry, stop, tally)
        self._bad_row_seen = -1

    async def ask_all(self) -> None:
        """Ask until nothing is missing, or `stop` is set. Raises where every further question would fail too."""
        with self._run.writing() as journal:
            asks = QuestionPlan(
                self._run,
                self._dataset,
                self._tally,
                needs_picture=self._model.needs_picture,
                again=self._again,
                sample=self._sample,
            )
            begun = next(self._run.replies(), None) is not None
            self._first = FirstReplies(self._prompt, begun=begun)

            async def take(chain: tuple[Ask, ...]) -> None:
                async with self._asker.limit:
                    self._tally.limit = int(self._asker.limit.limit)
                    if self._budget.is_spent(self._under_way):
                        self._tally.spent = True
                        self._stop.set()
                    if not self._stop.is_set():  # it may have been set while we waited for our turn
                        self._under_way += 1
                        try:
                            await self._ask_in_turn(chain, journal)
                        finally:
                            self._under_way -= 1

            def sync() -> None:
                journal.sync()
                self._note_findings()

            try:
                await Workers(take, stop=self._stop, sync=sync).work(asks.chains(), self._retry.concurrency)
            finally:
                self._note_findings()

    async def _ask_in_turn(self, chain: tuple[Ask, ...], journal: Journal) -> None:
        """Ask questions of which each stands on the answer to the one before, and write each reply as it comes."""
        fact: Reply | None = None
        for ask in chain:
            reply = await self._ask(msgspec.structs.replace(ask, fact=fact) if fact else ask)
            if ask.gathering is not None:
                reply = ask.gathering.add(ask.places, reply)
            if reply is None:
                return
            journal.append(reply)
            fate = self._first.fate(reply, ask.case.question(ask.world, ask.telling) or ask.question)
            self._tally.count(reply, fate)
            self._first.look(fate, reply)
            self._budget.look(reply)
            fact = reply
            if self._stop.is_set():
                return

    async def _ask(self, ask: Ask) -> Reply | None:
        """Ask until there is an answer or a reason why not; None if the run was stopped before there was either."""
        if ask.gathering is not None and ask.gathering.hopeless:
            return None
        if ask.fact is not None and ask.fact.state == "failed":
            return ask.reply(
                state="failed", reason=f"the question about the picture as it is failed: {ask.fact.reason}"
            )
        if ask.fact is not None and self._prompt.composed:
            if not ask.unread and (composed := self._composed(ask, ask.fact)):
                return composed
            ask = ask if self._prompt.fact else msgspec.structs.replace(ask, fact=None)
        try:
            request = self._conversations.request(ask)
        except BadPicture as error:
            self._count_bad(ask.row)
            return ask.reply(state="failed", reason=str(error))
        except NoExample as error:
            return ask.reply(state="failed", reason=str(error))
        try:
            done = await self._asker.ask_within((request, self._prompt.of(ask.world)))
        except Stopped:
            return None
        except RetriesExhausted as given_up:
            return _failed(ask, given_up)
        return _answered(ask, done)

    def _count_bad(self, row: int) -> None:
        """A picture that cannot be used is one, however many questions are asked about it."""
        if row != self._bad_row_seen:
            self._bad_row_seen = row
            self._tally.bad_pictures += 1

    def _composed(self, ask: Ask, fact: Reply) -> Reply | None:
        """The reply that the grammar gives in the model's place; None where it does not decide."""
        factual = ask.case.factual
        answer = composed_answer(fact, factual, ask.question, self._prompt.of("factual").reads) if factual else None
        return None if answer is None else ask.reply(text=answer, finish=COMPOSED, attempts=0, model=fact.model)

    async def _answer(self, asked: tuple[Request, Prompt]) -> Answer:
        """What the model writes, or the option with the smallest loss; whatever else it raises fails the question."""
        try:
            answer = await self._answered(*asked)
        except (CountersightError, OSError):
            raise
        except Exception as error:
            raise AskingFailed(f"{self._model.name} raised {type(error).__name__}: {error}", again=False) from error
        if not isinstance(answer, Answer):
            raise ModelError(f"{self._model.name}: reply must give an Answer, not {type(answer).__name__}")
        return answer

    async def _restated(self, request: Request) -> Answer:
        """The final answer that a model states after its own reply; one that is computed here ranks the options."""
        options = request.options
        if self._ranker is None:  # they stand in the conversation with their letters
            letters = tuple(map(Option, LETTERS[: len(request.options)]))
            options = YES_NO if request.kind == "boolean" else letters
        if not options or not isinstance(self._model, Ranker) or isinstance(self._model, Priced):
            return await self._model.reply(request)
        losses = await self._model.losses(msgspec.structs.replace(request, options=options))
        return Answer(ranked_answer(request.kind, options, losses), losses=losses, finish="stop")

    async def _answered(self, request: Request, prompt: Prompt) -> Answer:
        if request.restates:
            return await self._restated(request)
        if self._ranker is None:
            return await self._model.reply(request)
        thought: Answer | None = None
        if prompt.reads == "end":  # it thinks first: the options are ranked after that
            thought = await self._model.reply(request)
            turns = (*request.turns, Turn("assistant", thought.text), Turn("user", prompt.concluding))
            request = msgspec.structs.replace(request, turns=turns)
        losses = await self._ranker.losses(request)
        answer = ranked_answer(request.kind, request.options, losses)
        if thought is None:
            return Answer(answer, losses=losses)
        return msgspec.structs.replace(thought, text=f"{thought.text}\nAnswer: {answer}", losses=losses, finish="stop")

    def _note_findings(self) -> None:
        if isinstance(self._model, Observant):
            self._run.observe(self._model.observed)
        if self._tally.unasked or LEFT_OUT in self._run.manifest.observed:
            self._run.observe({LEFT_OUT: self._tally.unasked})


def _answered(ask: Ask, done: Answered[Answer]) -> Reply:
    answer = done.answer
    return ask.reply(
        text=answer.text,
        losses=answer.losses,
        finish=answer.finish,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        cost=answer.cost,
        seconds=done.seconds,
        attempts=done.attempts,
        model=answer.model,
        trace=answer.trace,
        reasoning=answer.reasoning,
    )


def _failed(ask: Ask, given_up: RetriesExhausted) -> Reply:
    """What was paid for before it failed is kept."""
    so_far = given_up.failure.so_far or Answer("")
    return ask.reply(
        state="failed",
        reason=str(given_up),
        tokens_in=so_far.tokens_in,
        tokens_out=so_far.tokens_out,
        cost=so_far.cost,
        attempts=given_up.attempts,
        trace=so_far.trace,
    )
