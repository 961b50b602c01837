"""Requests that show the same pictures as one row: a tree of their conversations and options."""

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from countersight.models.local.branching import Row
from countersight.models.local.conversation import prepared, with_answer
from countersight.models.local.loading import Loaded
from countersight.models.local.packing import Places, pack
from countersight.models.local.plain import options_tokens
from countersight.models.protocol import Request

_BESIDE = ("cross_attention_mask",)
_DROPPED = ("input_ids", "attention_mask", "token_type_ids", "mm_token_type_ids", *_BESIDE)


def row_of(loaded: Loaded, requests: Sequence[Request], pictures: Sequence[Image.Image], seen: object) -> Row:
    """The row of some requests that all show these pictures, which are called `seen`."""
    sequences, positions, blocks, begins = [], [], [], []
    beside: dict[str, list[NDArray[Any]]] = {name: [] for name in _BESIDE}
    for request in requests:
        prompt = prepared(loaded, [request], [pictures])
        options = options_tokens(loaded, loaded.form.write(request.turns), request)
        # What stands beside the tokens of an answer is the same for each, whatever they are.
        longest = with_answer(loaded, prompt, max(options, key=len))
        words = prompt["input_ids"][0].tolist()
        places = _gone_on(_positions(loaded, prompt), longest["input_ids"].shape[1] - len(words))
        both_ways = _blocks(loaded.family, longest)
        for tokens in options:
            size = len(words) + len(tokens)
            sequences.append(words + tokens)
            begins.append(len(words))
            positions.append(places[:size])
            blocks.append(both_ways[:size])
            for name in _BESIDE:
                if name in longest:
                    beside[name].append(longest[name][0, :size].numpy())
    tree = pack(sequences)
    return Row(
        tree=tree,
        positions=tree.spread(positions),
        blocks=tree.spread(blocks),
        beside={name: tree.spread(values) for name, values in beside.items() if values},
        pictures={name: _cast(loaded, value) for name, value in prompt.items() if name not in _DROPPED},
        shown=len(pictures),
        seen=seen,
        answers=tuple(
            (path[begin - 1 : -1], tree.tokens[path[begin:]]) for path, begin in zip(tree.paths, begins, strict=True)
        ),
    )


def _positions(loaded: Loaded, prompt: dict[str, Any]) -> Places:
    """Where the tokens of a conversation stand: one after the other, except in pictures that have two dimensions."""
    placing = getattr(getattr(loaded.model, "model", None), "get_rope_index", None)
    if placing is None or "image_grid_thw" not in prompt:
        return np.arange(prompt["input_ids"].shape[1])
    asked = inspect.signature(placing).parameters
    places, _ = placing(**{name: value for name, value in prompt.items() if name in asked})
    return np.asarray(places[:, 0].T)


def _gone_on(positions: Places, number: int) -> Places:
    """The positions with those of so many tokens more, each next to the one before."""
    further = np.arange(1, number + 1).reshape(-1, *[1] * (positions.ndim - 1))
    return np.concatenate([positions, positions.max() + further + np.zeros_like(positions[:1])])


def _blocks(family: str, whole: dict[str, Any]) -> Places:
    """Which tokens see each other to and fro: PaliGemma's prompt, and each of Gemma 3's pictures."""
    if family not in ("paligemma", "gemma3") or "token_type_ids" not in whole:
        return np.full(whole["input_ids"].shape[1], -1)
    kinds = whole["token_type_ids"][0].numpy()
    if family == "paligemma":
        return np.where(kinds == 0, 0, -1)
    pictured = kinds == 1
    begun = pictured & ~np.concatenate([[False], pictured[:-1]])
    return np.where(pictured, np.cumsum(begun) - 1, -1)


def _cast(loaded: Loaded, value: Any) -> Any:
    return value.to(loaded.model.dtype) if value.is_floating_point() else value
