"""One pass of a model over trees of tokens: each token sees what leads to it, as if its own sequence stood alone."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from countersight.models.local.conversation import filling
from countersight.models.local.loading import Loaded
from countersight.models.local.masks import Sight, padded, tree_masks
from countersight.models.local.packing import Places, Tree
from countersight.models.local.processing import batch_of

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


def unexpected(loaded: Loaded, rows: Sequence[Row], sight: Sight, *, look_once: bool = False) -> Any:
    """How little the model expected each token of all answers, in order: the negative logarithm of its probability.

    `look_once` has the eye look once at a picture that several rows show.
    """
    import torch

    heads, which = np.unique(heads_of(rows), return_inverse=True)
    said = np.concatenate([tokens for row in rows for _, tokens in row.answers])
    # All of it goes to the device before it computes anything: what is sent later waits until it has computed all.
    index, tokens, where = (torch.from_numpy(part).to(loaded.device) for part in (which, said, heads))
    with torch.inference_mode():
        logits = read(loaded, rows, where, sight, look_once=look_once)
        total = torch.cat([part.float().logsumexp(-1) for part in logits.split(_CHUNK)])
        index, tokens = index.to(logits.device), tokens.to(logits.device)
        return total[index] - logits[index, tokens].float()


def heads_of(rows: Sequence[Row]) -> Places:
    """The places of a batch, its rows one after the other, behind which the tokens of all answers stand."""
    length = max(row.size for row in rows)
    return np.concatenate([nth * length + before for nth, row in enumerate(rows) for before, _ in row.answers])


def read(
    loaded: Loaded, rows: Sequence[Row], heads: Any, sight: Sight, *, look_once: bool = False, memory: Any = None
) -> Any:
    """What the model expects behind some places of a batch, in one pass; in `memory` it keeps what it has read."""
    length = max(row.size for row in rows)
    eye = _eye(loaded.model) if look_once else None
    inputs = _inputs(loaded, rows, length, once=eye is not None)
    remembering = {"use_cache": False} if memory is None else {"use_cache": True, "past_key_values": memory}
    with _reading(loaded, rows, length, heads, sight, eye):
        return loaded.model(**inputs, **remembering).logits[0]


def decoder_of(model: Any) -> Any:
    """The part of a model that reads tokens one after the other."""
    decoder = model.get_decoder()
    while hasattr(decoder, "get_decoder") and (inner := decoder.get_decoder()) not in (None, decoder):
        decoder = inner
    return decoder


def _inputs(loaded: Loaded, rows: Sequence[Row], length: int, *, once: bool) -> dict[str, Any]:
    import torch

    every = range(len(rows))
    first = _first_of_each(rows)[0] if once else every
    made = {
        name: batch_of([rows[nth].pictures[name].to(loaded.device) for nth in (first if name == _SEEN else every)])
        for name in rows[0].pictures
    }
    if rows[0].positions.ndim == 2:
        made["position_ids"] = _positions(loaded, rows, length).permute(2, 0, 1)
    made["input_ids"] = torch.from_numpy(padded([row.tree.tokens for row in rows], length, filling(loaded)))
    for name in rows[0].beside:
        made[name] = torch.from_numpy(padded([row.beside[name] for row in rows], length))
    return {name: value.to(loaded.device) for name, value in made.items()}


_SEEN = "pixel_values"


def _positions(loaded: Loaded, rows: Sequence[Row], length: int) -> Any:
    import torch

    return torch.from_numpy(padded([row.positions for row in rows], length)).to(loaded.device)


def _first_of_each(rows: Sequence[Row]) -> tuple[list[int], list[int]]:
    """The first row with each picture, and for every row which of those it goes with."""
    names: dict[object, int] = {}
    which = [names.setdefault(row.seen, len(names)) for row in rows]
    return [which.index(nth) for nth in range(len(names))], which


@contextmanager
def _reading(
    loaded: Loaded, rows: Sequence[Row], length: int, heads: Any, sight: Sight, eye: Any | None
) -> Iterator[None]:
    """While this lasts the model reads trees, and says what comes next only where answers go on."""
    model = loaded.model
    decoder = decoder_of(model)
    trees, blocks = [row.tree for row in rows], [row.blocks for row in rows]
    masks = tree_masks(decoder.config, sight, trees, blocks, loaded.device, model.dtype)
    places = _positions(loaded, rows, length)

    def only_where_needed(_: Any, given: Any) -> Any:
        hidden = given[0]
        return (hidden.reshape(-1, hidden.shape[-1])[heads.to(hidden.device)][None],)

    with ExitStack() as hooks:
        hooks.enter_context(told(decoder, lambda: (masks, places)))
        hooks.callback(model.get_output_embeddings().register_forward_pre_hook(only_where_needed).remove)
        if eye is not None:
            hooks.callback(_looking_once(eye, _first_of_each(rows)[1], rows[0].shown).remove)
        yield


@contextmanager
def told(decoder: Any, sees: Callable[[], tuple[Any, Any]]) -> Iterator[None]:
    """While this lasts a decoder is told which tokens see which, and where they stand, and does not work it out."""

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


def _eye(model: Any) -> Any | None:
    """The part of a model that looks at pictures, where it is one that makes the same of each, whoever asks."""
    core = getattr(model, "model", model)
    return getattr(core, "vision_tower", None) or getattr(core, "vision_model", None)


def _looking_once(eye: Any, which: list[int], shown: int) -> Any:
    """Hand what the eye made of each picture to every row that shows it, `shown` in each."""
    import torch

    which = [nth * shown + place for nth in which for place in range(shown)]

    def hand_out(_: Any, __: Any, made: Any) -> Any:
        for name, value in made.items():
            if torch.is_tensor(value):
                made[name] = value[torch.tensor(which, device=value.device)]
        return made

    return eye.register_forward_hook(hand_out)
