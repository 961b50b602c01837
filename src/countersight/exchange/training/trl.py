"""`export --to trl-sft`, `trl-dpo` and `trl-grpo`: Parquet files that TRL's trainers take, pictures in them."""

from typing import Any, Final

import msgspec

from countersight.exchange.formats import Export, Exported
from countersight.exchange.hugging_face import load_pictures
from countersight.exchange.parquet import Columns, Shards
from countersight.exchange.training.examples import Example, Examples
from countersight.files import Staging

_ASKED: Final[Columns] = {"prompt": "turns", "images": "pictures", "key": "text"}
_SFT: Final[Columns] = _ASKED | {"completion": "turns"}
_DPO: Final[Columns] = _ASKED | {"chosen": "turns", "rejected": "turns"}
_GRPO: Final[Columns] = _ASKED | {"answer": "text", "kind": "text", "gold": "text"}


def export_sft(order: Export) -> Exported:
    """Questions and right answers, for SFTTrainer."""
    return _export(order, "trl-sft", _SFT, "SFTTrainer, with max_length=None")


def export_dpo(order: Export) -> Exported:
    """Questions with a right and a wrong answer, for DPOTrainer."""
    return _export(order, "trl-dpo", _DPO, "DPOTrainer, with max_length=None")


def export_grpo(order: Export) -> Exported:
    """Questions alone, for GRPOTrainer; our reader is the reward."""
    return _export(order, "trl-grpo", _GRPO, "GRPOTrainer, with reward_funcs=countersight.exchange.reward")


def _export(order: Export, name: str, columns: Columns, trainer: str) -> Exported:
    examples = Examples(order, name)
    with Staging(order.out) as folder, Shards(folder, order.split, columns) as shards:
        for example in examples:
            if example.rejected or "rejected" not in columns:
                shards.add(_row(example, examples, columns))
    note = f'load_dataset("parquet", data_files="{order.out}/*.parquet") goes into {trainer}'
    return Exported(shards.count, "question", note)


def _row(example: Example, examples: Examples, columns: Columns) -> dict[str, Any]:
    asked = example.asked
    row = {
        "prompt": [("user", asked.words)],
        "images": load_pictures(examples.dataset, asked.pictures, asked.row),
        "key": asked.key,
        "completion": [("assistant", example.chosen)],
        "chosen": [("assistant", example.chosen)],
        "rejected": [("assistant", example.rejected)],
        "answer": example.chosen,
        "kind": asked.question.kind,
        "gold": msgspec.json.encode(asked.question).decode(),
    }
    return {name: row[name] for name in columns}
