"""One step of many answers at once: each row of text gets its next token, and what was read before stays in memory.

All of it lies in places that never move, so that on a graphics processor a step is recorded once and played again:
Python, which takes longer to say what is to be computed than computing takes, is then out of the way.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakSet

import numpy as np
import torch
from torch.nn import functional
from transformers import AttentionInterface
from transformers.cache_utils import Cache, DynamicLayer

from countersight.models.local.loading import Loaded
from countersight.models.local.queue import is_full
from countersight.models.local.trees import Places, decoder_of, padded, step_masks, told

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


class Choose(Protocol):
    """Says which token each row gets."""

    on_device: bool
    """Whether that is computed on the device alone, so that it can be part of a recorded step."""

    def __call__(self, expected: Any, whose: Sequence[int | None], /) -> Any:
        """The tokens, of how much each is expected and whose row it is; None where it is nobody's."""
        ...


@dataclass(frozen=True, slots=True)
class Begun:
    """A conversation that was read and whose answer is to be written."""

    number: int
    """Names it."""
    path: Places
    """The places of its tokens, in a batch whose rows are joined."""
    position: Any
    """Where the first token of the answer stands."""
    most: int
    """The most tokens of the answer."""


class Slots:
    """Room for so many answers at a time."""

    def __init__(
        self, loaded: Loaded, read: Any, rows: int, length: int, position: Any, choose: Choose, ends: list[int]
    ) -> None:
        """Rows of at most `length` tokens, of which some were `read`, with positions like this one."""
        device = loaded.device
        self.length = length
        self._choose, self._ending = choose, ends
        self._ends = torch.tensor(ends, dtype=torch.long, device=device)
        self._steps = Steps(loaded, read, rows, length, torch.tensor(position))
        self._whose: list[int | None] = [None] * rows
        self._all = torch.arange(rows, device=device)
        self._said = torch.zeros(rows, length, dtype=torch.long, device=device)
        self._count, self._most = (torch.zeros(rows, dtype=torch.long, device=device) for _ in range(2))
        self._ended = torch.ones(rows, dtype=torch.bool, device=device)
        if choose.on_device:
            self._steps.record(self._add)

    @property
    def free(self) -> int:
        """How many more answers can be begun."""
        return self._whose.count(None)

    @property
    def rows(self) -> int:
        """How many answers can be under way."""
        return len(self._whose)

    def serves(self, rows: int, length: int, choose: Choose, ends: list[int]) -> bool:
        """Whether so many answers, so long and chosen so, can be written here."""
        return (self._choose, self._ending) == (choose, ends) and self.rows >= rows and self.length >= length

    def fill(self, read: Any, begun: Sequence[Begun], tokens: Any) -> None:
        """Begin answers with their first tokens."""
        free = [slot for slot, whose in enumerate(self._whose) if whose is None][: len(begun)]
        for slot, one in zip(free, begun, strict=True):
            self._whose[slot] = one.number

        def laid(values: Any) -> Any:
            return torch.from_numpy(np.asarray(values)).to(tokens.device)

        slots, most, steps = laid(free), laid([one.most for one in begun]), self._steps
        paths = [one.path for one in begun]
        steps.memory.take(read, slots, laid(padded(paths, max(map(len, paths)))))
        steps.tokens[slots] = tokens
        steps.depths[slots] = laid([len(path) for path in paths])
        steps.positions[slots] = laid([one.position for one in begun])
        self._said[slots, 0], self._count[slots], self._most[slots] = tokens, 1, most
        self._ended[slots] = self._is_end(tokens) | (most <= 1)

    def step(self) -> None:
        """Write one token more of every answer under way."""
        self._steps.take(self._add)

    def finished(self, *, all_of_them: bool = False) -> list[tuple[int, list[int]]]:
        """The answers that have ended, by their numbers, whose slots are free from now on."""
        ended = self._ended.tolist()
        found = [
            (slot, whose)
            for slot, whose in enumerate(self._whose)
            if whose is not None and (all_of_them or ended[slot])
        ]
        if not found:
            return []
        slots = torch.tensor([slot for slot, _ in found], device=self._said.device)
        said, counts = self._said[slots].tolist(), self._count[slots].tolist()
        self._ended[slots] = True
        for slot, _ in found:
            self._whose[slot] = None
        return [(whose, row[:count]) for (_, whose), row, count in zip(found, said, counts, strict=True)]

    def _add(self, expected: Any) -> None:
        """Note the next token of every row; those that have ended stay as they are."""
        tokens = self._choose(expected, self._whose)
        steps, going = self._steps, ~self._ended
        place = self._count.clamp(max=self.length - 1)
        self._said.index_put_((self._all, place), torch.where(going, tokens, self._said[self._all, place]))
        self._count += going
        self._ended |= self._is_end(tokens) | (self._count >= self._most)
        steps.tokens.copy_(tokens)
        steps.depths += ~self._ended
        steps.positions += (~self._ended).view(-1, *[1] * (steps.positions.dim() - 1))

    def _is_end(self, tokens: Any) -> Any:
        return (tokens[:, None] == self._ends).any(-1)
