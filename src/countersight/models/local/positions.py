"""Where the tokens of a conversation stand: one after the other, except in pictures that have two dimensions."""

from inspect import signature
from typing import Any

import numpy as np

from countersight.models.local.loading import Loaded
from countersight.models.local.packing import Places
from countersight.models.local.processing import Prompt


def positions_of(loaded: Loaded, prompt: Prompt, further: int) -> Places:
    """The positions of a conversation and of so many tokens behind it: a number each, or three and more."""
    placing = _placing(loaded.model)
    if placing is None or "image_grid_thw" not in prompt:
        return np.arange(prompt["input_ids"].shape[1] + further)
    asked = signature(placing).parameters
    places, _ = placing(**{name: value for name, value in prompt.items() if name in asked})
    return _gone_on(np.asarray(places[:, 0].T.cpu()), further)


def _placing(model: Any) -> Any | None:
    """What says where the parts of pictures stand, in families that have two dimensions for them."""
    holders = (getattr(model, "model", None), model)
    return next((found for holder in holders if (found := getattr(holder, "get_rope_index", None))), None)


def _gone_on(positions: Places, number: int) -> Places:
    """The positions with those of so many tokens more, each next to the one before."""
    further = np.arange(1, number + 1).reshape(-1, *[1] * (positions.ndim - 1))
    return np.concatenate([positions, positions.max() + further + np.zeros_like(positions[:1])])
