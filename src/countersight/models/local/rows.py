"""What requests share when they are ranked or read: rows of tokens, and batches of rows.

Below: the queues of a graphics processor, the plan by which a model is ranked, the loss of an option the plain way (one
whole pass over picture, conversation and option for each, CFMM 3.4), and the rows that several options share.
"""

import functools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import cycle, repeat
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from countersight.errors import AskingFailed
from countersight.models.local.conversation import (
    Pictures,
    PicturesOnce,
    answers_tokens,
    check,
    filling,
    inputs,
    pictures_of,
    prepared,
    with_answer,
)
from countersight.models.local.forms import Prompt, beside_words
from countersight.models.local.loading import Loaded
from countersight.models.local.queue import Feed
from countersight.models.local.trees import Places, Row, Sight, pack, positions_of
from countersight.models.protocol import Loss, Request

_NUMBER = 2


def lanes(device: Any) -> Iterator[AbstractContextManager[Any]]:
    """Queues that batches are put into in turn: what is computed within one of them is put there.

    Most models look at how large their pictures are before they compute, and so wait until the queue is done with the
    batch before. With a second queue the device has that one to compute meanwhile. Only graphics processors have two.
    """
    import torch

    if device.type != "cuda":
        return repeat(nullcontext())
    return cycle([torch.cuda.stream(stream) for stream in _streams(device)])


def hand_over(lane: AbstractContextManager[Any], *made: Any) -> None:
    """Have the usual queue wait for what was made in a lane, and keep that until it was used there."""
    import torch

    stream = getattr(lane, "stream", None)
    if stream is None:
        return
    usual = torch.cuda.current_stream(stream.device)
    usual.wait_stream(stream)
    for each in made:
        each.record_stream(usual)


@functools.cache
def _streams(device: Any) -> list[Any]:
    """The queues of a device: always the same, since each keeps memory for its own use."""
    import torch

    torch.cuda.synchronize(device)  # a model's weights are there before it is asked
    return [torch.cuda.Stream(device) for _ in range(_NUMBER)]


Way = Literal["shared prefix", "shared question", "continued", "plain"]
"""What options have in common when they are ranked: everything up to where they differ, pictures and the questions
about them; the picture as it was looked at and the question, since the model reads pictures and question to and fro;
the question, which the model remembers while each option continues it; or nothing."""


@dataclass(frozen=True, slots=True)
class RankingPlan:
    """A way of ranking that was found to give a model's own losses."""

    way: Way
    sight: Sight = "behind"
    """What a token of a picture or a question sees beside what leads to it."""
    longest: float = float("inf")
    """Rows with as many tokens are not shared: beyond it a model counts places by itself."""
    together: bool = True
    """Whether several rows are computed in one batch."""


def plain_losses(loaded: Loaded, request: Request, loss: Loss = "mean") -> tuple[float, ...]:
    """The loss of each option of a request, `mean` or `sum` over its tokens."""
    check(loaded, request)
    prompt = inputs(loaded, [request], pictures_of(request))
    text = loaded.form.write(request.turns)
    options = options_tokens(loaded, text, request)
    return tuple(_loss(loaded, prompt, option, loss) for option in options)


def options_tokens(loaded: Loaded, prompt: str, request: Request) -> list[list[int]]:
    """The tokens of each option after the written conversation; there is always one at least."""
    options = answers_tokens(loaded, prompt, [option.text for option in request.options])
    if not all(options):
        raise AskingFailed("an option without words cannot be ranked", again=False)
    return options


def _loss(loaded: Loaded, prompt: dict[str, Any], option: list[int], loss: Loss) -> float:
    import torch

    expected = torch.tensor(option, device=loaded.device)
    with torch.inference_mode():
        if loaded.answers_apart:
            begun = torch.tensor([[loaded.decoder_start, *option[:-1]]], device=loaded.device)
            logits = loaded.model(**prompt, decoder_input_ids=begun, use_cache=False).logits[0]
        else:
            said = with_answer(loaded, prompt, option)
            logits = loaded.model(**said, use_cache=False).logits[0, -len(option) - 1 : -1]
        unexpected = torch.nn.functional.cross_entropy(logits.float(), expected, reduction=loss)
    return float(unexpected)


_OURS = ("input_ids", "attention_mask")
"""Inputs that the tree itself says."""
_KINDS = ("token_type_ids", "mm_token_type_ids")
"""Inputs that tell words, 0, from pictures."""


Answers = Callable[[Loaded, Request], list[list[int]]]
"""The tokens of every answer that is to follow a conversation."""


def options_of(loaded: Loaded, request: Request) -> list[list[int]]:
    """The tokens of each option, which are ranked."""
    return options_tokens(loaded, loaded.form.write(request.turns), request)


def nothing_yet(loaded: Loaded, _: Request) -> list[list[int]]:
    """One token that stands where the model will write its own answer."""
    return [[filling(loaded)]]


def row_of(
    loaded: Loaded,
    requests: Sequence[Request],
    pictures: Sequence[Image.Image],
    seen: object,
    sight: Sight,
    answers: Answers = options_of,
) -> Row:
    """The row of some requests that all show these pictures, which are called `seen`."""
    sequences, positions, blocks, begins = [], [], [], []
    beside: dict[str, list[NDArray[Any]]] = {}
    for request in requests:
        prompt = prepared(loaded, request, pictures)
        options = answers(loaded, request)
        # What stands beside the tokens of an answer is the same for each, whatever they are.
        longest = with_answer(loaded, prompt, max(options, key=len))
        words = prompt["input_ids"][0].tolist()
        places = positions_of(loaded, prompt, further=longest["input_ids"].shape[1] - len(words))
        both_ways = _blocks(loaded, longest, len(words), sight)
        for tokens in options:
            size = len(words) + len(tokens)
            sequences.append(words + tokens)
            begins.append(len(words))
            positions.append(places[:size])
            blocks.append(both_ways[:size])
            for name in set(beside_words(longest)).difference(_OURS):
                beside.setdefault(name, []).append(longest[name][0, :size].numpy())
    tree = pack(sequences)
    return Row(
        tree=tree,
        positions=tree.spread(positions),
        blocks=tree.spread(blocks),
        beside={name: tree.spread(values) for name, values in beside.items()},
        pictures={name: _cast(loaded, prompt[name]) for name in prompt.keys() - beside_words(prompt)},
        shown=len(pictures),
        seen=seen,
        answers=tuple(
            (path[begin - 1 : -1], tree.tokens[path[begin:]]) for path, begin in zip(tree.paths, begins, strict=True)
        ),
    )


def _blocks(loaded: Loaded, whole: Prompt, asked: int, sight: Sight) -> Places:
    """Which tokens may see each other to and fro: those of the prompt, or those of each picture."""
    size = whole["input_ids"].shape[1]
    if sight == "behind":
        return np.full(size, -1)
    if sight == "prompt":
        return np.where(np.arange(size) < asked, 0, -1)
    kinds = next((whole[name][0].numpy() for name in _KINDS if name in whole), None)
    if kinds is None:
        kinds = (whole["input_ids"][0] == getattr(loaded.processor, "image_token_id", -1)).numpy()
    pictured = kinds > 0
    begun = pictured & ~np.concatenate([[False], pictured[:-1]])
    return np.where(pictured, np.cumsum(begun) - 1, -1)


def _cast(loaded: Loaded, value: Any) -> Any:
    return value.to(loaded.model.dtype) if value.is_floating_point() else value


TOGETHER = 8
"""Requests in a row: every token of a row is compared with every other, whether one sees the other or not."""
Numbered = tuple[list[int], Row]
"""A row, and which of the requests are in it."""


@dataclass(slots=True)
class LeftOut:
    """Requests that are in no row."""

    failed: dict[int, AskingFailed] = field(default_factory=dict)
    """Those that cannot be asked, and why."""
    long: list[int] = field(default_factory=list)
    """Those that are too long for the plan."""

    def taken(self) -> "LeftOut":
        """All there are so far; from now on there are none."""
        found = LeftOut(self.failed, self.long)
        self.failed, self.long = {}, []
        return found


def rows_of(
    plan: RankingPlan, loaded: Loaded, requests: Feed, left_out: LeftOut, answers: Answers = options_of
) -> Iterator[Numbered]:
    """Every request in a row with others that show the same pictures, and those that come in meanwhile."""
    once = PicturesOnce(loaded)
    apart = plan.way == "shared question"

    def rows(numbers: list[int], pictures: Pictures | AskingFailed) -> list[tuple[list[int], Row | AskingFailed]]:
        if isinstance(pictures, AskingFailed):
            return [(numbers, pictures)]
        made: list[tuple[list[int], Row | AskingFailed]] = []
        parts = [[number] for number in numbers] if apart else [numbers]
        while parts:
            part = parts.pop(0)
            try:
                asking = [requests[number] for number in part]
                made.append((part, row_of(once.loaded, asking, pictures, numbers[0], plan.sight, answers)))
            except AskingFailed as error:
                if len(part) == 1:
                    made.append((part, error))
                else:  # one of them is at fault; the others shall not suffer for it
                    parts[:0] = [[number] for number in part]
        return made

    groups = ((numbers, requests[numbers[0]]) for numbers in _groups(loaded, requests, left_out))
    for made in once.ahead(groups, rows):
        for numbers, row in made:
            if isinstance(row, AskingFailed):
                left_out.failed |= dict.fromkeys(numbers, row)
            elif row.size < plan.longest:
                yield numbers, row
            else:
                left_out.long += numbers


def _groups(loaded: Loaded, requests: Feed, left_out: LeftOut) -> Iterator[list[int]]:
    """Which requests show the same pictures; of those there are large ones first, so that memory runs out early."""
    numbers = list(requests)
    while numbers:
        groups: dict[Hashable, list[int]] = {}
        for number in numbers:
            try:
                check(loaded, requests[number])
            except AskingFailed as error:
                left_out.failed[number] = error
                continue
            pictures = requests[number].pictures
            if not pictures:  # they have little in common
                groups[number] = [number]
                continue
            part = 0
            while len(group := groups.setdefault((pictures, part), [])) == TOGETHER:
                part += 1
            group.append(number)
        yield from sorted(groups.values(), key=lambda group: _extent(requests[group[0]]), reverse=True)
        numbers = requests.more()


def _extent(request: Request) -> tuple[int, int, int]:
    """What decides how long a row becomes: first of all how many pictures, since batches have the same number."""
    pictures = request.pictures
    pixels = sum(picture.width * picture.height for picture in pictures)
    return len(pictures), pixels, sum(len(option.text) for option in request.options)


def batches_of(rows: Iterable[Numbered], most: int) -> Iterator[list[Numbered]]:
    """Rows that follow each other, as many as have `most` tokens; the first are fewer, for the device waits."""
    batch: list[Numbered] = []
    room = most // 4
    for numbered in rows:
        row = numbered[1]
        longest = max(row.size, *(other.size for _, other in batch)) if batch else row.size
        if batch and (longest * (len(batch) + 1) > room or not batch[0][1].goes_with(row)):
            yield batch
            batch, room = [], min(most, 2 * room)
        batch.append(numbered)
    if batch:
        yield batch
