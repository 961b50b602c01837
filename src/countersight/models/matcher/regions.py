"""Regions of pictures, computed by an encoder or read from memory-mapped files in a folder.

The folder contains `features.npy` (pictures × regions × size, 16 bits), `boxes.npy`, `counts.npy` (the number of real
regions of each picture) and `regions.json`, which lists the pictures in order, by file name and digest.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from countersight.errors import AskingFailed, CountersightError, ModelError
from countersight.files import Staging, write_whole
from countersight.models.embedded import LARGEST, VALUES, weights_folder
from countersight.models.local import find_folder, loading_error, read_any_config
from countersight.picture import Picture, as_seen

Floats = npt.NDArray[np.float32]

WHOLE = (0.0, 0.0, 1.0, 1.0)
"""The box of a whole picture."""


class View(NamedTuple):
    """Regions of a picture: features (regions × size), boxes (regions × 4: left, top, right, bottom, from 0 to 1)."""

    features: Floats
    boxes: Floats


FILE = "regions.json"
ARRAYS = ("features", "boxes", "counts")
FILES = "files"
"""The encoder name of imported regions; only pictures in the folder can be used."""


class Listed(msgspec.Struct, frozen=True):
    """An entry of the index: a picture whose regions are in the folder."""

    name: str
    digest: str = ""
    """The digest of its bytes, which identifies it under any name; empty if only the name is known."""


class RegionsIndex(msgspec.Struct, frozen=True):
    """The index of a folder of regions."""

    made_by: str
    pictures: list[Listed]
    version: int = 1


class Regions(Mapping[str, View]):
    """The regions in a folder, by the name of a picture or by its digest."""

    def __init__(self, folder: Path) -> None:
        try:
            contents = msgspec.json.decode((folder / FILE).read_bytes(), type=RegionsIndex)
            self._features, self._boxes, self._counts = (
                np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in ARRAYS
            )
        except (OSError, ValueError) as error:
            raise CountersightError(
                f"{folder} contains no regions ({error}); compute them with `countersight features DATASET -o {folder}`"
            ) from None
        if not len(contents.pictures) == len(self._features) == len(self._boxes) == len(self._counts):
            raise CountersightError(f"the files of {folder} do not match each other; compute the regions again")
        self.folder, self.made_by = folder, contents.made_by
        self._names = [one.name for one in contents.pictures]
        self._rows = {one.digest: row for row, one in enumerate(contents.pictures) if one.digest}
        self._rows |= {name: row for row, name in enumerate(self._names)}

    @property
    def width(self) -> int:
        """The number of features of a region."""
        return int(self._features.shape[2])

    def look(self, pictures: list[Picture]) -> list[View]:
        """Return the regions of pictures, identified by their bytes."""
        found = [digest(picture) for picture in pictures]
        if any(one not in self for one in found):
            raise AskingFailed(f"{self.folder} has no regions for this picture", again=False)
        return [self[one] for one in found]

    def __getitem__(self, name: str) -> View:
        row = self._rows[name]
        count = int(self._counts[row])
        return View(self._features[row, :count], self._boxes[row, :count])

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def digest(picture: Picture) -> str:
    """Return the digest that identifies a picture, independent of its file name."""
    return hashlib.blake2b(picture.data, digest_size=16).hexdigest()


def write_regions(
    folder: Path, made_by: str, pictures: Iterable[tuple[Listed, View]], *, count: int, most: int
) -> Regions:
    """Write the regions of `count` pictures, at most `most` per picture, to a new folder, one picture at a time."""
    listed: list[Listed] = []
    with Staging(folder) as staging:
        files: list[Any] = []
        for row, (one, view) in enumerate(pictures):
            if not files:
                shapes = (count, most, view.features.shape[1]), (count, most, 4), (count,)
                files = [
                    np.lib.format.open_memmap(staging / f"{name}.npy", mode="w+", dtype=kind, shape=shape)
                    for name, kind, shape in zip(ARRAYS, (np.float16, np.float32, np.int32), shapes, strict=True)
                ]
            with np.errstate(over="ignore"):
                short = view.features.astype(np.float16)
            if not np.isfinite(short).all():
                raise CountersightError(
                    f"a region of {one.name} has a number too large for 16 bits; scale the features"
                )
            features, boxes, counts = files
            real = min(most, len(view.boxes))
            features[row, :real], boxes[row, :real], counts[row] = short[:real], view.boxes[:real], real
            listed.append(one)
        if len(listed) != count or not files:
            raise CountersightError(f"{len(listed)} of {count} pictures have regions")
        for file in files:
            file.flush()
        write_whole(staging / FILE, msgspec.json.encode(RegionsIndex(made_by, listed)))
    return Regions(folder)


Look = Callable[[list[Picture]], list[View]]


def looker(view: str) -> Look:
    """Return the function that encodes pictures: `embedded`, or `hf:` and the folder of a vision tower."""
    kind, _, folder = view.partition(":")
    if view == "embedded":
        return seen_by_embedded
    if kind == "hf" and folder:
        return VisionGrid(folder).look
    raise ModelError(f"there is no image encoder {view!r}; available: embedded, hf:FOLDER")


def seen_by_embedded(pictures: list[Picture]) -> list[View]:
    """Encode pictures with the embedded model's encoder."""
    from countersight.models.embedded.inference import encoder

    return [as_view(values) for values in encoder(weights_folder()).look(pictures)]


def as_view(values: Floats) -> View:
    """Convert the encoder's counts to regions. Features encode the kind and the value of a count.

    The box of every region is the whole picture, since all counts are over the whole picture.
    """
    which, scale = np.eye(len(VALUES), dtype=np.float32), np.arange(LARGEST + 1)
    counts = np.clip(np.rint(values), 0, LARGEST)[:, None]
    features = np.hstack([which, counts == scale, counts > scale]).astype(np.float32)
    return View(features, np.tile(np.array(WHOLE, np.float32), (len(VALUES), 1)))


def side_by_side(views: Sequence[View]) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
    """Stack the features and boxes of several pictures, padded to equal length, and return a mask of real regions."""
    most = max(len(view.boxes) for view in views)
    features = np.zeros((len(views), most, views[0].features.shape[1]), views[0].features.dtype)
    boxes = np.tile(np.array(WHOLE, np.float32), (len(views), most, 1))
    there = np.zeros((len(views), most), np.int64)
    for row, view in enumerate(views):
        count = len(view.boxes)
        features[row, :count], boxes[row, :count], there[row, :count] = view.features, view.boxes, 1
    return features, boxes, there


SIDE = 6
"""The side of the grid in cells; the 36 cells match the number of regions that LXMERT uses."""


class VisionGrid:
    """Averages the states of a vision tower's last layer over the cells of a grid."""

    def __init__(self, name: str) -> None:
        folder = find_folder(name)
        try:
            from transformers import AutoImageProcessor, AutoModel

            config = read_any_config(folder)
            model = AutoModel.from_pretrained(folder, local_files_only=True)
            self._processor: Any = AutoImageProcessor.from_pretrained(folder, local_files_only=True)
        except (ImportError, OSError, ValueError) as error:
            raise loading_error(folder, error) from None
        self._tower: Any = getattr(model, "vision_model", model).eval()
        if not hasattr(getattr(config, "vision_config", config), "patch_size"):
            raise ModelError(
                f"{folder} does not encode patches of a picture; use a vision tower such as CLIP's or DINO's"
            )

    def look(self, pictures: list[Picture]) -> list[View]:
        """Return each picture as SIDE × SIDE regions."""
        import torch

        images = [as_seen(picture) for picture in pictures]
        with torch.inference_mode():
            given = self._processor(images=images, return_tensors="pt")
            states = self._tower(pixel_values=given["pixel_values"]).last_hidden_state.float().numpy()
        return [View(cells(each), places()) for each in states]


def cells(states: Floats) -> Floats:
    """Return the mean of each cell's patches. Tokens before the patches, such as [CLS], are left out."""
    side = int(len(states) ** 0.5)
    patches = states[len(states) - side * side :].reshape(side, side, -1)
    starts = [place * side // SIDE for place in range(SIDE + 1)]
    bounds = [(start, max(end, start + 1)) for start, end in pairwise(starts)]
    return np.stack([patches[top:bottom, left:right].mean((0, 1)) for top, bottom in bounds for left, right in bounds])


def places() -> Floats:
    """Return the boxes of the cells, row by row."""
    edges = np.arange(SIDE) / SIDE
    return np.array([(left, top, left + 1 / SIDE, top + 1 / SIDE) for top in edges for left in edges], np.float32)
