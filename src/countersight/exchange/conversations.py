"""Export conversations for ms-swift, LLaMA-Factory and LLaVA: JSON, with the pictures in a folder next to it."""

import json
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any, Final

from countersight.dataset import Dataset
from countersight.exchange.formats import Export, Exported
from countersight.exchange.hugging_face import load_pictures
from countersight.exchange.training_rows import TrainingRow, training_rows
from countersight.files import Staging, write_text

Json = dict[str, Any]
_MARK: Final = "<image>"
_ENDINGS: Final = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif"}


class _PictureFolder:
    """Stores every picture once, under a new name that is safe for every tool."""

    def __init__(self, folder: Path, dataset: Dataset) -> None:
        self._folder = folder
        self._dataset = dataset
        self._names: dict[tuple[str, str], str] = {}
        (folder / "images").mkdir()

    def store(self, pictures: tuple[tuple[str, str], ...], row: int) -> list[str]:
        """Return the new names of the pictures of a row of the dataset."""
        for each in pictures:
            if each not in self._names:
                ((known, picture),) = load_pictures(self._dataset, (each,), row)
                suffix = _ENDINGS.get(picture.mime, PurePosixPath(known).suffix)
                self._names[each] = f"images/{len(self._names):06d}{suffix}"
                (self._folder / self._names[each]).write_bytes(picture.data)
        return [self._names[each] for each in pictures]


def export_ms_swift(order: Export) -> Exported:
    """Export ms-swift's JSONL: a right and a rejected answer and, if both worlds have pictures, the rejected
    picture."""
    dataset, rows = training_rows(order, "ms-swift")
    file = f"{order.split}.jsonl"
    with Staging(order.out) as folder:
        pictures = _PictureFolder(folder, dataset)
        count = _write_lines(folder / file, (_swift(row, pictures) for row in rows))
    command = f"ROOT_IMAGE_DIR={order.out} swift rlhf --rlhf_type dpo --dataset {order.out / file} …"
    return Exported(count, "question", f"train with: {command}")


def export_llama_factory(order: Export) -> Exported:
    """Export LLaMA-Factory's ShareGPT layout, with dataset_info.json."""
    dataset, rows = training_rows(order, "llama-factory")
    file = f"{order.split}.json"
    with Staging(order.out) as folder:
        pictures = _PictureFolder(folder, dataset)
        count = _write_list(folder / file, (_sharegpt(row, pictures) for row in rows))
        columns = {"messages": "conversations", "images": "images"}
        info = {"file_name": file, "formatting": "sharegpt", "columns": columns}
        write_text(folder / "dataset_info.json", json.dumps({"countersight": info}, indent=2))
    return Exported(count, "question", f"train with: dataset_dir: {order.out}, dataset: countersight")


def export_llava(order: Export) -> Exported:
    """Export LLaVA's list of conversations."""
    dataset, rows = training_rows(order, "llava")
    file = f"{order.split}.json"
    with Staging(order.out) as folder:
        pictures = _PictureFolder(folder, dataset)
        count = _write_list(folder / file, (_llava(row, pictures) for row in rows))
    return Exported(count, "question", f"train with: --data_path {order.out / file} --image_folder {order.out}")


def _swift(row: TrainingRow, pictures: _PictureFolder) -> Json:
    """Return complete conversations: ms-swift skips rows whose `rejected_response` is missing or the right answer."""
    names, other_names = (pictures.store(each, row.item.row) for each in (row.item.pictures, row.other_pictures))
    user = {"role": "user", "content": _prompt(row, names)}
    right = [user, {"role": "assistant", "content": row.chosen}]
    conversations = {"messages": right, "images": names}
    if other_names and len(other_names) == len(names):
        # The rejected conversation has the same answer, which is wrong for the other world's picture.
        return conversations | {"rejected_messages": right, "rejected_images": other_names}
    if not row.rejected:
        return conversations
    wrong = [user, {"role": "assistant", "content": row.rejected}]
    return conversations | {"rejected_messages": wrong, "rejected_images": names}


def _sharegpt(row: TrainingRow, pictures: _PictureFolder) -> Json:
    names = pictures.store(row.item.pictures, row.item.row)
    turns = [{"from": "human", "value": _prompt(row, names)}, {"from": "gpt", "value": row.chosen}]
    return {"conversations": turns, "images": names}


def _llava(row: TrainingRow, pictures: _PictureFolder) -> Json:
    found = _sharegpt(row, pictures)
    names = found["images"]
    image = {"image": names[0] if len(names) == 1 else names} if names else {}
    return {"id": row.item.key, **image, "conversations": found["conversations"]}


def _prompt(row: TrainingRow, names: list[str]) -> str:
    """Return the prompt after one placeholder per picture; placeholders in the prompt itself are escaped."""
    words = row.item.words.replace(_MARK, "< image >")
    return f"{_MARK}\n" * len(names) + words


def _write_lines(path: Path, rows: Iterable[Json]) -> int:
    """Write one JSON object per line, and return their number."""
    count = 0
    with open(path, "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def _write_list(path: Path, rows: Iterable[Json]) -> int:
    """Write a JSON list row by row, and return the number of rows."""
    count = 0
    with open(path, "w", encoding="utf-8") as file:
        file.write("[")
        for row in rows:
            file.write((",\n" if count else "\n") + json.dumps(row, ensure_ascii=False))
            count += 1
        file.write("\n]\n")
    return count
