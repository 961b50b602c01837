"""The matcher's view of a picture: regions with features and boxes."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from countersight.errors import AskingFailed, BadPicture, ModelError
from countersight.models.embedded import LARGEST, VALUES, weights_folder
from countersight.models.local import any_config, find_folder, unusable
from countersight.models.matcher.regions import WHOLE, Floats, View
from countersight.picture import Picture, as_seen

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

    seen = encoder(weights_folder()).look(pictures)
    for values in seen:
        if isinstance(values, BadPicture):
            raise AskingFailed(f"the picture {values}", again=False)
    return [as_view(values) for values in seen if not isinstance(values, BadPicture)]


def as_view(values: Floats) -> View:
    """Convert the encoder's counts to regions: which count it is, its value, and the numbers that it exceeds.

    All counts are over the whole picture, so that is their box.
    """
    which, scale = np.eye(len(VALUES), dtype=np.float32), np.arange(LARGEST + 1)
    counts = np.clip(np.rint(values), 0, LARGEST)[:, None]
    features = np.hstack([which, counts == scale, counts > scale]).astype(np.float32)
    return View(features, np.tile(np.array(WHOLE, np.float32), (len(VALUES), 1)))


def side_by_side(views: Sequence[View]) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
    """Stack features and boxes of several pictures, padded to the most regions, and mark real regions."""
    most = max(len(view.boxes) for view in views)
    features = np.zeros((len(views), most, views[0].features.shape[1]), views[0].features.dtype)
    boxes = np.tile(np.array(WHOLE, np.float32), (len(views), most, 1))
    there = np.zeros((len(views), most), np.int64)
    for row, view in enumerate(views):
        count = len(view.boxes)
        features[row, :count], boxes[row, :count], there[row, :count] = view.features, view.boxes, 1
    return features, boxes, there


SIDE = 6
"""The side of the grid in cells: 36 regions, as many as detectors find for LXMERT."""


class VisionGrid:
    """Averages the states of a vision tower's last layer over the cells of a grid."""

    def __init__(self, name: str) -> None:
        folder = find_folder(name)
        try:
            from transformers import AutoImageProcessor, AutoModel

            config = any_config(folder)
            model = AutoModel.from_pretrained(folder, local_files_only=True)
            self._processor: Any = AutoImageProcessor.from_pretrained(folder, local_files_only=True)
        except (ImportError, OSError, ValueError) as error:
            raise unusable(folder, error) from None
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
