"""A picture as a grid of regions, seen by the vision tower of any model of transformers'."""

from itertools import pairwise
from typing import Any

import numpy as np

from countersight.errors import ModelError
from countersight.models.local import any_config, find_folder, unusable
from countersight.models.matcher.seen import Floats, View
from countersight.picture import Picture, as_seen

SIDE = 6
"""Cells a side: 36 regions, as many as detectors find for LXMERT."""


class Grid:
    """The states of a vision tower's last layer, averaged over the cells of a grid."""

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
            raise ModelError(f"{folder} sees no patches of a picture; a vision tower such as CLIP's or DINO's does")

    def look(self, pictures: list[Picture]) -> list[View]:
        """Each picture as SIDE × SIDE regions."""
        import torch

        images = [as_seen(picture) for picture in pictures]
        with torch.inference_mode():
            given = self._processor(images=images, return_tensors="pt")
            states = self._tower(pixel_values=given["pixel_values"]).last_hidden_state.float().numpy()
        return [View(cells(each), places()) for each in states]


def cells(states: Floats) -> Floats:
    """The mean of each cell's patches. Tokens before the patches, such as [CLS], are left out."""
    side = int(len(states) ** 0.5)
    patches = states[len(states) - side * side :].reshape(side, side, -1)
    starts = [place * side // SIDE for place in range(SIDE + 1)]
    bounds = [(start, max(end, start + 1)) for start, end in pairwise(starts)]
    return np.stack([patches[top:bottom, left:right].mean((0, 1)) for top, bottom in bounds for left, right in bounds])


def places() -> Floats:
    """The boxes of the cells, row by row."""
    edges = np.arange(SIDE) / SIDE
    return np.array([(left, top, left + 1 / SIDE, top + 1 / SIDE) for top in edges for left in edges], np.float32)
