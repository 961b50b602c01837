"""Benchmarks: one module a suite, with its file formats and how its cases are made.

This table is read by `countersight --help`, so it is plain text: a suite's module is imported when it is used.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from countersight.errors import CountersightError
from countersight.progress import Progress, silent
from countersight.text import unknown

if TYPE_CHECKING:
    from countersight.suites.importing import Imported, Layout, OnBad
    from countersight.suites.part import Part


class Beside(NamedTuple):
    """A second file that a suite is imported with."""

    option: str
    """What names it on the command line."""
    words: str
    """What it holds."""
    needed: bool


class Suite(NamedTuple):
    """A benchmark: what it is, how its published file is laid out, and how it is made where we can make it."""

    name: str
    """What it is called on the command line."""
    words: str
    """What the suite is."""
    file: str
    """What file it reads."""
    pictures: str
    """How the folder of pictures is laid out."""
    layout: str
    """`module:attribute` of its layout; of a suite with a second file, of what makes one, given that file or None.
    Nothing for a suite that is only made."""
    beside: Beside | None = None
    counts: str = "line"
    """What the number of a bad row counts."""
    maker: str = ""
    """`module:attribute` of what makes it out of nothing but a seed, where that can be."""

    def read(
        self,
        source: Path,
        folder: Path,
        *,
        pictures: Path | None,
        on_bad: "OnBad",
        beside: Path | None = None,
        part: "Part | None" = None,
        **own: Any,
    ) -> "Imported":
        """Read the suite's published file into a new dataset folder, with pictures where their folder is given.

        A bad row is told to `on_bad` (line, field, reason) and left out. With a `part` only some cases are taken, drawn
        by chance; `own` is what the layout of the suite alone takes.
        """
        from countersight.suites.importing import import_dataset

        layout = self.open_layout(beside, **own)
        return import_dataset(layout, source, folder, pictures=pictures, on_bad=on_bad, part=part)

    def open_layout(self, beside: Path | None = None, **own: Any) -> "Layout":
        """How the suite's file is read, given the second file where it has one."""
        if not self.layout:
            raise CountersightError(f"{self.name} is made from a seed and has no file to import; leave out `source`")
        layout = _found(self.layout)
        opened: Layout = layout(beside, **own) if self.beside else layout
        return opened

    def make(
        self,
        folder: Path,
        *,
        size: int | None,
        seed: int,
        workers: int | None = None,
        ray: str = "",
        progress: Progress = silent,
        **own: Any,
    ) -> None:
        """Make the suite in a new dataset folder; the same seed makes the same pixels. `own` is what it alone takes.

        So many `workers` of this machine make it, or, where an address is given, a `ray` cluster.
        """
        if not self.maker:
            raise CountersightError(f"{self.name} is imported: name its file as `source` ({self.file})")
        if ray:  # a maker of somebody else's package may know no cluster
            own["ray"] = ray
        _found(self.maker)(folder, size=size, seed=seed, workers=workers, progress=progress, **own)

    def fields(self) -> str:
        """How its file is written, as its module tells it."""
        module = (self.layout or self.maker).partition(":")[0]
        return (import_module(module).__doc__ or "").strip()


def _found(home: str) -> Any:
    module, _, attribute = home.partition(":")
    return getattr(import_module(module), attribute)


_ANNOTATIONS = Beside("--annotations", "the official annotations (JSON, or .json.gz): annotations with answers", True)

_OURS = (
    Suite(
        "cvqa-synthetic",
        "C-VQA-Synthetic: six templates of flowers and dots, with four options",
        "the authors' CSV: img_path, query, answer, new query, new answer, type (abs_counting_1 to abs_counting_6)",
        "named as in img_path",
        "countersight.suites.cvqa.synthetic_csv:LAYOUT",
        maker="countersight.suites.cvqa.synthetic:make_suite",
    ),
    Suite(
        "cvqa-real",
        "C-VQA-Real: numbers, and yes or no, about photographs of COCO",
        "the authors' CSV: img_path, query, answer, new query, new answer, type (direct, indirect or boolean)",
        "those of COCO, in one folder or in its val2014 and train2014",
        "countersight.suites.cvqa.real:LAYOUT",
    ),
    Suite(
        "cfmm",
        "CFMM: a basic and a counterfactual question with two shared options, by aspect",
        "a CSV, or a .jsonl file with one JSON object a line: image, aspect (count, color, shape, size, direction or "
        "common), basic_question, counterfactual_question, option_a, option_b, basic_answer, counterfactual_answer "
        "(A or B, or the option's text)",
        "named as in image",
        "countersight.suites.cfmm.files:LAYOUT",
    ),
    Suite(
        "cello",
        "CELLO: causal questions with two or four options about photographs of Visual Genome",
        "the authors' JSONL: img_id, question, graph_type, task_type, graph, objs, options, answer_index, data_id",
        "those of Visual Genome, VG_100K/ID.jpg or VG_100K_2/ID.jpg, or in one folder",
        "countersight.suites.cello.files:LAYOUT",
    ),
    Suite(
        "cosim",
        "CoSIm: what would be answered after a change to the scene, with four options, by type of change",
        "the authors' JSON: question, answer_orig, change, answer_choices, answer_label, folder, img_fn",
        "those of Visual Genome in its VG_100K and VG_100K_2, or folder/img_fn",
        "countersight.suites.cosim.files:layout",
        Beside("--kinds", "a CSV of types of change assigned by people: id, kinds (with semicolons), changes", False),
        "entry",
    ),
    Suite(
        "okvqa",
        "OK-VQA: open questions that need knowledge of the world, about photographs of COCO",
        "the official questions (JSON, or .json.gz): questions with question_id, image_id, question",
        "those of COCO, in one folder or in its val2014 and train2014",
        "countersight.suites.vqa.files:okvqa",
        _ANNOTATIONS,
        "entry",
    ),
    Suite(
        "vqav2",
        "VQAv2: open questions about photographs of COCO",
        "the official questions (JSON, or .json.gz): questions with question_id, image_id, question",
        "those of COCO, in one folder or in its val2014 and train2014",
        "countersight.suites.vqa.files:vqav2",
        _ANNOTATIONS,
        "entry",
    ),
    Suite(
        "supports",
        "worlds of blocks, planks, cups, shelves and strings: what would fall, solved by static equilibrium",
        "none: it is made from a seed",
        "drawn with it",
        "",
        maker="countersight.suites.worlds.making:make_supports",
    ),
    Suite(
        "discs",
        "discs on a table, some of them pushed: what would touch what, worked out collision by collision",
        "none: it is made from a seed",
        "drawn with it",
        "",
        maker="countersight.suites.worlds.making:make_discs",
    ),
    Suite(
        "causal-worlds",
        "CELLO's twelve tasks on worlds of supports, with answers by intervening in them",
        "none: it is made from a seed",
        "drawn with it",
        "",
        maker="countersight.suites.worlds.making:make_causal",
    ),
    Suite(
        "vlms-are-biased",
        "VLMs Are Biased: pictures that contradict what everybody knows, with the answer that knowledge would give",
        "the authors' table (.parquet): image, topic, prompt, ground_truth, expected_bias",
        "inside the file",
        "countersight.suites.biased.files:LAYOUT",
        counts="row",
    ),
    Suite(
        "naturalbench",
        "NaturalBench: groups of two pictures and two questions",
        "the table of lmms-eval (.parquet) or VLMEvalKit (.tsv): index, image, question, answer, type",
        "inside the file",
        "countersight.suites.naturalbench.files:LAYOUT",
        counts="row",
    ),
    Suite(
        "vismin",
        "VisMin: pairs of pictures and captions that differ in one thing",
        "the authors' table (.parquet): id, image_0, text_0, image_1, text_1",
        "inside the file",
        "countersight.suites.vismin.files:LAYOUT",
        counts="row",
    ),
    Suite(
        "mmvp",
        "MMVP: pairs of pictures that CLIP takes for the same",
        "the authors' Questions.csv: Index, Question, Options, Correct Answer",
        '"MMVP Images"',
        "countersight.suites.mmvp.files:LAYOUT",
    ),
    Suite(
        "hallusionbench",
        "HallusionBench: yes or no about sets of figures, some changed or withheld",
        "the authors' HallusionBench.json: category, subcategory, set_id, figure_id, question, gt_answer",
        "hallusion_bench, as unpacked: CATEGORY/SUBCATEGORY/SET_FIGURE.png",
        "countersight.suites.hallusion.files:LAYOUT",
        counts="entry",
    ),
    Suite(
        "visual-counterfact",
        "Visual CounterFact: what is seen against what is known of colours and sizes",
        "the authors' tables (.parquet), color or size by their name: correct_answer, incorrect_answer, object",
        "inside the file",
        "countersight.suites.counterfact.files:LAYOUT",
        counts="row",
    ),
    Suite(
        "cp-bench",
        "CP-Bench: questions with a false presupposition to be rejected",
        "the authors' table (.parquet): image, query, tag (cpq or tpq)",
        "inside the file",
        "countersight.suites.cpbench.files:LAYOUT",
        counts="row",
    ),
    Suite(
        "coco-counterfactuals",
        "COCO-Counterfactuals: pairs of pictures whose captions differ in one noun",
        "the authors' examples.jsonl: id, image_0, image_1, caption_0, caption_1",
        "images.zip, as unpacked",
        "countersight.suites.coco_counterfactuals.files:LAYOUT",
    ),
    Suite(
        "clevrer",
        "CLEVRER: what happens in a video, why, what next, and what would happen without something",
        "the authors' train.json or validation.json: scenes with scene_index, video_filename, questions",
        "a folder of frames for each video: video_10000/*.png",
        "countersight.suites.clevrer.files:LAYOUT",
        counts="scene",
    ),
    Suite(
        "acquired",
        "ACQUIRED: counterfactual questions of videos from life, with two answers",
        "the authors' JSON: video_id, domain, question, answer1, answer2, correct_answer_key",
        "a folder of frames for each video, named by video_id",
        "countersight.suites.acquired.files:LAYOUT",
        counts="entry",
    ),
    Suite(
        "own",
        "a benchmark of your own: a table and a folder of pictures, no code",
        "a CSV, or a .jsonl file: image, counterfactual_question, counterfactual_answer, and what else you have; see "
        "countersight list layouts -v",
        "named as in image",
        "countersight.suites.own.files:LAYOUT",
    ),
)

SUITES = {suite.name: suite for suite in _OURS}
"""The suites that ship, by the name they have on the command line."""

GROUP = "countersight.suites"
"""The group of entry points by which other packages bring suites: each is a `Suite`."""


def suites() -> dict[str, Suite]:
    """Every suite by its name: ours, and those that other packages bring."""
    from importlib.metadata import entry_points

    brought = [entry.load() for entry in entry_points(group=GROUP) if entry.name not in SUITES]
    return SUITES | {suite.name: suite for suite in brought}


def find_suite(name: str) -> Suite:
    """The suite of that name."""
    known = suites()
    if name not in known:
        raise CountersightError(unknown("suite", name, known))
    return known[name]
