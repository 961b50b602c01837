"""Files for fine-tuning: supervised, by preference, or with our reader as the reward.

TRL takes Parquet files with the pictures in them; ms-swift, LLaMA-Factory and LLaVA take conversations in JSON, with
the pictures in a folder beside.
"""

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path, PurePosixPath
from random import Random
from typing import Any, Final

import msgspec

from countersight.case import LETTERS, Asking, Case, Question
from countersight.dataset import Dataset
from countersight.exchange.formats import Export, Exported
from countersight.exchange.hugging_face import load_pictures
from countersight.exchange.named_questions import NamedQuestion, dataset_at, questions
from countersight.exchange.parquet import Columns, Shards
from countersight.exchange.splits import Splits, refuse_testing
from countersight.files import Staging, write_text
from countersight.picture import Picture


class TrainingRow(msgspec.Struct, frozen=True):
    """A question to train on."""

    asked: NamedQuestion
    rejected: str
    """A wrong answer, preferably the right one of the other world. Empty if no answer is known to be wrong."""

    @property
    def chosen(self) -> str:
        """The right answer, in the form requested."""
        return self.asked.question.answer

    @property
    def other_pictures(self) -> tuple[tuple[str, str], ...]:
        """The pictures of the other world, if the same question has another answer there."""
        case = self.asked.case
        if not _differs(case):
            return ()
        if self.asked.asking == "factual":
            return case.pictures("counterfactual", "shown")
        return case.pictures("factual") if self.asked.asking == "shown" else ()


class Examples:
    """The questions of one split of a dataset; test datasets are refused."""

    def __init__(self, order: Export, name: str) -> None:
        self.dataset: Dataset = dataset_at(order.source, name)
        refuse_testing(order, self.dataset)
        self._order = order
        self._splits = Splits(self.dataset)

    def __iter__(self) -> Iterator[TrainingRow]:
        for asked in questions(self.dataset, self._order.on_bad):
            if self._order.split in ("all", self._splits.side(asked.case)):
                yield TrainingRow(asked, wrong_answer(asked))


def wrong_answer(asked: NamedQuestion) -> str:
    """Return a wrong answer: the right one of the other world if it is wrong here, or else a random one."""
    question, other = asked.question, _other(asked.case, asked.asking)
    if question.kind == "choice":
        return _wrong_option(asked, other)
    if other is not None and other.kind == question.kind and other.answer != question.answer:
        return other.answer
    if question.kind == "boolean":
        return "no" if question.answer == "yes" else "yes"
    return str(Decimal(question.answer) + 1) if question.kind == "number" else ""


def _wrong_option(asked: NamedQuestion, other: Question | None) -> str:
    question = asked.question
    wrong = [letter for letter in LETTERS[: len(question.options)] if letter != question.answer]
    texts = {question.options[LETTERS.index(letter)].text: letter for letter in wrong}
    if other is not None and other.right_text in texts:
        return texts[other.right_text]
    return Random(asked.key).choice(wrong)


def _differs(case: Case) -> bool:
    """Whether one question is asked of both worlds' pictures and has another answer in each."""
    one, other = case.factual, case.shown
    return one is not None and other is not None and one.text == other.text and one.right_text != other.right_text


def _other(case: Case, asking: Asking) -> Question | None:
    """The question of the other world."""
    return (case.counterfactual or case.shown) if asking == "factual" else case.factual


_PROMPT_COLUMNS: Final[Columns] = {"prompt": "turns", "images": "pictures", "key": "text"}
_SFT: Final[Columns] = _PROMPT_COLUMNS | {"completion": "turns"}
_DPO: Final[Columns] = _PROMPT_COLUMNS | {"chosen": "turns", "rejected": "turns"}
_GRPO: Final[Columns] = _PROMPT_COLUMNS | {"answer": "text", "kind": "text", "gold": "text"}


def export_sft(order: Export) -> Exported:
    """Write questions and right answers, for SFTTrainer."""
    return _export_parquet(order, "trl-sft", _SFT, "SFTTrainer, with max_length=None")


def export_dpo(order: Export) -> Exported:
    """Write questions with a right and a wrong answer, for DPOTrainer."""
    return _export_parquet(order, "trl-dpo", _DPO, "DPOTrainer, with max_length=None")


def export_grpo(order: Export) -> Exported:
    """Write questions alone, for GRPOTrainer; `countersight.rewards` computes the rewards."""
    return _export_parquet(order, "trl-grpo", _GRPO, "GRPOTrainer, with reward_funcs=countersight.rewards.trl_reward")


def _export_parquet(order: Export, name: str, columns: Columns, trainer: str) -> Exported:
    examples = Examples(order, name)
    with Staging(order.out) as folder, Shards(folder, order.split, columns) as shards:
        for example in examples:
            if example.rejected or "rejected" not in columns:
                shards.add(_row(example, examples, columns))
    note = f'load_dataset("parquet", data_files="{order.out}/*.parquet") goes into {trainer}'
    return Exported(shards.count, "question", note)


def _row(example: TrainingRow, examples: Examples, columns: Columns) -> dict[str, Any]:
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


Json = dict[str, Any]
_MARK: Final = "<image>"
_ENDINGS: Final = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif"}


class _Pictures:
    """The pictures that go with a file, each written once, by names that are safe whatever the dataset calls them."""

    def __init__(self, folder: Path, examples: Examples) -> None:
        (folder / "images").mkdir()
        self._folder = folder
        self._examples = examples
        self._names: dict[tuple[str, str], str] = {}

    def named(self, pictures: tuple[tuple[str, str], ...], row: int) -> list[str]:
        """Where the pictures are, seen from the folder."""
        return [self._names.get(each) or self._written(each, row) for each in pictures]

    def _written(self, named: tuple[str, str], row: int) -> str:
        ((name, picture),) = load_pictures(self._examples.dataset, (named,), row)
        place = f"images/{len(self._names):06d}{_ending(name, picture)}"
        (self._folder / place).write_bytes(picture.data)
        self._names[named] = place
        return place


def _ending(name: str, picture: Picture) -> str:
    return _ENDINGS.get(picture.mime, PurePosixPath(name).suffix)


def export_ms_swift(order: Export) -> Exported:
    """Write ms-swift's JSONL: a right and a rejected answer, and the rejected picture if both worlds have pictures."""
    count = _write_turns(order, "ms-swift", _swift, joined="\n", around=("", "\n"), ending="jsonl")
    data = f"ROOT_IMAGE_DIR={order.out} swift rlhf --rlhf_type dpo --dataset {order.out / order.split}.jsonl"
    return Exported(count, "question", f"train with: {data} …")


def export_llama_factory(order: Export) -> Exported:
    """Write LLaMA-Factory's ShareGPT layout, with dataset_info.json."""
    count = _write_turns(order, "llama-factory", _sharegpt, joined=",\n", around=("[\n", "\n]\n"), ending="json")
    return Exported(count, "question", f"train with: dataset_dir: {order.out}, dataset: countersight")


def export_llava(order: Export) -> Exported:
    """Write LLaVA's list of conversations."""
    count = _write_turns(order, "llava", _llava, joined=",\n", around=("[\n", "\n]\n"), ending="json")
    data = f"--data_path {order.out / order.split}.json --image_folder {order.out}"
    return Exported(count, "question", f"train with: {data}")


def _write_turns(
    order: Export,
    name: str,
    shape: Callable[[TrainingRow, list[str], list[str]], Json],
    *,
    joined: str,
    around: tuple[str, str],
    ending: str,
) -> int:
    """Write the conversations one by one, and their pictures beside."""
    examples = Examples(order, name)
    count = 0
    with Staging(order.out) as folder, open(folder / f"{order.split}.{ending}", "w", encoding="utf-8") as file:
        pictures = _Pictures(folder, examples)
        file.write(around[0])
        for example in examples:
            row = example.asked.row
            shown = pictures.named(example.asked.pictures, row)
            told = shape(example, shown, pictures.named(example.other_pictures, row))
            file.write((joined if count else "") + json.dumps(told, ensure_ascii=False))
            count += 1
        file.write(around[1])
        if name == "llama-factory":
            write_text(folder / "dataset_info.json", json.dumps(_info(f"{order.split}.{ending}"), indent=2))
    return count


def _info(file: str) -> Json:
    columns = {"messages": "conversations", "images": "images"}
    return {"countersight": {"file_name": file, "formatting": "sharegpt", "columns": columns}}


def _asked(example: TrainingRow, pictures: list[str]) -> str:
    """The words after a mark for each picture; a mark in the words themselves would be taken for one more."""
    words = example.asked.words.replace(_MARK, "< image >")
    return f"{_MARK}\n" * len(pictures) + words


def _swift(example: TrainingRow, pictures: list[str], others: list[str]) -> Json:
    """Both sides whole: ms-swift leaves out a row whose `rejected_response` is the right answer, or missing."""
    right = _messages(example, pictures, example.chosen)
    said = {"messages": right, "images": pictures}
    if others and len(others) == len(pictures):
        # The same words are wrong about the other world's picture: it is the picture that decides.
        return said | {"rejected_messages": right, "rejected_images": others}
    if not example.rejected:
        return said
    return said | {"rejected_messages": _messages(example, pictures, example.rejected), "rejected_images": pictures}


def _messages(example: TrainingRow, pictures: list[str], answer: str) -> list[Json]:
    return [{"role": "user", "content": _asked(example, pictures)}, {"role": "assistant", "content": answer}]


def _turns(example: TrainingRow, pictures: list[str]) -> list[Json]:
    return [{"from": "human", "value": _asked(example, pictures)}, {"from": "gpt", "value": example.chosen}]


def _sharegpt(example: TrainingRow, pictures: list[str], others: list[str]) -> Json:
    return {"conversations": _turns(example, pictures), "images": pictures}


def _llava(example: TrainingRow, pictures: list[str], others: list[str]) -> Json:
    image = pictures[0] if len(pictures) == 1 else pictures
    return {
        "id": example.asked.key,
        **({"image": image} if pictures else {}),
        "conversations": _turns(example, pictures),
    }
