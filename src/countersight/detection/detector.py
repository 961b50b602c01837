"""Object detection as a vision tool for programs: `vision=detector:PATH`.

PATH is an ONNX file or a transformers folder. Options follow as in a URL: `detector:yolo.onnx?score=0.4`. A detector
cannot answer questions; to use a model for them, add it after a `+`: `detector:yolo.onnx+openai:gpt-4o`.
"""

import asyncio
import hashlib
import re
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from countersight.detection.finder import Finder, Found, suppress_overlaps
from countersight.detection.vision import LONGEST, Box, Patch, ToolFailed, Vision, classes_of, size_as_seen
from countersight.errors import BadPicture, ModelError
from countersight.models import ModelSettings
from countersight.picture import Picture, as_seen
from countersight.registry import with_options
from countersight.text import printable

if TYPE_CHECKING:
    from PIL import Image

OVERLAP: Final = 0.5
"""Boxes of one class with a larger intersection over union count as the same object."""
_OPTIONS: Final = ("score", "overlap", "labels")
_CACHE_SIZE = 64
"""The number of cached detection results; the questions of a case are asked one after the other."""
_SPACE = re.compile(r"\s+")
_MODEL_SEPARATOR = re.compile(r"\+(?=[a-z-]+:|embedded$|chance$|always-first$)")
"""Matches the `+` before a model name; paths may also contain a `+`."""


class Detector:
    """Finds objects in photographs with a detection model."""

    def __init__(self, name: str, finder: Finder, *, score: float | None = None, overlap: float = OVERLAP) -> None:
        self.name = name
        self._finder = finder
        self.least = finder.least if score is None else score
        """The score threshold."""
        self._overlap = overlap
        self._seen: OrderedDict[tuple[bytes, str], list[Found]] = OrderedDict()
        self._one_at_a_time = asyncio.Lock()
        self._network = threading.Lock()
        self.settings: dict[str, object] = {**finder.settings, "score": self.least, "overlap": overlap}
        """The settings on which its results depend; stored in run.json."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes it finds; empty if it accepts any words."""
        return self._finder.classes

    async def find(self, picture: Picture, what: str, within: Patch | None) -> list[Patch]:
        """Return objects of this name, most certain first; for a patch, only those whose middle is inside it."""
        words = _SPACE.sub(" ", what).strip()
        if not 0 < len(words) <= LONGEST:
            raise ToolFailed(f"{printable(words)[:40]!r} is not the name of an object")
        if self.classes:
            wanted = classes_of(words, self.classes)
            return [patch for patch in await self.everything(picture, within) if patch.name in wanted]
        return _patches(await self._look(picture, words), picture, within)

    async def everything(self, picture: Picture, within: Patch | None) -> list[Patch]:
        """Return all objects of known classes in a picture or a part of it, most certain first."""
        if not self.classes:
            raise ToolFailed("an open-vocabulary detector cannot list its classes")
        return _patches(await self._look(picture, ""), picture, within)

    async def query(self, picture: Picture, question: str, within: Patch | None) -> str:
        """Raise ToolFailed: a detector cannot answer questions."""
        raise ToolFailed("a detector only finds objects and cannot answer questions")

    async def close(self) -> None:
        """Clear the cache."""
        self._seen.clear()

    async def _look(self, picture: Picture, words: str) -> list[Found]:
        key = (hashlib.blake2b(picture.data, digest_size=16).digest(), words)
        async with self._one_at_a_time:  # concurrent calls for one picture share the result
            if key not in self._seen:
                self._seen[key] = await asyncio.to_thread(self._detect, picture, words)
                if len(self._seen) > _CACHE_SIZE:
                    self._seen.popitem(last=False)
            return self._seen[key]

    def _detect(self, picture: Picture, words: str) -> list[Found]:
        try:
            return self.boxes(as_seen(picture), words)
        except BadPicture as error:
            raise ToolFailed(f"the picture {error}") from None

    def boxes(self, image: "Image.Image", words: str = "", least: float | None = None) -> list[Found]:
        """Return the objects found, most certain first, with scores of at least `least` (default: as in `settings`).

        This call blocks until detection is done.
        """
        try:
            with self._network:  # models are not thread-safe
                return suppress_overlaps(
                    self._finder.find(image, words, self.least if least is None else least), self._overlap
                )
        except Exception as error:  # networks raise many types of errors
            raise ToolFailed(f"the detector failed: {printable(f'{type(error).__name__}: {error}')[:200]}") from None


class DetectorAndModel:
    """A detector that finds objects, combined with a model that answers questions."""

    def __init__(self, detector: Detector, answering: Vision) -> None:
        self.name = f"{detector.name}+{answering.name}"
        self._detector, self._answering = detector, answering
        self.settings: dict[str, object] = {**answering.settings, **detector.settings}
        self.find = detector.find
        self.query = answering.query

    async def close(self) -> None:
        """Close the detector and the model."""
        await self._detector.close()
        await self._answering.close()


def parted(where: str) -> tuple[str, str]:
    """Split a name such as `yolo.onnx+openai:gpt-4o` into the detector and the model ("" without a model)."""
    beside = _MODEL_SEPARATOR.search(where)
    return (where[: beside.start()], where[beside.end() :]) if beside else (where, "")


def open_detector(where: str, settings: ModelSettings) -> Detector:
    """Open the detector at a path, with the options that follow it; raises ModelError."""
    name, options = with_options(where, _OPTIONS, ModelError)
    if not name.strip():
        raise ModelError("specify a detector by its path, such as detector:yolo.onnx or detector:FOLDER")
    score = _share("score", options["score"]) if "score" in options else None
    overlap = _share("overlap", options.get("overlap", str(OVERLAP)))
    labels = Path(options["labels"]).expanduser() if "labels" in options else None
    return Detector(f"detector:{where}", _finder(name, labels, settings.device), score=score, overlap=overlap)


def _finder(name: str, labels: Path | None, device: str) -> Finder:
    path = Path(name).expanduser()
    if path.is_file():
        if path.suffix.lower() == ".onnx":
            from countersight.detection.onnx_file import OnnxFinder

            return OnnxFinder(path, labels)
        raise ModelError(f"{path} is not a detector; specify a transformers folder or an .onnx file")
    if path.suffix.lower() == ".onnx":
        raise ModelError(f"the detector {path} does not exist")
    from countersight.detection.local import LocalFinder

    return LocalFinder(name, device)


def _share(option: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ModelError(f"{option}={printable(text)[:40]} is not a number from 0 to 1")
    return value


def _patches(found: list[Found], picture: Picture, within: Patch | None) -> list[Patch]:
    size = size_as_seen(picture)
    patches = [Patch(_pixels(each, size), each.name) for each in found]
    return patches if within is None else [patch for patch in patches if patch.is_in(within)]


def _pixels(found: Found, size: tuple[int, int]) -> Box:
    """Return a box in whole pixels, at least one pixel wide and high, and inside the picture."""
    width, height = size
    left, top = (min(max(0, round(at)), side - 1) for at, side in zip(found.box[:2], size, strict=True))
    right, bottom = max(left + 1, min(width, round(found.box[2]))), max(top + 1, min(height, round(found.box[3])))
    return left, top, right, bottom
