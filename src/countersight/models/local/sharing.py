"""Losses of options, with everything they share computed once.

The questions of a case show the same picture, and their options follow the same question. So the picture is encoded
once, what stands before the first difference is read once, and all branches behind it are read in one pass together
with those of other cases: a row holds the tree of one picture's conversations, a batch holds several rows. The plain
way, one pass over everything for each option, is in `plain`; `probing` finds the way that gives the same losses.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from countersight.errors import AskingFailed
from countersight.models.local.branching import unexpected
from countersight.models.local.continuing import continued_losses
from countersight.models.local.conversation import check
from countersight.models.local.lanes import lanes
from countersight.models.local.loading import Loaded
from countersight.models.local.plain import plain_losses
from countersight.models.local.queue import Feed
from countersight.models.local.row_batches import LeftOut, Numbered, batches_of, rows_of
from countersight.models.local.ways import Plan
from countersight.models.protocol import Loss

Losses = tuple[float, ...]
Ranked = Losses | AskingFailed
TOKENS = 8192
"""Tokens of a batch, padding counted; more are not faster. A row that is longer comes alone."""


def rank_by(plan: Plan, loaded: Loaded, requests: Feed, loss: Loss = "mean") -> Iterator[tuple[int, Ranked]]:
    """The losses of each request's options in this way, or why it has none, as they are computed."""
    if plan.way in ("plain", "continued"):
        yield from _one_by_one(plan, loaded, requests, requests, loss)
        return
    left_out = LeftOut()
    for losses in _together(plan, loaded, requests, left_out, loss):
        yield from losses.items()
        found = left_out.taken()
        yield from found.failed.items()
        yield from _one_by_one(Plan("plain"), loaded, requests, found.long, loss)


def _one_by_one(
    plan: Plan, loaded: Loaded, requests: Feed, asked: Iterable[int], loss: Loss
) -> Iterator[tuple[int, Ranked]]:
    alone = continued_losses if plan.way == "continued" else plain_losses
    for number in list(asked):
        try:
            check(loaded, requests[number])
            yield number, alone(loaded, requests[number], loss)
        except AskingFailed as error:
            yield number, error


def _together(plan: Plan, loaded: Loaded, requests: Feed, left_out: LeftOut, loss: Loss) -> Iterator[dict[int, Losses]]:
    """The losses of one batch after the other, each of which is waited for when the device has the next to compute."""
    look_once = plan.way == "shared question"
    before: _Computed | None = None
    rows = rows_of(plan, loaded, requests, left_out)
    for batch, lane in zip(batches_of(rows, TOKENS if plan.together else 0), lanes(loaded.device), strict=False):
        with lane:
            values = unexpected(loaded, [row for _, row in batch], plan.sight, look_once=look_once)
        if before:
            yield before.losses(loss)
        before = _Computed(lane, list(_sizes(batch, requests)), values)
    yield before.losses(loss) if before else {}


def _sizes(batch: Sequence[Numbered], requests: Feed) -> Iterator[tuple[int, list[int]]]:
    """Every request of a batch, in the order of its rows, and how many tokens each of its options has."""
    for numbers, row in batch:
        sizes = iter([len(tokens) for _, tokens in row.answers])
        for number in numbers:
            yield number, [next(sizes) for _ in requests[number].options]


@dataclass(frozen=True, slots=True)
class _Computed:
    """The tokens of a batch and how little each was expected, which the device may still be computing in a lane."""

    lane: AbstractContextManager[Any]
    sizes: list[tuple[int, list[int]]]
    values: Any

    def losses(self, loss: Loss) -> dict[int, Losses]:
        """The losses of the options out of those of their tokens."""
        with self.lane:  # where only this batch is waited for
            values = self.values.double().cpu()
        parts = iter(values.split([size for _, each in self.sizes for size in each]))
        return {
            number: tuple(float(part.mean() if loss == "mean" else part.sum()) for part in islice(parts, len(each)))
            for number, each in self.sizes
        }
