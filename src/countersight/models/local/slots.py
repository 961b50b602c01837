"""Answers under way: each has a slot while it is written, and makes room for another when it has ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from countersight.models.local.loading import Loaded
from countersight.models.local.masks import padded
from countersight.models.local.packing import Places
from countersight.models.local.stepping import Steps


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
