"""Read masks drawn by people: instance annotations in COCO's format, with polygons and run lengths."""

import re
from collections import defaultdict
from pathlib import Path, PurePath

import msgspec
import numpy as np

from countersight.detection.masks import Mask
from countersight.errors import EditFailed, EditorError
from countersight.scenes import skia

FAR = 1e5
"""The distance in pixels from the origin at which coordinates of outlines are clipped."""
MOST_NUMBERS = 200_000
"""The maximum number of coordinates or run lengths of one mask; people draw far fewer."""


class _CocoImage(msgspec.Struct, frozen=True):
    id: int
    file_name: str
    width: int
    height: int


class _Category(msgspec.Struct, frozen=True):
    id: int
    name: str


class _CocoAnnotation(msgspec.Struct, frozen=True):
    id: int
    image_id: int
    category_id: int
    segmentation: msgspec.Raw = msgspec.Raw(b"[]")
    """The outline, decoded on demand because the annotations of COCO's training pictures contain 120 million numbers.
    """
    bbox: tuple[float, float, float, float] | None = None
    iscrowd: int = 0


class _File(msgspec.Struct, frozen=True):
    images: list[_CocoImage]
    annotations: list[_CocoAnnotation]
    categories: list[_Category]


class _Runs(msgspec.Struct, frozen=True):
    """A mask as alternating run lengths, column by column, starting with pixels outside the mask."""

    size: tuple[int, int]
    counts: list[int]


class AnnotatedThing(msgspec.Struct, frozen=True):
    """One outlined object in a picture, or a crowd outlined as one."""

    id: int
    category: str
    box: tuple[float, float, float, float]
    """Left, top, right and bottom in pixels."""
    crowd: bool
    outline: bytes
    """The segmentation in the file's format."""

    def mask(self, size: tuple[int, int]) -> Mask:
        """Return which pixels of a picture of this size belong to the object."""
        try:
            outline = msgspec.json.decode(self.outline, type=list[list[float]] | _Runs)
        except msgspec.MsgspecError as error:
            raise EditFailed(f"the outline of annotation {self.id} cannot be read ({error})") from None
        mask = decode_runs(outline, size) if isinstance(outline, _Runs) else fill_polygons(outline, size)
        if not mask.any():
            raise EditFailed(f"the outline of annotation {self.id} is outside the picture")
        return mask


class Annotations:
    """The annotated objects in the pictures of a dataset, by file name."""

    def __init__(self, path: Path) -> None:
        try:
            read = msgspec.json.decode(path.read_bytes(), type=_File)
        except OSError as error:
            raise EditorError(f"the annotations cannot be read ({path}: {error.strerror})") from None
        except (msgspec.MsgspecError, RecursionError) as error:
            raise EditorError(f"{path} contains no COCO instance annotations ({error})") from None
        self.categories = tuple(dict.fromkeys(category.name for category in read.categories))
        self._names = {category.id: category.name for category in read.categories}
        self._by_id = {image.id: image for image in read.images}
        self._by_name = {PurePath(image.file_name).name: image for image in read.images}
        self._annotations: dict[int, list[_CocoAnnotation]] = defaultdict(list)
        for annotation in read.annotations:
            self._annotations[annotation.image_id].append(annotation)

    def things(self, name: str, size: tuple[int, int]) -> list[AnnotatedThing]:
        """Return the objects in the picture with this file name, largest first; raises if it has no annotations."""
        image = self._image(name)
        if (image.width, image.height) != size:
            raise EditFailed(
                f"the annotations are for a picture of {image.width} x {image.height} pixels, not {size[0]} x {size[1]}"
            )
        things = []
        for annotation in self._annotations.get(image.id, ()):
            if annotation.bbox is None or annotation.category_id not in self._names:
                continue
            left, top, width, height = annotation.bbox
            box = (left, top, left + width, top + height)
            category = self._names[annotation.category_id]
            things.append(
                AnnotatedThing(annotation.id, category, box, bool(annotation.iscrowd), bytes(annotation.segmentation))
            )
        return sorted(things, key=lambda thing: (_area(thing.box), -thing.id), reverse=True)

    def _image(self, name: str) -> _CocoImage:
        if not name:
            raise EditFailed("annotations find pictures by file name, and this picture has none")
        base = PurePath(name).name
        # The same photograph is 000000391895.jpg in COCO 2017 and COCO_train2014_000000391895.jpg in COCO 2014.
        number = re.search(r"(\d{1,12})$", PurePath(base).stem)
        image = self._by_name.get(base) or (self._by_id.get(int(number[1])) if number else None)
        if image is None:
            raise EditFailed(f"there are no annotations for {base[:80]}")
        return image


def fill_polygons(polygons: list[list[float]], size: tuple[int, int]) -> Mask:
    """Return the pixels whose middle is inside polygons, each given as x, y, x, y, …"""
    if sum(map(len, polygons)) > MOST_NUMBERS:
        raise EditFailed(f"an outline has more than {MOST_NUMBERS:,} numbers")
    pixels = np.zeros((size[1], size[0], 4), np.uint8)
    canvas = skia.Surface(pixels, colorType=skia.kRGBA_8888_ColorType).getCanvas()
    ink = skia.Paint(Color=skia.ColorWHITE, AntiAlias=False)
    for numbers in polygons:
        points = [
            skia.Point(min(max(x, -FAR), FAR), min(max(y, -FAR), FAR))
            for x, y in zip(numbers[::2], numbers[1::2], strict=False)
        ]
        if len(points) >= 3:
            path = skia.Path()
            path.addPoly(points, True)
            canvas.drawPath(path, ink)
    return pixels[:, :, 3] > 0


def decode_runs(runs: _Runs, size: tuple[int, int]) -> Mask:
    """Return the pixels of a mask given as run lengths."""
    width, height = size
    if runs.size != (height, width):
        raise EditFailed(
            f"an outline has the size {runs.size[1]} x {runs.size[0]}, but the picture has {width} x {height}"
        )
    counts = runs.counts
    if len(counts) > MOST_NUMBERS or any(count < 0 for count in counts) or sum(counts) != width * height:
        raise EditFailed("the run lengths of an outline do not fill the picture")
    inside = np.arange(len(counts)) % 2 == 1
    return np.repeat(inside, counts).reshape((height, width), order="F")


def _area(box: tuple[float, float, float, float]) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
