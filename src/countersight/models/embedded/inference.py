"""Inference from conversations to text: synchronous, batched, with results that do not depend on the batch."""

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
from countersight.models.embedded.weights import ENCODER, VOCABULARY, decoder_file, open_graph, read_weights
from countersight.models.protocol import Loss
from countersight.picture import Picture, Pixels, as_seen
from countersight.system import cores

KEPT = 4096
"""The number of pictures whose values are cached, 180 bytes each; questions of a case and both checkpoints share
them."""
AT_ONCE = 4
"""The number of pictures encoded together; more need memory and are not faster."""
TOGETHER = 16
"""The number of conversations of similar length decoded together, to limit padding and to stay in the CPU cache."""
CONTEXT = 320
"""The maximum number of tokens in a conversation, read and written."""
LONGEST = 64
"""The maximum number of tokens in an answer."""


NEEDED = 4 * SIDE
"""The side in pixels to which larger pictures may be reduced when decoded, since they are averaged anyway."""


def prepare(picture: Picture) -> Pixels:
    """Return the picture as the encoder's input; raises BadPicture."""
    return shrink(as_seen(picture, NEEDED))


def shrink(image: Image.Image) -> Pixels:
    """Resize a picture to the encoder's size; averaging whole boxes preserves thin lines and small dots."""
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BOX))


class Encoder:
    """The encoder, with a cache of pictures."""

    def __init__(self, folder: Path) -> None:
        self._graph: Any = open_graph(folder, ENCODER)
        self._seen: OrderedDict[bytes, Floats] = OrderedDict()
        self._looking = Lock()  # both checkpoints may be used at the same time
        self._preparing = ThreadPoolExecutor(cores(), "picture")

    def look(self, pictures: Sequence[Picture]) -> list[Floats | BadPicture]:
        """Return the contents of each picture as VALUES, or the reason why it cannot be read."""
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
    """Return the encoder of a folder; both checkpoints share it and its cache."""
    return Encoder(folder)


class Conversation(msgspec.Struct, frozen=True):
    """A conversation so far, and its picture."""

    turns: tuple[tuple[str, str], ...]
    """Pairs of role ("user" or "assistant") and text."""
    picture: Picture


class Inference:
    """Encoder, decoder and tokenizer of one checkpoint."""

    def __init__(self, folder: Path, worlds: str) -> None:
        self.tokenizer = Tokenizer(msgspec.json.decode(read_weights(folder, VOCABULARY), type=list[str]))
        self._decoder = Decoder(open_graph(folder, decoder_file(worlds)), self.tokenizer.end, self.tokenizer.pad)
        self._encoder = encoder(folder)

    def answer(self, asked: Sequence[Conversation], most: int) -> list[tuple[str, int, int] | BadPicture]:
        """Return the next turn of each conversation with its numbers of tokens, or the reason why its picture cannot be
        read."""
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
        """Return the loss of each text as the next turn."""
        (values,) = self._encoder.look([asked.picture])
        if isinstance(values, BadPicture):
            return values
        tokens = [self.tokenizer.encode(ending)[:LONGEST] for ending in endings]
        return self._decoder.losses(self._prompt(asked, LONGEST + 1), values, tokens, loss)

    def _prompt(self, asked: Conversation, room: int) -> list[int]:
        """Return the tokens of the conversation; if it is too long, only its end."""
        return self.tokenizer.conversation(asked.turns)[-(CONTEXT - room) :]
