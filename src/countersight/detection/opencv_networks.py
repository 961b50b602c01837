"""Detectors that OpenCV computes: SSD networks as a frozen TensorFlow graph and the text that describes it."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from countersight.detection.finder import Found, coco_labels, listed, read_labels
from countersight.detection.segmenting import fingerprint
from countersight.errors import ModelError
from countersight.text import printable

if TYPE_CHECKING:
    from PIL import Image

INSTALL = "pip install 'countersight[programs]'"
_SIDE = 300
"""Pixels of a side that the SSD networks which OpenCV describes take in."""
_COLUMNS = 7
"""Of a detection: the picture's number, class, score, left, top, right and bottom."""


class OpenCVFinder:
    """An SSD network in files for cv2.dnn, which counts its classes from 1; 0 is the ground."""

    def __init__(self, path: Path, description: Path | None, labels: Path | None) -> None:
        try:
            import cv2
        except ImportError:
            raise ModelError(f"the detector {path} needs OpenCV, which is not installed: {INSTALL}") from None
        self._cv2 = cv2
        described = description or _description(path)
        try:
            self._net = cv2.dnn.readNetFromTensorflow(str(path), str(described))
        except cv2.error as error:
            raise ModelError(f"the detector {path} cannot be loaded: {printable(str(error))[:200]}") from None
        names = ("", *read_labels(labels)) if labels else coco_labels(91)
        assert names
        self._names = names
        self.classes = tuple(dict.fromkeys(name for name in names if name))
        self.least = 0.5
        self.settings: dict[str, object] = {"detector": fingerprint(path, described)[:12]}

    def find(self, image: "Image.Image", words: str, least: float) -> list[Found]:
        """What is in a picture."""
        pixels = np.asarray(image.convert("RGB"))
        self._net.setInput(self._cv2.dnn.blobFromImage(pixels, size=(_SIDE, _SIDE)))
        found = np.asarray(self._net.forward(), np.float32)
        if found.shape[-1] != _COLUMNS:
            raise ValueError(f"a table of shape {found.shape} is not one of detections")
        rows = found.reshape(-1, _COLUMNS)
        names = [
            self._names[place] if 0 <= place < len(self._names) else ""
            for place in rows[:, 1].astype(np.int64).tolist()
        ]
        return listed(rows[:, 3:] * np.array([*image.size] * 2, np.float32), rows[:, 2], names, least)


def _description(path: Path) -> Path:
    """The text beside a graph that describes it: the one of its name, or the only one there is."""
    own = path.with_suffix(".pbtxt")
    texts = [own] if own.is_file() else sorted(path.parent.glob("*.pbtxt"))
    if len(texts) == 1:
        return texts[0]
    there = "is none" if not texts else f"are {len(texts)}"
    raise ModelError(f"{path} needs its description, and there {there} beside it: detector:{path}?config=FILE.pbtxt")
