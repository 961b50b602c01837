"""Pictures prepared for a model ahead of their turn, several at once, and each only once."""

import contextlib
import copy
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from PIL import Image

from countersight.errors import AskingFailed
from countersight.models.local.conversation import pictures_of
from countersight.models.local.loading import Loaded
from countersight.models.protocol import Request
from countersight.system import cores

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
