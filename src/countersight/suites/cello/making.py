"""Generate CELLO: causal cases from a folder of mined causal graphs."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from countersight import __version__
from countersight.blindness import card_section
from countersight.causal import IMAGES as MINED_IMAGES
from countersight.causal import CausalGraph, Knowledge, find_picture, read_graphs, select_graphs
from countersight.dataset import DatasetWriter
from countersight.errors import CountersightError
from countersight.models import Model
from countersight.progress import Progress
from countersight.suites.cello.card import divisions, source_of
from countersight.suites.cello.rewording import replies_folder, reword_all
from countersight.suites.cello.sampling import Pool, sample
from countersight.suites.cello.suite import NAME
from countersight.suites.cello.tasks.definitions import TASKS
from countersight.suites.generated import WORDINGS
from countersight.suites.importing import OnBad
from countersight.suites.picture_files import IMAGES
from countersight.suites.supposing import supposed
from countersight.text import unknown

PER_TASK = 100
"""Cases per task, as in the published test set (CELLO 5.1)."""
SIZE = PER_TASK * len(TASKS)


class CelloMade(msgspec.Struct, frozen=True):
    """The result of generating cases."""

    graphs: int
    bad: int
    asked_about: int
    """Graphs that allow unambiguous questions."""
    cases: int
    wanted: int
    """The requested number of cases of each task."""
    by_task: dict[str, int]
    without_picture: int
    worded: int
    """Questions worded by a language model; the others are from templates."""
    by_model: bool
    """Whether a model was used for wording."""

    @property
    def fewer(self) -> dict[str, int]:
        """Return the tasks with fewer cases than requested, because too few graphs fit."""
        return {task: number for task, number in self.by_task.items() if number < self.wanted}


def assemble(
    mined: Path,
    folder: Path,
    *,
    size: int | None,
    seed: int,
    progress: Progress,
    on_bad: OnBad,
    per_task: int | None = None,
    wording: Model | str = WORDINGS[0],
) -> CelloMade:
    """Sample a balanced dataset from a mined folder: a number of cases in total, or per task.

    The second wording asks the same in other words, with the options in another order: a model that is right for the
    right reasons is right in both (CELLO's test of robustness). If `wording` is a model, it words the questions.
    Invalid lines are reported to `on_bad` and skipped. If a picture is not in the mined folder, its cases have none.
    """
    size = per_task * len(TASKS) if per_task else size or SIZE
    model = None if isinstance(wording, str) else wording
    if model is None and wording not in WORDINGS:
        raise CountersightError(unknown(f"wording of {NAME}", str(wording), WORDINGS))
    source = source_of(mined)
    pool = Pool(seed, per_task or size)
    writer = DatasetWriter(
        folder,
        name=NAME,
        description=(
            "Causal questions after CELLO, twelve tasks on four rungs, made by Countersight from causal graphs in "
            "scene graphs. A case without a picture consists of its text and its graph."
        ),
        license=source.license,
        provenance={
            "suite": NAME,
            "mined": mined.name,
            "size": size if per_task is None else f"{per_task} of each task",
            "seed": seed,
            "wording": str(wording) if model is None else model.name,
            "countersight": __version__,
        },
        sections=(divisions, lambda at: card_section(at, pool.knowledge), lambda _: source.card),
    )
    with writer, progress("Wording", size, "questions") as told:
        counted: Counter[str] = Counter()
        for graph in select_graphs(_read(mined, on_bad, counted, pool.knowledge)):
            pool.add(graph)
        drafts = list(sample(pool, size=size, per_task=per_task, seed=seed, turn=int(wording == WORDINGS[1])))
        if not drafts:
            raise CountersightError(
                f"{mined} contains no causal graph that allows an unambiguous question; no dataset was made"
            )
        cases = (
            reword_all(model, drafts, replies_folder(folder), progress=told)
            if model
            else [drafted.case for drafted in drafts]
        )
        pictures = _Pictures(mined / MINED_IMAGES, writer.staging)
        for drafted, case in zip(drafts, cases, strict=True):
            asked = case.counterfactual
            assert asked is not None
            image = pictures.copied(drafted.graph.image)
            writer.add(msgspec.structs.replace(case, change=supposed(asked.text), image=image))
        made = Counter(drafted.task.name for drafted in drafts)
        return CelloMade(
            graphs=counted["graphs"],
            bad=counted["bad"],
            asked_about=pool.seen,
            cases=len(cases),
            wanted=per_task or size // len(TASKS),
            by_task={name: made[name] for name in TASKS},
            without_picture=pictures.missing,
            worded=sum(case.provenance["wording"] != "template" for case in cases),
            by_model=model is not None,
        )


def _read(mined: Path, on_bad: OnBad, counted: Counter[str], known: Knowledge) -> Iterator[CausalGraph]:
    """Yield the graphs of a mined folder; count graphs and invalid lines, and add the graphs to the common
    knowledge."""

    def bad(line: int, reason: str) -> None:
        counted["bad"] += 1
        on_bad(line, "graph", reason)

    for graph in read_graphs(mined, bad):
        counted["graphs"] += 1
        known.add_graph(graph)
        yield graph


class _Pictures:
    """Copies the pictures of a mined folder, each once."""

    def __init__(self, source: Path, staging: Path) -> None:
        self.missing = 0
        self._source = source
        self._staging = staging
        self._names: dict[str, str | None] = {}

    def copied(self, image: str) -> str | None:
        """Return the name of a picture inside the dataset; None if the mined folder has no such picture."""
        if image not in self._names:
            self._names[image] = self._copy(image)
        name = self._names[image]
        self.missing += name is None
        return name

    def _copy(self, image: str) -> str | None:
        file = find_picture(self._source, image)
        if file is None:
            return None
        name = f"{IMAGES}{file.name}"
        shutil.copyfile(file, self._staging / name)
        return name
