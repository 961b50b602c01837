"""The plan of a run: options, samples of cases, and questions that have no answer yet."""

from array import array
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from countersight.case import TWICE, TWO_WORLDS, WORLDS, Case, Option, Question, Reply, Telling, World
from countersight.dataset import Dataset, hidden_in
from countersight.engine.orders import Gathering, Places, orders_of
from countersight.engine.outcome import Tally, is_doubtful, status_of
from countersight.engine.prompt import Prompt, graph_in_words
from countersight.engine.prompts import find_prompt
from countersight.engine.retry import RetriesExhausted
from countersight.engine.run_folder import MANIFEST, Answering, RunFolder, answered_orders
from countersight.errors import CountersightError, DatasetError, ModelError
from countersight.models import Answer, Loss, Model, ModelSettings, Ranker, Viewer
from countersight.reading import answer_in

TELLINGS: tuple[tuple[World, Telling], ...] = (*WORLDS.values(), TWICE)
FACT, IMAGINED = TELLINGS[:2]
YES_NO = (Option("yes"), Option("no"))
_FAILED, _CUT_OR_EMPTY, _SAID, _RESTATED = 1, 2, 3, 4
"""The state of the answer to a question; 0 if there is none."""
_SUSPECT: Final = {"cut": _CUT_OR_EMPTY, "empty": _CUT_OR_EMPTY, "unread": _SAID}
"""For each value of `again`, the state of answers that must be read to know whether they are selected."""


class Sample(msgspec.Struct, frozen=True):
    """A random sample of the cases of a dataset, with their controls; a larger sample with the same seed contains it.

    Samples of cases are stratified by group. With `by="picture"`, pictures are drawn with equal probability, each with
    all of its cases, as a confidence sequence requires.
    """

    cases: int
    seed: int = 0
    by: Literal["case", "picture"] = "case"

    def rows(self, dataset: Dataset) -> frozenset[int]:
        """Return the rows of the sampled cases and of their controls."""
        controls: dict[str, list[int]] = defaultdict(list)
        names: dict[int, str] = {}
        for row, case in dataset.cases():
            if case.control_of:
                controls[case.control_of].append(row)
            else:
                names[row] = case.id
        units = self.order(dataset)[: self.cases]
        rows = [row for unit in units for row in unit]
        return frozenset((*rows, *(control for row in rows for control in controls.get(names[row], ()))))

    def order(self, dataset: Dataset) -> list[list[int]]:
        """Return all cases without controls, in the order in which they are sampled: the rows of each case or
        picture."""
        units: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for row, case in dataset.cases():
            if not case.control_of:
                by_picture = self.by == "picture"
                units["" if by_picture else case.group][shared_by(row, case) if by_picture else str(row)].append(row)
        placed: list[tuple[float, str, list[int]]] = []
        for group, of in units.items():
            drawn = list(of.values())
            Random(f"{self.seed}/{group}").shuffle(drawn)
            # Each case has a relative position in its group; the first positions of all groups are a stratified sample.
            placed += [((nth + 0.5) / len(drawn), group, rows) for nth, rows in enumerate(drawn)]
        return [rows for _, _, rows in sorted(placed)]


def shared_by(row: int, case: Case) -> str:
    """Return a key shared by cases that are not independent: the set, or else the picture."""
    if case.cell:
        return f"\x00set {case.cell.set}"
    return case.image_digest or case.image or f"\x00{row}"


class RunOptions(msgspec.Struct, frozen=True):
    """Options of a run, apart from the model's own settings."""

    prompt: Prompt
    shown: bool = False
    answering: Answering = "generate"
    loss: Loss = "mean"
    seed: int = 0
    again: str = ""
    """The state of replies to ask for again: cut, empty or unread; empty to ask only pending questions."""
    sample: Sample | None = None
    """The sample to ask, or None for all cases; a later call may extend it."""


def as_before(
    output: Path, options: RunOptions, settings: ModelSettings, pool: Dataset | None = None
) -> tuple[RunOptions, ModelSettings, Dataset | None]:
    """Fill in options, settings and examples from the existing run where they have default values.

    This way `again` needs only the name of the run, not all of its options.
    """
    if not options.again or not (output / MANIFEST).exists():
        return options, settings, pool
    run = RunFolder.open(output)
    there = run.manifest
    # A program has the settings of both its models: `code seed`, `eyes seed`.
    known = {key.rpartition(" ")[2]: value for key, value in there.settings.items()} | {"loss": there.loss}
    if there.examples:
        known["seed"] = there.examples.seed
    usual = ModelSettings(max_tokens=options.prompt.max_tokens)
    names = [name for name in ("seed", "max_tokens", "temperature", "detail", "loss") if name in known]
    kept = {name: known[name] for name in names if getattr(settings, name) == getattr(usual, name)}
    settings = replace(settings, **kept)
    sample = there.observed.get("sample")
    options = replace(
        options,
        prompt=there.prompt if options.prompt == find_prompt("0-shot") else options.prompt,
        shown=options.shown or there.shown,
        answering=there.answering if options.answering == "generate" else options.answering,
        loss=settings.loss,
        seed=settings.seed,
        sample=options.sample or (msgspec.convert(sample, Sample) if sample else None),
    )
    return options, settings, pool or run.examples()


def as_ranker(model: Model) -> Ranker:
    """Return the model as a Ranker; raises ModelError if it cannot rank options."""
    if not isinstance(model, Ranker):
        raise ModelError(f"{model.name} reports no losses, so options cannot be ranked; leave out `answering`")
    return model


def _refuse_nonsense(prompt: Prompt, model: Model, answering: Answering, *, shown: bool) -> None:
    """Raise an error if prompt, model and options contradict each other."""
    if answering == "rank":
        as_ranker(model)
        if prompt.orders != "one":
            raise CountersightError(
                f"{prompt.name} asks with the options in several orders, which makes no difference to ranking; leave "
                "out `answering`, or choose another prompt"
            )
    if shown and not prompt.picture:
        raise CountersightError(f"{prompt.name} shows no picture; leave out `shown`")
    least, most = model.picture_limits if isinstance(model, Viewer) else (0, 2)
    if least and not prompt.picture:
        raise ModelError(f"{model.name} needs a picture; choose a prompt other than {prompt.name}")
    if prompt.picture and not most:
        raise ModelError(f"{model.name} does not accept pictures; choose the prompt text-only")
    if prompt.picture and prompt.shots and most < 2:
        raise ModelError(
            f"{model.name} accepts one picture at a time, so examples cannot have pictures; choose a prompt other "
            f"than {prompt.name}"
        )


def begun_run(dataset: Dataset, output: Path, model: Model, options: RunOptions, pool: Dataset | None) -> RunFolder:
    """Start or resume the folder of a run; raises an error if the options contradict each other."""
    if dataset.count == 0:
        raise DatasetError(f"{dataset.path} has no cases")
    if pool and not options.prompt.shots:
        raise CountersightError(
            f"{options.prompt.name} shows no examples; leave out `shots_from`, or choose the prompt 1-shot"
        )
    _refuse_nonsense(options.prompt, model, options.answering, shown=options.shown)  # before the folder is created
    if options.shown:
        _refuse_unseen(dataset)
    return RunFolder.begin(
        output,
        dataset=dataset,
        model=model.name,
        settings=model.settings,
        prompt=options.prompt,
        shown=options.shown,
        answering=options.answering,
        loss=options.loss,
        pool=pool,
        seed=options.seed,
        again=options.again,
    )


def note_sample(run: RunFolder, options: RunOptions) -> None:
    """Record the sample in the manifest, so that other cases do not count as missing."""
    if options.sample is not None or run.manifest.observed.get("sample"):
        noted = msgspec.to_builtins(options.sample)
        if noted and noted["by"] == "case":  # the form that earlier versions wrote
            del noted["by"]
        run.observe({"sample": noted})


def _refuse_unseen(dataset: Dataset) -> None:
    """Raise an error if a dataset with hidden answers has no pictures after the change to show."""
    if hidden_in(dataset) and not any(case.shown for _, case in dataset.cases()):
        raise CountersightError(
            f"{dataset.path} has hidden answers and no pictures after the change, which would reveal them; leave out "
            "`shown`"
        )


class Ask(msgspec.Struct, frozen=True):
    """One pending question of one case, in one order of its options."""

    row: int
    case: Case
    world: World
    telling: Telling
    question: Question
    fact: Reply | None = None
    """The model's answer about the unchanged picture, if this question depends on it."""
    places: Places = ()
    gathering: Gathering | None = None
    unread: Reply | None = None
    """The model's unread reply, if the model is asked to state only its final answer."""

    def reply(self, **what: object) -> Reply:
        restates = self.unread.text or "(empty)" if self.unread else ""
        fields = {"restates": restates} | what
        return Reply(self.case.id, self.row, self.world, self.telling, **fields)  # type: ignore[arg-type]

    def answered(self, answer: Answer, **more: object) -> Reply:
        """Build the reply from an answer."""
        return self.reply(**{name: getattr(answer, name) for name in Answer.__struct_fields__}, **more)

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


def offered(question: Question, *, ranked: bool) -> tuple[Option, ...]:
    """Return the options that the model chooses from; for ranking, a yes/no question has these two."""
    return YES_NO if ranked and question.kind == "boolean" else question.options


class QuestionPlan:
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
        failed_too: bool = True,
    ) -> None:
        """`again` is the state of replies to ask for again: cut, empty or unread.

        Without `failed_too`, questions that failed before are not asked again.
        """
        self._asked_at_most = _FAILED if failed_too else 0
        self._rows = None if sample is None else sample.rows(dataset)
        self._run = run
        self._dataset = dataset
        self._prompt = run.manifest.prompt
        self._tellings = TELLINGS if run.manifest.shown else TELLINGS[:2]
        self._ranked = run.manifest.answering == "rank"
        self._needs_picture = needs_picture
        self._tally = tally
        self._again = again
        self._suspect = _SUSPECT.get(again)
        questions = len(TELLINGS) * dataset.lines
        self._standing = bytearray(questions)
        """The state of the answer to each question, by row and telling."""
        looked_at = again or self._prompt.needs_fact or any(self._prompt.of(w).orders != "one" for w in TWO_WORLDS)
        self._places = array("q", bytes(8 * questions)) if looked_at else None
        """The position of each reply in the journal; replies themselves are not held in memory."""
        self._doubtful: dict[int, int] = {}
        """Positions of replies of earlier processes that may be cut or empty."""
        self._orders: dict[int, dict[Places, Reply]] = {}
        """Replies to single orders of unfinished questions, from before the run was stopped."""

    def chains(self) -> Iterator[tuple[Ask, ...]]:
        """Iterate over groups of questions, each to be asked after the reply to the one before; most groups have one
        question."""
        self._tally.total = 0
        self._look_back()
        for row, case in self._dataset.shuffled(self._tally.bad_row, self._count):
            asks = []
            for bit, (world, telling) in enumerate(self._tellings):
                question = self._askable(row, case, world, telling)
                ask = question and self._left(Ask(row, case, world, telling, question), len(TELLINGS) * row + bit)
                if ask:
                    asks.append(ask)
                    if reason := "" if ask.unread else self._prompt.unfit(case, world, telling):
                        self._tally.unfit[reason] = self._tally.unfit.get(reason, 0) + 1
            if self._prompt.needs_fact:
                yield from self._after_their_fact(asks)
            else:
                for ask in asks:
                    yield from self._in_its_orders(ask)

    def _count(self, row: int, case: Case) -> None:
        """Count the questions of a case before any question is asked, so that an interrupted run knows the total."""
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
        """Return the question if the run can ask it, else None."""
        question = case.question(world, telling) if self._is_sampled(row) else None
        if question is None or self._lacks_picture(case, world, telling) or self._lacks_options(question):
            return None
        return question

    def _is_sampled(self, row: int) -> bool:
        return self._rows is None or row in self._rows

    def _lacks_options(self, question: Question) -> bool:
        return self._ranked and not offered(question, ranked=True)

    def _lacks_picture(self, case: Case, world: World, telling: Telling) -> bool:
        """Whether the question needs a picture, and the case has neither a picture nor a causal graph that describes
        it."""
        prompt = self._prompt.of(world)
        if not (self._needs_picture and prompt.picture) or case.picture(world, telling) is not None:
            return False
        if case.text_only:
            return False
        return not (prompt.tells_graph and graph_in_words(case.graph))

    def _look_back(self) -> None:
        """Read the state of all answers from the journal; if two are equal, the first counts, as in scoring."""
        self._tally.forget_spending()
        for place, reply in self._run.placed_replies(self._damaged):
            self._tally.spend(reply.tokens_in, reply.tokens_out, reply.cost)  # includes replaced replies
            if not 0 <= reply.row < self._dataset.lines:
                continue
            at = len(TELLINGS) * reply.row + TELLINGS.index((reply.world, reply.telling))
            standing = _standing(reply)
            # Of failed replies the last counts: it has all orders that were answered.
            if standing > self._standing[at] or standing == self._standing[at] == _FAILED:
                self._standing[at] = standing
                if self._places is not None and standing != _RESTATED:
                    self._places[at] = place
                if standing == _CUT_OR_EMPTY and not self._tally.answered:  # others are already counted
                    self._doubtful[at] = place
        for reply in answered_orders(self._run):
            at = len(TELLINGS) * reply.row + TELLINGS.index((reply.world, reply.telling))
            if 0 <= reply.row < self._dataset.lines and self._standing[at] <= _FAILED and reply.orders:
                self._orders.setdefault(at, {})[reply.orders[0].places] = reply
        meant, each = self._standing, len(TELLINGS)
        if self._rows is not None:
            meant = bytearray().join(meant[each * row : each * (row + 1)] for row in self._rows)
        self._tally.failed_before = meant.count(_FAILED)
        settled = {_CUT_OR_EMPTY, _SAID, _RESTATED} - {self._suspect}
        self._tally.before = sum(map(meant.count, settled)) - self._tally.answered

    def _left(self, ask: Ask, at: int) -> Ask | None:
        """Return the question if it has no answer yet or is to be asked again, else None."""
        standing = self._standing[at]
        if standing <= self._asked_at_most:
            return ask
        if standing == _FAILED:
            return None
        if standing != self._suspect:
            self._count_amiss(ask, at)
            return None
        reply = self._reply(at)
        if reply is None or status_of(reply, ask.question, self._prompt.of(ask.world).reads).status != self._again:
            self._tally.before += 1
            self._count_amiss(ask, at)
            return None
        return replace(ask, unread=reply) if self._again == "unread" else ask

    def _count_amiss(self, ask: Ask, at: int) -> None:
        """Count a cut or empty reply of an earlier process that is not asked for again."""
        reply = self._run.reply_at(self._doubtful[at]) if at in self._doubtful else None
        if reply is not None:
            self._tally.count_amiss(status_of(reply, ask.question, self._prompt.of(ask.world).reads).status)

    def _reply(self, at: int) -> Reply | None:
        """Return the reply that counts for a question, answered or failed, or None."""
        return self._run.reply_at(self._places[at]) if self._places is not None and self._standing[at] else None

    def _after_their_fact(self, asks: list[Ask]) -> Iterator[tuple[Ask, ...]]:
        """Chain the question about the change to the factual question, or add the factual reply if there is one."""
        told = {(ask.world, ask.telling): ask for ask in asks}
        fact, imagined = told.get(FACT), told.get(IMAGINED)
        if fact and imagined and not fact.unread:
            yield told.pop(FACT), told.pop(IMAGINED)
        elif imagined:
            told[IMAGINED] = replace(imagined, fact=self._reply(len(TELLINGS) * imagined.row))
        for ask in told.values():
            yield (ask,)

    def _in_its_orders(self, ask: Ask) -> Iterator[tuple[Ask, ...]]:
        """Iterate over the question in each order of its options that has no answer yet, or no readable one."""
        prompt = self._prompt.of(ask.world)
        if prompt.orders == "one" or ask.question.kind != "choice":
            yield (ask,)
            return
        orders = orders_of(len(ask.question.options), prompt.orders)
        at = len(TELLINGS) * ask.row + TELLINGS.index((ask.world, ask.telling))
        there = ask.unread or self._reply(at)
        texts = {order.places: order.text for order in there.orders} if there else {}
        asks = {places: _in_order(ask, places, texts.get(places, "")) for places in orders}
        said = {
            places: asks[places].reply(text=text, finish="stop", attempts=0, restates="")
            for places, text in texts.items()
            if places in asks and (not ask.unread or _has_answer(text, asks[places].question, prompt))
        }
        if not ask.unread:  # orders of a failed question were counted with it, so they take precedence
            said = {places: reply for places, reply in self._orders.pop(at, {}).items() if places in asks} | said
        if len(said) == len(orders):  # all orders were read, and they disagree
            self._tally.before += 1
            return
        gathering = Gathering(orders, said)
        for places in (places for places in orders if places not in said):
            yield (replace(asks[places], gathering=gathering),)

    def _damaged(self) -> None:
        self._tally.damaged += 1


def _standing(reply: Reply) -> int:
    if reply.state == "failed":
        return _FAILED
    if reply.restates:
        return _RESTATED
    return _CUT_OR_EMPTY if is_doubtful(reply) else _SAID


def _in_order(ask: Ask, places: Places, text: str) -> Ask:
    """Return the question with its options in another order, with the unread reply to that order if there is one."""
    options = tuple(ask.question.options[place] for place in places)
    question = replace(ask.question, options=options)
    unread = replace(ask.unread, text=text, orders=()) if ask.unread else None
    return replace(ask, question=question, places=places, unread=unread)


def _has_answer(text: str, question: Question, prompt: Prompt) -> bool:
    return answer_in(text, question, prompt.reads) is not None
