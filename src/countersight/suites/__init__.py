"""Benchmarks: one module a suite, with its file formats and how its cases are made.

This table is read by `countersight --help`, so it is plain text: a suite's module is imported when it is used.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from countersight.suites.importing import Imported, OnBad

__all__ = ["IMPORTERS", "Importer"]


class Importer(NamedTuple):
    """A suite whose published file can be turned into a dataset folder."""

    words: str
    """What the suite is."""
    file: str
    """What file it reads."""
    pictures: str
    """How the folder of pictures is laid out."""
    module: str

    def import_dataset(self, source: Path, folder: Path, *, pictures: Path | None, on_bad: "OnBad") -> "Imported":
        """Read the suite's published file into a new dataset folder, with pictures where their folder is given.

        A bad row is told to `on_bad` (line, field, reason) and left out.
        """
        from countersight.suites.importing import import_dataset

        layout = import_module(f"countersight.suites.{self.module}").LAYOUT
        return import_dataset(layout, source, folder, pictures=pictures, on_bad=on_bad)


IMPORTERS = {
    "cvqa-synthetic": Importer(
        "C-VQA-Synthetic: six templates of flowers and dots, with four options",
        "the authors' CSV: img_path, query, answer, new query, new answer, type (abs_counting_1 to abs_counting_6)",
        "named as in img_path",
        "cvqa_csv",
    ),
    "cvqa-real": Importer(
        "C-VQA-Real: numbers, and yes or no, about photographs of COCO",
        "the authors' CSV: img_path, query, answer, new query, new answer, type (direct, indirect or boolean)",
        "those of COCO, in one folder or in its val2014 and train2014",
        "cvqa_real",
    ),
    "cfmm": Importer(
        "CFMM: a basic and a counterfactual question with two shared options, by aspect",
        "a CSV, or a .jsonl file with one JSON object a line: image, aspect (count, color, shape, size, direction or "
        "common), basic_question, counterfactual_question, option_a, option_b, basic_answer, counterfactual_answer "
        "(A or B, or the option's text)",
        "named as in image",
        "cfmm",
    ),
    "cello": Importer(
        "CELLO: causal questions with two or four options about photographs of Visual Genome",
        "the authors' JSONL: img_id, question, graph_type, task_type, graph, objs, options, answer_index, data_id",
        "those of Visual Genome, VG_100K/ID.jpg or VG_100K_2/ID.jpg, or in one folder",
        "cello",
    ),
}
"""The suites that can be imported, by the name they have on the command line."""
