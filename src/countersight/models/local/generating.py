"""Token generation: by transformers' `generate`, or for many answers at once with shared prompts read only once.

One step adds a token to each answer, and the key-value cache stays in memory. All tensors have fixed addresses, so that
on a GPU a step is recorded once and replayed. This avoids the overhead of Python, which takes longer than the
computation.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
import torch
from torch.nn import functional
from transformers import (
    AttentionInterface,
    DynamicCache,
    GenerationConfig,
    GenerationMixin,
    LogitsProcessor,
    LogitsProcessorList,
    StoppingCriteriaList,
)
from transformers.cache_utils import Cache, DynamicLayer

from countersight.errors import AskingFailed
from countersight.models.local.conversation import Loaded, Prompt
from countersight.models.local.ranking import (
    Numbered,
    build_rows,
    group_into_batches,
    placeholder_answer,
    stream_lanes,
    take_failures,
    wait_for_lane,
)
from countersight.models.local.trees import (
    Places,
    Sight,
    answer_heads,
    find_decoder,
    override_masks,
    pad_rows,
    read_trees,
    step_masks,
)
from countersight.models.protocol import Request
from countersight.models.request_queue import Feed, is_out_of_memory

_NAME = "countersight_sdpa_step"
_WARMING = 2
"""The number of warm-up steps before a step is recorded, so that initialisation is not recorded."""
_unrecordable: WeakSet[Any] = WeakSet()
"""Models whose steps cannot be recorded, because they inspect intermediate results."""


class _Layer(DynamicLayer):
    """The keys and values of one layer for a number of rows, with each token at the index of its depth in the tree."""

    def __init__(self, like: Any, rows: int, length: int, depths: Any) -> None:
        super().__init__()
        # Zeros, since masked values are multiplied by zero and must therefore be finite.
        self.keys, self.values = (
            part.new_zeros(rows, length, part.shape[1], part.shape[3]) for part in (like.keys, like.values)
        )
        self.is_initialized = True
        self._rows, self._depths = torch.arange(rows, device=depths.device), depths

    def update(self, key_states: Any, value_states: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
        made = []
        for held, new in ((self.keys, key_states), (self.values, value_states)):
            held.index_put_((self._rows, self._depths), new[:, :, 0])
            made.append(held.transpose(1, 2))
        return made[0], made[1]

    def take(self, read: Any, slots: Any, places: Any) -> None:
        """Copy sequences from another layer; each row of `places` has the indices of one sequence's tokens."""
        for held, new in ((self.keys, read.keys), (self.values, read.values)):
            flat = new.transpose(1, 2).flatten(0, 1)
            held[slots, : places.shape[1]] = flat[places]

    def get_seq_length(self) -> int:
        return 0  # positions and masks are passed explicitly


@contextmanager
def _grouped_attention(decoder: Any) -> Iterator[None]:
    """Context manager in which attention heads share keys; transformers would copy the keys for each head."""
    config = decoder.config
    usual = config._attn_implementation
    if usual == "sdpa" and not config.sub_configs:  # otherwise it would change all sub-configurations
        config._attn_implementation = _NAME
    try:
        yield
    finally:
        config._attn_implementation = usual


def _attend(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, *, scaling: float | None = None, **_: Any
) -> tuple[Any, None]:
    """Compute attention for one token per row, with the heads of a group treated as tokens."""
    rows, heads, _one, width = query.shape
    asked = query.reshape(rows, key.shape[1], -1, width)
    seen = functional.scaled_dot_product_attention(asked, key, value, attn_mask=attention_mask, scale=scaling)
    return seen.reshape(rows, 1, heads, seen.shape[-1]), None


AttentionInterface.register(_NAME, _attend)


class TokenChoice:
    """Chooses the next token of each answer: the most likely one."""

    on_device = True
    """Whether the choice runs entirely on the device, so that it can be part of a recorded step."""

    def __call__(self, logits: Any, numbers: Sequence[int | None]) -> Any:
        """Return the tokens, given the logits and the number of each row's answer (None for unused rows)."""
        return logits.float().argmax(-1)


LIKELIEST = TokenChoice()


class ChoiceByAnswer(TokenChoice, ABC):
    """A choice that depends on the answer and not only on the logits."""

    on_device = False

    @abstractmethod
    def choose(self, logits: Any, number: int) -> Any:
        """Return the next token of one answer."""

    def __call__(self, logits: Any, numbers: Sequence[int | None]) -> Any:
        tokens = super().__call__(logits, numbers)
        for row, number in enumerate(numbers):
            if number is not None:
                tokens[row] = self.choose(logits[row], number)
        return tokens


@dataclass(frozen=True, slots=True)
class StartedAnswer:
    """A conversation that was processed and is ready for its answer to be generated."""

    number: int
    """The number of the request."""
    path: Places
    """The indices of its tokens in the flattened batch."""
    position: Any
    """The position of the answer's first token."""
    most: int
    """The maximum number of tokens of the answer."""


class Slots:
    """Slots for answers that are generated concurrently, one token of each per step."""

    def __init__(
        self, loaded: Loaded, read: Any, rows: int, length: int, position: Any, choice: TokenChoice, ends: list[int]
    ) -> None:
        """Allocate rows of at most `length` tokens, with the layers of the cache `read` and the shape of `position`."""

        def zeros(*shape: int) -> Any:
            return torch.zeros(shape, dtype=torch.long, device=loaded.device)

        self.length = length
        self._loaded, self._decoder = loaded, find_decoder(loaded.model)
        self._choice, self._ending = choice, ends
        self._ends = torch.tensor(ends, dtype=torch.long, device=loaded.device)
        self._begun: list[StartedAnswer | None] = [None] * rows
        self._all = torch.arange(rows, device=loaded.device)
        self._tokens, self._depths, self._count, self._most = (zeros(rows) for _ in range(4))
        """The newest token of each row, its depth in the tree, and the number of tokens of the answer and its limit."""
        self._positions, self._said = zeros(rows, *np.shape(position)), zeros(rows, length)
        self._ended = torch.ones(rows, dtype=torch.bool, device=loaded.device)
        self._memory = Cache(layers=[_Layer(layer, rows, length, self._depths) for layer in read.layers])
        self._recorded: Any = None
        if choice.on_device and loaded.device.type == "cuda" and loaded.model not in _unrecordable:
            self._record()

    @property
    def free(self) -> int:
        """The number of free slots."""
        return self._begun.count(None)

    @property
    def rows(self) -> int:
        """The number of slots."""
        return len(self._begun)

    def can_hold(self, rows: int, length: int, choice: TokenChoice, ends: list[int]) -> bool:
        """Whether the slots have room for these answers, and use the same choice and the same end tokens."""
        return (self._choice, self._ending) == (choice, ends) and self.rows >= rows and self.length >= length

    def fill(self, read: Any, begun: Sequence[StartedAnswer], tokens: Any) -> None:
        """Start answers with their first tokens; `read` is the cache of their conversations."""
        free = [slot for slot, one in enumerate(self._begun) if one is None][: len(begun)]
        for slot, one in zip(free, begun, strict=True):
            self._begun[slot] = one

        def laid(values: Any) -> Any:
            return torch.from_numpy(np.asarray(values)).to(tokens.device)

        slots, most, paths = laid(free), laid([one.most for one in begun]), [one.path for one in begun]
        places = laid(pad_rows(paths, max(map(len, paths))))
        for layer, other in zip(self._memory.layers, read.layers, strict=True):
            layer.take(other, slots, places)
        self._tokens[slots] = tokens
        self._depths[slots] = laid([len(path) for path in paths])
        self._positions[slots] = laid([one.position for one in begun])
        self._said[slots, 0], self._count[slots], self._most[slots] = tokens, 1, most
        self._ended[slots] = self._is_end(tokens) | (most <= 1)

    def step(self) -> None:
        """Generate one more token of every running answer."""
        if self._recorded is not None:
            self._recorded.replay()
        else:
            self._compute_step()

    def finished(self, *, all_of_them: bool = False) -> list[tuple[StartedAnswer, list[int]]]:
        """Return the finished answers with their tokens, and free their slots."""
        ended = self._ended.tolist()
        begun = {slot: one for slot, one in enumerate(self._begun) if one is not None and (all_of_them or ended[slot])}
        if not begun:
            return []
        slots = torch.tensor(list(begun), device=self._said.device)
        said, counts = self._said[slots].tolist(), self._count[slots].tolist()
        self._ended[slots] = True
        for slot in begun:
            self._begun[slot] = None
        return [(one, row[:count]) for one, row, count in zip(begun.values(), said, counts, strict=True)]

    def _record(self) -> None:
        """Record a step on the GPU, if the model allows it. The slots must be unused."""
        recorded = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.device(self._loaded.device):
                aside = torch.cuda.Stream()
                aside.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(aside):
                    for _ in range(_WARMING):
                        self._compute_step()
                torch.cuda.current_stream().wait_stream(aside)
                # Other threads prepare pictures meanwhile and may allocate memory on the device.
                with torch.cuda.graph(recorded, capture_error_mode="thread_local"):
                    self._compute_step()
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise
            _unrecordable.add(self._loaded.model)
        else:
            self._recorded = recorded

    def _compute_step(self) -> None:
        named = {"position_ids": self._positions.T[:, :, None]} if self._positions.dim() == 2 else {}
        with (
            torch.inference_mode(),
            _grouped_attention(self._decoder),
            override_masks(self._decoder, self._masks_and_positions),
        ):
            tokens = self._tokens[:, None]
            made = self._loaded.model(input_ids=tokens, past_key_values=self._memory, use_cache=True, **named)
            self._add(made.logits[:, -1])

    def _masks_and_positions(self) -> tuple[Any, Any]:
        """Return the masks and positions of a step."""
        masks = step_masks(self._decoder.config, self._depths, self.length, self._loaded.model.dtype)
        return masks, self._positions[:, None]

    def _add(self, logits: Any) -> None:
        """Store the next token of every row; finished rows are unchanged."""
        tokens = self._choice(logits, [None if one is None else one.number for one in self._begun])
        going = ~self._ended
        place = self._count.clamp(max=self.length - 1)
        self._said.index_put_((self._all, place), torch.where(going, tokens, self._said[self._all, place]))
        self._count += going
        self._ended |= self._is_end(tokens) | (self._count >= self._most)
        self._tokens.copy_(tokens)
        self._depths += ~self._ended
        self._positions += (~self._ended).view(-1, *[1] * (self._positions.dim() - 1))

    def _is_end(self, tokens: Any) -> Any:
        return (tokens[:, None] == self._ends).any(-1)


_ignoring_processors: WeakSet[Any] = WeakSet()
"""Models with a `generate` method of their own that ignores logits processors."""


def generate(
    loaded: Loaded,
    prompts: Prompt,
    most: int,
    choice: TokenChoice = LIKELIEST,
    stopped: Callable[[], bool] = lambda: False,
) -> list[list[int]]:
    """Generate at most `most` tokens after each conversation of a batch, and return them without the prompt."""

    def is_stopped(input_ids: Any, _: Any, **__: Any) -> Any:
        return torch.full((input_ids.shape[0],), stopped(), dtype=torch.bool, device=input_ids.device)

    chosen = _ChosenTokens(choice)
    asked: dict[str, Any] = {
        **prompts,
        "generation_config": _greedy_config(loaded, most),
        "logits_processor": LogitsProcessorList([chosen]),
        "stopping_criteria": StoppingCriteriaList([is_stopped]),
    }
    with torch.inference_mode():
        own = GenerationMixin.generate if loaded.model in _ignoring_processors else type(loaded.model).generate
        made = own(loaded.model, **asked)
        if chosen.start is None:  # Janus's own method; use the common one
            _ignoring_processors.add(loaded.model)
            made = GenerationMixin.generate(loaded.model, **asked)
    return [list(row) for row in made[:, chosen.start :].tolist()]


class _ChosenTokens(LogitsProcessor):
    """Makes greedy generation continue with the chosen tokens.

    Records where the answers begin, since only some families return the prompt as well.
    """

    def __init__(self, choice: TokenChoice) -> None:
        self.start: int | None = None
        self._choice = choice

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        if self.start is None:
            self.start = input_ids.shape[1]
        tokens = self._choice(scores, range(len(scores)))
        return torch.full_like(scores, float("-inf")).scatter_(1, tokens[:, None], 0.0)


def end_tokens(loaded: Loaded) -> list[int]:
    """Return all tokens that end an answer, according to the checkpoint's settings and its tokenizer."""
    named = loaded.model.generation_config.eos_token_id
    found = [*(named if isinstance(named, list) else [named]), loaded.tokenizer.eos_token_id]
    return sorted({int(token) for token in found if token is not None})


def _greedy_config(loaded: Loaded, most: int) -> Any:
    """Return a greedy configuration, ignoring the checkpoint's defaults: penalties would depend on the padding."""
    return GenerationConfig(
        max_new_tokens=most,
        do_sample=False,
        num_beams=1,
        repetition_penalty=1.0,
        no_repeat_ngram_size=0,
        eos_token_id=end_tokens(loaded),
        pad_token_id=loaded.tokenizer.pad_token_id,
        decoder_start_token_id=loaded.decoder_start,
    )


ROWS = 256
"""The maximum number of concurrent answers."""
STEPS = 4
"""The number of steps between two checks for finished answers."""
_ROUND = 128
"""Row lengths are rounded up to a multiple of this, which suits the device and leaves space for longer answers."""
_SHARE = 0.5
"""The share of the GPU's free memory that the cache of running answers may use."""
_kept: WeakKeyDictionary[Any, Slots] = WeakKeyDictionary()
"""The slots of each model, kept because creating them and recording a step takes a second."""

Written = tuple[list[int], int]
"""The tokens of an answer, and the number of tokens read before it."""


def write_shared(
    loaded: Loaded,
    sight: Sight,
    requests: Feed[Request],
    most: int,
    choice: TokenChoice = LIKELIEST,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, Written | AskingFailed]]:
    """Yield the answer to each conversation, of at most `most` tokens, with shared prefixes read only once."""
    failed: dict[int, AskingFailed] = {}
    writing = _Writing(loaded, sight, requests.most, most, choice)
    rows = build_rows(sight, loaded, requests, failed, placeholder_answer)
    batches = group_into_batches(rows)
    try:
        for batch, lane in zip(chain(batches, [None]), stream_lanes(loaded.device), strict=False):
            yield from writing.begin(batch, lane)
            if stopped():
                break
            yield from take_failures(failed)
        while writing.under_way and not stopped():
            yield from writing.go_on()
        yield from writing.finished(all_of_them=True)
    except BaseException:
        _kept.pop(loaded.model, None)  # free the slots, since memory may have run out
        raise


class _Writing:
    """The running answers to some requests, and the conversations that are read next."""

    def __init__(self, loaded: Loaded, sight: Sight, rows: int, most: int, choice: TokenChoice) -> None:
        self._loaded, self._sight, self._rows, self._most, self._choice = loaded, sight, min(ROWS, rows), most, choice
        self._ends = end_tokens(loaded)
        self._slots = _kept.get(loaded.model)
        self._reading: tuple[AbstractContextManager[Any], Any, list[StartedAnswer], Any] | None = None
        """The batch of conversations being read: its stream, its cache, the answers to begin and their first tokens."""

    @property
    def under_way(self) -> bool:
        """Whether any answer is unfinished."""
        return self._slots is not None and self._slots.free < self._slots.rows

    def begin(
        self, batch: Sequence[Numbered] | None, lane: AbstractContextManager[Any]
    ) -> Iterator[tuple[int, Written]]:
        """Start reading a batch of conversations and start the answers to the previous batch.

        Yields the answers that finish meanwhile.
        """
        before = self._reading
        self._reading = None
        if batch:
            cache, rows = DynamicCache(), [row for _, row in batch]
            starting = list(_started_answers(batch, self._most, self._loaded.longest))
            with lane, torch.inference_mode():
                heads = torch.from_numpy(answer_heads(rows)).to(self._loaded.device)
                logits = read_trees(self._loaded, rows, heads, self._sight, cache)
                first = self._choice(logits, [one.number for one in starting])
            self._reading = lane, cache, starting, first
        if before is None:
            return
        read_in, memory, begun, tokens = before
        wait_for_lane(read_in, tokens, *_cache_tensors(memory))
        slots, done = (yield from self._slots_for(begun, memory)), 0
        while done < len(begun):
            while not slots.free:
                yield from self.go_on()
            part = slice(done, done + slots.free)
            slots.fill(memory, begun[part], tokens[part])
            done = min(part.stop, len(begun))

    def go_on(self) -> Iterator[tuple[int, Written]]:
        """Generate a few more tokens of every answer, and yield the finished answers."""
        assert self._slots is not None
        for _ in range(STEPS):
            self._slots.step()
        yield from self.finished()

    def finished(self, *, all_of_them: bool = False) -> Iterator[tuple[int, Written]]:
        """Yield the finished answers, or all running ones as they are."""
        for begun, said in self._slots.finished(all_of_them=all_of_them) if self._slots is not None else ():
            yield begun.number, (said, len(begun.path))

    def _slots_for(self, begun: Sequence[StartedAnswer], memory: Any) -> Generator[tuple[int, Written], None, Slots]:
        """Return slots that are long enough: the existing ones, or new ones after all running answers have finished."""
        longest = max(len(one.path) + one.most for one in begun)
        found = self._slots
        if found is not None and found.can_hold(self._rows, longest, self._choice, self._ends):
            return found
        while self.under_way:
            yield from self.go_on()
        self._slots = found = None
        _kept.pop(self._loaded.model, None)
        length = -(-longest // _ROUND) * _ROUND
        rows = min(self._rows, _rows_that_fit(memory, length))
        self._slots = _kept[self._loaded.model] = Slots(
            self._loaded, memory, rows, length, begun[0].position, self._choice, self._ends
        )
        return self._slots


def _started_answers(batch: Sequence[Numbered], most: int, longest: int) -> Iterator[StartedAnswer]:
    """Yield the answers to begin after a batch was read, in the order of its rows."""
    length = max(row.size for _, row in batch)
    for nth, (numbers, row) in enumerate(batch):
        for number, path in zip(numbers, row.tree.paths, strict=True):
            place = path[-1]  # the placeholder for the answer
            yield StartedAnswer(
                number, nth * length + path[:-1], row.positions[place], min(most, longest - len(path) + 1)
            )


def _rows_that_fit(memory: Any, length: int) -> int:
    """Return how many rows of this length fit into the device's memory."""
    keys = memory.layers[0].keys
    if keys.device.type != "cuda":
        return ROWS
    each = sum(part.shape[1] * part.shape[3] * part.element_size() for part in _cache_tensors(memory)) * length
    free, _ = torch.cuda.mem_get_info(keys.device)
    free += torch.cuda.memory_reserved(keys.device) - torch.cuda.memory_allocated(keys.device)
    return max(1, int(free * _SHARE / each))


def _cache_tensors(memory: Any) -> list[Any]:
    return [part for layer in memory.layers for part in (layer.keys, layer.values)]
