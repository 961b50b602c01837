"""Synchronous inference in batches; the results do not depend on how questions are batched.

An encoder counts the objects in a picture (`VALUES`); a decoder generates an answer from the counts and the tokens of
the conversation.
"""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import resources
from pathlib import Path
from threading import Lock
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from countersight.errors import AskingFailed, BadPicture, ModelError
from countersight.models.onnx_graph import open_graph
from countersight.picture import Picture, Pixels, as_seen
from countersight.scenes import COLOURS, PLACES
from countersight.system import cores

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

ENCODER: Final = "encoder.onnx"
VOCABULARY: Final = "vocabulary.json"


def decoder_file(worlds: str) -> str:
    """Return the file name of the decoder trained on questions of these worlds."""
    return f"decoder-{worlds}.onnx"


def weights_folder() -> Path:
    """Return the folder of the weights in the package."""
    return Path(str(resources.files(__package__))) / "weights"


def fingerprint(folder: Path, worlds: str) -> str:
    """Return a short hash of the weights of one checkpoint, for run.json."""
    files = (ENCODER, VOCABULARY, decoder_file(worlds))
    sums = (hashlib.sha256(read_weights(folder, name)).hexdigest() for name in files)
    return hashlib.sha256("".join(sums).encode()).hexdigest()[:12]


def read_weights(folder: Path, name: str) -> bytes:
    """Return the bytes of a weights file."""
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        raise ModelError(
            f"the embedded model cannot be read ({folder / name}: {error.strerror}); install countersight again"
        ) from None


KINDS: Final = ("flowers", "dots", "other")

VALUES: Final = (
    "flowers",
    "flowers outside all polygons",
    "flowers inside both polygons",
    *(f"flowers inside {colour}" for colour in COLOURS),
    *(f"flowers inside {colour} alone" for colour in COLOURS),
    "dots",
    "dots in the top row",
    "dots in the bottom row",
    *(f"dots in the {place} circle" for place in PLACES),
    *(f"{place} circle" for place in PLACES),
    *(f"{colour} polygons" for colour in COLOURS),
    *(f"a picture of {kind}" for kind in KINDS),
)
"""The encoder's outputs: sums over the picture, 0 or 1 for polygons, and probabilities for the kinds of pictures."""

LARGEST: Final = 48
"""The largest number that the decoder distinguishes; no generated picture contains more objects of one kind."""
SIDE: Final = 224
"""The width and height to which every picture is resized."""

KEPT = 4096
"""The number of pictures whose values are cached (180 bytes each). Both checkpoints use the same cache."""
AT_ONCE = 4
"""The number of pictures encoded together; larger batches need more memory and are not faster."""
TOGETHER = 16
"""The number of conversations of similar length decoded together, to limit padding and to stay in the CPU cache."""
CONTEXT = 320
"""The maximum number of tokens in a conversation, including the answer."""
LONGEST = 64
"""The maximum number of tokens in an answer."""


NEEDED = 4 * SIDE
"""The side in pixels to which larger pictures may be reduced while decoding, since `shrink` averages them anyway."""


def prepare(picture: Picture) -> Pixels:
    """Return the picture as the encoder's input; raises BadPicture."""
    return shrink(as_seen(picture, NEEDED))


def shrink(image: Image.Image) -> Pixels:
    """Resize a picture to the encoder's size with a box filter, which preserves thin lines and small dots."""
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BOX))


class Encoder:
    """The encoder, with a cache of pictures."""

    def __init__(self, folder: Path) -> None:
        self._graph: Any = open_graph(folder / ENCODER)
        self._seen: OrderedDict[bytes, Floats] = OrderedDict()
        self._looking = Lock()  # both checkpoints may be used at the same time
        self._preparing = ThreadPoolExecutor(cores(), "picture")

    def look(self, pictures: Sequence[Picture]) -> list[Floats]:
        """Return the values of each picture (`VALUES`); raises AskingFailed if one cannot be read."""
        with self._looking:
            digests = [hashlib.blake2b(picture.data, digest_size=16).digest() for picture in pictures]
            named = zip(digests, pictures, strict=True)
            fresh = {digest: picture for digest, picture in named if digest not in self._seen}
            try:
                prepared = list(zip(fresh, self._preparing.map(prepare, fresh.values()), strict=True))
            except BadPicture as error:
                raise AskingFailed(f"the picture {error}", again=False) from None
            for start in range(0, len(prepared), AT_ONCE):
                part = prepared[start : start + AT_ONCE]
                (values,) = self._graph.run(("values",), {"pictures": np.stack([pixels for _, pixels in part])})
                for (digest, _), row in zip(part, values, strict=True):
                    self._seen[digest] = row
            found = [self._seen[digest] for digest in digests]
            while len(self._seen) > KEPT:
                self._seen.popitem(last=False)
            return found


@cache
def encoder(folder: Path) -> Encoder:
    """Return the encoder of a folder; both checkpoints share it and its cache."""
    return Encoder(folder)


PAD: Final = "<pad>"
USER: Final = "<user>"
MODEL: Final = "<model>"
END: Final = "<end>"
UNKNOWN_WORD: Final = "<unknown>"
SPECIAL: Final = (PAD, USER, MODEL, END, UNKNOWN_WORD)
PIECE: Final = "##"
"""The prefix of a token that is one letter of an unknown word."""

_SPLIT = re.compile(r"\n|[0-9]+|[^\W\d_]+|[^\s]")
_NO_SPACE_BEFORE = frozenset(".,;:?!)")


class Tokenizer:
    """Converts text to tokens with a fixed vocabulary. Case matters only for words that it contains in both cases."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        self._numbers = {token: number for number, token in enumerate(self.vocabulary)}
        self.pad, self.user, self.model, self.end, self._unknown = (self._numbers[token] for token in SPECIAL)

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text; never fails, whatever the text contains."""
        return [token for word in _SPLIT.findall(text) for token in self._spell(word)]

    def decode(self, tokens: Iterable[int]) -> str:
        """Return the text of tokens with normal spacing; turn markers are left out."""
        text = ""
        spelling = False
        for number in tokens:
            token = self.vocabulary[number]
            if token in SPECIAL:
                continue
            piece = token.startswith(PIECE)
            word = token.removeprefix(PIECE) if piece else token
            glued = not text or text[-1] in "\n(" or word == "\n" or word in _NO_SPACE_BEFORE or (piece and spelling)
            text += word if glued else f" {word}"
            spelling = piece
        return text

    def conversation(self, turns: Iterable[tuple[str, str]]) -> list[int]:
        """Return the tokens of a conversation, given as pairs of role and text, up to the model's next turn."""
        tokens: list[int] = []
        for role, text in turns:
            if role == "user":
                tokens += [self.user, *self.encode(text)]
            else:
                tokens += [self.model, *self.encode(text), self.end]
        return [*tokens, self.model]

    def _spell(self, word: str) -> tuple[int, ...]:
        for known in (word, word.lower()):
            if known in self._numbers and known not in SPECIAL:
                return (self._numbers[known],)
        return tuple(self._numbers.get(PIECE + letter, self._unknown) for letter in word.lower())


class Conversation(msgspec.Struct, frozen=True):
    """A conversation so far, and its picture."""

    turns: tuple[tuple[str, str], ...]
    """Pairs of role ("user" or "assistant") and text."""
    picture: Picture


class Inference:
    """Encoder, decoder and tokenizer of one checkpoint."""

    def __init__(self, folder: Path, worlds: str) -> None:
        self.tokenizer = Tokenizer(msgspec.json.decode(read_weights(folder, VOCABULARY), type=list[str]))
        self._decoder = Decoder(open_graph(folder / decoder_file(worlds)), self.tokenizer.end, self.tokenizer.pad)
        self._encoder = encoder(folder)

    def answer(self, asked: Sequence[Conversation], most: int) -> list[tuple[str, int, int]]:
        """Return the next turn of each conversation and its numbers of input and output tokens."""
        seen = self._encoder.look([one.picture for one in asked])
        prompts = [self._prompt(one, min(most, LONGEST)) for one in asked]
        rows = sorted(range(len(asked)), key=lambda row: len(prompts[row]))
        answers = [("", 0, 0)] * len(asked)
        for start in range(0, len(rows), TOGETHER):
            part = rows[start : start + TOGETHER]
            values = np.stack([seen[row] for row in part])
            written = self._decoder.generate([prompts[row] for row in part], values, min(most, LONGEST))
            for row, tokens in zip(part, written, strict=True):
                answers[row] = (self.tokenizer.decode(tokens), len(prompts[row]), len(tokens))
        return answers

    def losses(self, asked: Conversation, endings: Sequence[str]) -> list[float]:
        """Return the loss of each text as the next turn."""
        (values,) = self._encoder.look([asked.picture])
        tokens = [self.tokenizer.encode(ending)[:LONGEST] for ending in endings]
        return self._decoder.losses(self._prompt(asked, LONGEST + 1), values, tokens)

    def _prompt(self, asked: Conversation, room: int) -> list[int]:
        """Return the tokens of the conversation, cut off at the start if it is too long."""
        return self.tokenizer.conversation(asked.turns)[-(CONTEXT - room) :]


class Decoder:
    """Runs one decoder graph. Rows of a batch are padded on the right; padding is never attended to."""

    def __init__(self, graph: Any, end: int, pad: int) -> None:
        self._graph = graph
        self._end, self._pad = end, pad
        shape = next(one.shape for one in graph.get_inputs() if one.name == "past")
        self._layers, self._heads, self._each = shape[0], shape[3], shape[5]

    def generate(self, prompts: Sequence[Sequence[int]], values: Floats, most: int) -> list[list[int]]:
        """Return the most likely tokens after each prompt, up to the end token or to `most` tokens."""
        tokens, valid = padded(prompts, self._pad)
        lengths = valid.sum(axis=1)
        places = np.broadcast_to(np.arange(tokens.shape[1]), tokens.shape)
        written: list[list[int]] = [[] for _ in prompts]
        rows = np.arange(len(prompts))
        past = self.empty(len(prompts))
        at = lengths[:, None] - 1
        while rows.size:
            logits, past = self._run(tokens, places, valid, past, values, at)
            chosen = logits[:, 0].argmax(axis=1)
            for row, token in zip(rows, chosen, strict=True):
                if token != self._end:
                    written[row].append(int(token))
            going = np.array(
                [token != self._end and len(written[row]) < most for row, token in zip(rows, chosen, strict=True)]
            )
            if not going.all():  # finished rows are removed, so that a long answer does not slow down the rest
                rows, chosen, lengths, valid, values = (
                    rows[going],
                    chosen[going],
                    lengths[going],
                    valid[going],
                    values[going],
                )
                past = past[:, :, going]
            tokens, places = chosen[:, None], lengths[:, None]
            lengths = lengths + 1
            valid = np.concatenate((valid, np.ones((len(rows), 1), np.int64)), axis=1)
            at = np.zeros((len(rows), 1), np.int64)
        return written

    def losses(self, prompt: Sequence[int], values: Floats, endings: Sequence[Sequence[int]]) -> list[float]:
        """Return, for each ending, the mean loss of its tokens, including the end token, after the prompt."""
        whole = [[*prompt, *ending, self._end] for ending in endings]
        tokens, valid = padded(whole, self._pad)
        count = len(whole)
        places = np.broadcast_to(np.arange(tokens.shape[1]), tokens.shape)
        longest = max(len(ending) for ending in endings) + 1
        at = np.minimum(len(prompt) - 1 + np.arange(longest), tokens.shape[1] - 1)
        logits, _ = self._run(
            tokens, places, valid, self.empty(count), np.repeat(values[None], count, axis=0), np.tile(at, (count, 1))
        )
        logits = logits.astype(np.float64)
        shifted = logits - logits.max(axis=2, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(axis=2, keepdims=True))
        losses = []
        for row, ending in enumerate(endings):
            said = [*ending, self._end]
            losses.append(float(-np.mean([logs[row, nth, token] for nth, token in enumerate(said)])))
        return losses

    def empty(self, batch: int) -> Floats:
        """Return an empty key-value cache."""
        return np.zeros((self._layers, 2, batch, self._heads, 0, self._each), np.float32)

    def _run(
        self, tokens: Integers, places: Integers, valid: Integers, past: Floats, values: Floats, at: Integers
    ) -> tuple[Floats, Floats]:
        logits, cache = self._graph.run(
            ("logits", "cache"),
            {"tokens": tokens, "places": places, "valid": valid, "past": past, "values": values, "at": at},
        )
        return logits, cache


def padded(rows: Sequence[Sequence[int]], filling: int) -> tuple[Integers, Integers]:
    """Stack sequences of tokens, padded to the longest, and return a mask of real tokens."""
    tokens = np.full((len(rows), max(map(len, rows))), filling, np.int64)
    real = np.zeros_like(tokens)
    for row, one in enumerate(rows):
        tokens[row, : len(one)] = one
        real[row, : len(one)] = 1
    return tokens, real
