"""Export files to train a model on: Parquet for TRL, and conversations for ms-swift, LLaMA-Factory and LLaVA.

Every question has its right answer; some formats also have a wrong answer, or the picture of the other world.
"""

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path, PurePosixPath
from random import Random
from typing import Any, Final

from countersight.case import LETTERS
from countersight.dataset import Dataset, published_file
from countersight.errors import ExchangeError
from countersight.exchange.exported_questions import (
    NamedQuestion,
    Splits,
    dataset_at,
    load_pictures,
    published_side,
    questions,
)
from countersight.exchange.formats import Export, Exported
from countersight.exchange.parquet import Columns, Shards
from countersight.files import Staging, write_text

Json = dict[str, Any]

_PROMPT_COLUMNS: Final[Columns] = {"prompt": "turns", "images": "pictures", "key": "text"}
_SFT: Final[Columns] = _PROMPT_COLUMNS | {"completion": "turns"}
_DPO: Final[Columns] = _PROMPT_COLUMNS | {"chosen": "turns", "rejected": "turns"}
_GRPO: Final[Columns] = _PROMPT_COLUMNS | {"answer": "text", "kind": "text", "gold": "text"}
_MARK: Final = "<image>"
_ENDINGS: Final = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif"}


def _questions_of_split(order: Export, dataset: Dataset) -> Iterator[NamedQuestion]:
    """Yield the questions of one split of a dataset; raises an error if there are none, or if they are test data."""
    refuse_testing(order, dataset)
    splits = Splits(dataset)
    found = False
    for item in questions(dataset, order.on_bad):
        if order.split in ("all", splits.side(item.case)):
            found = True
            yield item
    if not found:
        raise ExchangeError(f"{dataset.path} has no questions in the split {order.split!r}; choose another `split`")


def refuse_testing(order: Export, dataset: Dataset) -> None:
    """Raise an error if a training file would contain test data, unless that was requested."""
    if order.train_on_test:
        return
    if published_side(dataset) == "test":
        raise ExchangeError(
            f"{dataset.path} contains, or was built from, questions of a published benchmark "
            f"({published_file(dataset.path)})"
            "; a model trained on them can no longer be tested with it. To export them anyway, set `yes_train_on_test`"
        )
    if order.split != "train":
        raise ExchangeError(
            f"the split {order.split!r} contains test pictures; export the `split` train, or set `yes_train_on_test`"
        )


def wrong_answer(item: NamedQuestion) -> str:
    """Return a wrong answer: the right answer of the other world if it is wrong here, otherwise a random one.

    The result is empty if no answer is known to be wrong.
    """
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


def _other_pictures(item: NamedQuestion) -> tuple[tuple[str, str], ...]:
    """Return the pictures of the other world, if the same question has another answer there."""
    one, other = item.case.factual, item.case.shown
    if one is None or other is None or one.text != other.text or one.right_text == other.right_text:
        return ()
    if item.asking == "factual":
        return item.case.pictures("counterfactual", "shown")
    return item.case.pictures("factual") if item.asking == "shown" else ()


# ---- TRL ------------------------------------------------------------------------------------------------------------


def _export_parquet(order: Export, name: str, columns: Columns, trainer: str) -> Exported:
    dataset = dataset_at(order.source, name)
    with Staging(order.out) as folder, Shards(folder, order.split, columns) as shards:
        for item in _questions_of_split(order, dataset):
            row = _trl_row(item, dataset)
            if "rejected" not in columns or row["rejected"][0][1]:
                shards.add({column: row[column] for column in columns})
    note = f'pass load_dataset("parquet", data_files="{order.out}/*.parquet") to {trainer}'
    return Exported(shards.count, "question", note)


def _trl_row(item: NamedQuestion, dataset: Dataset) -> Json:
    right = [("assistant", item.question.answer)]
    return item.row_of(dataset) | {
        "prompt": [("user", item.words)],
        "completion": right,
        "chosen": right,
        "rejected": [("assistant", wrong_answer(item))],
    }


export_sft = partial(_export_parquet, name="trl-sft", columns=_SFT, trainer="SFTTrainer, with max_length=None")
export_dpo = partial(_export_parquet, name="trl-dpo", columns=_DPO, trainer="DPOTrainer, with max_length=None")
export_grpo = partial(
    _export_parquet,
    name="trl-grpo",
    columns=_GRPO,
    trainer="GRPOTrainer, with reward_funcs=countersight.rewards.trl_reward",
)

# ---- conversations --------------------------------------------------------------------------------------------------


class _PictureFolder:
    """Stores every picture once, under a new name that is safe for every tool."""

    def __init__(self, folder: Path, dataset: Dataset) -> None:
        self._folder = folder
        self._dataset = dataset
        self._names: dict[tuple[str, str], str] = {}
        (folder / "images").mkdir()

    def store(self, pictures: tuple[tuple[str, str], ...], row: int) -> list[str]:
        """Return the new names of the pictures in a row of the dataset."""
        for each in pictures:
            if each not in self._names:
                ((known, picture),) = load_pictures(self._dataset, (each,), row)
                suffix = _ENDINGS.get(picture.mime, PurePosixPath(known).suffix)
                self._names[each] = f"images/{len(self._names):06d}{suffix}"
                (self._folder / self._names[each]).write_bytes(picture.data)
        return [self._names[each] for each in pictures]


def _swift(item: NamedQuestion, pictures: _PictureFolder) -> Json:
    """Return complete conversations: ms-swift skips rows whose `rejected_response` is missing or right."""
    names, other_names = (pictures.store(each, item.row) for each in (item.pictures, _other_pictures(item)))
    user = {"role": "user", "content": _prompt(item, names)}
    right = [user, {"role": "assistant", "content": item.question.answer}]
    conversations = {"messages": right, "images": names}
    if other_names and len(other_names) == len(names):
        # The rejected conversation has the same answer, which is wrong for the other world's picture.
        return conversations | {"rejected_messages": right, "rejected_images": other_names}
    if not (rejected := wrong_answer(item)):
        return conversations
    wrong = [user, {"role": "assistant", "content": rejected}]
    return conversations | {"rejected_messages": wrong, "rejected_images": names}


def _sharegpt(item: NamedQuestion, pictures: _PictureFolder) -> Json:
    names = pictures.store(item.pictures, item.row)
    turns = [{"from": "human", "value": _prompt(item, names)}, {"from": "gpt", "value": item.question.answer}]
    return {"conversations": turns, "images": names}


def _llava(item: NamedQuestion, pictures: _PictureFolder) -> Json:
    found = _sharegpt(item, pictures)
    names = found["images"]
    image = {"image": names[0] if len(names) == 1 else names} if names else {}
    return {"id": item.key, **image, "conversations": found["conversations"]}


def _prompt(item: NamedQuestion, names: list[str]) -> str:
    """Return the prompt, preceded by one placeholder per picture; placeholders in the prompt itself are escaped."""
    return f"{_MARK}\n" * len(names) + item.words.replace(_MARK, "< image >")


def _export_conversations(
    order: Export, name: str, ending: str, convert: Callable[[NamedQuestion, _PictureFolder], Json], train: str
) -> Exported:
    dataset = dataset_at(order.source, name)
    file = f"{order.split}{ending}"
    with Staging(order.out) as folder:
        pictures = _PictureFolder(folder, dataset)
        rows = [json.dumps(convert(item, pictures), ensure_ascii=False) for item in _questions_of_split(order, dataset)]
        write_text(folder / file, "\n".join(rows) + "\n" if ending == ".jsonl" else "[\n" + ",\n".join(rows) + "\n]\n")
        if name == "llama-factory":
            columns = {"messages": "conversations", "images": "images"}
            info = {"file_name": file, "formatting": "sharegpt", "columns": columns}
            write_text(folder / "dataset_info.json", json.dumps({"countersight": info}, indent=2))
    return Exported(len(rows), "question", f"train with: {train.format(out=order.out, file=order.out / file)}")


export_ms_swift = partial(
    _export_conversations,
    name="ms-swift",
    ending=".jsonl",
    convert=_swift,
    train="ROOT_IMAGE_DIR={out} swift rlhf --rlhf_type dpo --dataset {file} …",
)
export_llama_factory = partial(
    _export_conversations,
    name="llama-factory",
    ending=".json",
    convert=_sharegpt,
    train="dataset_dir: {out}, dataset: countersight",
)
export_llava = partial(
    _export_conversations,
    name="llava",
    ending=".json",
    convert=_llava,
    train="--data_path {file} --image_folder {out}",
)
