"""Labelled edits from any photographs: do the checks pass good removals and stop bad ones?

A thing of another photograph is pasted into one: that is the picture before. The photograph itself is then the perfect
removal, and what fills the hole badly on purpose is a bad one. So the label of each is known. A removal passes where
`seams` does not object and `pixels` is sure.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from PIL import Image, ImageFilter

from countersight.audits.calibration.sheet import KnownShare, rate
from countersight.audits.checkers.pixels import MOST_LEFT, gone
from countersight.audits.checkers.seams import THRESHOLDS, verdict
from countersight.detection import Mask, grown
from countersight.editing.quality import seams_of
from countersight.errors import AuditError, BadPicture
from countersight.files import write_whole
from countersight.picture import Pixels, as_seen, read_picture
from countersight.progress import Progress, silent

PHOTOGRAPHS: Final = "photographs.json"
GOOD: Final = "truly gone"
SIDE: Final = 512
"""Longer side in pixels at which edits are made."""
MOST: Final = 200
"""Most photographs used from a folder."""
_SUFFIXES: Final = (".jpg", ".jpeg", ".png", ".webp")


class PhotographGate(msgspec.Struct, frozen=True):
    """photographs.json: how often `seams` and `pixels` are right about edits of photographs with known labels."""

    photographs: int
    thresholds: dict[str, float]
    passed: KnownShare
    """Perfect removals that passed."""
    stopped: dict[str, KnownShare]
    """Bad removals that were stopped, by how they were made."""


def gate_photographs(folder: Path, seed: int, progress: Progress = silent) -> PhotographGate:
    """Make labelled edits of the photographs in a folder, and return how often the checks are right."""
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in _SUFFIXES)[:MOST]
    if len(files) < 2:
        raise AuditError(
            f"{folder} contains {len(files)} photographs; name a folder with two or more .jpg or .png files"
        )
    right: dict[str, list[bool]] = {}
    with progress("Checking labelled edits", len(files), "photographs") as done:
        for nth, file in enumerate(files):
            for kind, passes in _checked(file, files[(nth * 37 + 11) % len(files)], seed + nth):
                right.setdefault(kind, []).append(passes == (kind == GOOD))
            done(nth + 1)
    rates = {kind: rate(sum(each), len(each)) for kind, each in right.items()}
    return PhotographGate(len(files), THRESHOLDS | {"most left": MOST_LEFT}, rates.pop(GOOD), rates)


def write_gate(folder: Path, gate: PhotographGate) -> None:
    """Write photographs.json."""
    write_whole(folder / PHOTOGRAPHS, msgspec.json.format(msgspec.json.encode(gate), indent=1) + b"\n")


def _checked(file: Path, other: Path, seed: int) -> Iterator[tuple[str, bool]]:
    """Each kind of edit of one photograph, and whether the checks let it pass."""
    try:
        truth, strange = _pixels(file), _pixels(other)
    except BadPicture:
        return
    height, width = truth.shape[:2]
    rng = np.random.default_rng(seed)
    thing = _blob(rng, height, width)
    strange = np.asarray(Image.fromarray(strange).resize((width, height)))
    before = np.where(thing[:, :, None], strange, truth)
    hole = grown(thing, max(2, round(0.012 * max(height, width))))
    for kind, fill in _FILLS.items():
        after = np.where(hole[:, :, None], fill(truth, before, hole, rng), truth).astype(np.uint8)
        sound = verdict(seams_of(before, after, hole)).done is not False
        yield kind, sound and gone(before, after, hole).done is True


def _pixels(file: Path) -> Pixels:
    image = as_seen(read_picture(file))
    image.thumbnail((SIDE, SIDE))
    return np.asarray(image)


def _blob(rng: np.random.Generator, height: int, width: int) -> Mask:
    """A thing's outline: an ellipse with bumps."""
    x, y = rng.uniform(0.3, 0.7) * width, rng.uniform(0.3, 0.7) * height
    across, down = rng.uniform(0.05, 0.13) * width, rng.uniform(0.05, 0.13) * height
    ys, xs = np.mgrid[:height, :width]
    bumps = 1 + 0.15 * np.sin(3 * np.arctan2(ys - y, xs - x) + rng.uniform(0, 6))
    blob: Mask = ((xs - x) / across) ** 2 + ((ys - y) / down) ** 2 < bumps
    return blob


def _soft(pixels: Pixels) -> Pixels:
    return np.asarray(Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(6)))


def _around(truth: Pixels, hole: Mask) -> np.ndarray:
    tone: np.ndarray = truth[grown(hole, 10) & ~hole].mean(axis=0)
    return tone


def _mirrored(before: Pixels, hole: Mask) -> Pixels:
    """The thing itself, turned round in its place: another one of the same look."""
    rows, columns = np.nonzero(hole)
    top, bottom, left, right = rows.min(), rows.max() + 1, columns.min(), columns.max() + 1
    turned = before.copy()
    turned[top:bottom, left:right] = before[top:bottom, left:right][::-1, ::-1]
    return turned


_Fill = Callable[[Pixels, Pixels, Mask, np.random.Generator], np.ndarray]
_FILLS: Final[dict[str, _Fill]] = {
    GOOD: lambda truth, before, hole, rng: truth,
    "one flat colour": lambda truth, before, hole, rng: _around(truth, hole),
    "smeared": lambda truth, before, hole, rng: _soft(truth),
    "noise": lambda truth, before, hole, rng: np.clip(_soft(truth) + rng.normal(0, 25, truth.shape), 0, 255),
    "a patch from elsewhere": lambda truth, before, hole, rng: np.roll(
        truth, (truth.shape[0] // 3, truth.shape[1] // 4), (0, 1)
    ),
    "another one like it": lambda truth, before, hole, rng: _mirrored(before, hole),
    "still there, paler": lambda truth, before, hole, rng: 0.8 * before + 0.2 * truth,
}
