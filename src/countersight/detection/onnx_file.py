"""Detectors in ONNX files: exports of models like YOLO (one table of boxes) or DETR (logits and boxes)."""

import ast
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from countersight.detection.finder import IMAGE_MEAN, IMAGE_STD, MOST_CLASSES, Found, coco_labels, listed, read_labels
from countersight.detection.segmenting import fingerprint
from countersight.errors import ModelError
from countersight.models import open_graph

Array = NDArray[np.float32]
_SIDE = 640
"""The input size for a YOLO whose file does not define it."""
_DETR_SIDES = (800, 1333)
"""The shorter side and the maximum of the longer side for a DETR whose file does not define its input size."""
_LARGEST = 4096
_GREY = 114
"""The grey level with which YOLO's pictures are padded to a square."""
_LONGEST_METADATA = 1024 * 1024
_SUPPRESSED_COLUMNS = 6
"""The number of columns in the table of an export that already suppresses overlaps: a box (4), a score and a class."""
_DETR_OUTPUTS = (["logits", "pred_boxes"], ["pred_logits", "pred_boxes"])


class OnnxFinder:
    """A detector in an ONNX file."""

    def __init__(self, path: Path, labels: Path | None) -> None:
        self._session = open_graph(path)
        self._input = self._session.get_inputs()[0]
        shape = self._input.shape
        if len(shape) != 4 or shape[1] not in (3, None) or "float" not in self._input.type:
            raise ModelError(
                f"the input of {path} has type {self._input.type} and shape {shape}, but must be a picture with three "
                "channels"
            )
        if any(isinstance(side, int) and not 0 < side <= _LARGEST for side in shape[2:]):
            raise ModelError(f"{path} expects pictures of {shape[2:]} pixels, which is not a valid size")
        self._height, self._width = (side if isinstance(side, int) else None for side in shape[2:4])
        self._outputs = {output.name: output.shape for output in self._session.get_outputs()}
        self._detr = next((names for names in _DETR_OUTPUTS if set(names) <= set(self._outputs)), None)
        self._processing = _json(path.with_name("preprocessor_config.json"))
        self._names = read_labels(labels) if labels else self._known_names(path)
        self.classes = tuple(dict.fromkeys(name for name in self._names if name))
        self.least = 0.5
        self.settings: dict[str, object] = {"detector": fingerprint(path)[:12]}

    def find(self, image: Image.Image, words: str, least: float) -> list[Found]:
        """Return the objects in a picture; `words` are ignored, because the classes are fixed."""
        boxes, scores, classes = self._detr_rows(image) if self._detr else self._yolo_rows(image)
        names = [self._names[each] if 0 <= each < len(self._names) else "" for each in classes.tolist()]
        return listed(boxes, scores, names, least)

    def _yolo_rows(self, image: Image.Image) -> tuple[Array, Array, NDArray[np.int64]]:
        """Return boxes, scores and classes of a YOLO; the picture is scaled to fit its input and padded with grey."""
        height, width = self._height or _SIDE, self._width or _SIDE
        scale = min(width / image.width, height / image.height)
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        left, top = (width - size[0]) // 2, (height - size[1]) // 2
        ground = Image.new("RGB", (width, height), (_GREY, _GREY, _GREY))
        ground.paste(image.resize(size, Image.Resampling.BILINEAR), (left, top))
        [table] = self._run(_network_input(ground), list(self._outputs)[:1])
        boxes, scores, classes = _boxes_in(table, len(self._names))
        return (boxes - np.array([left, top, left, top], np.float32)) / np.float32(scale), scores, classes

    def _detr_rows(self, image: Image.Image) -> tuple[Array, Array, NDArray[np.int64]]:
        """Return boxes, scores and classes of a DETR."""
        assert self._detr
        shorter, longest = _DETR_SIDES
        scale = min(shorter / min(image.size), longest / max(image.size))
        fitting = max(1, round(image.width * scale)), max(1, round(image.height * scale))
        size = (self._width, self._height) if self._width and self._height else fitting
        pixels = _network_input(image.resize(size, Image.Resampling.BILINEAR))
        if self._processing.get("do_normalize", True):
            mean, std = (
                np.array(self._processing.get(key) or usual, np.float32).reshape(1, 3, 1, 1)
                for key, usual in (("image_mean", IMAGE_MEAN), ("image_std", IMAGE_STD))
            )
            pixels = (pixels - mean) / std
        logits, centred = self._run(pixels, self._detr)
        scores, classes = _detr_scores(logits[0], len(self._names))
        return _corners(centred[0]) * np.array([image.width, image.height] * 2, np.float32), scores, classes

    def _run(self, pixels: Array, outputs: list[str]) -> list[Array]:
        kind = np.float16 if "float16" in self._input.type else np.float32
        fed: dict[str, NDArray[Any]] = {self._input.name: pixels.astype(kind)}
        for other in self._session.get_inputs()[1:]:  # DETR's mask of real pixels: there is no padding
            fed[other.name] = np.ones((1, *pixels.shape[2:]) if other.name == "pixel_mask" else 1, np.int64)
        return [np.asarray(output, np.float32) for output in self._session.run(outputs, fed)]

    def _known_names(self, path: Path) -> tuple[str, ...]:
        """Return the class names from the file or from `config.json` next to it; otherwise COCO's names, if the number
        of classes matches."""
        written = self._session.get_modelmeta().custom_metadata_map.get("names", "")  # the repr of a Python dictionary
        try:
            found = ast.literal_eval(written) if len(written) <= _LONGEST_METADATA else None
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            found = None
        names = _names_by_number(found) or _names_by_number(_json(path.with_name("config.json")).get("id2label"))
        if names:
            return names
        if self._detr:
            numbers, extra = [self._outputs[self._detr[0]][-1]], (0, 1)
        else:
            numbers, extra = self._outputs[next(iter(self._outputs))][1:], (4, 5)
        sides = [number for number in numbers if isinstance(number, int)]
        known = next((found for side in sides for less in extra if (found := coco_labels(side - less))), None)
        if known is None and not self._detr and sides[-1:] == [_SUPPRESSED_COLUMNS]:
            known = coco_labels(80)
        if known is None:
            raise ModelError(
                f"{path} does not name its classes; add a file with one class per line: detector:{path}?labels=FILE"
            )
        return known


def _names_by_number(found: object) -> tuple[str, ...]:
    """Return names in the order of their numbers, with "" for missing ones; () if the value is not a map of names."""
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


def _network_input(image: Image.Image) -> Array:
    """Return a picture as the input of a network: a batch of one, channels first, with values from 0 to 1."""
    pixels = np.asarray(image.convert("RGB"), np.float32) / np.float32(255)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None])


def _boxes_in(table: Array, classes: int) -> tuple[Array, Array, NDArray[np.int64]]:
    """Return boxes (as corners), scores and classes from the output table of any YOLO version."""
    rows = table[0] if table.ndim == 3 else table
    if rows.ndim != 2:
        raise ValueError(f"a table of shape {table.shape} does not contain boxes")
    if rows.shape[0] == 4 + classes and rows.shape[1] != 4 + classes:  # version 8 and later: one column per box
        rows = rows.T
    if rows.shape[1] == 4 + classes:
        scores = rows[:, 4:]
    elif rows.shape[1] == 5 + classes:  # earlier versions: a separate column for objectness
        scores = rows[:, 5:] * rows[:, 4:5]
    elif rows.shape[1] == _SUPPRESSED_COLUMNS:
        return rows[:, :4], rows[:, 4], rows[:, 5].astype(np.int64)
    else:
        raise ValueError(f"a table of shape {table.shape} does not contain boxes of {classes} classes")
    best = scores.argmax(axis=1)
    return _corners(rows[:, :4]), scores[np.arange(len(rows)), best], best


def _detr_scores(logits: Array, classes: int) -> tuple[Array, NDArray[np.int64]]:
    """Return the score and class of each box; if there are more classes than names, the last means "no object"."""
    clipped = np.clip(logits, -60, 60)
    if logits.shape[-1] == classes + 1:
        odds = np.exp(clipped - clipped.max(axis=-1, keepdims=True))
        shares = (odds / odds.sum(axis=-1, keepdims=True))[:, :-1]
    else:
        shares = 1 / (1 + np.exp(-clipped))
    best = shares.argmax(axis=-1)
    return shares[np.arange(len(shares)), best], best


def _corners(centred: Array) -> Array:
    """Convert boxes from middle and size to left, top, right and bottom."""
    middle, half = centred[:, :2], centred[:, 2:4] / 2
    return np.concatenate([middle - half, middle + half], axis=1)
