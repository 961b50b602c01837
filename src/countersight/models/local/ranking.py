"""Ranks options by their loss: the option with the smallest loss is the answer (CFMM 3.4).

Requests with the same pictures become one row of tokens in which shared parts occur once (`trees.py`); several rows
form a batch. For models that do not support this, every option is read in full; `probing.py` finds out whether a model
supports it.
"""

import functools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import cycle, islice, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from countersight.errors import AskingFailed
from countersight.models.local.conversation import (
    Loaded,
    PictureCache,
    Pictures,
    Prompt,
    answer_tokens,
    append_answer,
    check_picture_count,
    decode_pictures,
    model_inputs,
    padding_token,
    per_token_inputs,
    prepare_prompt,
)
from countersight.models.local.trees import Places, Row, Sight, pack, token_losses, token_positions
from countersight.models.protocol import Request
from countersight.models.request_queue import Feed

Losses = tuple[float, ...]
Ranked = Losses | AskingFailed
Sizes = list[tuple[int, list[int]]]
"""The requests of a batch, in the order of its rows, with the number of tokens of each option."""
TOKENS = 8192
"""The maximum number of tokens in a batch, including padding; more are not faster. A longer row runs alone."""
TOGETHER = 8
"""The maximum number of requests packed into one row of a batch, since attention compares all tokens of a row."""
Numbered = tuple[list[int], Row]
"""A row and the numbers of its requests."""


def rank_requests(sight: Sight | None, loaded: Loaded, requests: Feed[Request]) -> Iterator[tuple[int, Ranked]]:
    """Yield the losses of each request's options, each the mean over its tokens, or the error that occurred.

    Losses are yielded as they are computed, and further requests may be added meanwhile. Without a `sight`, every
    option is read in full.
    """
    if sight is not None:
        failed: dict[int, AskingFailed] = {}
        for losses in _rank_in_trees(sight, loaded, requests, failed):
            yield from losses.items()
            yield from take_failures(failed)
        return
    for number in list(requests):
        try:
            yield number, plain_losses(loaded, requests[number])
        except AskingFailed as error:
            yield number, error


def take_failures(failed: dict[int, AskingFailed]) -> list[tuple[int, AskingFailed]]:
    """Return all failures so far and clear them."""
    found = list(failed.items())
    failed.clear()
    return found


def _rank_in_trees(
    sight: Sight, loaded: Loaded, requests: Feed[Request], failed: dict[int, AskingFailed]
) -> Iterator[dict[int, Losses]]:
    """Yield the losses batch by batch; each is fetched while the device computes the next."""
    before: tuple[AbstractContextManager[Any], Sizes, Any] | None = None
    rows = build_rows(sight, loaded, requests, failed)
    for batch, lane in zip(group_into_batches(rows), stream_lanes(loaded.device), strict=False):
        with lane:
            values = token_losses(loaded, [row for _, row in batch], sight)
        if before:
            yield _batch_losses(*before)
        before = lane, list(_option_sizes(batch, requests)), values
    yield _batch_losses(*before) if before else {}


def _option_sizes(batch: Sequence[Numbered], requests: Feed[Request]) -> Iterator[tuple[int, list[int]]]:
    """Yield the requests of a batch, in the order of its rows, with the number of tokens of each option."""
    for numbers, row in batch:
        sizes = iter([len(tokens) for _, tokens in row.answers])
        for number in numbers:
            yield number, [next(sizes) for _ in requests[number].options]


def _batch_losses(lane: AbstractContextManager[Any], sizes: Sizes, values: Any) -> dict[int, Losses]:
    """Return the losses of a batch's options, computed from the losses of their tokens."""
    with lane:  # waits only for this batch
        values = values.double().cpu()
    parts = iter(values.split([size for _, each in sizes for size in each]))
    return {number: tuple(float(part.mean()) for part in islice(parts, len(each))) for number, each in sizes}


def plain_losses(loaded: Loaded, request: Request) -> tuple[float, ...]:
    """Return the loss of each option of a request, with one full forward pass per option."""
    import torch

    check_picture_count(loaded, request)
    prompt = model_inputs(loaded, [request], decode_pictures(request))
    losses = []
    for option in option_tokens(loaded, request):
        with torch.inference_mode():
            if loaded.has_separate_decoder:
                begun = torch.tensor([[loaded.decoder_start, *option[:-1]]], device=loaded.device)
                logits = loaded.model(**prompt, decoder_input_ids=begun, use_cache=False).logits[0]
            else:
                said = append_answer(loaded, prompt, option)
                logits = loaded.model(**said, use_cache=False).logits[0, -len(option) - 1 : -1]
            expected = torch.tensor(option, device=logits.device)
            losses.append(float(torch.nn.functional.cross_entropy(logits.float(), expected)))
    return tuple(losses)


_OURS = ("input_ids", "attention_mask")
"""Inputs that are computed from the tree itself."""
_KINDS = ("token_type_ids", "mm_token_type_ids")
"""Inputs that distinguish text (0) from pictures."""


Answers = Callable[[Loaded, Request], list[list[int]]]
"""A function that returns the tokens of every answer that may follow a conversation."""


def option_tokens(loaded: Loaded, request: Request) -> list[list[int]]:
    """Return the tokens of each option after the conversation; raises AskingFailed for an option without text."""
    options = answer_tokens(
        loaded, loaded.prompt_format.write(request.turns), [option.text for option in request.options]
    )
    if not all(options):
        raise AskingFailed("an option without text cannot be ranked", again=False)
    return options


def placeholder_answer(loaded: Loaded, _: Request) -> list[list[int]]:
    """Return one placeholder token for the answer that the model will write."""
    return [[padding_token(loaded)]]


def build_row(
    loaded: Loaded,
    requests: Sequence[Request],
    pictures: Sequence[Image.Image],
    sight: Sight,
    answers: Answers = option_tokens,
) -> Row:
    """Build the row of tokens for requests that all show these pictures."""
    sequences, positions, blocks, begins = [], [], [], []
    beside: dict[str, list[NDArray[Any]]] = {}
    for request in requests:
        prompt = prepare_prompt(loaded, request, pictures)
        options = answers(loaded, request)
        # The other inputs of an answer's tokens do not depend on the tokens.
        longest = append_answer(loaded, prompt, max(options, key=len))
        words = prompt["input_ids"][0].tolist()
        places = token_positions(loaded, prompt, further=longest["input_ids"].shape[1] - len(words))
        both_ways = _picture_blocks(loaded, longest, sight)
        for tokens in options:
            size = len(words) + len(tokens)
            sequences.append(words + tokens)
            begins.append(len(words))
            positions.append(places[:size])
            blocks.append(both_ways[:size])
            for name in set(per_token_inputs(longest)).difference(_OURS):
                beside.setdefault(name, []).append(longest[name][0, :size].numpy())
    tree = pack(sequences)
    return Row(
        tree=tree,
        positions=tree.spread(positions),
        blocks=tree.spread(blocks),
        beside={name: tree.spread(values) for name, values in beside.items()},
        pictures={
            name: prompt[name].to(loaded.model.dtype) if prompt[name].is_floating_point() else prompt[name]
            for name in prompt.keys() - per_token_inputs(prompt)
        },
        shown=len(pictures),
        answers=tuple(
            (path[begin - 1 : -1], tree.tokens[path[begin:]]) for path, begin in zip(tree.paths, begins, strict=True)
        ),
    )


def _picture_blocks(loaded: Loaded, whole: Prompt, sight: Sight) -> Places:
    """Return the number of each token's block, whose tokens (those of one picture) see each other; -1 for none."""
    size = whole["input_ids"].shape[1]
    if sight == "behind":
        return np.full(size, -1)
    kinds = next((whole[name][0].numpy() for name in _KINDS if name in whole), None)
    if kinds is None:
        kinds = (whole["input_ids"][0] == getattr(loaded.processor, "image_token_id", -1)).numpy()
    pictured = kinds > 0
    begun = pictured & ~np.concatenate([[False], pictured[:-1]])
    return np.where(pictured, np.cumsum(begun) - 1, -1)


def build_rows(
    sight: Sight,
    loaded: Loaded,
    requests: Feed[Request],
    failed: dict[int, AskingFailed],
    answers: Answers = option_tokens,
) -> Iterator[Numbered]:
    """Yield rows of requests that show the same pictures, including requests that arrive meanwhile.

    Requests that cannot be asked are added to `failed` with the reason.
    """
    once = PictureCache(loaded)

    def rows(numbers: list[int], pictures: Pictures | AskingFailed) -> list[tuple[list[int], Row | AskingFailed]]:
        if isinstance(pictures, AskingFailed):
            return [(numbers, pictures)]
        try:
            return [(numbers, build_row(once.loaded, [requests[each] for each in numbers], pictures, sight, answers))]
        except AskingFailed as error:
            if len(numbers) == 1:
                return [(numbers, error)]
            return [found for each in numbers for found in rows([each], pictures)]  # one of them is the cause

    groups = ((numbers, requests[numbers[0]]) for numbers in _group_by_pictures(loaded, requests, failed))
    for made in once.prefetch(groups, rows):
        for numbers, row in made:
            if isinstance(row, AskingFailed):
                failed |= dict.fromkeys(numbers, row)
            else:
                yield numbers, row


def _group_by_pictures(loaded: Loaded, requests: Feed[Request], failed: dict[int, AskingFailed]) -> Iterator[list[int]]:
    """Yield groups of requests with the same pictures, large ones first, so that too little memory is noticed early."""
    numbers = list(requests)
    while numbers:
        groups: dict[Hashable, list[int]] = {}
        for number in numbers:
            try:
                check_picture_count(loaded, requests[number])
            except AskingFailed as error:
                failed[number] = error
                continue
            pictures = requests[number].pictures
            if not pictures:  # text-only requests share little
                groups[number] = [number]
                continue
            part = 0
            while len(group := groups.setdefault((pictures, part), [])) == TOGETHER:
                part += 1
            group.append(number)
        yield from sorted(groups.values(), key=lambda group: _row_length_key(requests[group[0]]), reverse=True)
        numbers = requests.more()


def _row_length_key(request: Request) -> tuple[int, int, int]:
    """Return a sort key for the length of a row, beginning with the number of pictures, which a batch has in common."""
    pictures = request.pictures
    pixels = sum(picture.width * picture.height for picture in pictures)
    return len(pictures), pixels, sum(len(option.text) for option in request.options)


def group_into_batches(rows: Iterable[Numbered]) -> Iterator[list[Numbered]]:
    """Group consecutive rows into batches of at most `TOKENS`; the first are smaller, to start the device early."""
    batch: list[Numbered] = []
    room = TOKENS // 4
    for numbered in rows:
        row = numbered[1]
        longest = max(row.size, *(other.size for _, other in batch)) if batch else row.size
        if batch and (longest * (len(batch) + 1) > room or not batch[0][1].can_batch_with(row)):
            yield batch
            batch, room = [], min(TOKENS, 2 * room)
        batch.append(numbered)
    if batch:
        yield batch


@functools.cache
def _streams(device: Any) -> list[Any]:
    """Return the two CUDA streams of a device; they are reused, since each reserves its own memory."""
    import torch

    torch.cuda.synchronize(device)  # the weights must be loaded before the first request
    return [torch.cuda.Stream(device) for _ in range(2)]


def stream_lanes(device: Any) -> Iterator[AbstractContextManager[Any]]:
    """Return context managers that run successive batches in alternating CUDA streams.

    Most models inspect the sizes of pictures before they compute, which waits for the previous batch in their stream.
    A second stream keeps the device busy meanwhile. On other devices, the context managers do nothing.
    """
    import torch

    if device.type != "cuda":
        return repeat(nullcontext())
    return cycle([torch.cuda.stream(stream) for stream in _streams(device)])


def wait_for_lane(lane: AbstractContextManager[Any], *made: Any) -> None:
    """Make the default stream wait for tensors made in another stream, and keep their memory until it is done."""
    import torch

    stream = getattr(lane, "stream", None)
    if stream is None:
        return
    usual = torch.cuda.current_stream(stream.device)
    usual.wait_stream(stream)
    for each in made:
        each.record_stream(usual)
