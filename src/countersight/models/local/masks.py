"""Which token of a tree sees which, for every kind of layer that a decoder has."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from countersight.models.local.packing import Places, Tree

Sight = Literal["behind", "pictures", "pictures nearby", "whole pictures", "prompt"]
"""What a token sees beside what leads to it: nothing; the other parts of its picture (as far as the window of a layer
reaches, Gemma 3); the same in layers with a window alone (Gemma 4); the other parts however far; or the whole prompt
(PaliGemma)."""
SIGHTS: tuple[Sight, ...] = ("behind", "pictures", "pictures nearby", "whole pictures", "prompt")
_WINDOWS = {"sliding_attention": "sliding_window", "chunked_attention": "attention_chunk_size"}
"""Kinds of layers that do not see far, and the setting that says how far."""
_OBEDIENT = {"full_attention", *_WINDOWS}
"""Kinds of layers that see what a mask shows them."""
_FORGETFUL = {"linear_attention", "conv", "mamba", "moe", "mlp"}
"""Kinds that hand a state from token to token, or look at each token by itself. All others choose by themselves what
they see (the tokens or blocks that score best), which no small question can show to be what the plain way sees."""


def tree_masks(
    config: Any, sight: Sight, trees: Sequence[Tree], blocks: Sequence[Places], device: Any, dtype: Any
) -> Any:
    """The masks of a batch of trees, one or one for each kind of layer, as a decoder takes them.

    Tokens of one number in `blocks` may see each other; those with -1 never do. Raises ValueError where the decoder
    has layers that obey no mask.
    """
    import torch

    if disobedient := _kinds(config) - _OBEDIENT:
        raise ValueError(f"no mask says what layers of {sorted(disobedient)} see")
    length = max(len(tree.tokens) for tree in trees)

    def laid(values: list[Places], filling: int) -> Any:
        return torch.from_numpy(padded(values, length, filling)).to(device)

    here = torch.arange(length, device=device)
    ends = laid([tree.ends for tree in trees], 0)
    behind = (here[None, :, None] < ends[:, None, :]) & (here[None, None, :] <= here[None, :, None])
    behind |= torch.eye(length, dtype=torch.bool, device=device)  # padding sees itself: nothing at all has no softmax
    depth = laid([tree.depths for tree in trees], 0)
    beside = None
    if sight != "behind" and any((block >= 0).any() for block in blocks):
        block = laid(list(blocks), -1)
        beside = (block[:, :, None] == block[:, None, :]) & (block[:, :, None] >= 0)

    def mask(kind: str) -> Any:
        seen = behind
        near = _near(kind, config, depth, depth)
        if beside is not None and near is None:
            seen = seen if sight == "pictures nearby" else seen | beside
        elif beside is not None:
            whole = sight in ("whole pictures", "prompt")
            seen = (seen & near) | beside if whole else (seen | beside) & near
        elif near is not None:
            seen = seen & near
        return _as_taken(seen, config, dtype)

    return _for_each_kind(config, mask)


def step_masks(config: Any, depths: Any, length: int, dtype: Any) -> Any:
    """The masks of tokens that are written one to a row, where a row remembers each token in the place of its depth."""
    import torch

    here = torch.arange(length, device=depths.device)[None]
    behind = here[:, None] <= depths[:, None, None]

    def mask(kind: str) -> Any:
        near = _near(kind, config, depths[:, None], here)
        return _as_taken(behind if near is None else behind & near, config, dtype)

    return _for_each_kind(config, mask)


def _as_taken(seen: Any, config: Any, dtype: Any) -> Any:
    """A mask as attention takes it: what is seen, or how much is added to what is not."""
    import torch

    seen = seen[:, None]
    if "sdpa" in config._attn_implementation:
        return seen
    return torch.zeros(seen.shape, dtype=dtype, device=seen.device).masked_fill_(~seen, torch.finfo(dtype).min)


def _for_each_kind(config: Any, mask: Callable[[str], Any]) -> Any:
    made = {kind: mask(kind) for kind in _kinds(config)}
    return made if len(made) > 1 else made.popitem()[1]


def padded(values: Sequence[NDArray[Any]], length: int, filling: int = 0) -> NDArray[Any]:
    """Arrays of one row each as rows of one, the shorter ones filled up behind."""
    made = np.full((len(values), length, *values[0].shape[1:]), filling, values[0].dtype)
    for row, value in zip(made, values, strict=True):
        row[: len(value)] = value
    return made


def windows(config: Any) -> list[str]:
    """The settings of a decoder that say how far its layers see."""
    return [name for name in _WINDOWS.values() if getattr(config, name, None)]


def chooses_what_it_sees(config: Any) -> bool:
    """Whether a decoder has layers that pick the tokens they see."""
    return bool(_kinds(config) - _OBEDIENT - _FORGETFUL)


def _kinds(config: Any) -> set[str]:
    found = getattr(config, "layer_types", None) or getattr(config, "layers_block_type", None)
    window = getattr(config, "sliding_window", None)
    return set(found or (["sliding_attention"] if window else ["full_attention"]))


def _near(kind: str, config: Any, depth: Any, other: Any) -> Any:
    """Which tokens of another depth a layer of this kind sees at all; None where it sees all of them."""
    if kind == "sliding_attention":
        return other[:, None, :] > depth[:, :, None] - config.sliding_window
    if kind == "chunked_attention":
        chunk = config.attention_chunk_size
        return (other // chunk)[:, None, :] == (depth // chunk)[:, :, None]
    return None
