"""Export files for TRL: Parquet with embedded pictures, for supervised training, preferences or rewards."""

from functools import partial
from typing import Any, Final

import msgspec

from countersight.dataset import Dataset
from countersight.exchange.formats import Export, Exported
from countersight.exchange.hugging_face import load_pictures
from countersight.exchange.parquet import Columns, Shards
from countersight.exchange.training_rows import TrainingRow, training_rows
from countersight.files import Staging

_PROMPT_COLUMNS: Final[Columns] = {"prompt": "turns", "images": "pictures", "key": "text"}
_SFT: Final[Columns] = _PROMPT_COLUMNS | {"completion": "turns"}
_DPO: Final[Columns] = _PROMPT_COLUMNS | {"chosen": "turns", "rejected": "turns"}
_GRPO: Final[Columns] = _PROMPT_COLUMNS | {"answer": "text", "kind": "text", "gold": "text"}


def _export_parquet(order: Export, name: str, columns: Columns, trainer: str) -> Exported:
    dataset, rows = training_rows(order, name)
    with Staging(order.out) as folder, Shards(folder, order.split, columns) as shards:
        for row in rows:
            if row.rejected or "rejected" not in columns:
                shards.add(_fields(row, dataset, columns))
    note = f'pass load_dataset("parquet", data_files="{order.out}/*.parquet") to {trainer}'
    return Exported(shards.count, "question", note)


export_sft = partial(_export_parquet, name="trl-sft", columns=_SFT, trainer="SFTTrainer, with max_length=None")
"""Export questions with right answers, as Parquet files for TRL."""
export_dpo = partial(_export_parquet, name="trl-dpo", columns=_DPO, trainer="DPOTrainer, with max_length=None")
"""Export questions with a right and a wrong answer, as Parquet files for TRL."""
export_grpo = partial(
    _export_parquet,
    name="trl-grpo",
    columns=_GRPO,
    trainer="GRPOTrainer, with reward_funcs=countersight.rewards.trl_reward",
)
"""Export questions with gold answers, as Parquet files for TRL; `countersight.rewards` computes the rewards."""


def _fields(row: TrainingRow, dataset: Dataset, columns: Columns) -> dict[str, Any]:
    item = row.item
    fields = {
        "prompt": [("user", item.words)],
        "images": load_pictures(dataset, item.pictures, item.row),
        "key": item.key,
        "completion": [("assistant", row.chosen)],
        "chosen": [("assistant", row.chosen)],
        "rejected": [("assistant", row.rejected)],
        "answer": row.chosen,
        "kind": item.question.kind,
        "gold": msgspec.json.encode(item.question).decode(),
    }
    return {name: fields[name] for name in columns}
