"""Benchmarks: one module a suite, with its file formats and how its cases are made.

This table is read by `countersight --help`, so it is plain text: a suite's module is imported when it is used.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from countersight.suites.importing import Imported, OnBad

__all__ = ["IMPORTERS", "Beside", "Importer"]


class Beside(NamedTuple):
    """A second file that a suite is imported with."""

    option: str
    """What names it on the command line."""
    words: str
    """What it holds."""
    needed: bool


class Importer(NamedTuple):
    """A suite whose published file can be turned into a dataset folder."""

    words: str
    """What the suite is."""
    file: str
    """What file it reads."""
    pictures: str
    """How the folder of pictures is laid out."""
    module: str
    layout: str = "LAYOUT"
    """What the module calls its layout; of a suite with a second file, what makes one, given that file or None."""
    beside: Beside | None = None
    counts: str = "line"
    """What the number of a bad row counts."""

    def import_dataset(
        self, source: Path, folder: Path, *, pictures: Path | None, on_bad: "OnBad", beside: Path | None = None
    ) -> "Imported":
        """Read the suite's published file into a new dataset folder, with pictures where their folder is given.

        A bad row is told to `on_bad` (line, field, reason) and left out.
        """
        from countersight.suites.importing import import_dataset

        layout = getattr(import_module(f"countersight.suites.{self.module}"), self.layout)
        if self.beside:
            layout = layout(beside)
        return import_dataset(layout, source, folder, pictures=pictures, on_bad=on_bad)


_ANNOTATIONS = Beside("--annotations", "the official annotations (JSON, or .json.gz): annotations with answers", True)

IMPORTERS = {
    "cvqa-synthetic": Importer(
        "C-VQA-Synthetic: six templates of flowers and dots, with four options",
        "the authors' CSV: img_path, query, answer, new query, new answer, type (abs_counting_1 to abs_counting_6)",
        "named as in img_path",
        "cvqa.synthetic_csv",
    ),
    "cvqa-real": Importer(
        "C-VQA-Real: numbers, and yes or no, about photographs of COCO",
        "the authors' CSV: img_path, query, answer, new query, new answer, type (direct, indirect or boolean)",
        "those of COCO, in one folder or in its val2014 and train2014",
        "cvqa.real",
    ),
    "cfmm": Importer(
        "CFMM: a basic and a counterfactual question with two shared options, by aspect",
        "a CSV, or a .jsonl file with one JSON object a line: image, aspect (count, color, shape, size, direction or "
        "common), basic_question, counterfactual_question, option_a, option_b, basic_answer, counterfactual_answer "
        "(A or B, or the option's text)",
        "named as in image",
        "cfmm.files",
    ),
    "cello": Importer(
        "CELLO: causal questions with two or four options about photographs of Visual Genome",
        "the authors' JSONL: img_id, question, graph_type, task_type, graph, objs, options, answer_index, data_id",
        "those of Visual Genome, VG_100K/ID.jpg or VG_100K_2/ID.jpg, or in one folder",
        "cello.files",
    ),
    "cosim": Importer(
        "CoSIm: what would be answered after a change to the scene, with four options, by type of change",
        "the authors' JSON: question, answer_orig, change, answer_choices, answer_label, folder, img_fn",
        "folder/img_fn",
        "cosim.files",
        "layout",
        Beside("--kinds", "a CSV of types of change assigned by people: id, kinds (with semicolons), changes", False),
        "entry",
    ),
    "okvqa": Importer(
        "OK-VQA: open questions that need knowledge of the world, about photographs of COCO",
        "the official questions (JSON, or .json.gz): questions with question_id, image_id, question",
        "those of COCO, in one folder or in its val2014 and train2014",
        "vqa.files",
        "okvqa",
        _ANNOTATIONS,
        "entry",
    ),
    "vqav2": Importer(
        "VQAv2: open questions about photographs of COCO",
        "the official questions (JSON, or .json.gz): questions with question_id, image_id, question",
        "those of COCO, in one folder or in its val2014 and train2014",
        "vqa.files",
        "vqav2",
        _ANNOTATIONS,
        "entry",
    ),
}
"""The suites that can be imported, by the name they have on the command line."""
