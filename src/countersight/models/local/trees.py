"""Token sequences with common prefixes, arranged as one tree in which shared tokens occur once.

This module also creates the attention masks with which a model sees a tree as separate sequences, reads batches of
trees, and computes the positions of a conversation's tokens.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.models.local.conversation import Loaded, Prompt, padding_token, stack_padded

Places = NDArray[np.int64]


class Tree(msgspec.Struct, frozen=True):
    """Sequences as one row of tokens, in which each token comes after its predecessor, but not always right after it.

    A token sees itself and its ancestors. All descendants of a token follow it without a gap, so the token at index `i`
    sees the token at index `j` if and only if `j <= i < ends[j]`.
    """

    tokens: Places
    depths: Places
    """The number of ancestors of each token."""
    ends: Places
    """For each token, the index after its last descendant."""
    paths: tuple[Any, ...]
    """For each sequence, in the given order, the indices of its tokens."""

    def spread(self, values: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Arrange the values of each sequence's tokens in the order of the tree's tokens."""
        laid = np.zeros((len(self.tokens), *values[0].shape[1:]), values[0].dtype)
        for path, beside in zip(self.paths, values, strict=True):
            laid[path] = beside
        return laid


def pack(sequences: Sequence[Sequence[int]]) -> Tree:
    """Arrange sequences as a tree, in which every shared prefix occurs once."""
    arrays = [np.asarray(sequence, dtype=np.int64) for sequence in sequences]
    # In sorted order, the longest prefix shared with any earlier sequence is shared with the previous one.
    order = sorted(range(len(sequences)), key=lambda nth: tuple(sequences[nth]))
    size = sum(map(len, arrays))
    tokens, depths, ends = (np.zeros(size, dtype=np.int64) for _ in range(3))
    paths: list[Places] = [np.zeros(0, dtype=np.int64)] * len(arrays)
    before, path, used = arrays[order[0]][:0], paths[0], 0
    for nth in order:
        shared = _common_prefix(before, arrays[nth])
        ends[path[shared:]] = used
        added = arrays[nth][shared:]
        here = np.arange(used, used + len(added))
        tokens[here], depths[here] = added, np.arange(shared, shared + len(added))
        path = paths[nth] = np.concatenate([path[:shared], here])
        before, used = arrays[nth], used + len(added)
    ends[path] = used
    return Tree(tokens[:used], depths[:used], ends[:used], tuple(paths))


def _common_prefix(one: Places, other: Places) -> int:
    """Return the length of the common prefix of two sequences."""
    short = min(len(one), len(other))
    differing = np.flatnonzero(one[:short] != other[:short])
    return int(differing[0]) if len(differing) else short


Sight = Literal["behind", "pictures", "pictures nearby", "whole pictures"]
"""What a token sees besides its ancestors: nothing; the rest of its picture within a layer's window (Gemma 3); the
same, but only in layers with a window (Gemma 4); or the rest of its picture in every layer."""
SIGHTS: tuple[Sight, ...] = ("behind", "pictures", "pictures nearby", "whole pictures")
_WINDOWS = {"sliding_attention": "sliding_window", "chunked_attention": "attention_chunk_size"}
"""Kinds of layers with a limited window, and the setting with its size."""
_MASKABLE = {"full_attention", *_WINDOWS}
"""Kinds of layers that respect a mask."""
_UNSELECTIVE = {"linear_attention", "conv", "mamba", "moe", "mlp"}
"""Kinds of layers that pass a state from token to token, or process each token separately. All other kinds select what
they see (the best-scoring tokens or blocks), so a small question cannot show that a tree gives the same result."""


def tree_masks(
    config: Any, sight: Sight, trees: Sequence[Tree], blocks: Sequence[Places], device: Any, dtype: Any
) -> Any:
    """Return the attention mask of a batch of trees, or one mask for each kind of layer if the decoder has several.

    Tokens with the same number in `blocks` see each other, except -1. Raises ValueError if the decoder has layers that
    ignore masks.
    """
    import torch

    if unmaskable := _layer_kinds(config) - _MASKABLE:
        raise ValueError(f"layers of type {sorted(unmaskable)} ignore attention masks")
    length = max(len(tree.tokens) for tree in trees)

    def laid(values: list[Places], filling: int) -> Any:
        return torch.from_numpy(pad_rows(values, length, filling)).to(device)

    here = torch.arange(length, device=device)
    ends = laid([tree.ends for tree in trees], 0)
    behind = (here[None, :, None] < ends[:, None, :]) & (here[None, None, :] <= here[None, :, None])
    behind |= torch.eye(length, dtype=torch.bool, device=device)  # padding sees itself: empty rows have no softmax
    depth = laid([tree.depths for tree in trees], 0)
    beside = None
    if sight != "behind" and any((block >= 0).any() for block in blocks):
        block = laid(list(blocks), -1)
        beside = (block[:, :, None] == block[:, None, :]) & (block[:, :, None] >= 0)

    def mask(kind: str) -> Any:
        seen = behind
        near = _window_mask(kind, config, depth, depth)
        if beside is not None and near is None:
            seen = seen if sight == "pictures nearby" else seen | beside
        elif beside is not None:
            seen = (seen & near) | beside if sight == "whole pictures" else (seen | beside) & near
        elif near is not None:
            seen = seen & near
        return _attention_mask(seen, config, dtype)

    return _for_each_kind(config, mask)


def step_masks(config: Any, depths: Any, length: int, dtype: Any) -> Any:
    """Return the masks for generating one token per row, if rows store each token at the index of its depth."""
    import torch

    here = torch.arange(length, device=depths.device)[None]
    behind = here[:, None] <= depths[:, None, None]

    def mask(kind: str) -> Any:
        near = _window_mask(kind, config, depths[:, None], here)
        return _attention_mask(behind if near is None else behind & near, config, dtype)

    return _for_each_kind(config, mask)


def _attention_mask(seen: Any, config: Any, dtype: Any) -> Any:
    """Convert a boolean mask to the form that the attention implementation takes."""
    import torch

    seen = seen[:, None]
    if "sdpa" in config._attn_implementation:
        return seen
    return torch.zeros(seen.shape, dtype=dtype, device=seen.device).masked_fill_(~seen, torch.finfo(dtype).min)


def _for_each_kind(config: Any, mask: Callable[[str], Any]) -> Any:
    made = {kind: mask(kind) for kind in _layer_kinds(config)}
    return made if len(made) > 1 else made.popitem()[1]


def pad_rows(values: Sequence[NDArray[Any]], length: int, filling: int = 0) -> NDArray[Any]:
    """Stack arrays as rows of one array, with shorter ones padded at the end."""
    made = np.full((len(values), length, *values[0].shape[1:]), filling, values[0].dtype)
    for row, value in zip(made, values, strict=True):
        row[: len(value)] = value
    return made


def window_settings(config: Any) -> list[str]:
    """Return the settings of a decoder that limit the attention span of its layers."""
    return [name for name in _WINDOWS.values() if getattr(config, name, None)]


def selects_tokens(config: Any) -> bool:
    """Whether a decoder has layers that select the tokens they see."""
    return bool(_layer_kinds(config) - _MASKABLE - _UNSELECTIVE)


def _layer_kinds(config: Any) -> set[str]:
    found = getattr(config, "layer_types", None) or getattr(config, "layers_block_type", None)
    window = getattr(config, "sliding_window", None)
    return set(found or (["sliding_attention"] if window else ["full_attention"]))


def _window_mask(kind: str, config: Any, depth: Any, other: Any) -> Any:
    """Return a mask of the tokens inside the window of a layer of this kind; None if it has no window."""
    if kind == "sliding_attention":
        return other[:, None, :] > depth[:, :, None] - config.sliding_window
    if kind == "chunked_attention":
        chunk = config.attention_chunk_size
        return (other // chunk)[:, None, :] == (depth // chunk)[:, :, None]
    return None


_CHUNK = 1024
"""The number of rows of logits converted to float32 at a time; a row has up to 150,000 values."""


@dataclass(frozen=True, slots=True)
class Row:
    """A tree of tokens with the other inputs of the model."""

    tree: Tree
    positions: NDArray[np.int64]
    """The position of each token in its own sequence: one number, or three if pictures have two dimensions."""
    blocks: Places
    """Tokens with the same number see each other; those with -1 see only their ancestors."""
    beside: dict[str, NDArray[Any]]
    """Other inputs with a value per token."""
    pictures: dict[str, Any]
    """Inputs that belong to the whole row."""
    shown: int
    """The number of pictures."""
    answers: tuple[tuple[Places, Places], ...]
    """For each answer, the indices of the tokens before its tokens, and its tokens."""

    @property
    def size(self) -> int:
        """The number of tokens."""
        return len(self.tree.tokens)

    def can_batch_with(self, other: "Row") -> bool:
        """Whether both rows fit into one batch: models require the same number of pictures in every row."""
        return (self.shown, self.pictures.keys()) == (other.shown, other.pictures.keys())


def token_losses(loaded: Loaded, rows: Sequence[Row], sight: Sight) -> Any:
    """Return the loss of each token of all answers, in order: the negative logarithm of its probability."""
    import torch

    heads, which = np.unique(answer_heads(rows), return_inverse=True)
    said = np.concatenate([tokens for row in rows for _, tokens in row.answers])
    # Send all inputs before the device computes anything, since later transfers would wait for it.
    index, tokens, where = (torch.from_numpy(part).to(loaded.device) for part in (which, said, heads))
    with torch.inference_mode():
        logits = read_trees(loaded, rows, where, sight)
        total = torch.cat([part.float().logsumexp(-1) for part in logits.split(_CHUNK)])
        index, tokens = index.to(logits.device), tokens.to(logits.device)
        return total[index] - logits[index, tokens].float()


def answer_heads(rows: Sequence[Row]) -> Places:
    """Return the indices, in the flattened batch, whose next tokens belong to answers."""
    length = max(row.size for row in rows)
    return np.concatenate([nth * length + before for nth, row in enumerate(rows) for before, _ in row.answers])


def read_trees(loaded: Loaded, rows: Sequence[Row], heads: Any, sight: Sight, memory: Any = None) -> Any:
    """Return the logits at the indices `heads` of a batch, in one pass; `memory` stores the key-value cache."""
    length = max(row.size for row in rows)
    inputs = _tree_inputs(loaded, rows, length)
    remembering = {"use_cache": False} if memory is None else {"use_cache": True, "past_key_values": memory}
    with _tree_reading(loaded, rows, length, heads, sight):
        return loaded.model(**inputs, **remembering).logits[0]


def find_decoder(model: Any) -> Any:
    """Return the autoregressive decoder of a model."""
    decoder = model.get_decoder()
    while hasattr(decoder, "get_decoder") and (inner := decoder.get_decoder()) not in (None, decoder):
        decoder = inner
    return decoder


def _tree_inputs(loaded: Loaded, rows: Sequence[Row], length: int) -> dict[str, Any]:
    import torch

    made = {name: stack_padded([row.pictures[name].to(loaded.device) for row in rows]) for name in rows[0].pictures}
    if rows[0].positions.ndim == 2:
        made["position_ids"] = _position_tensor(loaded, rows, length).permute(2, 0, 1)
    made["input_ids"] = torch.from_numpy(pad_rows([row.tree.tokens for row in rows], length, padding_token(loaded)))
    for name in rows[0].beside:
        made[name] = torch.from_numpy(pad_rows([row.beside[name] for row in rows], length))
    return {name: value.to(loaded.device) for name, value in made.items()}


def _position_tensor(loaded: Loaded, rows: Sequence[Row], length: int) -> Any:
    import torch

    return torch.from_numpy(pad_rows([row.positions for row in rows], length)).to(loaded.device)


@contextmanager
def _tree_reading(loaded: Loaded, rows: Sequence[Row], length: int, heads: Any, sight: Sight) -> Iterator[None]:
    """Context manager in which the model reads trees and computes logits only where answers continue."""
    model = loaded.model
    decoder = find_decoder(model)
    trees, blocks = [row.tree for row in rows], [row.blocks for row in rows]
    masks = tree_masks(decoder.config, sight, trees, blocks, loaded.device, model.dtype)
    places = _position_tensor(loaded, rows, length)

    def only_where_needed(_: Any, given: Any) -> Any:
        hidden = given[0]
        return (hidden.reshape(-1, hidden.shape[-1])[heads.to(hidden.device)][None],)

    with ExitStack() as hooks:
        hooks.enter_context(override_masks(decoder, lambda: (masks, places)))
        hooks.callback(model.get_output_embeddings().register_forward_pre_hook(only_where_needed).remove)
        yield


@contextmanager
def override_masks(decoder: Any, sees: Callable[[], tuple[Any, Any]]) -> Iterator[None]:
    """Context manager in which a decoder uses the masks and positions of `sees`, instead of computing its own."""

    def tell(_: Any, given: Any, named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        named["attention_mask"], places = sees()
        counted = named.get("position_ids")
        if counted is None or counted.dim() < 3:
            named["position_ids"] = places if counted is None else places + counted[..., :1]  # some count from 1
        return given, named

    handle = decoder.register_forward_pre_hook(tell, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()


def token_positions(loaded: Loaded, prompt: Prompt, further: int) -> Places:
    """Return the positions of a conversation and of `further` tokens after it: one number each, or several.

    Model families in which picture tokens have a row and a column provide a function that computes the positions.
    """
    holders = (getattr(loaded.model, "model", None), loaded.model)
    placing = next((found for holder in holders if (found := getattr(holder, "get_rope_index", None))), None)
    if placing is None or "image_grid_thw" not in prompt:
        return np.arange(prompt["input_ids"].shape[1] + further)
    asked = signature(placing).parameters
    places, _ = placing(**{name: value for name, value in prompt.items() if name in asked})
    positions = np.asarray(places[:, 0].T.cpu())
    added = np.arange(1, further + 1).reshape(-1, *[1] * (positions.ndim - 1))
    return np.concatenate([positions, positions.max() + added + np.zeros_like(positions[:1])])
