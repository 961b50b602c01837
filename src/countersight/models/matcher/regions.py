"""Regions of many pictures in one folder, memory-mapped, so that little memory is used.

`features.npy` (pictures × regions × size, 16 bits), `boxes.npy`, `counts.npy` (the number of real regions of each
picture) and `regions.json`, which lists the pictures in order, by file name and digest.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from countersight.errors import AskingFailed, CountersightError
from countersight.files import Staging, write_whole
from countersight.picture import Picture

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
"""The origin of imported regions: other pictures cannot be used."""


class Listed(msgspec.Struct, frozen=True):
    """A picture in the folder."""

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
    """The digest that identifies a picture, independent of its file name."""
    return hashlib.blake2b(picture.data, digest_size=16).hexdigest()


def write_regions(
    folder: Path, made_by: str, pictures: Iterable[tuple[Listed, View]], *, count: int, most: int
) -> Regions:
    """Write the regions of `count` pictures, at most `most` of each, to a new folder, as a stream."""
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
