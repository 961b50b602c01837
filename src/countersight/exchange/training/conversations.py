"""`export --to ms-swift`, `llama-factory` and `llava`: conversations in JSON, with the pictures in a folder beside."""

import json
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any, Final

from countersight.exchange.formats import Export, Exported
from countersight.exchange.hugging_face import load_pictures
from countersight.exchange.training.examples import Example, Examples
from countersight.files import Staging, write_text
from countersight.picture import Picture

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
    """ms-swift's JSONL: a right and a rejected answer, and where both worlds have pictures, the rejected picture."""
    count = _export(order, "ms-swift", _swift, joined="\n", around=("", "\n"), ending="jsonl")
    data = f"ROOT_IMAGE_DIR={order.out} swift rlhf --rlhf_type dpo --dataset {order.out / order.split}.jsonl"
    return Exported(count, "question", f"train with: {data} …")


def export_llama_factory(order: Export) -> Exported:
    """LLaMA-Factory's ShareGPT layout, with dataset_info.json."""
    count = _export(order, "llama-factory", _sharegpt, joined=",\n", around=("[\n", "\n]\n"), ending="json")
    return Exported(count, "question", f"train with: dataset_dir: {order.out}, dataset: countersight")


def export_llava(order: Export) -> Exported:
    """LLaVA's list of conversations."""
    count = _export(order, "llava", _llava, joined=",\n", around=("[\n", "\n]\n"), ending="json")
    data = f"--data_path {order.out / order.split}.json --image_folder {order.out}"
    return Exported(count, "question", f"train with: {data}")


def _export(
    order: Export,
    name: str,
    shape: Callable[[Example, list[str], list[str]], Json],
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


def _asked(example: Example, pictures: list[str]) -> str:
    """The words after a mark for each picture; a mark in the words themselves would be taken for one more."""
    words = example.asked.words.replace(_MARK, "< image >")
    return f"{_MARK}\n" * len(pictures) + words


def _swift(example: Example, pictures: list[str], others: list[str]) -> Json:
    """Both sides whole: ms-swift leaves out a row whose `rejected_response` is the right answer, or missing."""
    right = _messages(example, pictures, example.chosen)
    said = {"messages": right, "images": pictures}
    if others and len(others) == len(pictures):
        # The same words are wrong about the other world's picture: it is the picture that decides.
        return said | {"rejected_messages": right, "rejected_images": others}
    if not example.rejected:
        return said
    return said | {"rejected_messages": _messages(example, pictures, example.rejected), "rejected_images": pictures}


def _messages(example: Example, pictures: list[str], answer: str) -> list[Json]:
    return [{"role": "user", "content": _asked(example, pictures)}, {"role": "assistant", "content": answer}]


def _turns(example: Example, pictures: list[str]) -> list[Json]:
    return [{"from": "human", "value": _asked(example, pictures)}, {"from": "gpt", "value": example.chosen}]


def _sharegpt(example: Example, pictures: list[str], others: list[str]) -> Json:
    return {"conversations": _turns(example, pictures), "images": pictures}


def _llava(example: Example, pictures: list[str], others: list[str]) -> Json:
    image = pictures[0] if len(pictures) == 1 else pictures
    return {
        "id": example.asked.key,
        **({"image": image} if pictures else {}),
        "conversations": _turns(example, pictures),
    }
