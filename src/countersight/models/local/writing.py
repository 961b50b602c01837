"""Generates replies in the fastest way that gives the same text as the model's own `generate`."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from countersight.errors import AskingFailed
from countersight.models.local.conversation import (
    Loaded,
    PictureCache,
    Pictures,
    Prompt,
    batch_prompts,
    check_picture_count,
    model_inputs,
    prepare_prompt,
)
from countersight.models.local.generating import (
    LIKELIEST,
    ChoiceByAnswer,
    TokenChoice,
    end_tokens,
    generate,
    write_shared,
)
from countersight.models.local.probing import write_no_more_shared, writes_in_batches, writing_sight
from countersight.models.local.trees import Sight
from countersight.models.protocol import Answer, ModelSettings, Request
from countersight.models.request_queue import Feed, is_out_of_memory
from countersight.picture import Picture


def write_answers(
    loaded: Loaded, requests: Feed[Request], settings: ModelSettings, stopped: Callable[[], bool]
) -> Iterator[tuple[int, Answer | AskingFailed]]:
    """Yield the model's answers to conversations with the same number of pictures, or the errors.

    If the model supports it, answers are yielded as they finish, and further requests may be added.
    """
    # On other devices the computation dominates, and recording a step gains nothing.
    sight = writing_sight(loaded) if loaded.device.type == "cuda" else None
    if sight is not None:
        try:
            yield from write_in_trees(sight, loaded, requests, settings, stopped)
            return
        except Exception as error:  # the test questions were small; larger ones may still fail
            if is_out_of_memory(error) or isinstance(error, AskingFailed):
                raise
            write_no_more_shared(loaded)
    asked = dict(requests)
    for request in asked.values():
        check_picture_count(loaded, request)
    yield from zip(asked, write_plainly(loaded, list(asked.values()), settings, stopped), strict=True)


def write_in_trees(
    sight: Sight, loaded: Loaded, requests: Feed[Request], settings: ModelSettings, stopped: Callable[[], bool]
) -> Iterator[tuple[int, Answer | AskingFailed]]:
    """Yield the answers; prefixes that several conversations share are read once."""
    choice, ends = _choice(loaded, settings, requests), end_tokens(loaded)
    for number, found in write_shared(loaded, sight, requests, settings.max_tokens, choice, stopped):
        yield number, found if isinstance(found, AskingFailed) else _make_answer(loaded, *found, ends)


def write_plainly(
    loaded: Loaded, requests: Sequence[Request], settings: ModelSettings, stopped: Callable[[], bool]
) -> list[Answer]:
    """Return the answers of the model's own `generate`."""
    if len(requests) != 1 and not (requests and writes_in_batches(loaded)):
        return [answer for request in requests for answer in write_plainly(loaded, [request], settings, stopped)]
    prompts = _prepare_prompts(loaded, requests)
    read = prompts["attention_mask"].sum(dim=1)
    # No more positions are left after the longest prompt: some families have a fixed number.
    most = min(settings.max_tokens, loaded.longest - int(read.max()))
    rows = generate(loaded, prompts, most, _choice(loaded, settings, dict(enumerate(requests))), stopped)
    ends = end_tokens(loaded)
    return [_make_answer(loaded, row, int(number), ends) for row, number in zip(rows, read, strict=True)]


def _prepare_prompts(loaded: Loaded, requests: Sequence[Request]) -> Prompt:
    """Return the inputs for all requests; pictures are prepared by several threads, shared ones once."""
    if not requests[0].pictures:
        return model_inputs(loaded, requests, [[] for _ in requests])
    once = PictureCache(loaded)
    groups: dict[tuple[Picture, ...], list[int]] = {}
    for number, request in enumerate(requests):
        groups.setdefault(request.pictures, []).append(number)

    def prepare(numbers: list[int], pictures: Pictures | AskingFailed) -> list[tuple[int, Prompt]]:
        if isinstance(pictures, AskingFailed):
            raise pictures
        return [(number, prepare_prompt(once.loaded, requests[number], pictures)) for number in numbers]

    parts = once.prefetch(((numbers, requests[numbers[0]]) for numbers in groups.values()), prepare)
    made = dict(each for part in parts for each in part)
    return batch_prompts(loaded, [made[number] for number in range(len(requests))])


def _make_answer(loaded: Loaded, row: list[int], read: int, ends: list[int]) -> Answer:
    end = next((place for place, token in enumerate(row) if token in ends), None)
    said = row if end is None else row[:end]
    return Answer(
        loaded.tokenizer.decode(said, skip_special_tokens=True).strip(),
        finish="length" if end is None else "stop",
        tokens_in=read,
        tokens_out=len(said) + (end is not None),
        model=loaded.name,
    )


def _choice(loaded: Loaded, settings: ModelSettings, requests: Mapping[int, Request]) -> TokenChoice:
    """Return how tokens are chosen; if the settings have no temperature, the model's own settings apply."""
    temperature, own = settings.temperature, loaded.model.generation_config
    if temperature is None:
        temperature = float(own.temperature or 0.0) if own.do_sample else 0.0
    return _Sampler(temperature, settings.seed, requests) if temperature else LIKELIEST


class _Sampler(ChoiceByAnswer):
    """Samples each token: the maximum after adding Gumbel noise is a sample from the softmax.

    Every answer has its own generator, so that draws depend only on the seed and the answer's key, not on the
    batch or the device.
    """

    def __init__(self, temperature: float, seed: int, requests: Mapping[int, Request]) -> None:
        self._temperature, self._seed, self._requests = temperature, seed, requests
        self._generators: dict[int, torch.Generator] = {}

    def choose(self, logits: Any, number: int) -> Any:
        drawn = torch.empty(len(logits)).exponential_(generator=self._generator(number))
        return (logits.float() / self._temperature - drawn.log().to(logits.device)).argmax()

    def _generator(self, number: int) -> torch.Generator:
        if number not in self._generators:
            self._generators = {other: each for other, each in self._generators.items() if other in self._requests}
            key = f"{self._seed}/{self._requests[number].key}".encode("utf-8", "surrogatepass")
            seed = int.from_bytes(hashlib.blake2b(key, digest_size=8).digest()) >> 1
            self._generators[number] = torch.Generator().manual_seed(seed)
        return self._generators[number]
