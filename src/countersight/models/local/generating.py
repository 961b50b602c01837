"""Words that a model writes one after the other: by `generate`, or many answers at once that share what is read."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import torch
from transformers import (
    DynamicCache,
    GenerationConfig,
    GenerationMixin,
    LogitsProcessor,
    LogitsProcessorList,
    StoppingCriteriaList,
)

from countersight.errors import AskingFailed
from countersight.models.local.forms import Prompt
from countersight.models.local.loading import Loaded
from countersight.models.local.queue import Feed
from countersight.models.local.rows import (
    LeftOut,
    Numbered,
    RankingPlan,
    batches_of,
    hand_over,
    lanes,
    nothing_yet,
    rows_of,
)
from countersight.models.local.stepping import Begun, Choose, Slots
from countersight.models.local.trees import heads_of, read

_deaf: WeakSet[Any] = WeakSet()
"""Models whose own `generate` drops the processors of logits that it is given."""


def generate(
    loaded: Loaded, prompts: Prompt, most: int, steering: Sequence[Any] = (), stopping: Sequence[Any] = ()
) -> list[list[int]]:
    """The tokens that a model writes after each conversation of a batch, at most so many, without the prompt."""
    noting = _Noting()
    asked: dict[str, Any] = {
        **prompts,
        "generation_config": _plainly(loaded, most),
        "logits_processor": LogitsProcessorList([noting, *steering]),
        "stopping_criteria": StoppingCriteriaList(stopping),
    }
    with torch.inference_mode():
        own = GenerationMixin.generate if loaded.model in _deaf else type(loaded.model).generate
        made = own(loaded.model, **asked)
        if noting.start is None:  # Janus does not hand on what steers it; the common way does
            _deaf.add(loaded.model)
            made = GenerationMixin.generate(loaded.model, **asked)
    return [list(row) for row in made[:, noting.start :].tolist()]


def end_tokens(loaded: Loaded) -> list[int]:
    """Every token that ends an answer, by the checkpoint's settings and by its tokenizer's."""
    named = loaded.model.generation_config.eos_token_id
    found = [*(named if isinstance(named, list) else [named]), loaded.tokenizer.eos_token_id]
    return sorted({int(token) for token in found if token is not None})


def _plainly(loaded: Loaded, most: int) -> Any:
    """The most likely token each time, whatever a checkpoint proposes: penalties would depend on the padding."""
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


class _Noting(LogitsProcessor):
    """Notes where the answers begin: some families give back the prompt before them, some do not."""

    start: int | None = None

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        if self.start is None:
            self.start = input_ids.shape[1]
        return scores


TOKENS = 8192
"""Tokens of a batch that is read; more are not faster."""
ROWS = 256
"""The most answers under way."""
STEPS = 4
"""Steps between two looks at which answers have ended."""
_ROUND = 128
"""Rows have room for a multiple of so many tokens, which suits the device and leaves some for longer ones to come."""
_SHARE = 0.5
"""Of the free memory of a graphics processor, for what answers under way have read."""
_kept: WeakKeyDictionary[Any, Slots] = WeakKeyDictionary()
"""The slots of each model: to make them and to record a step takes a second."""

Written = tuple[list[int], int]
"""The tokens of an answer, and how many were read before it."""


class Likeliest:
    """The token that is expected most."""

    on_device = True

    def __call__(self, expected: Any, _: object) -> Any:
        return expected.float().argmax(-1)


LIKELIEST = Likeliest()


def write_shared(
    loaded: Loaded,
    plan: RankingPlan,
    requests: Feed,
    most: int,
    choose: Choose = LIKELIEST,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, Written | AskingFailed | None]]:
    """What the model writes after each conversation, at most so many tokens; nothing where it is too long to share."""
    left_out = LeftOut()
    writing = _Writing(loaded, plan, requests.most, most, choose)
    rows = rows_of(plan, loaded, requests, left_out, nothing_yet)
    batches = batches_of(rows, TOKENS if plan.together else 0)
    try:
        for batch, lane in zip(chain(batches, [None]), lanes(loaded.device), strict=False):
            writing.begin(batch, lane)
            if stopped():
                break
            yield from writing.taken()
            found = left_out.taken()
            yield from found.failed.items()
            yield from dict.fromkeys(found.long).items()
        while writing.under_way and not stopped():
            writing.go_on()
            yield from writing.taken()
        writing.cut_off()
        yield from writing.taken()
    except BaseException:
        _kept.pop(loaded.model, None)  # what they hold may be what memory is short of
        raise


@dataclass(frozen=True, slots=True)
class _Reading:
    """Conversations that the device reads in one of its lanes."""

    lane: AbstractContextManager[Any]
    memory: Any
    begun: list[Begun]
    tokens: Any
    """The first of each answer."""


class _Writing:
    """The answers to some requests: those that are written, those under way, and those to which nothing is said yet."""

    def __init__(self, loaded: Loaded, plan: RankingPlan, rows: int, most: int, choose: Choose) -> None:
        self._loaded, self._plan, self._rows, self._most, self._choose = loaded, plan, min(ROWS, rows), most, choose
        self._ends = end_tokens(loaded)
        self._slots = _kept.get(loaded.model)
        self._reading: _Reading | None = None
        self._read: dict[int, int] = {}
        self._written: dict[int, Written] = {}

    @property
    def under_way(self) -> bool:
        """Whether an answer is not yet at its end."""
        return self._slots is not None and self._slots.free < self._slots.rows

    def taken(self) -> Iterator[tuple[int, Written]]:
        """The answers that have ended since this was last asked."""
        found, self._written = self._written, {}
        return iter(found.items())

    def begin(self, batch: Sequence[Numbered] | None, lane: AbstractContextManager[Any]) -> None:
        """Have the device read some conversations, and begin the answers to those that it was given before."""
        before = self._reading
        self._reading = self._read_in(lane, batch) if batch else None
        if before is None:
            return
        hand_over(before.lane, before.tokens, *_parts(before.memory))
        slots, done, begun = self._room_for(before.begun, before.memory), 0, before.begun
        while done < len(begun):
            while not slots.free:
                self.go_on()
            part = slice(done, done + slots.free)
            slots.fill(before.memory, begun[part], before.tokens[part])
            done = min(part.stop, len(begun))

    def _read_in(self, lane: AbstractContextManager[Any], batch: Sequence[Numbered]) -> _Reading:
        memory, rows = DynamicCache(), [row for _, row in batch]
        begun = list(_begun(batch, self._most, self._loaded.longest))
        look_once = self._plan.way == "shared question"
        with lane, torch.inference_mode():
            heads = torch.from_numpy(heads_of(rows)).to(self._loaded.device)
            expected = read(self._loaded, rows, heads, self._plan.sight, look_once=look_once, memory=memory)
            tokens = self._choose(expected, [one.number for one in begun])
        self._read |= {one.number: len(one.path) for one in begun}
        return _Reading(lane, memory, begun, tokens)

    def go_on(self) -> None:
        """Write a few tokens more of every answer."""
        assert self._slots is not None
        for _ in range(STEPS):
            self._slots.step()
        self._note(self._slots.finished())

    def cut_off(self) -> None:
        """End the answers that are still under way."""
        if self._slots is not None:
            self._note(self._slots.finished(all_of_them=True))

    def _note(self, found: list[tuple[int, list[int]]]) -> None:
        self._written |= {number: (said, self._read.pop(number)) for number, said in found}

    def _room_for(self, begun: Sequence[Begun], memory: Any) -> Slots:
        """Slots that are long enough: those there are, or else new ones, as soon as nobody needs the old."""
        longest = max(len(one.path) + one.most for one in begun)
        found = self._slots
        if found is not None and found.serves(self._rows, longest, self._choose, self._ends):
            return found
        while self.under_way:
            self.go_on()
        self._slots = found = None
        _kept.pop(self._loaded.model, None)
        length = -(-longest // _ROUND) * _ROUND
        rows = min(self._rows, _rows_that_fit(memory, length))
        self._slots = _kept[self._loaded.model] = Slots(
            self._loaded, memory, rows, length, begun[0].position, self._choose, self._ends
        )
        return self._slots


def _begun(batch: Sequence[Numbered], most: int, longest: int) -> Iterator[Begun]:
    """Every request of a batch, in the order of its rows."""
    length = max(row.size for _, row in batch)
    for nth, (numbers, row) in enumerate(batch):
        for number, path in zip(numbers, row.tree.paths, strict=True):
            place = path[-1]  # which stands for the answer that is to come
            yield Begun(number, nth * length + path[:-1], row.positions[place], min(most, longest - len(path) + 1))


def _rows_that_fit(memory: Any, length: int) -> int:
    """How many rows of that length may be remembered on the device on which `memory` is."""
    keys = memory.layers[0].keys
    if keys.device.type != "cuda":
        return ROWS
    each = sum(part.shape[1] * part.shape[3] * part.element_size() for part in _parts(memory)) * length
    free, _ = torch.cuda.mem_get_info(keys.device)
    free += torch.cuda.memory_reserved(keys.device) - torch.cuda.memory_allocated(keys.device)
    return max(1, int(free * _SHARE / each))


def _parts(memory: Any) -> list[Any]:
    return [part for layer in memory.layers for part in (layer.keys, layer.values)]
