"""`countersight features`: compute the regions of a dataset's pictures, and store them in a folder."""

import base64
import binascii
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from countersight.dataset import Dataset
from countersight.errors import CountersightError
from countersight.files import bounded_lines
from countersight.models.matcher import FILES, Listed, Regions, View, digest, looker, write_regions
from countersight.training.examples import read_vcr

AT_ONCE = 64
"""The number of pictures processed at a time."""
FIELDS = (
    *("img_id", "img_h", "img_w", "objects_id", "objects_conf", "attrs_id", "attrs_conf"),
    *("num_boxes", "boxes", "features"),
)
"""The columns of LXMERT's feature files, which have no header; arrays are encoded in base64."""
MOST_LINE = 16 << 20


def features_by_encoder(dataset: Dataset, encoder: str, folder: Path) -> Regions:
    """Compute the regions of every picture with an image encoder: `embedded` or `hf:FOLDER`."""
    names = pictures_of(dataset)
    seen = _encoded(dataset, names, encoder)
    first = next(seen)
    return write_regions(folder, encoder, chain((first,), seen), count=len(names), most=len(first[1].boxes))


def _encoded(dataset: Dataset, names: Sequence[str], encoder: str) -> Iterator[tuple[Listed, View]]:
    encode = looker(encoder)
    for start in range(0, len(names), AT_ONCE):
        part = names[start : start + AT_ONCE]
        views = encode([dataset.picture(name) for name in part])
        yield from ((_listed(dataset, name), view) for name, view in zip(part, views, strict=True))


def features_from_tsv(dataset: Dataset, tsv: Path, folder: Path, vcr: Path | None = None) -> Regions:
    """Import the regions of every picture from an LXMERT feature file, matched by file name without extension.

    If VCR's annotations are given, the regions of VCR's pictures are also imported, for training on both datasets.
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
                    raise ValueError(
                        f"its regions have {view.features.shape[1]} numbers each, but earlier ones have {width}"
                    )
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


def _listed(dataset: Dataset, name: str) -> Listed:
    return Listed(name, digest(dataset.picture(name)))
