"""One pass of a model over trees of tokens: each token sees what leads to it, as if its own sequence stood alone."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from countersight.models.local.loading import Loaded
from countersight.models.local.packing import Places, Tree

Way = Literal["shared prefix", "shared question", "plain"]
"""What the options of requests have in common when they are ranked: everything up to where they differ, pictures and
the questions about them; the picture as it was looked at and the question, since the model reads pictures and question
to and fro; or nothing."""

_TO_AND_FRO = ("paligemma", "instructblip")
"""Families in which what a picture means depends on the question that stands behind it."""
_FAMILIES = (
    *("llava", "llava_next", "llava_onevision", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "internvl"),
    *("idefics3", "smolvlm", "paligemma", "gemma3", "mistral3", "mllama", "blip-2", "instructblip"),
)
_DECODERS = (
    *("llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "mllama_text_model", "opt"),
    *("qwen2_vl_text", "qwen2_5_vl_text", "qwen3_vl_text"),
)
"""Decoders of which we know that they take our word for which token sees which, and where it stands."""
_CHUNK = 1024
"""So many rows of logits are made exact at once: a vocabulary has 150,000 words."""


@dataclass(frozen=True, slots=True)
class Row:
    """A tree of tokens with what stands beside them."""

    tree: Tree
    positions: NDArray[np.int64]
    """Where each token stands in its own sequence: one number, or three where pictures have two dimensions."""
    blocks: Places
    """Tokens of one number see each other to and fro; -1 sees only what leads to it."""
    beside: dict[str, NDArray[Any]]
    """Further inputs with something for every token."""
    pictures: dict[str, Any]
    """Inputs that belong to the row as a whole."""
    shown: int
    """How many pictures there are."""
    seen: object
    """Names the pictures: rows of the same name have the same."""
    answers: tuple[tuple[Places, Places], ...]
    """For each answer, the places behind which its tokens stand, and those tokens."""

    @property
    def size(self) -> int:
        """The number of tokens."""
        return len(self.tree.tokens)

    def goes_with(self, other: "Row") -> bool:
        """Whether both may be in a batch: processors and models want the same number of pictures in every row."""
        return (self.shown, self.pictures.keys()) == (other.shown, other.pictures.keys())


def way_of(config: Any) -> Way:
    """How the options of a model with this configuration are ranked."""
    text = config.get_text_config(decoder=True)
    if config.model_type not in _FAMILIES or text.model_type not in _DECODERS:
        return "plain"
    return "shared question" if config.model_type in _TO_AND_FRO else "shared prefix"


def unexpected(loaded: Loaded, rows: Sequence[Row]) -> Any:
    """How little the model expected each token of all answers, in order: the negative logarithm of its probability."""
    import torch

    length = max(row.size for row in rows)
    places = [nth * length + before for nth, row in enumerate(rows) for before, _ in row.answers]
    heads, which = np.unique(np.concatenate(places), return_inverse=True)
    said = np.concatenate([tokens for row in rows for _, tokens in row.answers])
    # All of it goes to the device before it computes anything: what is sent later waits until it has computed all.
    index, tokens, where = (torch.from_numpy(part).to(loaded.device) for part in (which, said, heads))
    inputs = _inputs(loaded, rows, length)
    with torch.inference_mode(), _reading(loaded, rows, length, where):
        logits = loaded.model(**inputs, use_cache=False).logits[0]
        total = torch.cat([part.float().logsumexp(-1) for part in logits.split(_CHUNK)])
        index, tokens = index.to(logits.device), tokens.to(logits.device)
        return total[index] - logits[index, tokens].float()


def _inputs(loaded: Loaded, rows: Sequence[Row], length: int) -> dict[str, Any]:
    import torch

    once = _first_of_each(rows)[0] if loaded.family in _TO_AND_FRO else range(len(rows))
    made = {
        name: _joined(
            [
                rows[nth].pictures[name].to(loaded.device)
                for nth in (once if name == "pixel_values" else range(len(rows)))
            ]
        )
        for name in rows[0].pictures
    }
    if rows[0].positions.ndim == 2:
        made["position_ids"] = _positions(loaded, rows, length).permute(2, 0, 1)
    made["input_ids"] = torch.from_numpy(_padded([row.tree.tokens for row in rows], length, _filling(loaded)))
    for name in rows[0].beside:
        made[name] = torch.from_numpy(_padded([row.beside[name] for row in rows], length))
    return {name: value.to(loaded.device) for name, value in made.items()}


def _positions(loaded: Loaded, rows: Sequence[Row], length: int) -> Any:
    import torch

    return torch.from_numpy(_padded([row.positions for row in rows], length)).to(loaded.device)


def _filling(loaded: Loaded) -> int:
    return int(loaded.tokenizer.pad_token_id or 0)


def _padded(values: Sequence[NDArray[Any]], length: int, filling: int = 0) -> NDArray[Any]:
    made = np.full((len(values), length, *values[0].shape[1:]), filling, values[0].dtype)
    for row, value in zip(made, values, strict=True):
        row[: len(value)] = value
    return made


def _joined(values: Sequence[Any]) -> Any:
    """Inputs of several rows as those of one batch, smaller ones filled up with nought as processors do."""
    import torch

    sizes = [max(value.shape[axis] for value in values) for axis in range(1, values[0].dim())]
    if all(list(value.shape[1:]) == sizes for value in values):
        return torch.cat(list(values))
    made = values[0].new_zeros((sum(len(value) for value in values), *sizes))
    start = 0
    for value in values:
        made[(slice(start, start + len(value)), *map(slice, value.shape[1:]))] = value
        start += len(value)
    return made


def _first_of_each(rows: Sequence[Row]) -> tuple[list[int], list[int]]:
    """The first row with each picture, and for every row which of those it goes with."""
    names: dict[object, int] = {}
    which = [names.setdefault(row.seen, len(names)) for row in rows]
    return [which.index(nth) for nth in range(len(names))], which


@contextmanager
def _reading(loaded: Loaded, rows: Sequence[Row], length: int, heads: Any) -> Iterator[None]:
    """While this lasts the model reads trees, and says what comes next only where answers go on."""
    model = loaded.model
    decoder = _decoder(model)
    masks = _masks(decoder.config, loaded, rows, length)
    places = _positions(loaded, rows, length)

    def see_the_tree(_: Any, given: Any, named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        named["attention_mask"] = masks
        counted = named.get("position_ids")
        if counted is None or counted.dim() < 3:
            named["position_ids"] = places if counted is None else places + counted[..., :1]  # some count from 1
        return given, named

    def only_where_needed(_: Any, given: Any) -> Any:
        hidden = given[0]
        return (hidden.reshape(-1, hidden.shape[-1])[heads.to(hidden.device)][None],)

    with ExitStack() as hooks:
        for handle in (
            decoder.register_forward_pre_hook(see_the_tree, with_kwargs=True),
            model.get_output_embeddings().register_forward_pre_hook(only_where_needed),
        ):
            hooks.callback(handle.remove)
        if loaded.family in _TO_AND_FRO:
            hooks.callback(_looking_once(model, _first_of_each(rows)[1], rows[0].shown).remove)
        yield


def _looking_once(model: Any, which: list[int], shown: int) -> Any:
    """Hand what the eye made of each picture to every row that shows it, `shown` in each."""
    import torch

    which = [nth * shown + place for nth in which for place in range(shown)]

    def hand_out(_: Any, __: Any, made: Any) -> Any:
        for name, value in made.items():
            if torch.is_tensor(value):
                made[name] = value[torch.tensor(which, device=value.device)]
        return made

    eye = getattr(getattr(model, "model", model), "vision_tower", None) or model.vision_model
    return eye.register_forward_hook(hand_out)


def _decoder(model: Any) -> Any:
    """The part of a model that reads tokens one after the other."""
    decoder = model.get_decoder()
    while hasattr(decoder, "get_decoder") and (inner := decoder.get_decoder()) not in (None, decoder):
        decoder = inner
    return decoder


def _masks(config: Any, loaded: Loaded, rows: Sequence[Row], length: int) -> Any:
    """Which token sees which, for every kind of layer the decoder has."""
    import torch

    device, dtype, family = loaded.device, loaded.model.dtype, loaded.family

    def laid(values: list[Places], filling: int) -> Any:
        return torch.from_numpy(_padded(values, length, filling)).to(device)

    here = torch.arange(length, device=device)
    ends = laid([row.tree.ends for row in rows], 0)
    tree = (here[None, :, None] < ends[:, None, :]) & (here[None, None, :] <= here[None, :, None])
    tree |= torch.eye(length, dtype=torch.bool, device=device)  # padding sees itself: nothing at all has no softmax
    blocked = any((row.blocks >= 0).any() for row in rows)
    block = laid([row.blocks for row in rows], -1)
    both_ways = (block[:, :, None] == block[:, None, :]) & (block[:, :, None] >= 0)
    window = getattr(config, "sliding_window", None)
    kinds = set(getattr(config, "layer_types", None) or (["sliding_attention"] if window else ["full_attention"]))

    def mask(kind: str) -> Any:
        seen = tree
        near = None
        if kind == "sliding_attention":
            depth = laid([row.tree.depths for row in rows], 0)
            near = depth[:, None, :] > depth[:, :, None] - window
        if near is not None and family == "paligemma":  # its window leaves alone what is read to and fro
            seen = seen & near
        if blocked:
            seen = seen | both_ways
        if near is not None and family != "paligemma":
            seen = seen & near
        seen = seen[:, None]
        if config._attn_implementation == "sdpa":
            return seen
        return torch.zeros(seen.shape, dtype=dtype, device=device).masked_fill_(~seen, torch.finfo(dtype).min)

    made = {kind: mask(kind) for kind in kinds}
    return made if len(made) > 1 else made.popitem()[1]
