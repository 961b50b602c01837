"""A small text ranker: words and word pairs, logistic regression, numpy.

It never sees a picture. Given what was said of a scene and several responses, it says how likely each is the right one,
having learned from the campaign's own train split what right responses look like: CoSIm's text-only model in small.
"""

import asyncio
import re
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from countersight.collect.flows import Instance
from countersight.parallel import in_order

_FEATURES = 1 << 16
_STEPS = 60
_RATE = 0.2
_RIDGE = 1e-3
_FOLDS = 5
_MOST_WORDS = 40
_SHARPNESS = 6.0
FEWEST = 20
"""Least number of instances for training."""
FEW = 200
"""Up to this many instances, training takes no longer than starting a process."""
_WORD = re.compile(r"\w+(?:'\w+)?")
_LITTLE = frozenset(
    _WORD.findall("a an the of in on at to is are was were be it its and or this that there with for as")
)

_Floats = NDArray[np.float64]
_Indexes = NDArray[np.int64]


class TextRanker:
    """A trained ranker: one weight for each word or pair of words."""

    def __init__(self, weights: _Floats, trained_on: int, accuracy: float | None) -> None:
        self.weights = weights
        self.trained_on = trained_on
        self.accuracy = accuracy
        """Share of instances answered right in cross-validation; None if there are too few."""

    @property
    def ready(self) -> bool:
        """Whether it is trained; until then it uses the words that a response shares with the context."""
        return self.trained_on >= FEWEST

    def scores(self, context: str, responses: Sequence[str]) -> list[float]:
        """Return the probability of each response; they add up to 1."""
        if self.ready:
            scores = np.array([self.weights[_features(context, response)].sum() for response in responses])
        else:
            there = set(_WORD.findall(context.casefold()))
            said = [set(_WORD.findall(response.casefold())) - _LITTLE for response in responses]
            scores = np.array([_SHARPNESS * len(words & there) / max(1, len(words)) for words in said])
        likely: list[float] = _softmax(scores[None, :])[0].tolist()
        return likely


def train(instances: Sequence[Instance]) -> TextRanker:
    """Train on instances, and measure the accuracy by cross-validation."""
    if len(instances) < FEWEST:
        return TextRanker(np.zeros(_FEATURES), len(instances), None)
    table = _Table(instances)
    everything = np.arange(len(instances))
    right = 0
    for fold in range(_FOLDS):
        held_out = everything % _FOLDS == fold
        weights = table.fit(everything[~held_out])
        right += table.right(weights, everything[held_out])
    return TextRanker(table.fit(everything), len(instances), right / len(instances))


def _features(context: str, response: str) -> _Indexes:
    """Return the features of a response: words, neighbouring words, and pairs with words of the context."""
    said = _WORD.findall(response.casefold())[: 2 * _MOST_WORDS]
    known = [word for word in dict.fromkeys(_WORD.findall(context.casefold())) if word not in _LITTLE][-_MOST_WORDS:]
    telling = [word for word in dict.fromkeys(said) if word not in _LITTLE][:_MOST_WORDS]
    names = [f"w {word}" for word in dict.fromkeys(said)]
    names += [f"b {one} {other}" for one, other in zip(["<", *said], [*said, ">"], strict=True)]
    names += [f"p {word} {other}" for word in known for other in telling]
    names += [f"s {word}" for word in telling if word in known]
    return np.array([zlib.crc32(name.encode()) % _FEATURES for name in names], dtype=np.int64)


async def train_aside(instances: Sequence[Instance]) -> TextRanker:
    """Train without blocking: many instances in a separate process, because of Python's global lock."""
    if len(instances) <= FEW:
        return await asyncio.to_thread(train, instances)
    return await asyncio.to_thread(lambda: next(in_order(train, iter([instances]), workers=2)))


class _Table:
    """Instances as one long list of features, so that a step of learning is two passes over an array."""

    def __init__(self, instances: Sequence[Instance]) -> None:
        self._sizes = np.array([len(instance.responses) for instance in instances])
        self._width = int(self._sizes.max())
        rows = [
            (number * self._width + place, _features(instance.context, response))
            for number, instance in enumerate(instances)
            for place, response in enumerate(instance.responses)
        ]
        self._features = np.concatenate([found for _, found in rows])
        self._options = np.concatenate([np.full(len(found), option) for option, found in rows])

    def fit(self, chosen: _Indexes) -> _Floats:
        """Return weights that make the right responses of the chosen instances likely (Adagrad on the whole batch)."""
        weights, squares = np.zeros(_FEATURES), np.full(_FEATURES, 1e-8)
        mask = np.zeros(len(self._sizes), dtype=bool)
        mask[chosen] = True
        kept = mask[self._options // self._width]
        found, options = self._features[kept], self._options[kept]
        wanted = np.zeros((len(self._sizes), self._width))
        wanted[:, 0] = 1
        for _ in range(_STEPS):
            errors = np.where(mask[:, None], _softmax(self._scores(weights, found, options)) - wanted, 0).ravel()
            slope = np.bincount(found, errors[options], _FEATURES) / len(chosen) + _RIDGE * weights
            squares += slope * slope
            weights -= _RATE * slope / np.sqrt(squares)
        return weights

    def right(self, weights: _Floats, chosen: _Indexes) -> int:
        """Return how many of the chosen instances the weights answer correctly."""
        best = self._scores(weights, self._features, self._options)[chosen].argmax(axis=1)
        return int((best == 0).sum())

    def _scores(self, weights: _Floats, found: _Indexes, options: _Indexes) -> _Floats:
        scores = np.bincount(options, weights[found], len(self._sizes) * self._width).reshape(-1, self._width)
        return np.where(np.arange(self._width) < self._sizes[:, None], scores, -np.inf)


def _softmax(scores: _Floats) -> _Floats:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: _Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares
