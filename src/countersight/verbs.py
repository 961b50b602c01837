"""What Countersight does, as functions: they take nouns, paths or names, and return nouns.

They print nothing, set no signal handlers and know no exit codes; those are the command line's. They work in a script,
in a thread and in a notebook.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias, TypeGuard, cast

from countersight.asking import Prompt, find_prompt
from countersight.audit import (
    BRIEF,
    USUAL,
    USUAL_CHECKERS,
    AuditPrompts,
    AuditTally,
    Intervene,
    Options,
    audit_dataset,
    find_prompts,
    finish,
)
from countersight.audit.signing import read_public_keys
from countersight.audit.verifying import Verified, verified
from countersight.blind import Blind, measure_dataset
from countersight.build import GROUPS, Built, Order, build_dataset, read_funnel
from countersight.causal import Mined, mine_folder
from countersight.dataset import Dataset, hide
from countersight.describe import Statistics
from countersight.describe import describe as describe_cases
from countersight.engine import Patience, Tally, blocking
from countersight.errors import CountersightError
from countersight.exchange import Export, Split, export_to
from countersight.exchange import import_run as bring_in
from countersight.leaderboard import LeaderboardFiles, write_leaderboard
from countersight.models import Function, FunctionModel, Loss, Model, ModelSettings
from countersight.models import open_model as open_by_name
from countersight.progress import Progress, counted, usual
from countersight.report import GroupsFile, ReportFiles, write_report
from countersight.results import Audit, Run
from countersight.runs import Answering, Way, ask_dataset, run_folders
from countersight.scoring import Scores, score_run
from countersight.suites import Part, find_suite, secret_seed, whole_beside
from countersight.suites.cello import SIZE as CELLO_SIZE
from countersight.suites.cello import make_cello
from countersight.suites.cvqa import NAME as CVQA_READING
from countersight.suites.cvqa import read_otherwise
from countersight.text import unknown
from countersight.verb import before_room

SomeDataset: TypeAlias = Dataset | Path | str
SomeModel: TypeAlias = Model | Function | str
SomeRun: TypeAlias = Run | Path | str


def make(
    suite: str,
    out: Path | str,
    *,
    size: int | None = None,
    seed: int | None = None,
    source: Path | str | None = None,
    pictures: Path | str | None = None,
    beside: Path | str | None = None,
    sample: float | None = None,
    keep_doubled: bool = False,
    controls: bool = False,
    hidden: Path | str | None = None,
    workers: int | None = None,
    ray: str = "",
    progress: Progress | None = None,
    on_bad: Callable[[int, str, str], None] | None = None,
) -> Dataset:
    """Make a dataset, or import a published one from its file (`source`) and the folder of its `pictures`.

    `beside` is the second file of a suite that has one (annotations, kinds). Of a file `size` cases, or the share
    `sample`, are drawn by chance; `keep_doubled` keeps CoSIm's cases whose right answer stands there twice.
    A row that is no case is told to `on_bad`. For "cello" the source may also be a folder that `mine` made.
    With `controls` (cvqa-synthetic), every case is followed by one whose change does not touch what is asked.
    `hidden` names a new file, the key, that has the right answers: the dataset does not.
    So many `workers` of this machine draw, or the machines of the `ray` cluster at an address.
    """
    if size is not None and (not isinstance(size, int) or size < 1):
        raise CountersightError(f"size is how many cases, a whole number from 1 on, not {size!r}")
    if hidden is not None:
        with whole_beside(Path(out), Path(hidden)) as (whole, folder):
            made_whole = make(
                suite,
                whole,
                size=size,
                seed=secret_seed(seed),
                source=source,
                pictures=pictures,
                beside=beside,
                sample=sample,
                keep_doubled=keep_doubled,
                controls=controls,
                workers=workers,
                ray=ray,
                progress=progress,
                on_bad=on_bad,
            )
            hide(made_whole, folder, Path(hidden))
        return Dataset.open(out)
    seed = seed or 0
    made = find_suite(suite)
    folder = Path(out)
    if source is None:
        if sample is not None or keep_doubled:
            raise CountersightError("sample and keep_doubled go with source, the file that is imported")
        if controls and suite != "cvqa-synthetic":
            raise CountersightError("controls go with cvqa-synthetic as we make it")
        own = {"controls": True} if controls else {}
        made.make(folder, size=size, seed=seed, workers=workers, ray=ray, progress=progress or usual(), **own)
    elif suite == "cello" and Path(source).is_dir():
        _make_cello(Path(source), folder, size or CELLO_SIZE, seed, progress or usual(), on_bad)
    else:
        made.read(
            Path(source),
            folder,
            pictures=Path(pictures) if pictures else None,
            beside=Path(beside) if beside else None,
            part=Part(size, sample, seed) if size or sample else None,
            **({"keep_doubled": True} if keep_doubled else {}),
            on_bad=on_bad or (lambda line, field, reason: None),
        )
    return Dataset.open(folder)


def _make_cello(
    mined: Path,
    folder: Path,
    size: int,
    seed: int,
    progress: Progress,
    on_bad: Callable[[int, str, str], None] | None,
) -> None:
    with progress("Writing", size, "cases") as told:
        make_cello(
            mined,
            folder,
            size=size,
            seed=seed,
            model=None,
            on_bad=on_bad or (lambda line, field, reason: None),
            progress=told,
        )


@before_room
def build(
    suite: str,
    questions: Path | str,
    out: Path | str,
    *,
    annotations: Path | str | None = None,
    captions: Path | str | None = None,
    pictures: Path | str | None = None,
    writer: str = "grammar",
    groups: Sequence[str] = GROUPS,
    size: int = 500,
    seed: int = 0,
    blind: str | None = None,
    settings: ModelSettings | None = None,
    patience: Patience | None = None,
    progress: Progress | None = None,
) -> Built:
    """Write counterfactual questions for real ones and check them: pairs for "cvqa" or "cfmm", by a grammar or a model.

    The same call goes on where it was stopped, and pays for no answer twice.
    """
    order = Order(
        suite=suite,
        questions=Path(questions),
        output=Path(out),
        annotations=Path(annotations) if annotations else None,
        captions=Path(captions) if captions else None,
        pictures=Path(pictures) if pictures else None,
        writer=writer,
        groups=tuple(groups),
        size=size,
        seed=seed,
        blind=blind,
    )
    with (progress or usual())("Writing", size, "pairs") as told:
        return build_dataset(
            order, settings=settings or ModelSettings(), patience=patience or Patience(16), progress=told
        )


@before_room
def blind(dataset: SomeDataset, *, runs: Iterable[SomeRun] = ()) -> Blind:
    """What a dataset gives away to somebody who does not look: probes of text, options and templates beside chance.

    `runs` asked models the same questions without the pictures (`prompt="text-only"`): each is one probe more.
    """
    return measure_dataset(_dataset(dataset), runs=[_run(run) for run in runs])


@before_room
def describe(dataset: SomeDataset) -> Statistics:
    """What is in a dataset: how many cases, how long the questions are, which answers are right how often."""
    opened = _dataset(dataset)
    return describe_cases((case for _, case in opened.cases()), read_funnel(opened.path))


def open_model(model: SomeModel, settings: ModelSettings | None = None, *, name: str = "") -> Model:
    """A model by its name, or a function `(picture, question) -> str` as one; a model stays what it is."""
    if isinstance(model, str):
        return open_by_name(model, settings or ModelSettings())
    return model if _is_model(model) else FunctionModel(cast("Function", model), name)


async def run_async(
    dataset: SomeDataset,
    model: SomeModel,
    *,
    out: Path | str,
    name: str = "",
    prompt: Prompt | str = "0-shot",
    shown: bool = False,
    answering: Answering = "generate",
    loss: Loss = "mean",
    shots_from: SomeDataset | None = None,
    settings: ModelSettings | None = None,
    patience: Patience = Patience(),  # noqa: B008 - frozen
    stop: asyncio.Event | None = None,
    progress: Progress | None = None,
) -> Run:
    """Ask a model every question of a dataset that has no answer yet; a run that is there already is taken up."""
    if answering not in ("generate", "rank"):
        raise CountersightError(f"answering is generate or rank, not {answering!r}")
    opened = _dataset(dataset)
    way = prompt if isinstance(prompt, Prompt) else find_prompt(prompt)
    chosen = settings or ModelSettings(max_tokens=way.max_tokens, loss=loss)
    asked, tally = open_model(model, chosen, name=name), Tally()
    pool = _dataset(shots_from) if shots_from is not None else None
    with counted(progress or usual(), f"Asking {asked.name}", "questions", lambda: (tally.done, tally.total)):
        folder = await ask_dataset(
            opened,
            Path(out),
            asked,
            Way(way, shown, answering, chosen.loss, chosen.seed),
            patience=patience,
            pool=pool,
            tally=tally,
            stop=stop,
        )
    return Run.open(folder.path)


def run(
    dataset: SomeDataset,
    model: SomeModel,
    *,
    out: Path | str,
    name: str = "",
    prompt: Prompt | str = "0-shot",
    shown: bool = False,
    answering: Answering = "generate",
    loss: Loss = "mean",
    shots_from: SomeDataset | None = None,
    settings: ModelSettings | None = None,
    patience: Patience = Patience(),  # noqa: B008 - frozen
    progress: Progress | None = None,
) -> Run:
    """Ask a model every question of a dataset that has no answer yet; a run that is there already is taken up."""
    return blocking(
        lambda: run_async(
            dataset,
            model,
            out=out,
            name=name,
            prompt=prompt,
            shown=shown,
            answering=answering,
            loss=loss,
            shots_from=shots_from,
            settings=settings,
            patience=patience,
            progress=progress,
        )
    )


def score(run: SomeRun, *, dataset: Path | None = None, gold: Path | str | None = None) -> Scores:
    """Accuracy in each world, the drop between them, and the rest; `gold` has answers that were corrected since."""
    return score_run(_run(run), dataset=dataset, gold=gold)


@before_room
def report(
    runs: SomeRun | Sequence[SomeRun],
    *,
    out: Path | str = "report",
    dataset: Path | None = None,
    gold: Path | None = None,
    gallery: int = 3000,
    seed: int = 0,
    reference: Sequence[str] | None = None,
    groups: GroupsFile | None = None,
    reading: str | None = None,
    progress: Progress | None = None,
) -> ReportFiles:
    """Write tables and a page about runs of one dataset; says where they are.

    `reading="cvqa"` sets a table beside the others in which C-VQA's plain rules read the replies.
    """
    paths = [_run(each).path for each in _several(runs)]
    if reading not in (None, CVQA_READING):
        raise CountersightError(unknown("reading", str(reading), [CVQA_READING]))
    return write_report(
        paths,
        Path(out),
        dataset=dataset,
        gold=gold,
        gallery=gallery,
        seed=seed,
        reference=reference,
        groups=groups,
        readings=[read_otherwise(paths, dataset=dataset, gold=gold)] if reading else (),
        progress=progress or usual(),
    )


@before_room
def leaderboard(
    runs: SomeRun | Sequence[SomeRun],
    *,
    out: Path | str = "leaderboard",
    datasets: Sequence[Path] = (),
    gold: Path | None = None,
) -> LeaderboardFiles:
    """Write one page about runs of whatever suites, beside what papers report; says where it is."""
    return write_leaderboard([_run(each).path for each in _several(runs)], Path(out), datasets=datasets, gold=gold)


async def audit_async(
    dataset: SomeDataset,
    model: SomeModel,
    *,
    extractor: str,
    editor: str = "",
    judges: Sequence[str],
    out: Path | str,
    name: str = "",
    prompts: AuditPrompts | str | None = None,
    cases: int | None = None,
    concepts: int = 1,
    votes: int = 1,
    control: Literal["", "nothing", "uncited", "both"] = "",
    intervene: Intervene = "picture",
    strength: int = 1,
    checkers: Sequence[str] = USUAL_CHECKERS,
    settings: ModelSettings | None = None,
    patience: Patience = Patience(),  # noqa: B008 - frozen
    stop: asyncio.Event | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Test whether a model's explanations are what its answers hang on (EDCT); an audit that is there is taken up."""
    if isinstance(judges, str) or not judges:
        raise CountersightError("judges is a list of at least one name, such as ['exact']")
    if cases is not None and cases < 1:
        raise CountersightError("cases is 1 or more; leave it out for all of them")
    words = prompts or (BRIEF if extractor == "rules" else USUAL)
    chosen = settings or ModelSettings(max_tokens=2048)
    watch, tally, stopped = progress or usual(), AuditTally(), stop or asyncio.Event()
    options = Options(
        model=open_model(model, chosen, name=name),
        extractor=extractor,
        editor=editor,
        judges=tuple(judges),
        prompts=words if isinstance(words, AuditPrompts) else find_prompts(words),
        votes=votes,
        concepts=concepts,
        control=control in ("nothing", "both"),
        uncited=control in ("uncited", "both"),
        intervene=intervene,
        strength=strength,
        checkers=tuple(checkers),
        cases=cases,
        settings=chosen,
        patience=patience,
    )
    with counted(watch, "Auditing", "steps", lambda: (tally.done, tally.total)):
        await audit_dataset(_dataset(dataset), Path(out), options, tally, stopped)
    if not stopped.is_set():
        await asyncio.to_thread(finish, Path(out), progress=watch)
    return Audit.open(out)


@before_room
def audit(
    dataset: SomeDataset,
    model: SomeModel,
    *,
    extractor: str,
    editor: str = "",
    judges: Sequence[str],
    out: Path | str,
    name: str = "",
    prompts: AuditPrompts | str | None = None,
    cases: int | None = None,
    concepts: int = 1,
    votes: int = 1,
    control: Literal["", "nothing", "uncited", "both"] = "",
    intervene: Intervene = "picture",
    strength: int = 1,
    checkers: Sequence[str] = USUAL_CHECKERS,
    settings: ModelSettings | None = None,
    patience: Patience = Patience(),  # noqa: B008 - frozen
    progress: Progress | None = None,
) -> Audit:
    """Test whether a model's explanations are what its answers hang on (EDCT); an audit that is there is taken up."""
    return blocking(
        lambda: audit_async(
            dataset,
            model,
            extractor=extractor,
            editor=editor,
            judges=judges,
            out=out,
            name=name,
            prompts=prompts,
            cases=cases,
            concepts=concepts,
            votes=votes,
            control=control,
            intervene=intervene,
            strength=strength,
            checkers=checkers,
            settings=settings,
            patience=patience,
            progress=progress,
        )
    )


def verify(audit: Audit | Path | str, *, seal: str = "", key: str = "") -> Verified:
    """Find whatever of a finished audit was altered, is missing or does not follow: `.sound`, `.findings`."""
    keys = read_public_keys(key) if key else ()
    return verified(_folder(audit, Audit), seal, keys=keys)


def mine(graphs: Path | str, out: Path | str, *, images: Path | str | None = None, ray: str = "") -> Mined:
    """Find the causal graphs in scene graphs (CELLO); `make("cello", …, source=out)` asks about them.

    With the address of a `ray` cluster its machines look for them, and this one writes.
    """
    return mine_folder(
        Path(graphs),
        Path(out),
        pictures=Path(images) if images else None,
        on_malformed=lambda what: None,
        on_read=lambda done: None,
        ray=ray,
    )


def export(
    source: "SomeDataset | SomeRun | Audit",
    out: Path | str,
    *,
    to: str = "cvqa",
    split: Split = "train",
    yes_train_on_test: bool = False,
    rai: Path | str | None = None,
) -> int:
    """Write a dataset, a run or an audit in the format of another tool; how many cases, questions or samples it has.

    Files for training hold the pictures of one `split`; those that are there to test with are refused. `rai` is a file
    of what people know of the dataset, for Croissant.
    """
    folder = Path(source) if isinstance(source, Path | str) else source.path
    facts = Path(rai) if rai else None
    order = Export(folder, Path(out), split=split, train_on_test=yes_train_on_test, facts=facts)
    return export_to(to, order).count


def import_run(
    path: Path | str,
    dataset: SomeDataset,
    out: Path | str,
    *,
    tool: str,
    model: str = "",
    on_bad: Callable[[str], None] | None = None,
) -> Run:
    """Bring answers that were got with another tool in as a run; `model` names who answered where the file does not.

    What cannot be read of it is told to `on_bad`.
    """
    come = bring_in(tool, path, _dataset(dataset), out, model=model, on_bad=on_bad or (lambda reason: None))
    return Run.open(come.run.path)


def _is_model(model: "Model | Function") -> TypeGuard[Model]:
    return hasattr(model, "reply")


def _dataset(dataset: SomeDataset) -> Dataset:
    return dataset if isinstance(dataset, Dataset) else Dataset(_folder(dataset, Dataset))


def _run(run: SomeRun) -> Run:
    return run if isinstance(run, Run) else Run(_folder(run, Run))


def _folder(given: "Dataset | Run | Audit | Path | str", noun: "type[Dataset | Run | Audit]") -> Path:
    """The folder of a noun, or the path that names it."""
    if isinstance(given, noun):
        return given.path
    if isinstance(given, Path | str):
        return Path(given)
    name = noun.__name__
    article = "an" if name[0] in "AEIOU" else "a"
    raise CountersightError(f"here stands {article} {name} or the path of its folder, not {type(given).__name__}")


def _several(runs: "SomeRun | Sequence[SomeRun]") -> Iterator[SomeRun]:
    """Each run; of a folder in which everything was asked several times, all."""
    for run in [runs] if isinstance(runs, Run | Path | str) else runs:
        yield from [run] if isinstance(run, Run) else run_folders(Path(run))
