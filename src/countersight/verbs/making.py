"""Verbs that end in a dataset: `make`, `build`, and `mine`, which finds what CELLO's is made of."""

from collections.abc import Callable, Sequence
from pathlib import Path

from countersight.build import GROUPS, Built, Order, build_dataset
from countersight.causal import Mined, mine_folder
from countersight.dataset import Dataset, hide
from countersight.engine import Patience
from countersight.errors import CountersightError, DatasetError
from countersight.models import ModelSettings
from countersight.progress import Progress, usual
from countersight.suites import Part, find_suite, secret_seed, whole_beside
from countersight.suites.cello import SIZE as CELLO_SIZE
from countersight.suites.cello import make_cello
from countersight.verb import before_room
from countersight.verbs.given import settings_of


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
    if source is not None and not Path(source).exists():
        raise DatasetError(f"there is no {source}; `source` is the published file, or what {suite} is made from")
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
            order, settings=settings_of(settings, ModelSettings()), patience=patience or Patience(16), progress=told
        )


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
