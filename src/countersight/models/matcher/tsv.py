"""Region features in the format of LXMERT's authors: one line per picture, arrays as base64 between tabs."""

import base64
import binascii
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from countersight.errors import CountersightError
from countersight.files import bounded_lines, whole_file
from countersight.models.matcher.regions import Floats, View

FIELDS = (
    *("img_id", "img_h", "img_w", "objects_id", "objects_conf", "attrs_id", "attrs_conf"),
    *("num_boxes", "boxes", "features"),
)
"""The columns of the file, which has no header."""
MOST_LINE = 16 << 20


def read_tsv(path: Path) -> Iterator[tuple[str, View]]:
    """Iterate over the pictures of a file: the id, and the regions with boxes from 0 to 1."""
    width = 0
    with open(path, "rb") as file:
        for number, line in enumerate(bounded_lines(file, MOST_LINE), 1):
            try:
                name, view = _read(line)
                width = width or view.features.shape[1]
                if view.features.shape[1] != width:
                    raise ValueError(f"its regions have {view.features.shape[1]} numbers each, earlier ones {width}")
                yield name, view
            except (ValueError, binascii.Error) as error:
                raise CountersightError(f"{path}, line {number} is not in LXMERT's format ({error})") from None


def _read(line: bytes) -> tuple[str, View]:
    fields = line.rstrip(b"\r\n").split(b"\t")
    if len(fields) != len(FIELDS):
        raise ValueError(f"it has {len(fields)} fields, not {len(FIELDS)}")
    row = dict(zip(FIELDS, fields, strict=True))
    count, height, width = (int(row[name]) for name in ("num_boxes", "img_h", "img_w"))
    if min(count, height, width) < 1:
        raise ValueError("num_boxes, img_h and img_w must be at least 1")
    sides = np.array([width, height, width, height], np.float32)
    boxes = (_array(row["boxes"]).reshape(count, 4) / sides).astype(np.float32)
    view = View(_array(row["features"]).reshape(count, -1), boxes)
    if not (np.isfinite(view.features).all() and np.isfinite(boxes).all()):
        raise ValueError("its features or boxes contain values that are not numbers")
    return row["img_id"].decode(), view


def _array(coded: bytes) -> Floats:
    return np.frombuffer(base64.b64decode(coded, validate=True), np.float32)


def write_tsv(path: Path, pictures: Iterable[tuple[str, View]], size: tuple[int, int] = (480, 640)) -> None:
    """Write such a file; unknown columns, such as names of objects, are zero."""
    height, width = size
    with whole_file(path) as file:
        for name, view in pictures:
            count = len(view.boxes)
            whole, part = np.zeros(count, np.int64), np.zeros(count, np.float32)
            boxes = (view.boxes * np.array([width, height, width, height])).astype(np.float32)
            arrays = [whole, part, whole, part, boxes, view.features.astype(np.float32)]
            coded = [base64.b64encode(array.tobytes()).decode() for array in arrays]
            fields = [name, str(height), str(width), *coded[:4], str(count), *coded[4:]]
            file.write("\t".join(fields).encode() + b"\n")
