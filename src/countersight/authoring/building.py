"""Build a dataset of pairs: sources, a writer, checks, and a folder that is created completely or not at all."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from countersight import __version__
from countersight.authoring.balance import Wordings
from countersight.authoring.counting import write_count
from countersight.authoring.drafts import REJECTED, Funnel, PairDraft, Writer, write_funnel
from countersight.authoring.model import FAULTED, TOLD_BLIND, VOTES, ModelWriter, PairChecker
from countersight.authoring.pairing import LOOKED_AT, DraftRecord, Pair, PairBuilder, Pairs
from countersight.authoring.sources import GROUPS, Group, LeftOut, SourceQuestion, read_sources
from countersight.authoring.store import BuildContext, BuildPlan, CachedModel
from countersight.authoring.vocabulary import ASPECTS
from countersight.authoring.yes_no import write_yes_no
from countersight.blindness import card_section
from countersight.case import LETTERS, AnswerKind, Case, Option, Question
from countersight.dataset import DatasetWriter, published_file
from countersight.engine import RetryPolicy, blocking
from countersight.errors import CountersightError
from countersight.models import MODELS, Model, ModelSettings, open_model
from countersight.random_choice import balanced
from countersight.suites import SUITES, supposed, with_picture
from countersight.suites.cfmm import NAME as CFMM
from countersight.suites.cvqa import REAL_NAME
from countersight.text import several, unknown


class GrammarWriter:
    """A writer without a model: the inverted composer for numbers, and negation for yes and no."""

    name = "grammar"

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._used = Wordings()

    async def write(self, source: SourceQuestion, wanted: tuple[str, ...]) -> PairDraft:
        """Return a counterfactual question; raises Unwritten if the grammar does not cover the question."""
        chance = Random(f"{self._seed}/{source.id}/{source.question}")
        if source.group == "boolean":
            return write_yes_no(source, chance)
        draft = write_count(source, wanted, self._used, chance)
        self._used.take(draft.pattern, draft.answer)
        return draft


def aspect(question: str, group: str) -> str:
    """Return the aspect of a question: count, color, direction, size, shape, or common if it needs common sense."""
    if group == "direct":
        return "count"
    words = set(re.findall(r"[a-z]+", question.casefold()))
    return next((name for name, telling in ASPECTS.items() if words & telling), "common")


SUITE_NAMES: Final[dict[str, str]] = {"cvqa": REAL_NAME, CFMM: CFMM}
"""The suite name in the cases of each benchmark that can be built."""


def as_case(pair: Pair, number: int, *, suite: str, provenance: dict[str, str | int], seed: int) -> Case:
    """Return the case of a pair: with a number or yes and no for C-VQA, with two shared options for CFMM."""
    source, draft = pair.source, pair.draft
    kind: AnswerKind = "number" if source.group == "direct" else "boolean"
    factual, counterfactual = (
        Question(source.question, source.answer, kind),
        Question(draft.question, draft.answer, kind),
    )
    group: str = source.group
    if suite == CFMM:
        group = aspect(source.question, source.group)
        options = _options(source.answer, draft.answer, f"{seed}/letters", number)
        factual, counterfactual = _choice(factual, options), _choice(counterfactual, options)
    return Case(
        id=f"{SUITE_NAMES[suite]}-built-{number:06d}",
        suite=SUITE_NAMES[suite],
        group=group,
        factual=factual,
        change=supposed(draft.told or draft.question),
        counterfactual=counterfactual,
        provenance=provenance | _provenance(pair),
    )


def _provenance(pair: Pair) -> dict[str, str | int]:
    """How the pair came about, for whoever verifies it."""
    told = {
        "source": pair.source.id,
        "img_path": pair.source.image,
        "agreement": f"{pair.source.agreement:g}",
        "operation": pair.draft.operation,
        "pattern": pair.draft.pattern,
        "unpolished": pair.draft.unpolished,
    }
    return {name: value for name, value in told.items() if value}


def _options(first: str, second: str, key: str, number: int) -> tuple[Option, Option]:
    """Two options, the right one of the changed world as often A as B."""
    a, b = balanced(((first, second), (second, first)), key, number)
    return Option(a), Option(b)


def _choice(question: Question, options: tuple[Option, Option]) -> Question:
    letter = LETTERS[[option.text for option in options].index(question.answer)]
    return Question(question.text, letter, "choice", options)


AT_ONCE = 32
AMBIGUOUS = 0.8
"""The agreement required for CFMM, whose two options leave no room for another answer."""
GRAMMAR = "grammar"
NO_MODEL = "none"
_TITLES = {"cvqa": "C-VQA-Real, built", CFMM: "CFMM, built"}


class BuildOrder(msgspec.Struct, frozen=True):
    """The settings of a build."""

    suite: str
    questions: Path
    output: Path
    annotations: Path | None = None
    captions: Path | None = None
    pictures: Path | None = None
    writer: str = GRAMMAR
    groups: tuple[str, ...] = GROUPS
    size: int = 500
    seed: int = 0
    blind: str | None = None
    """The model that is asked without the picture: by default the writer; "none" for no blind check."""

    @property
    def blind_model(self) -> str:
        """The model that is asked without the picture, or "" if none is."""
        if self.blind is None:
            return self.writer if self.writer != GRAMMAR else ""
        return "" if self.blind == NO_MODEL else self.blind


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
    """Build a dataset of pairs; repeating an interrupted order continues it and makes no request twice."""
    _refuse_nonsense(order)
    if order.output.exists() and (not order.output.is_dir() or any(order.output.iterdir())):
        raise CountersightError(f"{order.output} exists already; remove it or choose another name")
    found = _usable(order, list(read_sources(order.questions, order.annotations, order.captions)))
    models = {
        name: open_model(name, settings) for name in (order.writer, order.blind_model) if name not in ("", GRAMMAR)
    }
    with BuildContext(order.output, _plan(order)).open() as context:
        pairs = blocking(lambda: _pairs(order, found, models, context, retry, progress))
        if not pairs.pairs:
            raise CountersightError(_nothing_came(order, pairs, context))
        built = _write(order, pairs, context)
    context.remove()
    return built


def _refuse_nonsense(order: BuildOrder) -> None:
    """Say in a sentence, before anything is read, what cannot be built."""
    if order.suite not in SUITE_NAMES:
        raise CountersightError(unknown("benchmark to build", order.suite, SUITE_NAMES))
    if order.writer != GRAMMAR and not MODELS.knows(order.writer):
        raise CountersightError(unknown("writer", order.writer, (GRAMMAR, *MODELS.usages())))
    for group in order.groups:
        if group not in GROUPS:
            raise CountersightError(f"{unknown('group', group, GROUPS)}; indirect questions are written by people")
    if order.suite == CFMM and "boolean" not in order.groups:
        raise CountersightError(
            "the options of a counting question would reveal the answer, because in CFMM both questions share them; "
            "choose the group boolean"
        )
    if not order.groups:
        raise CountersightError(f"no group is given; the groups are {', '.join(GROUPS)}")
    if order.pictures is not None and not order.pictures.is_dir():
        raise CountersightError(f"{order.pictures} is not a folder; name the folder that contains the pictures")


def _usable(order: BuildOrder, found: list[SourceQuestion | LeftOut]) -> list[SourceQuestion | LeftOut]:
    """The sources whose picture is there, where pictures are given; for CFMM none that is doubted, and no counts."""
    return [_checked(order, each) if isinstance(each, SourceQuestion) else each for each in found]


def _checked(order: BuildOrder, source: SourceQuestion) -> SourceQuestion | LeftOut:
    if order.suite == CFMM and source.group == "direct":
        return LeftOut(source.id, source.question, "a counting question: two shared options would reveal the answer")
    if order.suite == CFMM and source.agreement < AMBIGUOUS:
        return LeftOut(source.id, source.question, "ambiguous: too many people gave another answer")
    folder = _folder(order, source)
    if folder is None:
        return source
    places = (folder / sub / source.image for sub in ("", "val2014", "train2014"))
    is_there = bool(source.image) and any(place.is_file() for place in places)
    return source if is_there else LeftOut(source.id, source.question, "no such picture")


def _folder(order: BuildOrder, source: SourceQuestion) -> Path | None:
    """Where the picture of a source is looked for: where it was named, or in the dataset that holds it."""
    return order.pictures or (order.questions if order.questions.is_dir() and source.is_stored else None)


async def _pairs(
    order: BuildOrder,
    found: Sequence[SourceQuestion | LeftOut],
    models: dict[str, Model],
    context: BuildContext,
    retry: RetryPolicy,
    progress: Callable[[int], None],
) -> Pairs:
    try:
        writer: Writer = GrammarWriter(order.seed)
        if order.writer != GRAMMAR:
            writer = ModelWriter(CachedModel(models[order.writer], context, retry), order.seed)
        checker = None
        if order.blind_model:
            checker = PairChecker(CachedModel(models[order.blind_model], context, retry))
        at_once = 1 if order.writer == GRAMMAR else AT_ONCE
        record = DraftRecord(is_free=order.writer == GRAMMAR, has_begun=context.answered >= LOOKED_AT)
        pairing = PairBuilder(
            writer, seed=order.seed, at_once=at_once, checker=checker, record=record, progress=progress
        )
        return await pairing.make(found, _sizes(order))
    finally:
        for model in models.values():
            await model.close()


def _sizes(order: BuildOrder) -> dict[Group, int]:
    """How many pairs of each group, as even as can be."""
    asked_for = ("boolean",) if order.suite == CFMM else order.groups
    groups = [group for group in GROUPS if group in asked_for]
    whole, rest = divmod(order.size, len(groups))
    return {group: whole + (place < rest) for place, group in enumerate(groups)}


def _plan(order: BuildOrder) -> BuildPlan:
    digest = hashlib.blake2b(digest_size=16)
    for file in (
        order.questions / "metadata.jsonl" if order.questions.is_dir() else order.questions,
        order.annotations,
    ):
        if file is not None:
            with open(file, "rb") as opened:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
    return BuildPlan(
        order.suite,
        order.questions.name,
        digest.hexdigest(),
        order.writer,
        order.groups,
        order.size,
        order.seed,
        order.blind_model,
    )


def _write(order: BuildOrder, pairs: Pairs, context: BuildContext) -> BuiltPairs:
    made: dict[str, str | int] = {"writer": order.writer, "seed": order.seed, "questions": _origin(order.questions)}
    layout = SUITES[REAL_NAME].open_layout()
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
    funnel = _funnel(order, pairs, context)
    with writer:
        for number, pair in enumerate(pairs.pairs, start=1):
            case = as_case(pair, number, suite=order.suite, provenance=made, seed=order.seed)
            folder = _folder(order, pair.source)
            if folder is not None:
                name = pair.source.image if order.pictures else pair.source.image.removeprefix("images/")
                case = with_picture(case, layout, name, folder if order.pictures else folder / "images", writer.staging)
            writer.add(case)
            without_picture += case.image is None
        write_funnel(writer.staging, funnel, pairs.rejected)
        context.finish(writer.staging)
    there = {pair.source.group for pair in pairs.pairs}
    empty = tuple(group for group, size in _sizes(order).items() if size and group not in there)
    return BuiltPairs(len(pairs.pairs), len(pairs.rejected), without_picture, funnel, empty, pairs.stopped)


def _origin(questions: Path) -> str:
    """Where the questions are from: the published file also of a dataset that was made of it."""
    return (published_file(questions) if questions.is_dir() else "") or questions.name


def _funnel(order: BuildOrder, pairs: Pairs, context: BuildContext) -> Funnel:
    operations = Counter(pair.draft.operation for pair in pairs.pairs)
    cost, tokens_in, tokens_out = context.spent()
    return Funnel(
        writer=order.writer,
        steps=pairs.steps,
        operations=tuple(operations.most_common()),
        patterns=len({pair.draft.pattern for pair in pairs.pairs}),
        cost=round(cost, 6),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        blind=order.blind_model,
        told_blind=sum(each.reason == TOLD_BLIND for each in pairs.rejected),
        faulted=sum(each.reason == FAULTED for each in pairs.rejected),
    )


def _blind_section(funnel: Funnel) -> str:
    """What the card says of the blind check."""
    if not funnel.blind:
        told = (
            "No model checked the pairs or tried to answer the questions without the pictures (`--blind none`, or "
            "`--writer grammar`)."
        )
    else:
        told = (
            f"`{funnel.blind}` was asked whether each supposition changes the scene, fits it, leads to the answer and "
            f"does not state it: {_were(funnel.faulted, 'pair')} left out for a fault. Then it was asked each "
            f"question {VOTES} times without the picture and the factual answer: "
            f"{_were(funnel.told_blind, 'question')} left out because it answered correctly every time. They are in "
            f"`{REJECTED}`."
        )
    return f"## Check by a model\n\n{told}\n"


def _were(number: int, noun: str) -> str:
    return f"{several(number, noun)} {'was' if number == 1 else 'were'}"


def _nothing_came(order: BuildOrder, pairs: Pairs, context: BuildContext) -> str:
    """Why no pair came out; where answers were asked for, with their price, and the reasons beside them."""
    told = pairs.stopped or f"no pair could be built from {order.questions}: {_commonest(pairs)}"
    if not context.is_begun:
        return told
    funnel = _funnel(order, pairs, context)
    write_funnel(context.path, funnel, pairs.rejected)
    spent = f" ({funnel.spent})" if funnel.spent else ""
    return f"{told}{spent}; the reasons are in {context.path / REJECTED}"


def _commonest(pairs: Pairs) -> str:
    reasons = Counter(each.reason for each in pairs.rejected).most_common(3)
    return ", ".join(f"{count:,} x {reason}" for reason, count in reasons) or "it contains no questions"
