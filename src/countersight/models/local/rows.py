"""Requests that show the same pictures as one row: a tree of their conversations and options."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from countersight.models.local.branching import Row
from countersight.models.local.conversation import filling, prepared, with_answer
from countersight.models.local.loading import Loaded
from countersight.models.local.masks import Sight
from countersight.models.local.packing import Places, pack
from countersight.models.local.plain import options_tokens
from countersight.models.local.positions import positions_of
from countersight.models.local.processing import Prompt, beside_words
from countersight.models.protocol import Request

_OURS = ("input_ids", "attention_mask")
"""Inputs that the tree itself says."""
_KINDS = ("token_type_ids", "mm_token_type_ids")
"""Inputs that tell words, 0, from pictures."""


Answers = Callable[[Loaded, Request], list[list[int]]]
"""The tokens of every answer that is to follow a conversation."""


def options_of(loaded: Loaded, request: Request) -> list[list[int]]:
    """The tokens of each option, which are ranked."""
    return options_tokens(loaded, loaded.form.write(request.turns), request)


def nothing_yet(loaded: Loaded, _: Request) -> list[list[int]]:
    """One token that stands where the model will write its own answer."""
    return [[filling(loaded)]]


def row_of(
    loaded: Loaded,
    requests: Sequence[Request],
    pictures: Sequence[Image.Image],
    seen: object,
    sight: Sight,
    answers: Answers = options_of,
) -> Row:
    """The row of some requests that all show these pictures, which are called `seen`."""
    sequences, positions, blocks, begins = [], [], [], []
    beside: dict[str, list[NDArray[Any]]] = {}
    for request in requests:
        prompt = prepared(loaded, request, pictures)
        options = answers(loaded, request)
        # What stands beside the tokens of an answer is the same for each, whatever they are.
        longest = with_answer(loaded, prompt, max(options, key=len))
        words = prompt["input_ids"][0].tolist()
        places = positions_of(loaded, prompt, further=longest["input_ids"].shape[1] - len(words))
        both_ways = _blocks(loaded, longest, len(words), sight)
        for tokens in options:
            size = len(words) + len(tokens)
            sequences.append(words + tokens)
            begins.append(len(words))
            positions.append(places[:size])
            blocks.append(both_ways[:size])
            for name in set(beside_words(longest)).difference(_OURS):
                beside.setdefault(name, []).append(longest[name][0, :size].numpy())
    tree = pack(sequences)
    return Row(
        tree=tree,
        positions=tree.spread(positions),
        blocks=tree.spread(blocks),
        beside={name: tree.spread(values) for name, values in beside.items()},
        pictures={name: _cast(loaded, prompt[name]) for name in prompt.keys() - beside_words(prompt)},
        shown=len(pictures),
        seen=seen,
        answers=tuple(
            (path[begin - 1 : -1], tree.tokens[path[begin:]]) for path, begin in zip(tree.paths, begins, strict=True)
        ),
    )


def _blocks(loaded: Loaded, whole: Prompt, asked: int, sight: Sight) -> Places:
    """Which tokens may see each other to and fro: those of the prompt, or those of each picture."""
    size = whole["input_ids"].shape[1]
    if sight == "behind":
        return np.full(size, -1)
    if sight == "prompt":
        return np.where(np.arange(size) < asked, 0, -1)
    kinds = next((whole[name][0].numpy() for name in _KINDS if name in whole), None)
    if kinds is None:
        kinds = (whole["input_ids"][0] == getattr(loaded.processor, "image_token_id", -1)).numpy()
    pictured = kinds > 0
    begun = pictured & ~np.concatenate([[False], pictured[:-1]])
    return np.where(pictured, np.cumsum(begun) - 1, -1)


def _cast(loaded: Loaded, value: Any) -> Any:
    return value.to(loaded.model.dtype) if value.is_floating_point() else value
