"""What a run has yet to ask, its cases in an order by chance: whatever is asked first is a fair sample of the rest."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from countersight.asking import Gathering, Places, graph_in_words, orders_of
from countersight.case import TWICE, WORLDS, Case, Option, Order, Question, Reply, Telling, World
from countersight.dataset import Dataset
from countersight.engine import Tally
from countersight.runs.fates import fate_of, is_doubtful
from countersight.runs.folder import RunFolder
from countersight.runs.sample import Sample

TELLINGS: tuple[tuple[World, Telling], ...] = (*WORLDS.values(), TWICE)
FACT, IMAGINED = TELLINGS[:2]
YES_NO = (Option("yes"), Option("no"))


class Ask(msgspec.Struct, frozen=True):
    """One question of one case that waits for its answer; of one asked in several orders, one of them."""

    row: int
    case: Case
    world: World
    telling: Telling
    question: Question
    fact: Reply | None = None
    """The model's own answer about the picture as it is, where the question stands on it."""
    places: Places = ()
    gathering: Gathering | None = None

    def reply(self, **what: object) -> Reply:
        return Reply(self.case.id, self.row, self.world, self.telling, **what)  # type: ignore[arg-type]


def offered(question: Question, *, ranked: bool) -> tuple[Option, ...]:
    """The options a model chooses from; where they are ranked, a question for yes or no has these two."""
    return YES_NO if ranked and question.kind == "boolean" else question.options


class Asks:
    """The questions of a run that have no answer yet."""

    def __init__(
        self,
        run: RunFolder,
        dataset: Dataset,
        tally: Tally,
        *,
        needs_picture: bool,
        again: str = "",
        sample: Sample | None = None,
    ) -> None:
        """`again` names what became of those answers that are to be asked for once more: cut, or empty."""
        self._rows = None if sample is None else sample.rows(dataset)
        self._run = run
        self._dataset = dataset
        self._prompt = run.manifest.prompt
        self._tellings = TELLINGS if run.manifest.shown else TELLINGS[:2]
        self._ranked = run.manifest.answering == "rank"
        self._needs_picture = needs_picture
        self._tally = tally
        self._again = again
        self._doubtful: dict[tuple[int, int], Reply] = {}
        """Answers that may have to be asked for again, by row and bit."""
        self._partly: dict[tuple[int, int], tuple[Order, ...]] = {}
        """What was said to some orders of a question that failed in another, by row and bit."""
        self._facts: dict[int, Reply] = {}
        """Answers about the picture as it is whose case still waits for the question that needs them, by row."""

    def chains(self) -> Iterator[tuple[Ask, ...]]:
        """Questions to be asked one after the other, each once the one before has its reply; most stand alone."""
        self._tally.total = 0
        answered = self._answered_before()
        for row, case in self._dataset.shuffled(self._tally.bad_row, self._count):
            asks = []
            for bit, (world, telling) in enumerate(self._tellings):
                question = self._askable(row, case, world, telling)
                if question and not answered[row] >> bit & 1 and not self._is_settled(row, bit, question):
                    asks.append(Ask(row, case, world, telling, question))
                    if reason := self._prompt.unfit(case, world, telling):
                        self._tally.unfit[reason] = self._tally.unfit.get(reason, 0) + 1
            if self._prompt.needs_fact:
                yield from self._after_their_fact(asks)
            else:
                for ask in asks:
                    there = self._partly.pop((row, TELLINGS.index((ask.world, ask.telling))), ())
                    yield from _in_its_orders(ask, self._prompt.of(ask.world).orders, there)

    def _count(self, row: int, case: Case) -> None:
        """Count what there is to ask of a case, before anything is asked: a run that stops early knows of how many."""
        for world, telling in self._tellings:
            question = case.question(world, telling) if self._is_sampled(row) else None
            if question is None:
                continue
            if self._lacks_picture(case, world, telling):
                self._tally.without_picture += 1
            elif self._lacks_options(question):
                self._tally.without_options += 1
            else:
                self._tally.total += 1

    def _askable(self, row: int, case: Case, world: World, telling: Telling) -> Question | None:
        """The question, where the run can ask it."""
        question = case.question(world, telling) if self._is_sampled(row) else None
        if question is None or self._lacks_picture(case, world, telling) or self._lacks_options(question):
            return None
        return question

    def _is_sampled(self, row: int) -> bool:
        return self._rows is None or row in self._rows

    def _lacks_options(self, question: Question) -> bool:
        return self._ranked and not offered(question, ranked=True)

    def _is_settled(self, row: int, bit: int, question: Question) -> bool:
        """Whether an answer that may have to be asked for again turns out to be one that stays."""
        reply = self._doubtful.pop((row, bit), None)
        if reply is None or fate_of(reply, question, self._prompt.of(reply.world).reads).fate == self._again:
            return False
        self._answered(reply)
        return True

    def _lacks_picture(self, case: Case, world: World, telling: Telling) -> bool:
        """Whether a picture should be shown and there is none, nor a causal graph that tells what it would show."""
        prompt = self._prompt.of(world)
        if not (self._needs_picture and prompt.picture) or case.picture(world, telling) is not None:
            return False
        if case.text_only:
            return False
        return not (prompt.tells_graph and graph_in_words(case.graph))

    def _answered_before(self) -> bytearray:
        """Which questions have their answer already: a bit for each telling, a byte a row."""
        answered, failed = bytearray(self._dataset.lines), bytearray(self._dataset.lines)
        for reply in self._run.replies(self._damaged):
            self._tally.spend(reply.tokens_in, reply.tokens_out, reply.cost)  # also what was asked for again since
            place = TELLINGS.index((reply.world, reply.telling))
            if not 0 <= reply.row < len(answered) or answered[reply.row] >> place & 1:
                continue
            if reply.state == "failed":
                failed[reply.row] |= 1 << place
                if reply.orders:
                    self._partly[reply.row, place] = reply.orders
                continue
            if self._again and is_doubtful(reply):
                self._doubtful[reply.row, place] = reply
                continue
            self._doubtful.pop((reply.row, place), None)
            answered[reply.row] |= 1 << place
            self._answered(reply)
        self._tally.failed_before = sum((one & ~other).bit_count() for one, other in zip(failed, answered, strict=True))
        return answered

    def _answered(self, reply: Reply) -> None:
        """Count an answer that there was before."""
        self._tally.before += 1
        if self._prompt.needs_fact:
            self._remember(reply)

    def _remember(self, reply: Reply) -> None:
        if (reply.world, reply.telling) == FACT:
            self._facts[reply.row] = reply
        elif (reply.world, reply.telling) == IMAGINED:
            self._facts.pop(reply.row, None)  # nobody waits for it: a million answered cases are not held

    def _after_their_fact(self, asks: list[Ask]) -> Iterator[tuple[Ask, ...]]:
        """The question about the change after the one about the picture as it is, or with the answer that has."""
        told = {(ask.world, ask.telling): ask for ask in asks}
        fact, imagined = told.pop(FACT, None), told.pop(IMAGINED, None)
        if fact and imagined:
            yield fact, imagined
        elif imagined:
            yield (msgspec.structs.replace(imagined, fact=self._facts.pop(imagined.row, None)),)
        elif fact:
            yield (fact,)
        for ask in told.values():
            yield (ask,)

    def _damaged(self) -> None:
        self._tally.damaged += 1


def _in_its_orders(
    ask: Ask, which: Literal["one", "rotations", "every"], there: tuple[Order, ...]
) -> Iterator[tuple[Ask, ...]]:
    """The question once for each order of its options that has no answer yet."""
    if which == "one" or ask.question.kind != "choice":
        yield (ask,)
        return
    orders = orders_of(len(ask.question.options), which)
    # What these cost is counted with the reply that failed.
    said = {order.places: ask.reply(text=order.text, finish="stop", attempts=0) for order in there}
    gathering = Gathering(orders, said)
    for places in (places for places in orders if places not in said):
        options = tuple(ask.question.options[place] for place in places)
        question = msgspec.structs.replace(ask.question, options=options)
        yield (msgspec.structs.replace(ask, question=question, places=places, gathering=gathering),)
