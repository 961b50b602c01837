"""`export --to lmms-eval`: a folder for `--include_path`, with the tasks NAME_gen and NAME_rank and their data."""

import json
import re
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.dataset import Dataset
from countersight.exchange.asked import MEASURES, Asked, dataset_at, questions
from countersight.exchange.formats import Export, Exported
from countersight.exchange.hugging_face import load_pictures
from countersight.exchange.lmms_eval.hooks import ACCURACY, CONTROL
from countersight.exchange.parquet import Columns, Shards
from countersight.files import Staging, write_text

COLUMNS: Final[Columns] = {
    "key": "text",
    "case": "text",
    "row": "whole",
    "asking": "text",
    "group": "text",
    "picture": "text",
    "images": "pictures",
    "words": "text",
    "unlisted_words": "text",
    "kind": "text",
    "answer": "text",
    "gold": "text",
    "control_of": "text",
}
"""`gold` is the question as metadata.jsonl has it: what our reader needs."""

_UTILS = '''"""What the tasks beside this file call; it is Countersight's: pip install countersight."""

from countersight.exchange.lmms_eval import (  # noqa: F401
    aggregations,
    doc_to_choice,
    doc_to_messages,
    doc_to_text,
    doc_to_text_rank,
    doc_to_visual,
    process_gen,
    process_rank,
    rankable,
)

globals().update(aggregations())
'''


def export_lmms_eval(order: Export) -> Exported:
    """Write the folder; its tasks name their data by the place where the folder will stand."""
    dataset = dataset_at(order.source, "lmms-eval")
    name = task_name(order.out.resolve().name)
    with Staging(order.out) as folder:
        with Shards(folder, "test", COLUMNS) as shards:
            for asked in questions(dataset, order.on_bad):
                shards.add(_row(asked, dataset))
        write_text(folder / "utils.py", _UTILS)
        write_text(folder / f"{name}_gen.yaml", _task(f"{name}_gen", dataset, order.out, _GENERATE))
        write_text(folder / f"{name}_rank.yaml", _task(f"{name}_rank", dataset, order.out, _RANK))
    note = (
        f"ask with: lmms-eval --include_path {order.out} --tasks {name}_gen --log_samples --output_path OUT --model …"
    )
    return Exported(shards.count, "question", note)


def task_name(folder: str) -> str:
    """A folder's name as that of a task: nothing in it that a command line or a file name would take for more."""
    return re.sub(r"\W+", "_", folder).strip("_") or "countersight"


def _row(asked: Asked, dataset: Dataset) -> dict[str, Any]:
    case = asked.case
    return {
        "key": asked.key,
        "case": case.id,
        "row": asked.row,
        "asking": asked.asking,
        "group": case.group,
        "picture": case.image_digest or case.image or str(asked.row),
        "images": load_pictures(dataset, asked.pictures, asked.row),
        "words": asked.words,
        "unlisted_words": asked.unlisted_words,
        "kind": asked.question.kind,
        "answer": asked.question.right_text,
        "gold": msgspec.json.encode(asked.question).decode(),
        "control_of": case.control_of,
    }


_GENERATE = """output_type: generate_until
doc_to_text: !function utils.doc_to_text
doc_to_messages: !function utils.doc_to_messages
process_results: !function utils.process_gen
generation_kwargs: {max_new_tokens: 256, temperature: 0, do_sample: false, until: []}
"""
_RANK = """output_type: multiple_choice
process_docs: !function utils.rankable
doc_to_text: !function utils.doc_to_text_rank
doc_to_choice: !function utils.doc_to_choice
process_results: !function utils.process_rank
"""


def _task(name: str, dataset: Dataset, out: Path, way: str) -> str:
    data = json.dumps(str(out.resolve() / "test-*.parquet"))
    metrics = "\n".join(
        f"  - metric: {measure}\n    aggregation: !function utils.aggregate_{measure}\n"
        f"    higher_is_better: {'false' if measure in ('drop', 'imagination_gap') else 'true'}"
        for measure in (ACCURACY, *MEASURES, CONTROL)
    )
    return f"""# Made by Countersight; the version is the fingerprint of the data, export it again after a change.
task: {name}
dataset_path: parquet
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
doc_to_visual: !function utils.doc_to_visual
doc_to_target: answer
{way}cluster_key: picture
score_key: score
metric_list:
{metrics}
metadata: {{version: {json.dumps(dataset.fingerprint[:8])}}}
"""
