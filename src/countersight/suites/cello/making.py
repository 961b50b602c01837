"""Generate CELLO: causal cases from a folder of mined causal graphs, and the card of the dataset."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from countersight import __version__
from countersight.blindness import MIN_QUESTIONS, card_section
from countersight.causal import IMAGES as MINED_IMAGES
from countersight.causal import (
    STATISTICS,
    CausalGraph,
    Knowledge,
    PictureCopies,
    read_graphs,
    select_graphs,
)
from countersight.dataset import Dataset, DatasetWriter
from countersight.errors import CountersightError
from countersight.models import Model
from countersight.progress import Progress
from countersight.suggestions import unknown
from countersight.suites.cello.files import NAME
from countersight.suites.cello.rewording import replies_folder, reword_all
from countersight.suites.cello.sampling import Pool, sample
from countersight.suites.cello.tasks import TASKS
from countersight.suites.cello.terms import SHORT
from countersight.suites.generated import WORDINGS, division_table
from countersight.suites.importing import OnBad
from countersight.suites.picture_files import IMAGES
from countersight.suites.supposing import supposed

PER_TASK = 100
"""The number of cases per task, as in the published test set (CELLO 5.1)."""
SIZE = PER_TASK * len(TASKS)


class CelloMade(msgspec.Struct, frozen=True):
    """The result of generating cases."""

    graphs: int
    bad: int
    asked_about: int
    """The number of graphs that allow unambiguous questions."""
    cases: int
    wanted: int
    """The requested number of cases of each task."""
    by_task: dict[str, int]
    without_picture: int
    worded: int
    """The number of questions worded by a language model; the others are from templates."""
    by_model: bool
    """Whether a model was used for wording."""

    @property
    def fewer(self) -> dict[str, int]:
        """Return the tasks with fewer cases than requested, because too few graphs are suitable."""
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

    The second wording asks the same in other words, with the options in another order; a model that is right for the
    right reasons is right in both (CELLO's test of robustness). If `wording` is a model, it words the questions.
    Invalid lines are reported to `on_bad` and skipped. If a picture is not in the mined folder, its cases have none.
    """
    size = per_task * len(TASKS) if per_task else size or SIZE
    model = None if isinstance(wording, str) else wording
    if model is None and wording not in WORDINGS:
        raise CountersightError(unknown(f"wording of {NAME}", str(wording), WORDINGS))
    license, attribution = _source_of(mined)
    pool = Pool(seed, per_task or size)
    writer = DatasetWriter(
        folder,
        name=NAME,
        description=(
            "Causal questions after CELLO, twelve tasks on four rungs, made by Countersight from causal graphs in "
            "scene graphs. A case without a picture consists of its text and its graph."
        ),
        license=license,
        provenance={
            "suite": NAME,
            "mined": mined.name,
            "size": size if per_task is None else f"{per_task} of each task",
            "seed": seed,
            "wording": str(wording) if model is None else model.name,
            "countersight": __version__,
        },
        sections=(_divisions, lambda at: card_section(at, pool.knowledge), lambda _: attribution),
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
        pictures = PictureCopies(mined / MINED_IMAGES, writer.staging / IMAGES)
        without_picture = 0
        for drafted, case in zip(drafts, cases, strict=True):
            asked = case.counterfactual
            assert asked is not None
            name = pictures.copied(drafted.graph.image)
            without_picture += name is None
            image = name and f"{IMAGES}{name}"
            writer.add(msgspec.structs.replace(case, change=supposed(asked.text), image=image))
        made = Counter(drafted.task.name for drafted in drafts)
        return CelloMade(
            graphs=counted["graphs"],
            bad=counted["bad"],
            asked_about=pool.seen,
            cases=len(cases),
            wanted=per_task or size // len(TASKS),
            by_task={name: made[name] for name in TASKS},
            without_picture=without_picture,
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


_VISUAL_GENOME = "Visual Genome (Krishna et al., 2017, CC BY 4.0)"
_SOURCES = {
    "Visual Genome": f"{_VISUAL_GENOME}.",
    "GQA": f"{_VISUAL_GENOME}, as corrected for GQA (Hudson and Manning, 2019).",
    "regions": f"{_VISUAL_GENOME}, its regions as parsed for FACTUAL (Li et al., 2023).",
}
"""The source and licence of the scene graphs in each layout."""
_LICENSED = frozenset({"Visual Genome", "GQA", "regions"})
"""Layouts whose graphs may be redistributed under CC BY 4.0."""
_UNKNOWN_SOURCE = "scene graphs of unknown source. Name their source and its licence here."
_ATTRIBUTION = """## Licence and attribution

Questions and options are generated by Countersight from scene graphs of:

{sources}

Tasks and graphs follow CELLO (Chen et al., 2024). The pictures are not ours, and each has its own licence. Pictures of
Visual Genome and GQA come from Flickr.
"""


class _Mining(msgspec.Struct):
    layouts: tuple[str, ...] = ()


def _source_of(mined: Path) -> tuple[str, str]:
    """Return the licence of the scene graphs in a mined folder and their attribution for the card."""
    try:
        layouts = msgspec.json.decode((mined / STATISTICS).read_bytes(), type=_Mining).layouts
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        layouts = ()  # graphs without statistics: their source is unknown
    sources = "\n".join(f"- {_SOURCES.get(layout, _UNKNOWN_SOURCE)}" for layout in layouts or ("",))
    license = "CC-BY-4.0" if layouts and _LICENSED.issuperset(layouts) else "unknown"
    return license, _ATTRIBUTION.format(sources=sources)


def _divisions(folder: Path) -> str:
    """Return a table of cases by split, difficulty and task, and instructions for having people check them."""
    table = division_table(folder, "task", lambda case: str(case.provenance.get("task", "")))
    verdicts = [(str(c.provenance["task"]), c.provenance.get("knowledge")) for _, c in Dataset.open(folder).cases()]
    counts = Counter(task for task, _ in verdicts)
    none = [short for short in SHORT if not counts[short]]
    few = [
        f"{short} {counts[short]} ({verdicts.count((short, 'agrees'))})"
        for short in SHORT
        if 0 < counts[short] < MIN_QUESTIONS
    ]
    notes = ""
    if none:
        notes += f"\nThere are no questions of {', '.join(none)}: no mined graph yields one that passes the checks.\n"
    if few:
        notes += (
            "\nToo few questions to measure accuracy without the picture (in brackets: questions in which common "
            f"knowledge favours the right answer): {', '.join(few)}.\n"
        )
    return f"""## Splits and difficulty

{table}
{notes}
Splits are by picture: no picture is in two splits. Difficulty 1: two objects; difficulty 2: three objects;
difficulty 3: three objects, one of them kept fixed. Both are stored in `provenance`. Make paraphrased questions with
`--wording second`. To have people check the cases: `countersight collect new NAME --flow verify --from THIS_FOLDER`.
"""
