"""CELLO, made: causal cases out of a folder of mined causal graphs."""

import asyncio
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from countersight import __version__
from countersight.case import Case
from countersight.causal.cases import SUITE, Drafted
from countersight.causal.graph import CausalGraph
from countersight.causal.mined import GRAPHS
from countersight.causal.mined import IMAGES as MINED_IMAGES
from countersight.causal.sampling import Pool, sample
from countersight.causal.soundness import fault, settled
from countersight.causal.tasks import TASKS
from countersight.dataset import DatasetWriter
from countersight.errors import CountersightError
from countersight.models.protocol import Model
from countersight.picture import MAX_BYTES
from countersight.suites.importing import IMAGES, OnBad
from countersight.suites.supposing import supposed

PER_TASK = 100
"""Cases of each task, as published for testing (CELLO 5.1)."""
SIZE = PER_TASK * len(TASKS)
_PICTURE_KINDS = (".jpg", ".jpeg", ".png", ".webp")
_MAX_LINE = 1 << 20
_decoder = msgspec.json.Decoder(CausalGraph)


class Made(msgspec.Struct, frozen=True):
    """What came of the graphs."""

    graphs: int
    bad: int
    asked_about: int
    """Graphs that can be asked about without doubt."""
    cases: int
    by_task: dict[str, int]
    without_picture: int
    worded: int
    """Questions that a language model worded; the others are from templates."""


def make_dataset(
    mined: Path,
    folder: Path,
    *,
    per_task: int,
    seed: int,
    model: Model | None,
    on_bad: OnBad,
    progress: Callable[[int], None],
) -> Made:
    """Sample a balanced dataset from a mined folder into a new dataset folder, worded by a model where one is given.

    A bad line is told to `on_bad` and left out. A case whose picture is not in the mined folder has none.
    """
    if not (mined / GRAPHS).is_file():
        raise CountersightError(f"{mined} holds no {GRAPHS}; make it with: countersight mine GRAPHS -o {mined}")
    writer = DatasetWriter(
        folder,
        name=SUITE,
        description="Causal questions after CELLO, twelve tasks on four rungs, made by Countersight from causal graphs "
        "in scene graphs. A case without a picture is asked by its text and its graph alone.",
        license="unknown",
        provenance={
            "suite": SUITE,
            "mined": mined.name,
            "per_task": per_task,
            "seed": seed,
            "countersight": __version__,
        },
    )
    with writer:
        reading = _Reading(mined / GRAPHS, on_bad)
        pool = Pool(seed, per_task)
        for graph in settled(reading):
            pool.add(graph)
        drafts = list(sample(pool, per_task=per_task, seed=seed))
        if not drafts:
            raise CountersightError(f"{mined} holds no causal graph that can be asked about; nothing was made")
        cases = _worded(drafts, model, progress)
        pictures = _Pictures(mined / MINED_IMAGES, writer.staging)
        for drafted, case in zip(drafts, cases, strict=True):
            asked = case.counterfactual
            assert asked is not None
            image = pictures.copied(drafted.graph.image)
            writer.add(msgspec.structs.replace(case, change=supposed(asked.text), image=image))
        made = Counter(drafted.task.name for drafted in drafts)
        return Made(
            graphs=reading.read,
            bad=reading.bad,
            asked_about=pool.seen,
            cases=len(cases),
            by_task={name: made[name] for name in TASKS},
            without_picture=pictures.missing,
            worded=sum(case.provenance["wording"] != "template" for case in cases),
        )


def _worded(drafts: list[Drafted], model: Model | None, progress: Callable[[int], None]) -> list[Case]:
    if model is None:
        return [drafted.case for drafted in drafts]
    from countersight.causal.rewording import reword_all

    async def worded() -> list[Case]:
        try:
            return await reword_all(model, drafts, progress=progress)
        finally:
            await model.close()

    return asyncio.run(worded())


class _Reading:
    """The graphs of a file, counted; what is no graph is told by its line and left out."""

    def __init__(self, path: Path, on_bad: OnBad) -> None:
        self.read = self.bad = 0
        self._path = path
        self._on_bad = on_bad

    def __iter__(self) -> Iterator[CausalGraph]:
        for line, graph in _lines(self._path):
            if isinstance(graph, CausalGraph):
                self.read += 1
                yield graph
            else:
                self.bad += 1
                self._on_bad(line, "graph", graph)


def _lines(path: Path) -> Iterator[tuple[int, CausalGraph | str]]:
    """The graphs of a file with their lines; what is no graph comes as what is wrong with it."""
    with open(path, "rb") as file:
        number = 0
        while line := file.readline(_MAX_LINE + 1):
            number += 1
            if len(line) > _MAX_LINE:
                while not line.endswith(b"\n") and (line := file.readline(_MAX_LINE)):
                    pass
                yield number, f"is longer than {_MAX_LINE:,} bytes"
            elif not line.isspace():
                yield number, _graph(line)


def _graph(line: bytes) -> CausalGraph | str:
    try:
        graph = _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return f"is no causal graph ({error})"
    return fault(graph) or graph


class _Pictures:
    """Copies the pictures of a mined folder, each once."""

    def __init__(self, source: Path, staging: Path) -> None:
        self.missing = 0
        self._source = source
        self._staging = staging
        self._names: dict[str, str | None] = {}

    def copied(self, image: str) -> str | None:
        """The name of a picture inside the dataset, or None where the mined folder has no such picture."""
        if image not in self._names:
            self._names[image] = self._copy(image)
        name = self._names[image]
        self.missing += name is None
        return name

    def _copy(self, image: str) -> str | None:
        if not image or image.startswith(".") or any(sign in image for sign in "/\\:\0"):
            return None
        for kind in _PICTURE_KINDS:
            file = self._source / f"{image}{kind}"
            if file.is_file() and file.stat().st_size <= MAX_BYTES:
                name = f"{IMAGES}{file.name}"
                shutil.copyfile(file, self._staging / name)
                return name
        return None
