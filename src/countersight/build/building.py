"""Building a dataset of pairs: sources, a writer, checks, and a folder that appears whole."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from countersight import __version__
from countersight.blind import card_section
from countersight.build.answers import KeptModel, Plan, Workshop
from countersight.build.cases import NAMES, as_case
from countersight.build.drafts import Writer
from countersight.build.first_drafts import LOOKED_AT, FirstDrafts
from countersight.build.funnel import REJECTED, Funnel, write_funnel
from countersight.build.grammar import GrammarWriter
from countersight.build.last_drafts import LastDrafts
from countersight.build.model import BlindReader, ModelWriter
from countersight.build.pairing import Pairing, Pairs
from countersight.build.sources import GROUPS, Group, LeftOut, Source, read_sources
from countersight.dataset import DatasetWriter, published_file
from countersight.engine import Patience, blocking
from countersight.errors import CountersightError
from countersight.models import MODELS, Model, ModelSettings, open_text_model
from countersight.suites import SUITES, with_picture
from countersight.suites.cfmm import NAME as CFMM
from countersight.suites.cvqa import REAL_NAME
from countersight.text import unknown

AT_ONCE = 32
AMBIGUOUS = 0.8
"""For CFMM, whose two options leave no room for another answer, so many people have to agree."""
GRAMMAR = "grammar"
_TITLES = {"cvqa": "C-VQA-Real, built", CFMM: "CFMM, built"}


class Order(msgspec.Struct, frozen=True):
    """What is to be built."""

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


class Built(msgspec.Struct, frozen=True):
    """What came of it."""

    cases: int
    rejected: int
    without_picture: int
    funnel: Funnel
    empty: tuple[Group, ...] = ()
    """Groups that were asked for and of which there is no pair."""
    stopped: str = ""
    """Why the writer was stopped before its time, if it was."""


def build_dataset(
    order: Order, *, settings: ModelSettings, patience: Patience, progress: Callable[[int], None]
) -> Built:
    """Build a dataset of pairs; the same order goes on where it was stopped, and asks for nothing twice."""
    _refuse_nonsense(order)
    if order.output.exists() and (not order.output.is_dir() or any(order.output.iterdir())):
        raise CountersightError(f"{order.output} exists already; remove it or choose another name")
    found = _usable(order, list(read_sources(order.questions, order.annotations, order.captions)))
    models = {name: open_text_model(name, settings) for name in (order.writer, order.blind) if name and name != GRAMMAR}
    with Workshop(order.output, _plan(order)).open() as workshop:
        pairs = blocking(lambda: _pairs(order, found, models, workshop, patience, progress))
        if not pairs.pairs:
            raise CountersightError(_nothing_came(order, pairs, workshop))
        built = _write(order, pairs, workshop)
    workshop.remove()
    return built


def _refuse_nonsense(order: Order) -> None:
    """Say in a sentence, before anything is read, what cannot be built."""
    if order.suite not in NAMES:
        raise CountersightError(unknown("benchmark to build", order.suite, NAMES))
    if order.writer != GRAMMAR and not MODELS.knows(order.writer):
        raise CountersightError(unknown("writer", order.writer, (GRAMMAR, *MODELS.usages())))
    for group in order.groups:
        if group not in GROUPS:
            raise CountersightError(f"{unknown('group', group, GROUPS)}; indirect questions are written by people")
    if order.suite == CFMM and "boolean" not in order.groups:
        raise CountersightError(
            "CFMM's two options are shared by both questions: of a count they are the number before and after, and "
            "tell the answer without the picture; name the group boolean"
        )
    if not order.groups:
        raise CountersightError(f"no group is named; the groups are {', '.join(GROUPS)}")
    if order.pictures is not None and not order.pictures.is_dir():
        raise CountersightError(f"{order.pictures} is not a folder; name the one that holds the pictures")


def _usable(order: Order, found: list[Source | LeftOut]) -> list[Source | LeftOut]:
    """The sources whose picture is there, where pictures are given; for CFMM none that is doubted, and no counts."""
    return [_checked(order, each) if isinstance(each, Source) else each for each in found]


def _checked(order: Order, source: Source) -> Source | LeftOut:
    if order.suite == CFMM and source.group == "direct":
        return LeftOut(source.id, source.question, "a count: two options that both questions share would tell it")
    if order.suite == CFMM and source.agreement < AMBIGUOUS:
        return LeftOut(source.id, source.question, "ambiguous: too many gave another answer")
    folder = _folder(order, source)
    if folder is None:
        return source
    places = (folder / sub / source.image for sub in ("", "val2014", "train2014"))
    is_there = bool(source.image) and any(place.is_file() for place in places)
    return source if is_there else LeftOut(source.id, source.question, "no such picture")


def _folder(order: Order, source: Source) -> Path | None:
    """Where the picture of a source is looked for: where it was named, or in the dataset that holds it."""
    return order.pictures or (order.questions if order.questions.is_dir() and source.is_stored else None)


async def _pairs(
    order: Order,
    found: Sequence[Source | LeftOut],
    models: dict[str, Model],
    workshop: Workshop,
    patience: Patience,
    progress: Callable[[int], None],
) -> Pairs:
    try:
        writer: Writer = GrammarWriter(order.seed)
        if order.writer != GRAMMAR:
            writer = ModelWriter(KeptModel(models[order.writer], workshop, patience), order.seed)
        reader = BlindReader(KeptModel(models[order.blind], workshop, patience)) if order.blind else None
        at_once = 1 if order.writer == GRAMMAR else AT_ONCE
        first = FirstDrafts(is_over=order.writer == GRAMMAR or workshop.answered >= LOOKED_AT)
        last = LastDrafts(is_free=order.writer == GRAMMAR)
        pairing = Pairing(
            writer, seed=order.seed, at_once=at_once, reader=reader, first=first, last=last, progress=progress
        )
        return await pairing.make(found, _sizes(order))
    finally:
        for model in models.values():
            await model.close()


def _sizes(order: Order) -> dict[Group, int]:
    """How many pairs of each group, as even as can be."""
    asked_for = ("boolean",) if order.suite == CFMM else order.groups
    groups = [group for group in GROUPS if group in asked_for]
    whole, rest = divmod(order.size, len(groups))
    return {group: whole + (place < rest) for place, group in enumerate(groups)}


def _plan(order: Order) -> Plan:
    digest = hashlib.blake2b(digest_size=16)
    for file in (
        order.questions / "metadata.jsonl" if order.questions.is_dir() else order.questions,
        order.annotations,
    ):
        if file is not None:
            with open(file, "rb") as opened:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
    return Plan(
        order.suite,
        order.questions.name,
        digest.hexdigest(),
        order.writer,
        order.groups,
        order.size,
        order.seed,
        order.blind or "",
    )


def _write(order: Order, pairs: Pairs, workshop: Workshop) -> Built:
    made: dict[str, str | int] = {"writer": order.writer, "seed": order.seed, "questions": _origin(order.questions)}
    layout = SUITES[REAL_NAME].open_layout()
    without_picture = 0
    writer = DatasetWriter(
        order.output,
        name=_TITLES[order.suite],
        description="Real questions about photographs, each with a counterfactual one that was written by "
        f"{order.writer} and checked, but not yet verified by people.",
        license="unknown",
        provenance={"suite": NAMES[order.suite], **made, "countersight": __version__},
        sections=(card_section,),
    )
    with writer:
        for number, pair in enumerate(pairs.pairs, start=1):
            case = as_case(pair, number, suite=order.suite, provenance=made, seed=order.seed)
            folder = _folder(order, pair.source)
            if folder is not None:
                name = pair.source.image if order.pictures else pair.source.image.removeprefix("images/")
                case = with_picture(case, layout, name, folder if order.pictures else folder / "images", writer.staging)
            writer.add(case)
            without_picture += case.image is None
        funnel = _funnel(order, pairs, workshop)
        write_funnel(writer.staging, funnel, pairs.rejected)
        workshop.finish(writer.staging)
    there = {pair.source.group for pair in pairs.pairs}
    empty = tuple(group for group, size in _sizes(order).items() if size and group not in there)
    return Built(len(pairs.pairs), len(pairs.rejected), without_picture, funnel, empty, pairs.stopped)


def _origin(questions: Path) -> str:
    """Where the questions are from: the published file also of a dataset that was made of it."""
    return (published_file(questions) if questions.is_dir() else "") or questions.name


def _funnel(order: Order, pairs: Pairs, workshop: Workshop) -> Funnel:
    operations = Counter(pair.draft.operation for pair in pairs.pairs)
    cost, tokens_in, tokens_out = workshop.spent()
    return Funnel(
        writer=order.writer,
        steps=pairs.steps,
        operations=tuple(operations.most_common()),
        patterns=len({pair.draft.pattern for pair in pairs.pairs}),
        cost=round(cost, 6),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
    )


def _nothing_came(order: Order, pairs: Pairs, workshop: Workshop) -> str:
    """Why no pair came out; where answers were asked for, with their price, and the reasons beside them."""
    told = pairs.stopped or f"no pair came out of {order.questions}: {_commonest(pairs)}"
    if not workshop.is_begun:
        return told
    funnel = _funnel(order, pairs, workshop)
    write_funnel(workshop.path, funnel, pairs.rejected)
    spent = f" ({funnel.spent})" if funnel.spent else ""
    return f"{told}{spent}; the reasons are in {workshop.path / REJECTED}"


def _commonest(pairs: Pairs) -> str:
    reasons = Counter(each.reason for each in pairs.rejected).most_common(3)
    return ", ".join(f"{count:,} x {reason}" for reason, count in reasons) or "it holds no questions"
