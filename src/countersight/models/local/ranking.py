"""Options ranked by how little the model expected them, in the fastest way that gives the losses of the plain one.

For models whose layers hand a state from token to token (Qwen3.5, LFM2-VL) options continue a question which the model
read once: they obey no mask, so that options cannot stand beside each other in a row, but what they remember of picture
and question can be copied for each option.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from countersight.errors import AskingFailed
from countersight.models.local.conversation import check, filling, inputs, pictures_of
from countersight.models.local.loading import Loaded
from countersight.models.local.queue import Feed
from countersight.models.local.rows import (
    LeftOut,
    Numbered,
    RankingPlan,
    batches_of,
    lanes,
    options_tokens,
    plain_losses,
    rows_of,
)
from countersight.models.local.trees import positions_of, unexpected
from countersight.models.protocol import Loss, Request


def continued_losses(loaded: Loaded, request: Request, loss: Loss) -> tuple[float, ...]:
    """The loss of each option of a request, `mean` or `sum` over its tokens."""
    import torch

    prompt = inputs(loaded, [request], pictures_of(request))
    options = options_tokens(loaded, loaded.form.write(request.turns), request)
    with torch.inference_mode():
        read = loaded.model(**prompt, use_cache=True)
        logits = read.logits[:, -1:].expand(len(options), -1, -1)
        if max(map(len, options)) > 1:
            further = _continue(loaded, prompt, read.past_key_values, options)
            logits = torch.cat([logits, further.to(logits.device)], dim=1)
        return tuple(_loss(row, option, loss) for row, option in zip(logits, options, strict=True))


def _continue(loaded: Loaded, prompt: dict[str, Any], remembered: Any, options: Sequence[list[int]]) -> Any:
    """What comes after each token of each option but the last; shorter options are filled up behind."""
    import torch

    length = max(map(len, options)) - 1
    said = torch.full((len(options), length), filling(loaded))
    for row, option in zip(said, options, strict=True):
        row[: len(option) - 1] = torch.tensor(option[:-1])
    remembered.reorder_cache(torch.zeros(len(options), dtype=torch.long, device=loaded.device))  # a copy for each
    seen = torch.ones(len(options), prompt["input_ids"].shape[1] + length, dtype=torch.long)
    places = torch.from_numpy(positions_of(loaded, prompt, length)[-length:])
    places = places.expand(len(options), *places.shape)
    return loaded.model(
        input_ids=said.to(loaded.device),
        attention_mask=seen.to(loaded.device),
        position_ids=(places.permute(2, 0, 1) if places.dim() == 3 else places).to(loaded.device),
        past_key_values=remembered,
        use_cache=True,
    ).logits


def _loss(logits: Any, option: list[int], loss: Loss) -> float:
    import torch

    expected = torch.tensor(option, device=logits.device)
    return float(torch.nn.functional.cross_entropy(logits[: len(option)].float(), expected, reduction=loss))


Losses = tuple[float, ...]
Ranked = Losses | AskingFailed
TOKENS = 8192
"""Tokens of a batch, padding counted; more are not faster. A row that is longer comes alone."""


def rank_by(plan: RankingPlan, loaded: Loaded, requests: Feed, loss: Loss = "mean") -> Iterator[tuple[int, Ranked]]:
    """The losses of each request's options in this way, or why it has none, as they are computed."""
    if plan.way in ("plain", "continued"):
        yield from _one_by_one(plan, loaded, requests, requests, loss)
        return
    left_out = LeftOut()
    for losses in _together(plan, loaded, requests, left_out, loss):
        yield from losses.items()
        found = left_out.taken()
        yield from found.failed.items()
        yield from _one_by_one(RankingPlan("plain"), loaded, requests, found.long, loss)


def _one_by_one(
    plan: RankingPlan, loaded: Loaded, requests: Feed, asked: Iterable[int], loss: Loss
) -> Iterator[tuple[int, Ranked]]:
    alone = continued_losses if plan.way == "continued" else plain_losses
    for number in list(asked):
        try:
            check(loaded, requests[number])
            yield number, alone(loaded, requests[number], loss)
        except AskingFailed as error:
            yield number, error


def _together(
    plan: RankingPlan, loaded: Loaded, requests: Feed, left_out: LeftOut, loss: Loss
) -> Iterator[dict[int, Losses]]:
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
