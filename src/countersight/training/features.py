"""`countersight features`: compute the regions of a dataset's pictures, and store them in a folder."""

import base64
import binascii
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from countersight.dataset import Dataset
from countersight.detection import Detector, Found, open_detector
from countersight.errors import CountersightError
from countersight.files import bounded_lines
from countersight.models import ModelSettings
from countersight.models.matcher import FILES, WHOLE, Listed, Regions, View, digest, looker, write_regions
from countersight.picture import as_seen
from countersight.training.examples import read_vcr

if TYPE_CHECKING:
    from PIL import Image

AT_ONCE = 64
"""The number of pictures processed at a time."""
MOST = 36
"""The maximum number of regions of a picture, as in LXMERT."""
PATCH = 4
"""The side of the grid, in cells, for the colours of a detected object."""
FIELDS = (
    *("img_id", "img_h", "img_w", "objects_id", "objects_conf", "attrs_id", "attrs_conf"),
    *("num_boxes", "boxes", "features"),
)
"""The columns of LXMERT's feature files, which have no header; arrays are encoded in base64."""
MOST_LINE = 16 << 20


def look(dataset: Dataset, names: Iterable[str], view: str) -> Iterator[tuple[str, View]]:
    """Iterate over the pictures, with regions computed by an encoder."""
    see, wanted = looker(view), sorted(set(names))
    for start in range(0, len(wanted), AT_ONCE):
        part = wanted[start : start + AT_ONCE]
        yield from zip(part, see([dataset.picture(name) for name in part]), strict=True)


def features_by_view(dataset: Dataset, view: str, folder: Path) -> Regions:
    """Compute the regions of every picture with an encoder: `embedded` or `hf:FOLDER`."""
    names = pictures_of(dataset)
    seen = look(dataset, names, view)
    first = next(seen)
    rows = ((_listed(dataset, name), found) for name, found in (first, *seen))
    return write_regions(folder, view, rows, count=len(names), most=len(first[1].boxes))


def features_by_detector(dataset: Dataset, detector: str, folder: Path) -> Regions:
    """Compute the regions of every picture with a detector: class, confidence and colours."""
    opened = open_detector(detector, ModelSettings())
    if not opened.classes:
        raise CountersightError("an open-vocabulary detector has no classes of its own; choose another detector")
    names = pictures_of(dataset)
    return write_regions(folder, FILES, _found_in(dataset, names, opened), count=len(names), most=MOST)


def _found_in(dataset: Dataset, names: Sequence[str], detector: Detector) -> Iterator[tuple[Listed, View]]:
    """Iterate over the pictures with their detected regions; raises an error if nothing is detected in any picture."""
    is_anything_found = False
    for name in names:
        view = found_view(detector, as_seen(dataset.picture(name)))
        is_anything_found |= bool(view.features[0, : len(detector.classes)].any())
        yield _listed(dataset, name), view
    if not is_anything_found:
        raise CountersightError(
            f"{detector.name} found nothing in any of {len(names)} pictures; lower its threshold by adding "
            "?score=0.1 to its name, or choose another detector"
        )


def features_from_tsv(dataset: Dataset, tsv: Path, folder: Path, vcr: Path | None = None) -> Regions:
    """Import the regions of every picture from an LXMERT feature file, matched by file name without extension.

    If VCR's annotations are given, the regions of VCR's pictures are imported too, for training on both datasets.
    """
    own, beside = pictures_of(dataset), {one.picture for one in read_vcr(vcr)} if vcr else set()
    names = {Path(name).stem: name for name in (*own, *sorted(beside))}
    if len(names) < len(own) + len(beside):
        raise CountersightError(
            f"{tsv} cannot distinguish pictures of {dataset.path} whose names differ only in folder or extension"
        )
    wanted = [(name, len(view.boxes)) for name, view in read_tsv(tsv) if Path(name).stem in names]
    lines = Counter(Path(name).stem for name, _ in wanted)
    if twice := [name for name, count in lines.items() if count > 1]:
        raise CountersightError(f"{tsv} has {lines[min(twice)]} lines for {min(twice)}; keep one of them")
    if missing := names.keys() - lines:
        raise CountersightError(f"{tsv} has no regions for {len(missing)} pictures, such as {min(missing)}")
    seen = ((names.get(Path(name).stem), view) for name, view in read_tsv(tsv))
    rows = ((Listed(name) if name in beside else _listed(dataset, name), view) for name, view in seen if name)
    return write_regions(folder, FILES, rows, count=len(wanted), most=max(count for _, count in wanted))


def read_tsv(path: Path) -> Iterator[tuple[str, View]]:
    """Iterate over the pictures of an LXMERT feature file: the id, and the regions with boxes from 0 to 1."""
    width = 0
    with open(path, "rb") as file:
        for number, line in enumerate(bounded_lines(file, MOST_LINE), 1):
            try:
                name, view = _read_line(line)
                width = width or view.features.shape[1]
                if view.features.shape[1] != width:
                    raise ValueError(f"its regions have {view.features.shape[1]} numbers each, earlier ones {width}")
                yield name, view
            except (ValueError, binascii.Error) as error:
                raise CountersightError(f"{path}, line {number} is not in LXMERT's format ({error})") from None


def _read_line(line: bytes) -> tuple[str, View]:
    fields = line.rstrip(b"\r\n").split(b"\t")
    if len(fields) != len(FIELDS):
        raise ValueError(f"it has {len(fields)} fields, not {len(FIELDS)}")
    row = dict(zip(FIELDS, fields, strict=True))
    count, height, width = (int(row[name]) for name in ("num_boxes", "img_h", "img_w"))
    if min(count, height, width) < 1:
        raise ValueError("num_boxes, img_h and img_w must be at least 1")
    sides = np.array([width, height, width, height], np.float32)
    boxes = (_decode_array(row["boxes"]).reshape(count, 4) / sides).astype(np.float32)
    view = View(_decode_array(row["features"]).reshape(count, -1), boxes)
    if not (np.isfinite(view.features).all() and np.isfinite(boxes).all()):
        raise ValueError("its features or boxes contain values that are not numbers")
    return row["img_id"].decode(), view


def _decode_array(coded: bytes) -> npt.NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(coded, validate=True), np.float32)


def pictures_of(dataset: Dataset) -> list[str]:
    """Return the names of a dataset's pictures, without duplicates."""
    names = sorted({case.image for _, case in dataset.cases() if case.image})
    if not names:
        raise CountersightError(f"{dataset.path} has no pictures")
    return names


def found_view(detector: Detector, image: "Image.Image") -> View:
    """Return the detected regions of a picture, most confident first; without any, the whole picture with no class."""
    found = detector.boxes(image)[:MOST] or [Found((0, 0, image.width, image.height), "", 0.0)]
    features = np.stack([_describe_region(each, detector.classes, image) for each in found])
    size = np.array([image.width, image.height, image.width, image.height], np.float32)
    boxes = np.clip(np.array([each.box for each in found], np.float32) / size, 0, 1)
    return View(features, boxes if found[0].name else np.array([WHOLE], np.float32))


def _describe_region(found: Found, classes: Sequence[str], image: "Image.Image") -> npt.NDArray[np.float32]:
    which = np.array([found.name == one for one in classes], np.float32)
    left, right = (min(max(0.0, at), image.width) for at in (found.box[0], found.box[2]))
    top, bottom = (min(max(0.0, at), image.height) for at in (found.box[1], found.box[3]))
    cut = image.convert("RGB").resize((PATCH, PATCH), box=(left, top, max(right, left), max(bottom, top)))
    return np.concatenate([which, [found.score], np.asarray(cut, np.float32).ravel() / 255]).astype(np.float32)


def _listed(dataset: Dataset, name: str) -> Listed:
    return Listed(name, digest(dataset.picture(name)))
