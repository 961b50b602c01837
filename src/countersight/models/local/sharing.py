"""Losses of options, with everything they share computed once.

The questions of a case show the same picture, and their options follow the same question. So the picture is encoded
once, what stands before the first difference is read once, and all branches behind it are read in one pass together
with those of other cases: a row holds the tree of one picture's conversations, a batch holds several rows. The plain
way, one pass over everything for each option, is in `plain`; `probing` finds the way that gives the same losses.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from countersight.errors import AskingFailed
from countersight.models.local.branching import unexpected
from countersight.models.local.continuing import continued_losses
from countersight.models.local.conversation import check
from countersight.models.local.loading import Loaded
from countersight.models.local.plain import plain_losses
from countersight.models.local.row_batches import Numbered, batches_of, rows_of
from countersight.models.local.ways import Plan
from countersight.models.protocol import Loss, Request

Losses = tuple[float, ...]
TOKENS = 8192
"""Tokens of a batch, padding counted; more are not faster. A row that is longer comes alone."""


def rank_by(
    plan: Plan, loaded: Loaded, requests: Sequence[Request], loss: Loss = "mean"
) -> list[Losses | AskingFailed]:
    """The losses of each request's options in this way, or why it has none."""
    results: dict[int, Losses | AskingFailed] = {}
    asked = []
    for number, request in enumerate(requests):
        try:
            check(loaded, request)
            asked.append(number)
        except AskingFailed as error:
            results[number] = error
    if plan.way in ("plain", "continued"):
        results |= {number: _alone(plan, loaded, requests[number], loss) for number in asked}
    else:
        results |= _together(plan, loaded, requests, asked, loss)
    return [results[number] for number in range(len(requests))]


def _alone(plan: Plan, loaded: Loaded, request: Request, loss: Loss) -> Losses | AskingFailed:
    try:
        return (continued_losses if plan.way == "continued" else plain_losses)(loaded, request, loss)
    except AskingFailed as error:
        return error


def _together(
    plan: Plan, loaded: Loaded, requests: Sequence[Request], asked: Sequence[int], loss: Loss
) -> dict[int, Losses | AskingFailed]:
    results: dict[int, Losses | AskingFailed] = {}
    failed: dict[int, AskingFailed] = {}
    look_once = plan.way == "shared question"
    computed = []
    for batch in batches_of(rows_of(plan, loaded, requests, asked, failed), TOKENS if plan.together else 0):
        # What a device computes is not waited for: the next batch is made ready meanwhile.
        values = unexpected(loaded, [row for _, row in batch], plan.sight, look_once=look_once)
        computed.append((list(_sizes(batch, requests)), values))
    for sizes, values in computed:
        results |= _reduced(sizes, values, loss)
    results |= failed
    plainly = Plan("plain")
    return results | {
        number: _alone(plainly, loaded, requests[number], loss) for number in asked if number not in results
    }


def _sizes(batch: Sequence[Numbered], requests: Sequence[Request]) -> Iterator[tuple[int, list[int]]]:
    """Every request of a batch, in the order of its rows, and how many tokens each of its options has."""
    for numbers, row in batch:
        sizes = iter([len(tokens) for _, tokens in row.answers])
        for number in numbers:
            yield number, [next(sizes) for _ in requests[number].options]


def _reduced(sizes: Sequence[tuple[int, list[int]]], values: Any, loss: Loss) -> dict[int, Losses]:
    """The losses of a batch's options out of those of its tokens."""
    parts = iter(values.double().cpu().split([size for _, each in sizes for size in each]))
    return {
        number: tuple(float(part.mean() if loss == "mean" else part.sum()) for part in islice(parts, len(each)))
        for number, each in sizes
    }
