"""The whole model, from conversations to text: synchronous, batched, and the same for one as for many."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec
import numpy as np
from PIL import Image

from countersight.errors import BadPicture
from countersight.models.embedded.decoding import Decoder, Floats
from countersight.models.embedded.tokenizer import Tokenizer
from countersight.models.embedded.values import SIDE
from countersight.models.embedded.weights import ENCODER, VOCABULARY, checked, decoder_file, open_graph
from countersight.models.protocol import Loss
from countersight.picture import Picture, Pixels, as_seen
from countersight.system import cores

KEPT = 4096
"""Pictures whose values are remembered, 180 bytes each: the questions of a case, and both checkpoints, share them."""
AT_ONCE = 4
"""Pictures encoded together: more need memory and gain nothing."""
TOGETHER = 16
"""Conversations of about one length decoded together: none is padded by much, and the work stays in the cache."""
CONTEXT = 320
"""Tokens the decoder can read and write in one conversation."""
LONGEST = 64
"""Tokens of the longest answer."""


NEEDED = 4 * SIDE
"""Of a larger picture no more pixels than this are wanted a side: all are averaged away."""


def prepare(picture: Picture) -> Pixels:
    """The picture as the encoder sees it, or BadPicture."""
    return shrink(as_seen(picture, NEEDED))


def shrink(image: Image.Image) -> Pixels:
    """A picture of any size at the encoder's size; averaging whole boxes keeps thin lines and small dots crisp."""
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BOX))


class Encoder:
    """The encoder, with a memory of pictures it saw."""

    def __init__(self, folder: Path) -> None:
        self._graph: Any = open_graph(folder, ENCODER)
        self._seen: OrderedDict[bytes, Floats] = OrderedDict()
        self._looking = Lock()  # two checkpoints may be asked at the same time
        self._preparing = ThreadPoolExecutor(cores(), "picture")

    def look(self, pictures: Sequence[Picture]) -> list[Floats | BadPicture]:
        """What is in each picture, as VALUES; or why it cannot be read."""
        with self._looking:
            return self._look(pictures)

    def _look(self, pictures: Sequence[Picture]) -> list[Floats | BadPicture]:
        digests = [hashlib.blake2b(picture.data, digest_size=16).digest() for picture in pictures]
        fresh = {digest: picture for digest, picture in zip(digests, pictures, strict=True) if digest not in self._seen}
        unread: dict[bytes, BadPicture] = {}
        prepared = []
        for digest, pixels in zip(fresh, self._preparing.map(_prepared, fresh.values()), strict=True):
            if isinstance(pixels, BadPicture):
                unread[digest] = pixels
            else:
                prepared.append((digest, pixels))
        for start in range(0, len(prepared), AT_ONCE):
            part = prepared[start : start + AT_ONCE]
            (values,) = self._graph.run(("values",), {"pictures": np.stack([pixels for _, pixels in part])})
            for (digest, _), row in zip(part, values, strict=True):
                self._seen[digest] = row
        answers = [unread[digest] if digest in unread else self._seen[digest] for digest in digests]
        while len(self._seen) > KEPT:
            self._seen.popitem(last=False)
        return answers


def _prepared(picture: Picture) -> Any:
    try:
        return prepare(picture)
    except BadPicture as error:
        return error


@cache
def encoder(folder: Path) -> Encoder:
    """The encoder of a folder; both checkpoints share it, and what it saw."""
    return Encoder(folder)


class Conversation(msgspec.Struct, frozen=True):
    """What was said so far, and the picture it is about."""

    turns: tuple[tuple[str, str], ...]
    """("user" or "assistant", text)."""
    picture: Picture


class Inference:
    """Encoder, decoder and tokenizer together: from conversations to text."""

    def __init__(self, folder: Path, worlds: str) -> None:
        self.tokenizer = Tokenizer(msgspec.json.decode(checked(folder, VOCABULARY), type=list[str]))
        self._decoder = Decoder(open_graph(folder, decoder_file(worlds)), self.tokenizer.end, self.tokenizer.pad)
        self._encoder = encoder(folder)

    def answer(self, asked: Sequence[Conversation], most: int) -> list[tuple[str, int, int] | BadPicture]:
        """For each conversation the next turn with the tokens read and written; or why its picture cannot be read."""
        seen = self._encoder.look([one.picture for one in asked])
        prompts = [self._prompt(one, min(most, LONGEST)) for one in asked]
        rows = [row for row, values in enumerate(seen) if not isinstance(values, BadPicture)]
        rows.sort(key=lambda row: len(prompts[row]))
        answers: list[Any] = list(seen)
        for start in range(0, len(rows), TOGETHER):
            part = rows[start : start + TOGETHER]
            values = np.stack([seen[row] for row in part])  # type: ignore[misc]
            written = self._decoder.generate([prompts[row] for row in part], values, min(most, LONGEST))
            for row, tokens in zip(part, written, strict=True):
                answers[row] = (self.tokenizer.decode(tokens), len(prompts[row]), len(tokens))
        return answers

    def losses(self, asked: Conversation, endings: Sequence[str], loss: Loss = "mean") -> list[float] | BadPicture:
        """The loss the model gives to each text as its next turn."""
        (values,) = self._encoder.look([asked.picture])
        if isinstance(values, BadPicture):
            return values
        tokens = [self.tokenizer.encode(ending)[:LONGEST] for ending in endings]
        return self._decoder.losses(self._prompt(asked, LONGEST + 1), values, tokens, loss)

    def _prompt(self, asked: Conversation, room: int) -> list[int]:
        """The conversation as tokens; of one that is too long, the end."""
        return self.tokenizer.conversation(asked.turns)[-(CONTEXT - room) :]
