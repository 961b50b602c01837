"""Tests whether a loaded model can read trees of tokens, by comparison with plain ranking on small questions.

The name of the model is not considered. If a model ignores the mask or the positions of a tree of tokens, its losses
differ from those of one complete pass per option.
"""

import functools
import io
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import torch
from PIL import Image

from countersight.case import Option
from countersight.errors import AskingFailed
from countersight.models.local.conversation import Loaded, decode_pictures, model_inputs
from countersight.models.local.generating import ChoiceByAnswer, generate, write_shared
from countersight.models.local.ranking import Losses, rank_requests
from countersight.models.local.trees import SIGHTS, Sight, find_decoder, selects_tokens, window_settings
from countersight.models.protocol import Request, Turn
from countersight.models.request_queue import Feed, is_out_of_memory
from countersight.picture import Picture, check_picture

Found = TypeVar("Found")
_WINDOW = 16
"""The size of attention windows during a test, since the questions are shorter than the windows of real models."""
_EXACT, _ROUNDED = 1e-4, 0.03
"""The maximum relative difference between losses that count as equal, in float32 and in lower precision."""
_OUTLIERS = 0.01
"""The share of the vocabulary that may differ by more, since rounding affects a few of 150,000 tokens strongly."""
_WORDS = 3
"""The number of tokens that are generated to test whether other conversations in the batch change them."""
_QUESTIONS = {
    "How many cats are there?": ("yes", "three of them"),
    "How many would there be if one more cat came in?": ("three", "three cats"),
}
_WIDTHS = (64, 192)
"""The widths of the test pictures, both 64 high: only the square one fills the input of many encoders."""


_findings: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
"""The results of functions decorated with `_find_once`, for each model."""


def _find_once(find: Callable[[Loaded], Found]) -> Callable[[Loaded], Found]:
    """Decorator that caches a function's result for each model."""

    @functools.wraps(find)
    def found(loaded: Loaded) -> Found:
        known = _findings.setdefault(loaded.model, {})
        if find.__name__ not in known:
            known[find.__name__] = find(loaded)
        result: Found = known[find.__name__]
        return result

    return found


@_find_once
def ranking_sight(loaded: Loaded) -> Sight | None:
    """Return the `Sight` with which a tree's losses equal those of plain ranking; None if there is none."""
    if loaded.has_separate_decoder or not writes_in_batches(loaded):
        return None
    with _narrow_windows(loaded):
        right = _try_sight(None, loaded)
        # Llama 4 scales attention by positions that it counts itself, which differ in a tree.
        if right is None or getattr(loaded.model.config.get_text_config(decoder=True), "floor_scale", None):
            return None
        # Take the closest: at low precision, a wrong mask may differ by little more than rounding.
        distances = {sight: _loss_difference(_try_sight(sight, loaded), right) for sight in SIGHTS}
        sight = min(SIGHTS, key=distances.__getitem__)
        return sight if distances[sight] <= _tolerance(loaded) else None


@_find_once
def writes_in_batches(loaded: Loaded) -> bool:
    """Whether a model's output is independent of other conversations in the batch.

    MiniMax M3's encoder treats all pictures of a batch as one, Phi-4's places them by their neighbours' shapes, and
    Kosmos-2 counts padding as words.
    """
    if selects_tokens(find_decoder(loaded.model).config):
        return False
    asked = _small_questions(loaded)
    asked = [asked[0], asked[-1]]
    alone = [_predict(loaded, [request])[0] for request in asked]
    try:
        together = _predict(loaded, asked, [_greedy_tokens(steps) for steps in alone])
    except Exception as error:  # models may raise any exception for two pictures of different sizes
        if is_out_of_memory(error):
            raise
        return False
    return all(_predictions_agree(*each, _tolerance(loaded) * 10) for each in zip(together, alone, strict=True))


@_find_once
def writing_sight(loaded: Loaded) -> Sight | None:
    """Return the `Sight` with which answers can be generated after a tree; None if the model does not support it.

    The predictions must agree, token by token, with those of the model's own `generate` for single conversations.
    """
    sight = ranking_sight(loaded)
    if sight is None or not _has_image_processor(loaded):
        return None
    asked = _small_questions(loaded)
    alone = [_predict(loaded, [request])[0] for request in asked]
    recorder = _Recorder([_greedy_tokens(steps) for steps in alone])
    try:
        deque(write_shared(loaded, sight, Feed(asked), _WORDS, recorder), maxlen=0)
    except Exception as error:  # models may raise any exception for a cache from outside
        if is_out_of_memory(error):
            raise
        return None
    agrees = all(
        _predictions_agree(recorder.heard[number], steps, _tolerance(loaded) * 10) for number, steps in enumerate(alone)
    )
    return sight if agrees else None


def write_no_more_shared(loaded: Loaded) -> None:
    """Make a model use its own `generate` from now on, because shared prefixes failed on real questions."""
    _findings[loaded.model][writing_sight.__name__] = None


class _Recorder(ChoiceByAnswer):
    """Records the predictions of each answer, and continues it with given tokens, or else with the most likely ones."""

    def __init__(self, words: Sequence[Sequence[int]] = ()) -> None:
        self._words = words
        self.heard: dict[int, list[Any]] = {}

    def choose(self, logits: Any, number: int) -> Any:
        heard = self.heard.setdefault(number, [])
        words = self._words[number] if self._words else [logits.argmax()]
        word = words[len(heard) % len(words)]
        # Clamped, since only the log-probabilities of possible tokens must agree.
        heard.append(logits.float().log_softmax(-1).clamp(min=-10.0))
        return word


def _predictions_agree(one: Sequence[Any], other: Sequence[Any], bound: float) -> bool:
    """Whether the predictions agree at every token of an answer."""
    pairs = zip(one, other, strict=False)  # answers may differ in length
    apart = (((expected - likewise).abs() > bound).float().mean() for expected, likewise in pairs)
    return all(float(share) <= _OUTLIERS for share in apart)


def _greedy_tokens(steps: Sequence[Any]) -> list[int]:
    """Return the most likely token at each step."""
    return [int(expected.argmax()) for expected in steps]


def _predict(loaded: Loaded, requests: list[Request], words: Sequence[Sequence[int]] = ()) -> list[list[Any]]:
    """Return the predictions of the first tokens that the model generates after each conversation.

    If `words` are given, the model continues with these tokens: at low precision two tokens may be equally likely, and
    predictions after different tokens cannot be compared.
    """
    recorder = _Recorder(words)
    generate(loaded, model_inputs(loaded, requests, decode_pictures(*requests)), _WORDS, recorder)
    return [recorder.heard[number] for number in range(len(requests))]


def _try_sight(sight: Sight | None, loaded: Loaded) -> list[Losses] | None:
    """Return the losses of the small questions, in trees if `sight` is given; None if the model does not support it."""
    try:
        asked = Feed(_small_questions(loaded))
        found = [losses for _, losses in sorted(rank_requests(sight, loaded, asked), key=itemgetter(0))]
    except Exception as error:  # models may raise any exception for masks, positions or a cache
        if is_out_of_memory(error):
            raise
        return None
    return None if any(isinstance(one, AskingFailed) for one in found) else found  # type: ignore[return-value]


def _tolerance(loaded: Loaded) -> float:
    return _EXACT if loaded.model.dtype == torch.float32 else _ROUNDED


def _loss_difference(found: list[Losses] | None, right: list[Losses]) -> float:
    """Return the maximum relative difference between losses."""
    if found is None:
        return float("inf")
    pairs = ((one, other) for each in zip(found, right, strict=True) for one, other in zip(*each, strict=True))
    return max(abs(one - other) / max(1.0, other) for one, other in pairs)


def _small_questions(loaded: Loaded) -> list[Request]:
    """Return two questions about each of two pictures of different shapes, to detect interacting rows."""
    return [
        Request(question, (Turn("user", question, shown),), "choice", tuple(map(Option, options)))
        for shown in (_small_picture(width) if _has_image_processor(loaded) else None for width in _WIDTHS)
        for question, options in _QUESTIONS.items()
    ]


def _has_image_processor(loaded: Loaded) -> bool:
    return hasattr(loaded.processor, "image_processor")


def _small_picture(width: int) -> Picture:
    """Return a picture whose parts all differ, so that any lost part is noticed."""
    file = io.BytesIO()
    slope = Image.linear_gradient("L").resize((width, 64))
    Image.merge("RGB", (slope, slope.rotate(180), Image.radial_gradient("L").resize((width, 64)))).save(file, "PNG")
    return check_picture(file.getvalue())


@contextmanager
def _narrow_windows(loaded: Loaded) -> Iterator[None]:
    """Context manager in which layers with an attention window see only a few tokens back."""
    config = find_decoder(loaded.model).config
    usual = {name: getattr(config, name) for name in window_settings(config)}
    try:
        for name in usual:
            setattr(config, name, _WINDOW)
        yield
    finally:
        for name, value in usual.items():
            setattr(config, name, value)
