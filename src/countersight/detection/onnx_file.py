"""Detectors in ONNX files: exports shaped like YOLO's (one table of boxes) and like DETR's (logits and boxes)."""

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from countersight.detection.finder import (
    IMAGE_MEAN,
    IMAGE_STD,
    MOST_CLASSES,
    Found,
    coco_labels,
    listed,
    read_labels,
)
from countersight.detection.segmenting import fingerprint, open_graph
from countersight.errors import ModelError

if TYPE_CHECKING:
    Array = NDArray[np.float32]

_SIDE = 640
"""What a YOLO takes in where its file leaves the size open."""
_DETR_SIDES = (800, 1333)
"""The shorter side a DETR takes in, and the most of the longer one, where its file leaves the size open."""
_LARGEST = 4096
_GREY = 114
"""With this YOLO's pictures are filled up to a square."""
_LONGEST_METADATA = 1024 * 1024
_ENDS = 6
"""Columns of an export that has sorted its boxes itself: a box, a score and a class."""


class OnnxFinder:
    """A detector in an ONNX file."""

    def __init__(self, path: Path, labels: Path | None) -> None:
        self._session = _open(path)
        self._input = self._session.get_inputs()[0]
        self._outputs = [output.name for output in self._session.get_outputs()]
        said = self._session.get_modelmeta().custom_metadata_map
        self._beside = _json(path.with_name("preprocessor_config.json"))
        named = read_labels(labels) if labels else _named(said) or _labelled(path.with_name("config.json"))
        self._detr = _detr_outputs(self._session.get_outputs())
        size = _sides(said.get("imgsz", ""))
        height, width = (side if isinstance(side, int) else None for side in self._input.shape[2:4])
        self._height, self._width = height or (size and size[0]), width or (size and size[1])
        self._names = named or self._guessed(path)
        self.classes = tuple(dict.fromkeys(name for name in self._names if name))
        self.least = 0.5
        self.settings: dict[str, object] = {"detector": fingerprint(path)[:12]}

    def find(self, image: Image.Image, words: str, least: float) -> list[Found]:
        """Return the things in a picture."""
        if self._detr:
            return self._detr_found(image, least)
        height, width = self._height or _SIDE, self._width or _SIDE
        squared, scale, left, top = _letterboxed(image, width, height)
        [table] = self._run(_planes(squared), self._outputs[:1])
        boxes, scores, places = _yolo_rows(table, len(self._names))
        boxes = (boxes - np.array([left, top, left, top], np.float32)) / np.float32(scale)
        return listed(boxes, scores, self._called(places), least)

    def _detr_found(self, image: Image.Image, least: float) -> list[Found]:
        assert self._detr
        width, height = self._detr_size(image)
        pixels = _planes(image.resize((width, height), Image.Resampling.BILINEAR))
        if self._beside.get("do_normalize", True):
            mean, std = (
                np.array(self._beside.get(key) or fallback, np.float32).reshape(1, 3, 1, 1)
                for key, fallback in (("image_mean", IMAGE_MEAN), ("image_std", IMAGE_STD))
            )
            pixels = (pixels - mean) / std
        logits, centred = self._run(pixels, self._detr)
        scores, places = _detr_scores(logits[0], len(self._names))
        corners = _corners(centred[0]) * np.array([image.width, image.height] * 2, np.float32)
        return listed(corners, scores, self._called(places), least)

    def _detr_size(self, image: Image.Image) -> tuple[int, int]:
        if self._width and self._height:
            return self._width, self._height
        shorter, longest = _DETR_SIDES
        scale = min(shorter / min(image.size), longest / max(image.size))
        return max(1, round(image.width * scale)), max(1, round(image.height * scale))

    def _run(self, pixels: "Array", outputs: list[str]) -> "list[Array]":
        kind = np.float16 if "float16" in self._input.type else np.float32
        fed: dict[str, NDArray[Any]] = {self._input.name: pixels.astype(kind)}
        for other in self._session.get_inputs()[1:]:  # DETR's mask of what is picture and not filling: all is
            fed[other.name] = np.ones((1, *pixels.shape[2:]) if other.name == "pixel_mask" else 1, np.int64)
        return [np.asarray(output, np.float32) for output in self._session.run(outputs, fed)]

    def _called(self, places: NDArray[np.int64]) -> list[str]:
        return [self._names[place] if 0 <= place < len(self._names) else "" for place in places.tolist()]

    def _guessed(self, path: Path) -> tuple[str, ...]:
        """The names of a file that does not say them, where their number tells."""
        shapes = {output.name: output.shape for output in self._session.get_outputs()}
        if self._detr:
            classes = shapes[self._detr[0]][-1]
            number = classes if isinstance(classes, int) else 0
            known = coco_labels(number) or coco_labels(number - 1)
        else:
            shape = [side for side in shapes[self._outputs[0]][1:] if isinstance(side, int)]
            known = next((found for side in shape for less in (4, 5) if (found := coco_labels(side - less))), None)
            known = known or (coco_labels(80) if shape[-1:] == [_ENDS] else None)
        if known is None:
            raise ModelError(
                f"{path} does not name its classes; name a file with one class per line: detector:{path}?labels=FILE"
            )
        return known


def _open(path: Path) -> Any:
    session = open_graph(path, ModelError)
    first = session.get_inputs()[0]
    if len(first.shape) != 4 or first.shape[1] not in (3, None) or "float" not in first.type:
        raise ModelError(
            f"the input of {path} has type {first.type} and shape {first.shape}, not that of a picture with three "
            "channels"
        )
    if any(isinstance(side, int) and not 0 < side <= _LARGEST for side in first.shape[2:]):
        raise ModelError(f"{path} expects pictures of {first.shape[2:]} pixels, which is not a valid size")
    return session


def _detr_outputs(outputs: list[Any]) -> list[str] | None:
    """The outputs of a DETR, its logits and boxes; None where there are none such."""
    names = [output.name for output in outputs]
    for logits, boxes in (("logits", "pred_boxes"), ("pred_logits", "pred_boxes")):
        if logits in names and boxes in names:
            return [logits, boxes]
    return None


def _named(said: Mapping[str, str]) -> tuple[str, ...]:
    """The names that YOLO's exporter leaves in a file, written down as Python writes a dictionary."""
    text = said.get("names", "")
    if not text or len(text) > _LONGEST_METADATA:
        return ()
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return ()
    return _in_order(found)


def _labelled(config: Path) -> tuple[str, ...]:
    """The names in the configuration that transformers leaves beside an exported file."""
    return _in_order(_json(config).get("id2label"))


def _in_order(found: object) -> tuple[str, ...]:
    """Names by their numbers as a row, with nothing where a number has no name."""
    if isinstance(found, list | tuple):
        found = dict(enumerate(found))
    if not isinstance(found, dict) or not found:
        return ()
    try:
        names = {int(number): str(name) for number, name in found.items()}
    except (ValueError, TypeError):
        return ()
    if not 0 <= min(names) <= max(names) < MOST_CLASSES:
        return ()
    return tuple("" if (name := names.get(number, "")) == "N/A" else name for number in range(max(names) + 1))


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _sides(text: str) -> tuple[int, int] | None:
    try:
        height, width = (int(side) for side in json.loads(text))
    except (ValueError, TypeError):
        return None
    return (height, width) if min(height, width) > 0 and max(height, width) <= _LARGEST else None


def _letterboxed(image: Image.Image, width: int, height: int) -> tuple[Image.Image, float, int, int]:
    """The picture as large as it fits, on grey; how many times larger it is, and where it begins."""
    scale = min(width / image.width, height / image.height)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    left, top = (width - size[0]) // 2, (height - size[1]) // 2
    ground = Image.new("RGB", (width, height), (_GREY, _GREY, _GREY))
    ground.paste(image.resize(size, Image.Resampling.BILINEAR), (left, top))
    return ground, scale, left, top


def _planes(image: Image.Image) -> "Array":
    """A picture as networks take it in: one of a batch, its three colours apart, from 0 to 1."""
    pixels = np.asarray(image.convert("RGB"), np.float32) / np.float32(255)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None])


def _yolo_rows(table: "Array", classes: int) -> "tuple[Array, Array, NDArray[np.int64]]":
    """Boxes by their corners, their scores and classes, out of the table of any of YOLO's exports."""
    rows = table[0] if table.ndim == 3 else table
    if rows.ndim != 2:
        raise ValueError(f"a table of shape {table.shape} does not contain boxes")
    if rows.shape[0] == 4 + classes and rows.shape[1] != 4 + classes:  # version 8 and later: a column for each box
        rows = rows.T
    if rows.shape[1] == 4 + classes:
        scores = rows[:, 4:]
    elif rows.shape[1] == 5 + classes:  # before: whether there is anything at all stands apart
        scores = rows[:, 5:] * rows[:, 4:5]
    elif rows.shape[1] == _ENDS:
        return rows[:, :4], rows[:, 4], rows[:, 5].astype(np.int64)
    else:
        raise ValueError(f"a table of shape {table.shape} does not contain boxes of {classes} classes")
    places = scores.argmax(axis=1)
    return _corners(rows[:, :4]), scores[np.arange(len(rows)), places], places


def _detr_scores(logits: "Array", classes: int) -> "tuple[Array, NDArray[np.int64]]":
    """The score and class of each box; a model that has one more class than names keeps it for nothing."""
    clipped = np.clip(logits, -60, 60)
    if logits.shape[-1] == classes + 1:
        odds = np.exp(clipped - clipped.max(axis=-1, keepdims=True))
        shares = (odds / odds.sum(axis=-1, keepdims=True))[:, :-1]
    else:
        shares = 1 / (1 + np.exp(-clipped))
    places = shares.argmax(axis=-1)
    return shares[np.arange(len(shares)), places], places


def _corners(centred: "Array") -> "Array":
    """Boxes by left, top, right and bottom instead of middle and size."""
    middle, half = centred[:, :2], centred[:, 2:4] / 2
    return np.concatenate([middle - half, middle + half], axis=1)
