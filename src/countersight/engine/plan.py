"""The plan of a run: every question that has no answer yet, in the order in which they are asked."""

from array import array
from collections.abc import Iterator
from typing import Final, Self

import msgspec
from msgspec.structs import asdict, replace

from countersight.case import TWICE, WORLDS, Case, Option, Question, Reply, Telling, World
from countersight.dataset import Dataset
from countersight.engine.graphs_in_words import graph_in_words
from countersight.engine.journal import read_journal, read_with_offsets, reply_at
from countersight.engine.option_orders import OptionOrder, ReplyCollector, orders_of
from countersight.engine.options import RunOptions
from countersight.engine.outcome import NO_OPTIONS, NO_PICTURE, NO_PICTURE_BY_DESIGN, Tally, is_doubtful, status_of
from countersight.engine.retry import RetriesExhausted
from countersight.engine.run_folder import JOURNAL, ORDERS, RunFolder
from countersight.models import Answer, Model, Viewer
from countersight.reading import answer_in

CASE_QUESTIONS: tuple[tuple[World, Telling], ...] = (*WORLDS.values(), TWICE)
FACTUAL, COUNTERFACTUAL = CASE_QUESTIONS[:2]
YES_NO = (Option("yes"), Option("no"))
_FAILED, _CUT_OR_EMPTY, _ANSWERED, _RESTATED = 1, 2, 3, 4
"""The state of the answer to a question; 0 if there is none."""
_STATES_TO_READ: Final = {"cut": _CUT_OR_EMPTY, "empty": _CUT_OR_EMPTY, "unread": _ANSWERED}
"""For each value of `again`, the state of the answers that may match it; these answers are then read to decide."""


class Ask(msgspec.Struct, frozen=True):
    """One pending question of one case, in one order of its options."""

    row: int
    case: Case
    world: World
    telling: Telling
    question: Question
    fact: Reply | None = None
    """The model's answer about the unchanged picture, if this question depends on it."""
    places: OptionOrder = ()
    collector: ReplyCollector | None = None
    unread: Reply | None = None
    """The model's unread reply, if the model is asked to state only its final answer."""

    def reply(self, **what: object) -> Reply:
        restates = self.unread.text or "(empty)" if self.unread else ""
        fields = {"restates": restates} | what
        return Reply(self.case.id, self.row, self.world, self.telling, **fields)  # type: ignore[arg-type]

    def in_order(self, places: OptionOrder, text: str) -> Self:
        """Return the question with its options in another order, with the unread reply to that order if there is
        one."""
        question = replace(self.question, options=tuple(self.question.options[place] for place in places))
        unread = replace(self.unread, text=text, orders=()) if self.unread else None
        return replace(self, question=question, places=places, unread=unread)

    def answered(self, answer: Answer, **more: object) -> Reply:
        """Build the reply from an answer."""
        return self.reply(**asdict(answer), **more)

    def failed(self, given_up: RetriesExhausted) -> Reply:
        """Build the reply for a question that got no answer; costs incurred before the failure are included."""
        so_far = given_up.failure.so_far or Answer("")
        return self.reply(
            state="failed",
            reason=str(given_up),
            tokens_in=so_far.tokens_in,
            tokens_out=so_far.tokens_out,
            cost=so_far.cost,
            attempts=given_up.attempts,
            trace=so_far.trace,
        )


def answer_options(question: Question, *, ranked: bool) -> tuple[Option, ...]:
    """Return the options that the model chooses from; if options are ranked, a yes/no question has yes and no."""
    return YES_NO if ranked and question.kind == "boolean" else question.options


class QuestionPlan:
    """The questions of a run that have no answer yet."""

    def __init__(
        self,
        run: RunFolder,
        dataset: Dataset,
        tally: Tally,
        options: RunOptions,
        model: Model,
        *,
        failed_too: bool = True,
    ) -> None:
        """Without `failed_too`, questions that failed before are not asked again."""
        self._asked_at_most = _FAILED if failed_too else 0
        self._rows = None if options.sample is None else options.sample.rows(dataset)
        self._journal, self._orders_file = run.path / JOURNAL, run.path / ORDERS
        self._dataset = dataset
        self._prompt = run.manifest.prompt
        self._case_questions = CASE_QUESTIONS if run.manifest.shown else CASE_QUESTIONS[:2]
        self._ranked = run.manifest.answering == "rank"
        self._needs_picture = model.needs_picture
        self._fewest_pictures = model.picture_limits[0] if isinstance(model, Viewer) else 0
        self._tally = tally
        self._again, self._suspect = options.again, _STATES_TO_READ.get(options.again)
        questions = len(CASE_QUESTIONS) * dataset.lines
        self._states = bytearray(questions)
        """The state of the answer to each question, by row and way of asking."""
        self._offsets = array("q", bytes(8 * questions))
        """The position of each reply in the journal; replies themselves are not held in memory."""
        self._is_first = not tally.answered
        """Whether cut and empty replies in the journal are not counted yet."""
        self._orders: dict[int, dict[OptionOrder, Reply]] = {}
        """Replies to some of the option orders of unfinished questions, from before the run was stopped."""

    def chains(self) -> Iterator[tuple[Ask, ...]]:
        """Iterate over chains of questions; a question is asked after the reply to the previous one in its chain. Most
        chains have one question."""
        self._tally.total = 0
        self._tally.unasked.clear()
        self._read_states()
        # All questions are counted before any is asked, so that an interrupted run knows the total.
        for row, case in self._dataset.shuffled(self._tally.bad_row, self._count):
            asks = []
            for at, ask, obstacle in self._questions(row, case):
                pending = None if obstacle else self._pending(ask, at)
                if pending is not None:
                    asks.append(pending)
            if self._prompt.needs_fact:
                yield from self._chain_to_factual(asks)
            else:
                for ask in asks:
                    yield from self._expand_orders(ask)

    def _count(self, row: int, case: Case) -> None:
        for _, _, obstacle in self._questions(row, case):
            if obstacle:
                self._tally.unasked[obstacle] += 1
            else:
                self._tally.total += 1

    def _questions(self, row: int, case: Case) -> Iterator[tuple[int, Ask, str]]:
        """Iterate over the questions of a case: index, question, and the reason if it cannot be asked."""
        if self._rows is not None and row not in self._rows:
            return
        for bit, (world, telling) in enumerate(self._case_questions):
            question = case.question(world, telling)
            if question is not None:
                obstacle = ""
                if self._lacks_picture(case, world, telling):
                    obstacle = NO_PICTURE_BY_DESIGN if case.text_only else NO_PICTURE
                elif self._ranked and not answer_options(question, ranked=True):
                    obstacle = NO_OPTIONS
                yield len(CASE_QUESTIONS) * row + bit, Ask(row, case, world, telling, question), obstacle

    def _lacks_picture(self, case: Case, world: World, telling: Telling) -> bool:
        """Whether the question has no picture, and the model or the prompt needs one.

        The prompt needs none if it describes the picture by its causal graph.
        """
        prompt = self._prompt.of(world)
        if not (self._needs_picture and prompt.picture) or case.picture(world, telling) is not None:
            return False
        if self._fewest_pictures:
            return True
        return not case.text_only and not (prompt.tells_graph and graph_in_words(case.graph))

    def _read_states(self) -> None:
        """Read the state of all answers from the journal; of answers in the same state, the first counts."""

        def on_damaged() -> None:
            self._tally.damaged += 1

        self._tally.forget_replies()
        for offset, reply in read_with_offsets(self._journal, on_damaged):
            self._tally.add_reply(reply)  # replaced replies were paid for too
            if not 0 <= reply.row < self._dataset.lines:
                continue
            at = len(CASE_QUESTIONS) * reply.row + CASE_QUESTIONS.index((reply.world, reply.telling))
            state = _reply_state(reply)
            # Of failed replies, the last one counts, because it contains all orders that were answered.
            if state > self._states[at] or state == self._states[at] == _FAILED:
                self._states[at] = state
                if state != _RESTATED:
                    self._offsets[at] = offset
        for reply in read_journal(self._orders_file):
            at = len(CASE_QUESTIONS) * reply.row + CASE_QUESTIONS.index((reply.world, reply.telling))
            if 0 <= reply.row < self._dataset.lines and self._states[at] <= _FAILED and reply.orders:
                self._orders.setdefault(at, {})[reply.orders[0].places] = reply
        states, each = self._states, len(CASE_QUESTIONS)
        if self._rows is not None:
            states = bytearray().join(states[each * row : each * (row + 1)] for row in self._rows)
        self._tally.failed_before = states.count(_FAILED)
        settled = {_CUT_OR_EMPTY, _ANSWERED, _RESTATED} - {self._suspect}
        self._tally.before = sum(map(states.count, settled)) - self._tally.answered

    def _pending(self, ask: Ask, at: int) -> Ask | None:
        """Return the question if it has no answer yet or is to be asked again, else None."""
        state = self._states[at]
        if state <= self._asked_at_most:
            return ask
        if state == _FAILED:
            return None
        if state != self._suspect:
            self._count_cut_or_empty(ask, at)
            return None
        reply = self._reply(at)
        if reply is None or status_of(reply, ask.question, self._prompt.of(ask.world).reads).status != self._again:
            self._tally.before += 1
            self._count_cut_or_empty(ask, at)
            return None
        return replace(ask, unread=reply) if self._again == "unread" else ask

    def _count_cut_or_empty(self, ask: Ask, at: int) -> None:
        """Count a cut or empty reply of an earlier process that is not requested again."""
        reply = self._reply(at) if self._is_first and self._states[at] == _CUT_OR_EMPTY else None
        if reply is not None:
            self._tally.count_cut_or_empty(status_of(reply, ask.question, self._prompt.of(ask.world).reads).status)

    def _reply(self, at: int) -> Reply | None:
        """Return the reply that counts for a question, answered or failed, or None."""
        return reply_at(self._journal, self._offsets[at]) if self._states[at] else None

    def _chain_to_factual(self, asks: list[Ask]) -> Iterator[tuple[Ask, ...]]:
        """Chain the question about the change to the factual question, or add the factual reply if there is one."""
        by_world = {(ask.world, ask.telling): ask for ask in asks}
        fact, imagined = by_world.get(FACTUAL), by_world.get(COUNTERFACTUAL)
        if fact and imagined and not fact.unread:
            yield by_world.pop(FACTUAL), by_world.pop(COUNTERFACTUAL)
        elif imagined:
            by_world[COUNTERFACTUAL] = replace(imagined, fact=self._reply(len(CASE_QUESTIONS) * imagined.row))
        for ask in by_world.values():
            yield (ask,)

    def _expand_orders(self, ask: Ask) -> Iterator[tuple[Ask, ...]]:
        """Iterate over the question in each order of its options that has no answer yet, or no readable one."""
        prompt = self._prompt.of(ask.world)
        if prompt.orders == "one" or ask.question.kind != "choice":
            yield (ask,)
            return
        orders = orders_of(len(ask.question.options), prompt.orders)
        at = len(CASE_QUESTIONS) * ask.row + CASE_QUESTIONS.index((ask.world, ask.telling))
        earlier = ask.unread or self._reply(at)
        texts = {order.places: order.text for order in earlier.orders} if earlier else {}
        asks = {places: ask.in_order(places, texts.get(places, "")) for places in orders}
        replies = {
            places: asks[places].reply(text=text, finish="stop", attempts=0, restates="")
            for places, text in texts.items()
            if places in asks and (not ask.unread or answer_in(text, asks[places].question, prompt.reads) is not None)
        }
        if not ask.unread:  # the orders in a failed reply are already counted, so they take precedence
            replies = {places: reply for places, reply in self._orders.pop(at, {}).items() if places in asks} | replies
        if len(replies) == len(orders):  # all orders were read, and their answers disagree
            self._tally.before += 1
            return
        collector = ReplyCollector(orders, replies)
        for places in (places for places in orders if places not in replies):
            yield (replace(asks[places], collector=collector),)


def _reply_state(reply: Reply) -> int:
    if reply.state == "failed":
        return _FAILED
    if reply.restates:
        return _RESTATED
    return _CUT_OR_EMPTY if is_doubtful(reply) else _ANSWERED
