"""Export files for fine-tuning: supervised, with preference pairs, or with rewards by Countersight.

TRL reads Parquet files with embedded pictures; ms-swift, LLaMA-Factory and LLaVA read conversations in JSON, with
pictures in a separate folder.
"""

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from pathlib import PurePosixPath
from random import Random
from typing import Any, Final

import msgspec

from countersight.case import LETTERS
from countersight.dataset import Dataset
from countersight.exchange.formats import Export, Exported
from countersight.exchange.hugging_face import load_pictures
from countersight.exchange.named_questions import NamedQuestion, dataset_at, questions
from countersight.exchange.parquet import Columns, Shards
from countersight.exchange.splits import Splits, refuse_testing
from countersight.files import Staging, write_text


class TrainingRow(msgspec.Struct, frozen=True):
    """A question to train on, with a right and a wrong answer."""

    item: NamedQuestion
    rejected: str
    """A wrong answer, preferably the right answer of the other world; empty if no answer is known to be wrong."""

    @property
    def chosen(self) -> str:
        """The right answer, in the form requested."""
        return self.item.question.answer

    @property
    def other_pictures(self) -> tuple[tuple[str, str], ...]:
        """The pictures of the other world, if the same question has another answer there."""
        case = self.item.case
        one, other = case.factual, case.shown
        if one is None or other is None or one.text != other.text or one.right_text == other.right_text:
            return ()
        if self.item.asking == "factual":
            return case.pictures("counterfactual", "shown")
        return case.pictures("factual") if self.item.asking == "shown" else ()


def _examples(order: Export, name: str) -> tuple[Dataset, Iterator[TrainingRow]]:
    """Return a dataset and the questions of one of its splits; raises if they contain test data."""
    dataset = dataset_at(order.source, name)
    refuse_testing(order, dataset)
    splits = Splits(dataset)
    rows = (
        TrainingRow(item, wrong_answer(item))
        for item in questions(dataset, order.on_bad)
        if order.split in ("all", splits.side(item.case))
    )
    return dataset, rows


def wrong_answer(item: NamedQuestion) -> str:
    """Return a wrong answer: the right answer of the other world if it is wrong here, otherwise a random one."""
    question, case = item.question, item.case
    other = (case.counterfactual or case.shown) if item.asking == "factual" else case.factual
    if question.kind == "choice":
        wrong = [letter for letter in LETTERS[: len(question.options)] if letter != question.answer]
        texts = {question.options[LETTERS.index(letter)].text: letter for letter in wrong}
        if other is not None and other.right_text in texts:
            return texts[other.right_text]
        return Random(item.key).choice(wrong)
    if other is not None and other.kind == question.kind and other.answer != question.answer:
        return other.answer
    if question.kind == "boolean":
        return "no" if question.answer == "yes" else "yes"
    return str(Decimal(question.answer) + 1) if question.kind == "number" else ""


_PROMPT_COLUMNS: Final[Columns] = {"prompt": "turns", "images": "pictures", "key": "text"}
_SFT: Final[Columns] = _PROMPT_COLUMNS | {"completion": "turns"}
_DPO: Final[Columns] = _PROMPT_COLUMNS | {"chosen": "turns", "rejected": "turns"}
_GRPO: Final[Columns] = _PROMPT_COLUMNS | {"answer": "text", "kind": "text", "gold": "text"}


def _export_parquet(order: Export, name: str, columns: Columns, trainer: str) -> Exported:
    dataset, examples = _examples(order, name)
    with Staging(order.out) as folder, Shards(folder, order.split, columns) as shards:
        for example in examples:
            if example.rejected or "rejected" not in columns:
                shards.add(_row(example, dataset, columns))
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


def _row(example: TrainingRow, dataset: Dataset, columns: Columns) -> dict[str, Any]:
    item = example.item
    row = {
        "prompt": [("user", item.words)],
        "images": load_pictures(dataset, item.pictures, item.row),
        "key": item.key,
        "completion": [("assistant", example.chosen)],
        "chosen": [("assistant", example.chosen)],
        "rejected": [("assistant", example.rejected)],
        "answer": example.chosen,
        "kind": item.question.kind,
        "gold": msgspec.json.encode(item.question).decode(),
    }
    return {name: row[name] for name in columns}


Json = dict[str, Any]
_MARK: Final = "<image>"
_ENDINGS: Final = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif"}


def export_ms_swift(order: Export) -> Exported:
    """Export ms-swift's JSONL: a right and a rejected answer and, if both worlds have pictures, the rejected
    picture."""
    data = f"ROOT_IMAGE_DIR={order.out} swift rlhf --rlhf_type dpo --dataset {order.out / order.split}.jsonl …"
    return _write_turns(order, "ms-swift", _swift, data)


def export_llama_factory(order: Export) -> Exported:
    """Export LLaMA-Factory's ShareGPT layout, with dataset_info.json."""
    return _write_turns(order, "llama-factory", _sharegpt, f"dataset_dir: {order.out}, dataset: countersight")


def export_llava(order: Export) -> Exported:
    """Export LLaVA's list of conversations."""
    data = f"--data_path {order.out / order.split}.json --image_folder {order.out}"
    return _write_turns(order, "llava", _llava, data)


def _write_turns(
    order: Export, name: str, shape: Callable[[TrainingRow, list[str], list[str]], Json], command: str
) -> Exported:
    """Write the conversations one by one: JSON lines for ms-swift, a list for others.

    Every picture is stored once in a folder next to the file, under a new name that is safe for every tool.
    """
    dataset, examples = _examples(order, name)
    before, between, after, ending = (
        ("", "\n", "\n", "jsonl") if name == "ms-swift" else ("[\n", ",\n", "\n]\n", "json")
    )
    count = 0
    names: dict[tuple[str, str], str] = {}
    with Staging(order.out) as folder, open(folder / f"{order.split}.{ending}", "w", encoding="utf-8") as file:
        (folder / "images").mkdir()
        file.write(before)
        for example in examples:
            shown, others = example.item.pictures, example.other_pictures
            for each in (*shown, *others):
                if each not in names:
                    ((known, picture),) = load_pictures(dataset, (each,), example.item.row)
                    suffix = _ENDINGS.get(picture.mime, PurePosixPath(known).suffix)
                    names[each] = f"images/{len(names):06d}{suffix}"
                    (folder / names[each]).write_bytes(picture.data)
            row = shape(example, [names[each] for each in shown], [names[each] for each in others])
            file.write((between if count else "") + json.dumps(row, ensure_ascii=False))
            count += 1
        file.write(after)
        if name == "llama-factory":
            columns = {"messages": "conversations", "images": "images"}
            info = {"file_name": f"{order.split}.{ending}", "formatting": "sharegpt", "columns": columns}
            write_text(folder / "dataset_info.json", json.dumps({"countersight": info}, indent=2))
    return Exported(count, "question", f"train with: {command}")


def _prompt(example: TrainingRow, pictures: list[str]) -> str:
    """Return the prompt after one placeholder per picture; placeholders in the prompt itself are escaped."""
    words = example.item.words.replace(_MARK, "< image >")
    return f"{_MARK}\n" * len(pictures) + words


def _swift(example: TrainingRow, pictures: list[str], others: list[str]) -> Json:
    """Return complete conversations: ms-swift skips rows whose `rejected_response` is missing or the right answer."""
    user = {"role": "user", "content": _prompt(example, pictures)}
    right = [user, {"role": "assistant", "content": example.chosen}]
    conversations = {"messages": right, "images": pictures}
    if others and len(others) == len(pictures):
        # The rejected conversation has the same answer, which is wrong for the other world's picture.
        return conversations | {"rejected_messages": right, "rejected_images": others}
    if not example.rejected:
        return conversations
    wrong = [user, {"role": "assistant", "content": example.rejected}]
    return conversations | {"rejected_messages": wrong, "rejected_images": pictures}


def _sharegpt(example: TrainingRow, pictures: list[str], _others: list[str]) -> Json:
    turns = [{"from": "human", "value": _prompt(example, pictures)}, {"from": "gpt", "value": example.chosen}]
    return {"conversations": turns, "images": pictures}


def _llava(example: TrainingRow, pictures: list[str], others: list[str]) -> Json:
    image = pictures[0] if len(pictures) == 1 else pictures
    turns = _sharegpt(example, pictures, others)["conversations"]
    return {"id": example.item.key, **({"image": image} if pictures else {}), "conversations": turns}
