"""Conversations and answers as a model takes them in: numbers for its words and pictures."""

import contextlib
import copy
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from inspect import signature
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from PIL import Image

from countersight.errors import AskingFailed, BadPicture
from countersight.models.local.forms import Prompt, grown, joined, process
from countersight.models.local.loading import Loaded
from countersight.models.protocol import Request
from countersight.picture import as_seen
from countersight.system import cores
from countersight.text import printable, several

MANY = 64
"""No conversation of ours shows more pictures."""
_KINDS = "mm_token_type_ids"
"""The input that tells words from pictures; some processors leave it out though their models ask for it."""
PICTURES = {"blip-2": (1, 1), "instructblip": (1, 1), "paligemma": (1, MANY)}
"""The fewest and the most pictures in a conversation, for families that do not take any number."""


def pictures_of(*requests: Request) -> list[list[Image.Image]]:
    """The pictures of each conversation, as a viewer would show them; one that several show is decoded once."""
    seen: dict[int, Image.Image] = {}
    try:
        for picture in (picture for request in requests for picture in request.pictures):
            if id(picture.data) not in seen:
                seen[id(picture.data)] = as_seen(picture)
    except BadPicture as error:
        raise AskingFailed(f"the picture {error}", again=False) from None
    return [[seen[id(picture.data)] for picture in request.pictures] for request in requests]


def picture_limits(family: str) -> tuple[int, int]:
    """The fewest and the most pictures that a family takes in one conversation."""
    return PICTURES.get(family, (0, MANY))


def check(loaded: Loaded, request: Request) -> None:
    """Refuse a conversation that this family cannot have."""
    shown = count_pictures(request)
    fewest, most = picture_limits(loaded.family)
    if not fewest <= shown <= most:
        wanted = several(most, "picture") if shown > most else "a picture"
        raise AskingFailed(f"{loaded.family} models take {wanted} in a conversation, not {shown}", again=False)


def count_pictures(request: Request) -> int:
    """How many pictures a conversation shows."""
    return len(request.pictures)


def inputs(loaded: Loaded, requests: Sequence[Request], pictures: Sequence[Sequence[Image.Image]]) -> Prompt:
    """What the model takes in for conversations with the same number of pictures each; shorter ones begin with padding.

    The values are tensors on the device of the model.
    """
    return batch(loaded, [prepared(loaded, *each) for each in zip(requests, pictures, strict=True)])


def batch(loaded: Loaded, prompts: Sequence[Prompt]) -> Prompt:
    """Conversations that were prepared one by one as one batch on the device of the model."""
    # One that reads the whole prompt before it answers counts its words from the first place.
    made = joined(prompts, filling(loaded), behind=loaded.answers_apart)
    return {name: _placed(loaded, value) for name, value in made.items()}


def prepared(loaded: Loaded, request: Request, pictures: Sequence[Image.Image]) -> Prompt:
    """What the model takes in for one conversation, before it is brought to the device."""
    try:
        made = process(loaded.processor, loaded.form.write(request.turns), pictures, loaded.tokenizer.bos_token)
        words = made["input_ids"]
    except AskingFailed:
        raise
    except Exception as error:  # every family's processor refuses in its own words
        said = printable(str(error) or type(error).__name__)[:200]
        raise AskingFailed(f"the model's processor cannot take it in ({said})", again=False) from None
    if words.shape[1] >= loaded.longest:
        raise AskingFailed(
            f"the conversation has {words.shape[1]:,} tokens; the model has room for {loaded.longest:,}", again=False
        )
    if "image_grid_thw" in made and _KINDS not in made and _KINDS in signature(loaded.model.forward).parameters:
        made[_KINDS] = (words == loaded.processor.image_token_id).to(words.dtype)
    return made


def filling(loaded: Loaded) -> int:
    """The token that stands where a conversation is shorter than its neighbours."""
    return int(loaded.tokenizer.pad_token_id or 0)


def answers_tokens(loaded: Loaded, prompt: str, answers: Sequence[str]) -> list[list[int]]:
    """The tokens of each answer to a prompt, as `Form.write` wrote it.

    They are what tokenising prompt and answer in one piece gives beyond the tokens of the prompt. Where the end of the
    prompt would melt into the answer they are those of the answer alone: the tokens of the prompt never change, so
    that all answers to a question follow the very same ones. Tokenising all at once takes a tenth of the time.
    """

    def tokens(*texts: str) -> list[list[int]]:
        return [list(found) for found in loaded.tokenizer(list(texts), add_special_tokens=False)["input_ids"]]

    answers = [loaded.form.harmless(answer) for answer in answers]
    if loaded.answers_apart:
        return tokens(*answers)
    answers = [loaded.form.before_answer + answer for answer in answers]
    if loaded.family == "paligemma":
        prompt += "\n"  # so its processor ends every prompt
    before, *whole = tokens(prompt, *(prompt + answer for answer in answers))
    return [
        both[len(before) :] if both[: len(before)] == before else tokens(answer)[0]
        for both, answer in zip(whole, answers, strict=True)
    ]


def with_answer(loaded: Loaded, prompt: Prompt, answer: list[int]) -> Prompt:
    """The inputs of one conversation with an answer behind it, of which the model may see no more than it has said."""
    import torch

    # PaliGemma reads the question to and fro and marks it 0; what is marked 1 sees only what stands before it.
    said = grown(prompt, len(answer), {"token_type_ids": 1} if loaded.family == "paligemma" else {})
    said["input_ids"][:, -len(answer) :] = torch.tensor([answer], device=prompt["input_ids"].device)
    return said


def _placed(loaded: Loaded, value: Any) -> Any:
    if isinstance(value, list):
        return [_placed(loaded, part) for part in value]
    if not hasattr(value, "is_floating_point"):
        return value
    return value.to(loaded.device, loaded.model.dtype if value.is_floating_point() else None)


THREADS = 4
"""More would keep the one from work that feeds the device, since Python runs one at a time: on an H200 eight are 15 %
slower than four."""
AHEAD = 4
"""For each thread, so many conversations are prepared before it is their turn."""
Pictures = list[Image.Image]
Asked = TypeVar("Asked")
Made = TypeVar("Made")

_calls: WeakKeyDictionary[Any, tuple[bool, dict[str, Any]]] = WeakKeyDictionary()
"""How each processor calls its part for pictures: with lists of lists or one list, and with which settings."""


class PicturesOnce:
    """Stands in the place of a processor's part for pictures, and remembers what it made of those under way.

    Processors prepare pictures anew for every conversation. Here the second conversation about a picture gets what was
    made for the first. How the processor calls its part for pictures turns out with its first call; from then on
    pictures are prepared by threads before they are asked for.
    """

    def __init__(self, loaded: Loaded) -> None:
        self._processor, self._dtype = loaded.processor, loaded.model.dtype
        self._part = loaded.processor.image_processor
        self._made: dict[tuple[int, ...], tuple[Any, Any]] = {}
        """By where pictures lie: they, lest others lie there when they are gone, and what is made of them."""
        self._of_copies: list[tuple[int, ...]] = []
        """What was made of pictures that the processor itself made of ours; nobody asks for it twice."""
        processor = copy.copy(loaded.processor)
        processor.image_processor = self
        self.loaded = replace(loaded, processor=processor)
        """The model with this in its processor."""

    def __call__(self, images: Any, **settings: Any) -> Any:
        nested = isinstance(images, list | tuple) and isinstance(images[0], list | tuple)
        pictures = [picture for group in images for picture in group] if nested else images
        names = tuple(map(id, pictures)) if isinstance(pictures, list | tuple) else (id(pictures),)
        if names not in self._made or _calls.get(self._processor) != (nested, settings):
            _calls[self._processor] = (nested, settings)
            self._made[names] = (images, self._part(images, **settings))
            self._of_copies.append(names)
        return copy.copy(self._made[names][1])  # processors take things out of it

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)

    def ahead(
        self, requests: Iterable[tuple[Asked, Request]], work: Callable[[Asked, Pictures | AskingFailed], Made]
    ) -> Iterator[Made]:
        """What `work` makes of each conversation's pictures, or of why they cannot be had, in the order given.

        While one result is used the next are made: pictures by several threads, the rest by one, since tokenizers
        cannot serve two at once.
        """
        threads = min(THREADS, cores())
        waiting: deque[Future[Made]] = deque()
        rest = iter(requests)
        pool = ThreadPoolExecutor(threads, thread_name_prefix="countersight-pictures")
        desk = ThreadPoolExecutor(1, thread_name_prefix="countersight-rows")
        try:
            while True:
                # Until the first is done it is not known how pictures are to be prepared.
                most = AHEAD * threads if self._processor in _calls else 1
                while len(waiting) < most and (following := next(rest, None)) is not None:
                    asked, request = following
                    pictures = pool.submit(self._prepare, request)
                    waiting.append(desk.submit(self._work, work, asked, pictures))
                if not waiting:
                    return
                yield waiting.popleft().result()
        finally:
            for threads_of in (pool, desk):
                threads_of.shutdown(cancel_futures=True)

    def _work(
        self,
        work: Callable[[Asked, Pictures | AskingFailed], Made],
        asked: Asked,
        preparing: Future[Pictures | AskingFailed],
    ) -> Made:
        pictures = preparing.result()
        try:
            return work(asked, pictures)
        finally:
            of_these = [tuple(map(id, pictures))] if isinstance(pictures, list) else []
            for names in (*of_these, *self._of_copies):
                self._made.pop(names, None)
            self._of_copies.clear()

    def _prepare(self, request: Request) -> Pictures | AskingFailed:
        try:
            [pictures] = pictures_of(request)
        except AskingFailed as error:
            return error
        if pictures and self._processor in _calls:
            nested, settings = _calls[self._processor]
            with contextlib.suppress(Exception):  # asked again it fails where the reason is told
                made = self._part([pictures] if nested else pictures, **settings)
                for name, value in made.items():
                    if hasattr(value, "is_floating_point") and value.is_floating_point():
                        made[name] = value.to(self._dtype)
                self._made[tuple(map(id, pictures))] = (pictures, made)
        return pictures
