"""Build a dataset of pairs: sources, a writer, checks, and a folder that is created completely or not at all."""

import asyncio
import logging
import re
import shutil
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Final

import msgspec

from countersight import __version__
from countersight.authoring.counting import GrammarWriter
from countersight.authoring.funnel import REJECTED, Funnel, write_funnel
from countersight.authoring.model_checker import ANSWERED_BLIND, NOT_DERIVED, VOTES, PairChecker
from countersight.authoring.model_writer import ModelWriter
from countersight.authoring.pairing import Pair, PairBuilder, Pairs
from countersight.authoring.sources import GROUPS, Group, Rejected, SourceQuestion, read_sources
from countersight.authoring.vocabulary import ASPECTS
from countersight.blindness import card_section
from countersight.case import LETTERS, AnswerKind, Case, Option, Question
from countersight.dataset import DatasetWriter, published_file
from countersight.engine import ReplyStore, RetryPolicy, Stopped, StoredModel, blocking, read_journal
from countersight.errors import CountersightError
from countersight.models import MODELS, ModelSettings, open_model
from countersight.random_choice import balanced_answer
from countersight.suggestions import unknown
from countersight.suites import find_suite, supposed, with_pictures
from countersight.suites.cfmm import NAME as CFMM
from countersight.suites.cvqa import REAL_NAME
from countersight.text import several

_log = logging.getLogger(__name__)


AMBIGUOUS = 0.8
"""The minimum agreement among annotators for CFMM, whose two options allow no other answer."""
ANSWERS = "answers.jsonl"
GRAMMAR = "grammar"
NO_MODEL = "none"
_TITLES = {"cvqa": "C-VQA-Real, built", CFMM: "CFMM, built"}
SUITE_NAMES: Final[dict[str, str]] = {"cvqa": REAL_NAME, CFMM: CFMM}
"""The suite name in the cases of each benchmark that can be built."""


class BuildOrder(msgspec.Struct, frozen=True):
    """The settings of a build."""

    suite: str
    questions: Path
    output: Path
    annotations: Path | None = None
    pictures: Path | None = None
    writer: str = GRAMMAR
    groups: tuple[str, ...] = ()
    """The groups of questions to write; by default all groups of the suite that the writer supports."""
    size: int = 500
    seed: int = 0
    blind: str | None = None
    """The model that answers without the picture: by default the writer; "none" for no blind check."""

    @property
    def blind_model(self) -> str:
        """The model that answers without the picture, or "" if there is none."""
        if self.blind is None:
            return self.writer if self.writer != GRAMMAR else ""
        return "" if self.blind == NO_MODEL else self.blind

    @property
    def sizes(self) -> dict[Group, int]:
        """The number of pairs to build in each group, divided as evenly as possible."""
        possible = [group for group in GROUPS if (self.suite, group) != (CFMM, "direct")]
        if self.writer == GRAMMAR:
            possible = [group for group in possible if group == "direct"]
        groups = [group for group in possible if not self.groups or group in self.groups]
        whole, rest = divmod(self.size, max(1, len(groups)))
        return {group: whole + (place < rest) for place, group in enumerate(groups)}


class BuiltPairs(msgspec.Struct, frozen=True):
    """The result of a build."""

    cases: int
    rejected: int
    without_picture: int
    funnel: Funnel
    empty: tuple[Group, ...] = ()
    """Requested groups without any pair."""
    stopped: str = ""
    """Why the writer was stopped early, if it was."""


def build_dataset(
    order: BuildOrder, *, settings: ModelSettings, retry: RetryPolicy, progress: Callable[[int], None]
) -> BuiltPairs:
    """Build a dataset of pairs; repeating an interrupted build continues it without repeating answered requests."""
    _check_order(order)
    if order.output.exists() and (not order.output.is_dir() or any(order.output.iterdir())):
        raise CountersightError(f"{order.output} exists already; remove it or choose another name")
    found = [
        _checked(order, each) if isinstance(each, SourceQuestion) else each
        for each in read_sources(order.questions, order.annotations)
    ]
    models = {
        name: open_model(name, settings) for name in (order.writer, order.blind_model) if name not in ("", GRAMMAR)
    }
    folder = order.output.with_name(f"{order.output.name}.building")
    with ReplyStore(folder / ANSWERS).open() as store:

        async def make() -> Pairs:
            stop = asyncio.Event()
            stored = {name: StoredModel(model, store, retry, stop) for name, model in models.items()}
            try:
                is_model = order.writer != GRAMMAR
                writer = ModelWriter(stored[order.writer], order.seed) if is_model else GrammarWriter(order.seed)
                checker = PairChecker(stored[order.blind_model]) if order.blind_model else None
                builder = PairBuilder(writer, checker, seed=order.seed, is_model=is_model, progress=progress)
                with _stopped_by_signals(stop) if models else nullcontext():
                    return await builder.make(found, order.sizes)
            finally:
                for model in models.values():
                    await model.close()

        try:
            pairs = blocking(make)
        except Stopped:
            raise KeyboardInterrupt from None
        if not pairs.pairs:
            raise CountersightError(_why_no_pairs(order, pairs, folder))
        built = _write(order, pairs, folder)
    shutil.rmtree(folder, ignore_errors=True)
    return built


@contextmanager
def _stopped_by_signals(stop: asyncio.Event) -> Iterator[None]:
    """Make the first Ctrl-C or SIGTERM set `stop`; the second one has its usual effect."""
    loop = asyncio.get_running_loop()
    found = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    is_main = threading.current_thread() is threading.main_thread()  # only this thread may handle signals
    before = {number: handler for number, handler in found.items() if is_main and callable(handler)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def interrupt(number: int, frame: object) -> None:
        restore()
        loop.call_soon_threadsafe(stop.set)
        loop.call_soon_threadsafe(
            _log.warning, "stopping: waiting for requests in progress; Ctrl-C again abandons them"
        )

    for number in before:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        restore()


def _check_order(order: BuildOrder) -> None:
    """Raise an error for invalid settings, before any file is read."""
    if order.suite not in SUITE_NAMES:
        raise CountersightError(unknown("benchmark to build", order.suite, SUITE_NAMES))
    if order.writer != GRAMMAR and not MODELS.knows(order.writer):
        raise CountersightError(unknown("writer", order.writer, (GRAMMAR, *MODELS.usages())))
    for group in order.groups:
        if group not in GROUPS:
            raise CountersightError(
                f"{unknown('group', group, GROUPS)}; indirect questions cannot be built automatically: have people "
                "write them with `countersight collect`"
            )
    if not order.sizes:
        raise CountersightError(
            "there is nothing to write: the grammar writes how-many questions only, so specify a model with --writer "
            "for yes/no questions; CFMM has yes/no questions only, because shared options would reveal the answer to a "
            "how-many question"
        )
    if order.pictures is not None and not order.pictures.is_dir():
        raise CountersightError(f"{order.pictures} is not a folder; specify the folder that contains the pictures")


def _checked(order: BuildOrder, source: SourceQuestion) -> SourceQuestion | Rejected:
    """Return a source whose picture exists, if pictures are given; CFMM also excludes ambiguous answers."""
    if order.suite == CFMM and source.agreement < AMBIGUOUS:
        return Rejected(source.id, source.question, "", "ambiguous: too many people gave another answer")
    folder = _folder(order, source)
    if folder is None:
        return source
    places = (folder / sub / source.image for sub in ("", "val2014", "train2014"))
    is_there = bool(source.image) and any(place.is_file() for place in places)
    return source if is_there else Rejected(source.id, source.question, "", "no such picture")


def _folder(order: BuildOrder, source: SourceQuestion) -> Path | None:
    """Return the folder of a source's picture: the one in the order, or else the dataset of the question."""
    if source.text_only:
        return None
    return order.pictures or (order.questions if order.questions.is_dir() and source.is_stored else None)


def _write(order: BuildOrder, pairs: Pairs, folder: Path) -> BuiltPairs:
    questions = order.questions
    origin = (published_file(questions) if questions.is_dir() else "") or questions.name
    made: dict[str, str | int] = {"writer": order.writer, "seed": order.seed, "questions": origin}
    layout = find_suite(REAL_NAME).open_layout()
    without_picture = 0
    writer = DatasetWriter(
        order.output,
        name=_TITLES[order.suite],
        description=(
            f"Real questions about photographs, each with a counterfactual version written by {order.writer}. The "
            "pairs were checked automatically, but not yet verified by people."
        ),
        license="unknown",
        provenance={"suite": SUITE_NAMES[order.suite], **made, "countersight": __version__},
        sections=(card_section, lambda _: _blind_section(funnel)),
    )
    funnel = _funnel(order, pairs, folder)
    with writer:
        for number, pair in enumerate(pairs.pairs, start=1):
            case = _as_case(pair, number, suite=order.suite, provenance=made, seed=order.seed)
            pictures = _folder(order, pair.source)
            if pictures is not None:
                name = pair.source.image.removeprefix("" if order.pictures else "images/")
                inside = pictures if order.pictures else pictures / "images"
                case = with_pictures(case, layout, name, inside, writer.staging)
            writer.add(case)
            without_picture += case.image is None and not case.text_only
        write_funnel(writer.staging, funnel, pairs.rejected)
        if (folder / ANSWERS).stat().st_size:
            shutil.copyfile(folder / ANSWERS, writer.staging / ANSWERS)
    there = {pair.source.group for pair in pairs.pairs}
    empty = tuple(group for group, size in order.sizes.items() if size and group not in there)
    return BuiltPairs(len(pairs.pairs), len(pairs.rejected), without_picture, funnel, empty, pairs.stopped)


def _aspect(question: str) -> str:
    """Return the aspect of a yes/no question: color, direction, size, shape, or common if it needs common sense."""
    words = set(re.findall(r"[a-z]+", question.casefold()))
    return next((name for name, telling in ASPECTS.items() if words & telling), "common")


def _as_case(pair: Pair, number: int, *, suite: str, provenance: dict[str, str | int], seed: int) -> Case:
    """Return a pair as a case: with number or yes/no answers for C-VQA, with two shared options for CFMM."""
    source, draft = pair.source, pair.draft
    kind: AnswerKind = "number" if source.group == "direct" else "boolean"
    factual, counterfactual = (
        Question(source.question, source.answer, kind),
        Question(draft.question, draft.answer, kind),
    )
    group: str = source.group
    if suite == CFMM:
        group = _aspect(source.question)
        answers = (source.answer, draft.answer)
        shown = balanced_answer(
            (answers, answers[::-1]), f"{seed}/letters", number
        )  # the new answer is A as often as B
        options = tuple(map(Option, shown))
        factual, counterfactual = (
            Question(asked.text, LETTERS[shown.index(asked.answer)], "choice", options)
            for asked in (factual, counterfactual)
        )
    history = {
        "source": source.id,
        "img_path": source.image,
        "agreement": f"{source.agreement:g}",
        "operation": draft.operation,
        "pattern": draft.pattern,
        "unpolished": draft.unpolished,
    }
    return Case(
        id=f"{SUITE_NAMES[suite]}-built-{number:06d}",
        suite=SUITE_NAMES[suite],
        group=group,
        factual=factual,
        change=supposed(draft.question),
        counterfactual=counterfactual,
        provenance=provenance | {name: value for name, value in history.items() if value},
        text_only=source.text_only,
    )


def _funnel(order: BuildOrder, pairs: Pairs, folder: Path) -> Funnel:
    operations = Counter(pair.draft.operation for pair in pairs.pairs)
    replies = list(read_journal(folder / ANSWERS))  # including those of interrupted builds
    return Funnel(
        writer=order.writer,
        steps=pairs.steps,
        operations=tuple(operations.most_common()),
        patterns=len({pair.draft.pattern for pair in pairs.pairs}),
        cost=round(sum(reply.cost for reply in replies), 6),
        tokens_in=sum(reply.tokens_in for reply in replies),
        tokens_out=sum(reply.tokens_out for reply in replies),
        blind=order.blind_model,
        dropped_as_blind=sum(each.reason == ANSWERED_BLIND for each in pairs.rejected),
        dropped_as_underived=sum(each.reason == NOT_DERIVED for each in pairs.rejected),
    )


def _blind_section(funnel: Funnel) -> str:
    """Return the section of the card about the check by a model."""
    told = (
        "No model checked the pairs or tried to answer the questions without the pictures (`--blind none`, or "
        "`--writer grammar`)."
    )
    if funnel.blind:
        told = (
            f"`{funnel.blind}` worked out the new answers from the old ones, except the counts that a rule computes: "
            f"{_were(funnel.dropped_as_underived, 'pair')} left out because the model's answer was not the writer's. "
            f"Then it was asked each question {VOTES} times without the picture and the factual answer: "
            f"{_were(funnel.dropped_as_blind, 'question')} left out because it answered correctly every time. "
            f"What was left out is in `{REJECTED}`."
        )
    return f"## Check by a model\n\n{told}\n"


def _were(number: int, noun: str) -> str:
    return f"{several(number, noun)} {'was' if number == 1 else 'were'}"


def _why_no_pairs(order: BuildOrder, pairs: Pairs, folder: Path) -> str:
    """Return why no pair was built; if a model was used, also the cost and the file that lists all reasons."""
    reasons = Counter(each.reason for each in pairs.rejected).most_common(3)
    counted = ", ".join(f"{count:,} x {reason}" for reason, count in reasons) or "it contains no questions"
    why = pairs.stopped or f"no pair could be built from {order.questions}: {counted}"
    if not (folder / ANSWERS).stat().st_size:
        return why
    funnel = _funnel(order, pairs, folder)
    write_funnel(folder, funnel, pairs.rejected)
    spent = f" ({funnel.spent})" if funnel.spent else ""
    return f"{why}{spent}; the reasons are in {folder / REJECTED}"
