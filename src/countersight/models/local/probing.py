"""Which way of ranking a loaded model allows: each is tried on a small question and held against the plain one.

A model is not asked its name. Whether it obeys the mask and the positions that a tree of tokens needs shows in its
losses: where it does not, they are not those of one whole pass for every option.
"""

import hashlib
import io
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
from PIL import Image
from transformers import LogitsProcessor

from countersight import __version__
from countersight.case import Option
from countersight.errors import AskingFailed
from countersight.files import write_whole
from countersight.models.local.conversation import Feed, Loaded, inputs, pictures_of
from countersight.models.local.generating import LIKELIEST, generate, write_shared
from countersight.models.local.loading import is_full
from countersight.models.local.ranking import Losses, Ranked, RankingPlan, rank_by
from countersight.models.local.trees import SIGHTS, chooses_what_it_sees, decoder_of, windows
from countersight.models.protocol import Loss, Request, Turn
from countersight.picture import Picture, check_picture
from countersight.system import cache_folder

_WINDOW = 16
"""So far sees a layer with a window while it is probed: the question is shorter than the windows of real models."""
_EXACT, _ROUNDED = 1e-4, 0.03
"""By how much two losses of about 1 may differ that are the same, in 32 bits and in fewer."""
_OUTLIERS = 0.01
"""The share of words that may differ by more: of 150,000, rounding brings a few far from where they belong."""
_WORDS = 3
"""So many words are written to see whether neighbours change them."""
_QUESTIONS = {
    "How many cats are there?": ("yes", "three of them"),
    "How many would there be if one more cat came in?": ("three", "three cats"),
}
_WIDTHS = (64, 192)
"""Of the pictures that are shown, both 64 high: a square fills what many eyes look at, the other does not."""


@dataclass(slots=True)
class Findings:
    """What was found out about a model; None where it was not tried yet."""

    plan: RankingPlan | None = None
    shares: bool | None = None
    """Whether it can write with what conversations share read once."""
    batches: bool | None = None
    """Whether it writes the same after a conversation, whatever others are in its batch."""


_findings: WeakKeyDictionary[Any, Findings] = WeakKeyDictionary()


def found_out(loaded: Loaded) -> Findings:
    """What is known of a model by now."""
    return _findings.setdefault(loaded.model, Findings())


def plan_of(loaded: Loaded) -> RankingPlan:
    """How a model's options are ranked; found out once."""
    found = found_out(loaded)
    if found.plan is None:
        found.plan = _find(loaded)
    return found.plan


def writes_in_batches(loaded: Loaded) -> bool:
    """Whether a model writes the same after a conversation, whatever others are in its batch; found out once.

    MiniMax M3's eye takes all pictures of a batch for one, Phi-4's places them by their neighbours' shapes, Kosmos-2
    counts the padding among the words.
    """
    found = found_out(loaded)
    if found.batches is None:
        found.batches = _is_sociable(loaded)
    return found.batches


def writing_plan(loaded: Loaded) -> RankingPlan | None:
    """How a model writes with what conversations share read once; None where it can only write plainly."""
    found, plan = found_out(loaded), plan_of(loaded)
    if found.shares is None:
        found.shares = _shares_when_writing(plan, loaded)
    return plan if found.shares else None


def write_no_more_shared(loaded: Loaded) -> None:
    """Have a model write plainly from now on, which failed at more than the small questions."""
    found_out(loaded).shares = False


def _shares_when_writing(plan: RankingPlan, loaded: Loaded) -> bool:
    """Whether a model expects the same, word by word, as where it writes alone and plainly."""
    spread = hasattr(loaded.model, "hf_device_map")  # then its layers remember on different devices
    if plan.way in ("plain", "continued") or spread or not _has_eyes(loaded):
        return False
    asked = _small_questions(loaded)
    alone = [_expected(loaded, [request])[0] for request in asked]
    overheard = _Overhearing([_likeliest(steps) for steps in alone])
    try:
        deque(write_shared(loaded, plan, Feed(asked), _WORDS, overheard), maxlen=0)
    except Exception as error:  # a model may refuse to go on from what it has read in whatever words it has
        if is_full(error):
            raise
        return False
    return all(_agree(overheard.heard[number], steps, _bound(loaded) * 10) for number, steps in enumerate(alone))


class _Overhearing:
    """Has each answer go on with the words given and notes what was expected, as `_Listening` does."""

    on_device = False

    def __init__(self, words: Sequence[Sequence[int]]) -> None:
        self._words = words
        self.heard: dict[int, list[Any]] = {}

    def __call__(self, expected: Any, whose: Sequence[int | None]) -> Any:
        tokens = LIKELIEST(expected, whose)
        for row, number in enumerate(whose):
            if number is not None:
                heard = self.heard.setdefault(number, [])
                tokens[row] = self._words[number][len(heard) % len(self._words[number])]
                heard.append(_noted(expected[row]))
        return tokens


def _is_sociable(loaded: Loaded) -> bool:
    if chooses_what_it_sees(decoder_of(loaded.model).config):
        return False
    asked = _small_questions(loaded)
    asked = [asked[0], asked[-1]]
    alone = [_expected(loaded, [request])[0] for request in asked]
    try:
        together = _expected(loaded, asked, [_likeliest(steps) for steps in alone])
    except Exception as error:  # a model may refuse two pictures of different sizes in whatever words it has
        if is_full(error):
            raise
        return False
    return all(_agree(*each, _bound(loaded) * 10) for each in zip(together, alone, strict=True))


def _agree(one: Sequence[Any], other: Sequence[Any], bound: float) -> bool:
    """Whether a model expects the same at every word of an answer."""
    pairs = zip(one, other, strict=False)  # where an answer ends, its neighbours go on
    apart = (((expected - likewise).abs() > bound).float().mean() for expected, likewise in pairs)
    return all(float(share) <= _OUTLIERS for share in apart)


def _likeliest(steps: Sequence[Any]) -> list[int]:
    """The words that were written: the likeliest at each step."""
    return [int(expected.argmax()) for expected in steps]


def _expected(loaded: Loaded, requests: list[Request], words: Sequence[Sequence[int]] = ()) -> list[list[Any]]:
    """What the model expects at each of the first words that it writes after each conversation.

    Where `words` are given it goes on with those: in few bits two words may be as likely as each other, and after
    another one it rightly expects other things.
    """
    listening = _Listening(words)
    generate(loaded, inputs(loaded, requests, pictures_of(*requests)), _WORDS, [listening])
    return [[step[row] for step in listening.heard] for row in range(len(requests))]


class _Listening(LogitsProcessor):
    """Notes what a model expects, and has it say the words given."""

    def __init__(self, words: Sequence[Sequence[int]]) -> None:
        self._words = words
        self.heard: list[Any] = []

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        step = len(self.heard)
        self.heard.append(_noted(scores))
        for row, words in enumerate(self._words):
            scores[row, words[step % len(words)]] = float("inf")
        return scores


def _noted(expected: Any) -> Any:
    """The logarithms of how likely each word is; of what is next to impossible only that it is."""
    return expected.float().log_softmax(-1).clamp(min=-10.0)


def _find(loaded: Loaded) -> RankingPlan:
    plain = RankingPlan("plain")
    if loaded.answers_apart or chooses_what_it_sees(decoder_of(loaded.model).config):
        return plain
    with _narrowed(loaded):
        right = _tried(plain, loaded)
        if right is None:
            return plain
        for plans in _candidates(loaded):
            # The closest of them: in few bits a wrong sight may be off by little more than rounding is.
            distance, plan = min(((_distance(_tried(plan, loaded), right), plan) for plan in plans), key=itemgetter(0))
            if distance <= _bound(loaded):
                return plan
        return plain


def _candidates(loaded: Loaded) -> Iterator[list[RankingPlan]]:
    """Ways to try, the fastest first, each with all that tokens may see."""
    # Llama 4 sharpens attention by places that it counts itself, which a tree has otherwise.
    if not getattr(loaded.model.config.get_text_config(decoder=True), "floor_scale", None):
        for several in (True, False) if writes_in_batches(loaded) else (False,):
            yield [RankingPlan("shared prefix", sight, several) for sight in SIGHTS]
    yield [RankingPlan("continued")]


def _tried(plan: RankingPlan, loaded: Loaded) -> list[Losses] | None:
    """The losses of the small questions in this way; None where the model cannot compute them so."""
    try:
        asked = Feed(_small_questions(loaded))
        found = [losses for _, losses in sorted(rank_by(plan, loaded, asked, "mean"), key=itemgetter(0))]
    except Exception as error:  # a model may refuse a mask, positions or a cache in whatever words it has
        if is_full(error):
            raise
        return None
    return None if any(isinstance(one, AskingFailed) for one in found) else found  # type: ignore[return-value]


def _bound(loaded: Loaded) -> float:
    import torch

    return _EXACT if loaded.model.dtype == torch.float32 else _ROUNDED


def _distance(found: list[Losses] | None, right: list[Losses]) -> float:
    """By how much losses differ at most, for one of about 1."""
    if found is None:
        return float("inf")
    pairs = ((one, other) for each in zip(found, right, strict=True) for one, other in zip(*each, strict=True))
    return max(abs(one - other) / max(1.0, other) for one, other in pairs)


def _small_questions(loaded: Loaded) -> list[Request]:
    """Two questions about each of two pictures, which are of different shapes: rows of a batch must not mix."""
    return [
        Request(question, (Turn("user", question, shown),), "choice", tuple(map(Option, options)))
        for shown in (_small_picture(width) if _has_eyes(loaded) else None for width in _WIDTHS)
        for question, options in _QUESTIONS.items()
    ]


def _has_eyes(loaded: Loaded) -> bool:
    return hasattr(loaded.processor, "image_processor")


def _small_picture(width: int) -> Picture:
    """A picture that is not the same anywhere, so that what is lost of it is missed."""
    file = io.BytesIO()
    slope = Image.linear_gradient("L").resize((width, 64))
    Image.merge("RGB", (slope, slope.rotate(180), Image.radial_gradient("L").resize((width, 64)))).save(file, "PNG")
    return check_picture(file.getvalue())


@contextmanager
def _narrowed(loaded: Loaded) -> Iterator[None]:
    """While this lasts, layers with a window see only a few tokens back."""
    config = decoder_of(loaded.model).config
    usual = {name: getattr(config, name) for name in windows(config)}
    try:
        for name in usual:
            setattr(config, name, _WINDOW)
        yield
    finally:
        for name, value in usual.items():
            setattr(config, name, value)


class KeptFindings:
    """The findings about one model on one kind of device, kept in a file for the next call."""

    def __init__(self, settings: dict[str, Any], loaded: Loaded) -> None:
        """`settings` name the weights and the kind of numbers."""
        told = (settings["weights"], settings["dtype"], settings.get("pictures"), _device(loaded), *_versions())
        self._name = hashlib.sha256(msgspec.json.encode(told)).hexdigest()[:24]
        self._found = _findings[loaded.model] = Findings()
        with suppress(OSError, RuntimeError, msgspec.MsgspecError):
            self._found = msgspec.msgpack.decode(self._file().read_bytes(), type=Findings)
            _findings[loaded.model] = self._found
        self._before = replace(self._found)

    def keep(self) -> None:
        """Keep what is known by now for the next call."""
        if self._found == self._before:
            return
        with suppress(OSError, RuntimeError):  # a user without a home has no cache either
            self._file().parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._file(), msgspec.msgpack.encode(self._found))

    def _file(self) -> Path:
        return cache_folder() / "models" / self._name


def _device(loaded: Loaded) -> str:
    import torch

    device = loaded.device
    return torch.cuda.get_device_name(device) if device.type == "cuda" else str(device.type)


def _versions() -> list[str]:
    """Of everything that computes."""
    import torch
    import transformers

    return [str(version) for version in (__version__, torch.__version__, transformers.__version__)]


def ranked(loaded: Loaded, requests: Feed, loss: Loss = "mean") -> Iterator[tuple[int, Ranked]]:
    """The losses of each request's options, the `mean` or the `sum` over their tokens, or why it has none.

    They come as they are computed, and so may further requests.
    """
    return rank_by(plan_of(loaded), loaded, requests, loss)


def rank(loaded: Loaded, requests: Sequence[Request], loss: Loss = "mean") -> list[Ranked]:
    """The same for some requests, in their order."""
    found = dict(ranked(loaded, Feed(requests), loss))
    return [found[number] for number in range(len(requests))]
