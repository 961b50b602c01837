"""Importing small files as the command line does, and a good row of some suites."""

import csv
import json
from pathlib import Path

from countersight.case import Case
from countersight.dataset.folder import Dataset
from countersight.suites.importing import Imported, import_file
from countersight.suites.registry import find_suite

BadRows = list[tuple[int, str, str]]

CFMM = {
    "image": "a.png",
    "aspect": "direction",
    "basic_question": "Is the cat to the left of the bowl?",
    "counterfactual_question": "If the bowl and the cat changed places, would the cat be to the left of the bowl?",
    "option_a": "Yes",
    "option_b": "No",
    "basic_answer": "A",
    "counterfactual_answer": "no",
}
CVQA_REAL = {
    "img_path": "COCO_val2014_000000402992.jpg",
    "query": "How many sheep are there?",
    "answer": "11",
    "new query": "How many sheep would there be if 7 sheep ran away?",
    "new answer": "4",
    "type": "direct",
}
COSIM = {
    "answer_choices": ["yes, it is dry.", "no, it is wet.", "no, it is dry.", "yes, it is wet."],
    "answer_label": 1,
    "answer_orig": "Yes, because the bench is dry.",
    "change": "Add a puddle on the bench.",
    "folder": "genome_1",
    "img_fn": "12.jpg",
    "question": "Could we sit on the bench?",
    "type": "normal",
}
VQA_ANSWERS = ["lamp"] * 5 + ["a lamp"] * 4 + ["book"]
VQA_QUESTION = {"question_id": 420, "image_id": 42, "question": "What is on the desk?"}
VQA_ANNOTATION = {
    "question_id": 420,
    "image_id": 42,
    "question_type": "eight",
    "answer_type": "other",
    "answers": [
        {"answer": answer, "answer_id": nth, "answer_confidence": "yes"} for nth, answer in enumerate(VQA_ANSWERS)
    ],
}


def import_suite(
    suite: str, source: Path, folder: Path, pictures: Path | None = None, beside: Path | None = None
) -> tuple[list[Case], Imported, BadRows]:
    """The cases of the dataset that came of a file, what was counted, and the bad rows."""
    bad: BadRows = []
    imported = import_file(
        find_suite(suite), source, folder, pictures=pictures, on_bad=lambda *row: bad.append(row), second_file=beside
    )
    unreadable: list[object] = []
    cases = [case for _, case in Dataset.open(folder).cases(unreadable.append)]
    assert unreadable == []
    assert (len(cases), len(bad)) == (imported.cases, imported.bad)
    return cases, imported, bad


def csv_file(path: Path, *rows: dict[str, str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def jsonl_file(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def json_file(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path
