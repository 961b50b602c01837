"""`export --to hf`: a folder ready for upload, with one row per case and the pictures inside the Parquet files."""

import json
from contextlib import ExitStack
from typing import Any, Final

import msgspec

from countersight.case import VARIANTS, WORLDS, Case
from countersight.dataset import (
    Dataset,
    describe_as_parquet,
    size_category,
)
from countersight.exchange.exported_questions import Side, Splits, dataset_at, load_pictures
from countersight.exchange.formats import Export, Exported
from countersight.exchange.parquet import Columns, Shards
from countersight.files import Staging, write_text

_QUESTION: Final[Columns] = {"question": "text", "answer": "text", "kind": "text", "options": "texts"}
COLUMNS: Final[Columns] = {
    "id": "text",
    "suite": "text",
    "group": "text",
    "images": "pictures",
    "counterfactual_images": "pictures",
    "change": "text",
    "context": "text",
    **{f"{asking}_{name}": kind for asking in VARIANTS for name, kind in _QUESTION.items()},
    "case": "text",
}
"""The columns of a row. `case` contains the complete case as in metadata.jsonl, so that no information is lost."""
SIDES: Final[tuple[Side, ...]] = ("train", "test")


def export_hf(order: Export) -> Exported:
    """Write the folder: data/train-*.parquet, data/test-*.parquet, and the dataset card."""
    dataset = dataset_at(order.source, "hf")
    splits = Splits(dataset)
    with Staging(order.out) as folder:
        (folder / "data").mkdir()
        with ExitStack() as stack:
            shards = {side: stack.enter_context(Shards(folder / "data", side, COLUMNS)) for side in SIDES}
            for row, case in dataset.cases(order.on_bad):
                shards[splits.side(case)].add(row_of(case, dataset, row))
        write_text(folder / "README.md", _card(dataset, {side: each for side, each in shards.items() if each.count}))
    counts = {side: each.count for side, each in shards.items()}
    note = f'{counts["train"]:,} train, {counts["test"]:,} test; open it with: datasets.load_dataset("{order.out}")'
    return Exported(sum(counts.values()), "case", note)


def row_of(case: Case, dataset: Dataset, row: int) -> dict[str, Any]:
    """Return a case as a row, including its pictures."""
    found: dict[str, Any] = {
        "id": case.id,
        "suite": case.suite,
        "group": case.group,
        "images": load_pictures(dataset, case.pictures("factual"), row),
        "counterfactual_images": load_pictures(dataset, case.pictures("counterfactual", "shown"), row),
        "change": case.change.text if case.change else None,
        "context": case.context or None,
        "case": msgspec.json.encode(case).decode(),
    }
    for asking in VARIANTS:
        question = case.question(*WORLDS[asking])
        if question is not None:
            values = (question.text, question.answer, question.kind, [option.text for option in question.options])
            found |= {f"{asking}_{name}": value for name, value in zip(_QUESTION, values, strict=True)}
    return found


def _card(dataset: Dataset, shards: dict[Side, Shards]) -> str:
    """Return the dataset card: the Hub's metadata, followed by the text of the dataset's own card."""
    about, text = dataset.card()
    count = sum(each.count for each in shards.values())
    values: dict[str, Any] = {
        "pretty_name": about.get("pretty_name", dataset.name),
        "license": about.get("license", "unknown"),
        "language": ["en"],
        "task_categories": ["visual-question-answering"],
        "tags": ["counterfactual", "countersight"],
        "size_categories": [size_category(count)],
        "annotations_creators": ["machine-generated" if "file" not in dataset.provenance() else "found"],
        "source_datasets": ["original" if "file" not in dataset.provenance() else "extended"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": side, "path": f"data/{side}-*.parquet"} for side in shards],
            }
        ],
    }
    # JSON is valid YAML, and quotes special characters in names.
    lines = "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())
    return f"---\n{lines}\n---\n{describe_as_parquet(text)}"
