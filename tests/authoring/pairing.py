"""Questions from which tests build pairs."""

import csv
import json
from pathlib import Path

from countersight.authoring import REJECTED, BuildOrder, BuiltPairs, build_dataset
from countersight.engine import RetryPolicy
from countersight.models import ModelSettings

NOUNS = (
    *("dogs", "cats", "cups", "plates", "books", "chairs", "horses", "birds", "cars", "boats", "trees", "lamps"),
    *("kites", "bananas", "apples", "sheep", "people", "children", "bottles", "clocks", "umbrellas", "benches"),
    "flowers",
)
WAYS = ("How many {} are there?", "How many {} are in the picture?", "How many {} do you see?", "How many {}?")
YES_NO = (
    ("Is the light on?", "yes"),
    ("Is there a dog?", "no"),
    ("Are the windows open?", "yes"),
    ("Is this a kitchen?", "no"),
    ("Does the man have a beard?", "yes"),
    ("Is the woman smiling?", "no"),
    ("Are there any cars?", "yes"),
    ("Is he wearing a hat?", "no"),
)


def questions() -> list[tuple[str, str]]:
    """Return how-many questions with counts from 1 to 12, then yes/no questions."""
    many = [
        (way.format(noun), str(1 + (place * 5 + 3 * turn) % 12))
        for turn, way in enumerate(WAYS)
        for place, noun in enumerate(NOUNS)
    ]
    return [*many, *YES_NO]


def write_csv(path: Path, rows: list[tuple[str, str]] | None = None) -> Path:
    """Write a file in the layout of C-VQA's CSV, without the counterfactual questions, which are not needed."""
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["img_path", "query", "answer", "new query", "new answer", "type"])
        for number, (question, answer) in enumerate(rows if rows is not None else questions()):
            kind = "direct" if answer.isdigit() else "boolean"
            out.writerow([f"{number:04d}.png", question, answer, "", "", kind])
    return path


def write_vqa(folder: Path, entries: list[tuple[str, list[str]]]) -> tuple[Path, Path]:
    """Write VQA's two official files, with the answers of ten people."""
    asked = [{"question_id": n, "image_id": n, "question": question} for n, (question, _) in enumerate(entries)]
    said = [
        {
            "question_id": n,
            "image_id": n,
            "answer_type": "number",
            "answers": [{"answer": answer} for answer in answers],
        }
        for n, (_, answers) in enumerate(entries)
    ]
    questions, annotations = folder / "questions.json", folder / "annotations.json"
    questions.write_text(json.dumps({"data_subtype": "val2014", "questions": asked}))
    annotations.write_text(json.dumps({"annotations": said}))
    return questions, annotations


def build(questions: Path, output: Path, **options: object) -> BuiltPairs:
    """Build pairs; the settings of `BuildOrder` can be given, with prices for the writer."""
    return build_dataset(
        BuildOrder(**{"suite": "cvqa", "questions": questions, "output": output} | options),
        settings=ModelSettings(price_in=1.0, price_out=2.0),
        retry=RetryPolicy(4, attempts=2, backoff=0.01),
        progress=lambda done: None,
    )


def rejected(folder: Path) -> list[dict]:
    """Return the rejected questions of a build."""
    return [json.loads(line) for line in (folder / REJECTED).read_text().splitlines()]
