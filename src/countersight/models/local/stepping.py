"""One step of many answers at once: each row of text gets its next token, and what was read before stays in memory.

All of it lies in places that never move, so that on a graphics processor a step is recorded once and played again:
Python, which takes longer to say what is to be computed than computing takes, is then out of the way.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

import torch
from torch.nn import functional
from transformers import AttentionInterface
from transformers.cache_utils import Cache, DynamicLayer

from countersight.models.local.branching import decoder_of, told
from countersight.models.local.loading import Loaded
from countersight.models.local.masks import step_masks
from countersight.models.local.memory import is_full

_NAME = "countersight_sdpa_step"
_WARMING = 2
"""Steps that are computed before one is recorded: what is set up at the first must not be recorded."""
_unrecordable: WeakSet[Any] = WeakSet()
"""Models that look at what they have computed in the middle of a step, so that it cannot be recorded."""


class Memory(Cache):
    """What every layer has read of some rows, each token in the place of its depth."""

    def __init__(self, read: Any, rows: int, length: int, depths: Any) -> None:
        """Room for `rows` of at most `length` tokens, for layers like those of what was `read`."""
        super().__init__(layers=[_Layer(layer, rows, length, depths) for layer in read.layers])

    def take(self, read: Any, slots: Any, places: Any) -> None:
        """Take over what was read of some sequences: `places` has a row for each, of a batch whose rows are joined."""
        for layer, other in zip(self.layers, read.layers, strict=True):
            layer.take(other, slots, places)


class _Layer(DynamicLayer):
    def __init__(self, like: Any, rows: int, length: int, depths: Any) -> None:
        super().__init__()
        self.keys, self.values = (_room(part, rows, length) for part in (like.keys, like.values))
        self.is_initialized = True
        self._rows, self._depths = torch.arange(rows, device=depths.device), depths

    def update(self, key_states: Any, value_states: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
        made = []
        for held, new in ((self.keys, key_states), (self.values, value_states)):
            held.index_put_((self._rows, self._depths), new[:, :, 0])
            made.append(held.transpose(1, 2))
        return made[0], made[1]

    def take(self, read: Any, slots: Any, places: Any) -> None:
        for held, new in ((self.keys, read.keys), (self.values, read.values)):
            flat = new.transpose(1, 2).flatten(0, 1)
            held[slots, : places.shape[1]] = flat[places]

    def get_seq_length(self) -> int:
        return 0  # positions and masks are told, not counted


def _room(like: Any, rows: int, length: int) -> Any:
    """Nothing but noughts: what is masked is multiplied by nought, which helps only where it is a number."""
    return like.new_zeros(rows, length, like.shape[1], like.shape[3])


class Steps:
    """The newest token of every row, and how the next is computed."""

    def __init__(self, loaded: Loaded, read: Any, rows: int, length: int, position: Any) -> None:
        """So many rows of at most `length` tokens, of which some were `read`, with positions like this one."""
        device = loaded.device
        self._loaded, self._length = loaded, length
        self._decoder = decoder_of(loaded.model)
        self.tokens = torch.zeros(rows, dtype=torch.long, device=device)
        self.depths = torch.zeros(rows, dtype=torch.long, device=device)
        self.positions = torch.zeros((rows, *position.shape), dtype=torch.long, device=device)
        self.memory = Memory(read, rows, length, self.depths)
        self._recorded: Any = None

    def take(self, done: Callable[[Any], None]) -> None:
        """Compute a step and hand what is expected to `done`, which sets the next tokens and is recorded with it."""
        if self._recorded is not None:
            self._recorded.replay()
            return
        with torch.inference_mode(), _by_groups(self._decoder), told(self._decoder, self._sees):
            done(self._expected())

    def record(self, done: Callable[[Any], None]) -> None:
        """Record a step, where the device and the model can; until a row is begun it does no harm to compute one."""
        if self._loaded.device.type != "cuda" or self._loaded.model in _unrecordable:
            return
        try:
            self._recorded = self._capture(done)
        except RuntimeError as error:
            if is_full(error):
                raise
            _unrecordable.add(self._loaded.model)

    def _capture(self, done: Callable[[Any], None]) -> Any:
        recorded = torch.cuda.CUDAGraph()
        with torch.cuda.device(self._loaded.device):
            aside = torch.cuda.Stream()
            aside.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(aside):
                for _ in range(_WARMING):
                    self.take(done)
            torch.cuda.current_stream().wait_stream(aside)
            # Other threads prepare pictures meanwhile, and may put them where the device reaches them.
            with torch.cuda.graph(recorded, capture_error_mode="thread_local"):
                self.take(done)
        return recorded

    def _expected(self) -> Any:
        named = {"position_ids": self.positions.T[:, :, None]} if self.positions.dim() == 2 else {}
        tokens = self.tokens[:, None]
        made = self._loaded.model(input_ids=tokens, past_key_values=self.memory, use_cache=True, **named)
        return made.logits[:, -1]

    def _sees(self) -> tuple[Any, Any]:
        masks = step_masks(self._decoder.config, self.depths, self._length, self._loaded.model.dtype)
        return masks, self.positions[:, None]


@contextmanager
def _by_groups(decoder: Any) -> Iterator[None]:
    """While this lasts, heads that share their keys read them once; transformers copies the keys for each of them."""
    config = decoder.config
    usual = config._attn_implementation
    if usual == "sdpa" and not config.sub_configs:  # it would be set in all of them
        config._attn_implementation = _NAME
    try:
        yield
    finally:
        config._attn_implementation = usual


def _attend(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, *, scaling: float | None = None, **_: Any
) -> tuple[Any, None]:
    """Attention of one token a row: the heads of a group ask as if they were that many tokens."""
    rows, heads, _one, width = query.shape
    asked = query.reshape(rows, key.shape[1], -1, width)
    seen = functional.scaled_dot_product_attention(asked, key, value, attn_mask=attention_mask, scale=scaling)
    return seen.reshape(rows, 1, heads, seen.shape[-1]), None


AttentionInterface.register(_NAME, _attend)
