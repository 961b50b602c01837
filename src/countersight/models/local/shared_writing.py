"""Answers that a model writes, with what their conversations share read once and many of them under way at a time.

Conversations about the same picture are read as one tree (`branching`), the next of them while others are prepared.
Each answer then has a slot (`slots`), which the next one gets when it has ended. The plain way is `generate`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import torch
from transformers import DynamicCache

from countersight.errors import AskingFailed
from countersight.models.local.branching import heads_of, read
from countersight.models.local.generating import end_tokens
from countersight.models.local.loading import Loaded
from countersight.models.local.row_batches import Numbered, batches_of, rows_of
from countersight.models.local.rows import nothing_yet
from countersight.models.local.slots import Begun, Choose, Slots
from countersight.models.local.ways import Plan
from countersight.models.protocol import Request

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
"""The slots of each model: to make them takes a second."""

Written = tuple[list[int], int]
"""The tokens of an answer, and how many were read before it."""


class Likeliest:
    """The token that is expected most."""

    def __call__(self, expected: Any, _: object) -> Any:
        return expected.float().argmax(-1)


LIKELIEST = Likeliest()


def write_shared(
    loaded: Loaded,
    plan: Plan,
    requests: Sequence[Request],
    most: int,
    choose: Choose = LIKELIEST,
    stopped: Callable[[], bool] = lambda: False,
) -> dict[int, Written | AskingFailed]:
    """What the model writes after each conversation, at most so many tokens; those too long to share are left out."""
    failed: dict[int, AskingFailed] = {}
    rows = rows_of(plan, loaded, requests, range(len(requests)), failed, nothing_yet)
    writing = _Writing(loaded, plan, len(requests), most, choose)
    try:
        with torch.inference_mode():
            for batch in batches_of(rows, TOKENS if plan.together else 0):
                writing.begin(batch)
                if stopped():
                    break
            while writing.under_way and not stopped():
                writing.go_on()
            writing.cut_off()
    except BaseException:
        _kept.pop(loaded.model, None)  # what they hold may be what memory is short of
        raise
    return {**writing.written, **failed}


class _Writing:
    """The answers to so many requests: those that are written, and those under way."""

    def __init__(self, loaded: Loaded, plan: Plan, number: int, most: int, choose: Choose) -> None:
        self._loaded, self._plan, self._number, self._most, self._choose = loaded, plan, number, most, choose
        self._ends = end_tokens(loaded)
        self._slots = _kept.get(loaded.model)
        self._read: dict[int, int] = {}
        self.written: dict[int, Written] = {}

    @property
    def under_way(self) -> bool:
        """Whether an answer is not yet at its end."""
        return self._slots is not None and self._slots.free < self._slots.rows

    def begin(self, batch: Sequence[Numbered]) -> None:
        """Read some conversations and begin their answers, each as soon as there is room."""
        memory, rows = DynamicCache(), [row for _, row in batch]
        begun = list(_begun(batch, self._most, self._loaded.longest))
        look_once = self._plan.way == "shared question"
        heads = torch.from_numpy(heads_of(rows)).to(self._loaded.device)
        expected = read(self._loaded, rows, heads, self._plan.sight, look_once=look_once, memory=memory)
        tokens = self._choose(expected, [one.number for one in begun])
        self._read |= {one.number: len(one.path) for one in begun}
        slots, done = self._room_for(begun, memory), 0
        while done < len(begun):
            while not slots.free:
                self.go_on()
            part = slice(done, done + slots.free)
            slots.fill(memory, begun[part], tokens[part])
            done = min(part.stop, len(begun))

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
        self.written |= {number: (said, self._read[number]) for number, said in found}

    def _room_for(self, begun: Sequence[Begun], memory: Any) -> Slots:
        """Slots that are long enough: those there are, or else new ones, as soon as nobody needs the old."""
        longest = max(len(one.path) + one.most for one in begun)
        rows = min(ROWS, self._number)
        found = self._slots
        if found is not None and found.serves(rows, longest, self._choose, self._ends):
            return found
        while self.under_way:
            self.go_on()
        self._slots = found = None
        _kept.pop(self._loaded.model, None)
        length = -(-longest // _ROUND) * _ROUND
        rows = min(rows, _rows_that_fit(memory, length))
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
    parts = [part for layer in memory.layers for part in (layer.keys, layer.values)]
    each = sum(part.shape[1] * part.shape[3] * part.element_size() for part in parts) * length
    free, _ = torch.cuda.mem_get_info(keys.device)
    free += torch.cuda.memory_reserved(keys.device) - torch.cuda.memory_allocated(keys.device)
    return max(1, int(free * _SHARE / each))
