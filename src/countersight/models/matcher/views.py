"""What the matcher sees of a picture: regions with features and boxes."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from countersight.errors import AskingFailed, BadPicture, ModelError
from countersight.models.embedded import LARGEST, VALUES, shipped
from countersight.models.matcher.seen import WHOLE, Floats, View
from countersight.picture import Picture

Look = Callable[[list[Picture]], list[View]]


def looker(view: str) -> Look:
    """How pictures are seen: `embedded`, or `hf:` and the folder of a vision tower."""
    kind, _, folder = view.partition(":")
    if view == "embedded":
        return seen_by_embedded
    if kind == "hf" and folder:
        from countersight.models.matcher.grids import Grid

        return Grid(folder).look
    raise ModelError(f"there is no view {view!r} of a picture; those are: embedded, hf:FOLDER")


def seen_by_embedded(pictures: list[Picture]) -> list[View]:
    """What the embedded model's encoder counts in each picture."""
    from countersight.models.embedded.inference import encoder

    seen = encoder(shipped()).look(pictures)
    for values in seen:
        if isinstance(values, BadPicture):
            raise AskingFailed(f"the picture {values}", again=False)
    return [as_view(values) for values in seen if not isinstance(values, BadPicture)]


def as_view(values: Floats) -> View:
    """The numbers that the encoder counted, each a region: which number it is, how large, and what it is larger than.

    All were counted over the whole picture, so that is their box.
    """
    which, scale = np.eye(len(VALUES), dtype=np.float32), np.arange(LARGEST + 1)
    counts = np.clip(np.rint(values), 0, LARGEST)[:, None]
    features = np.hstack([which, counts == scale, counts > scale]).astype(np.float32)
    return View(features, np.tile(np.array(WHOLE, np.float32), (len(VALUES), 1)))


def side_by_side(views: Sequence[View]) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
    """Features and boxes of several pictures, filled up to the most regions, and which regions are real."""
    most = max(len(view.boxes) for view in views)
    features = np.zeros((len(views), most, views[0].features.shape[1]), views[0].features.dtype)
    boxes = np.tile(np.array(WHOLE, np.float32), (len(views), most, 1))
    there = np.zeros((len(views), most), np.int64)
    for row, view in enumerate(views):
        count = len(view.boxes)
        features[row, :count], boxes[row, :count], there[row, :count] = view.features, view.boxes, 1
    return features, boxes, there
