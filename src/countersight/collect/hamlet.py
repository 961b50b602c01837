"""HAMLET, human and model in the loop: people write examples that a model answers incorrectly (CoSIm 4)."""

import asyncio
import hashlib
import logging
import re
import time
import zlib
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, insert, select

from countersight.case import Option
from countersight.collect.campaign import Campaign
from countersight.collect.database import tables
from countersight.collect.flows import Instance
from countersight.collect.work import Lease, finished_pasts
from countersight.errors import CampaignError
from countersight.models import ModelSettings, Parts, Ranker, Request, Turn, open_model
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


_RETRAIN_AFTER = 10
"""New items in the train split (or 10 % more, if that is larger) after which the ranker is trained again."""
_LOOK_AFTER = 5.0
"""Seconds between checks for new items."""
_TRAIN = "train"
"""The split that it learns from."""
_log = logging.getLogger("countersight.collect")


class ModelCheck(msgspec.Struct, frozen=True):
    """The model's scores of the right response (the first) and the distractors."""

    model: str
    scores: tuple[float, ...]
    attempt: int = 0
    note: str = ""
    """Why there are no scores, if there are none."""

    @property
    def fools(self) -> tuple[bool, ...]:
        """Whether the model prefers each distractor to the right response."""
        return tuple(score > self.scores[0] for score in self.scores[1:]) if self.scores else ()


class OwnRanker:
    """The ranker that is trained on the campaign as it grows."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._ranker: TextRanker | None = None
        self._training: asyncio.Task[None] | None = None
        self._looked = 0.0

    @property
    def learned(self) -> bool:
        """Whether it was trained on enough data since the server started."""
        return self._ranker is not None and self._ranker.ready

    @property
    def name(self) -> str:
        """Its name with the number of training instances, since each training makes a new model."""
        return f"ranker/{self._ranker.trained_on if self._ranker else 0}"

    def describe(self, say: Callable[[str], str]) -> str:
        """Return a sentence on its accuracy, in the language of `say`."""
        ranker = self._ranker
        if ranker is None or not ranker.ready:
            return say(
                "{seen} items of the train split are finished. Until there are {fewest} to learn from, the model "
                "prefers the response that shares most words with the question, the first response and the change."
            ).format(seen=ranker.trained_on if ranker else 0, fewest=FEWEST)
        return say("The model learned from {seen} items and gets {right} right without the pictures.").format(
            seen=ranker.trained_on, right=f"{ranker.accuracy or 0:.0%}"
        )

    async def likely(self, context: str, responses: tuple[str, ...]) -> tuple[float, ...]:
        """Return the probability of each response; if there is new data, the model is trained meanwhile."""
        self.refresh()
        if self._ranker is None and self._training is not None:
            await asyncio.shield(self._training)  # training goes on if the caller gives up
        return tuple(self._ranker.scores(context, responses)) if self._ranker else ()

    def refresh(self) -> None:
        """Start training in the background if there is new data; it is looked up at most every few seconds."""
        if self._training is not None and not self._training.done():
            return
        if self._ranker is not None:
            if time.monotonic() - self._looked < _LOOK_AFTER:
                return
            self._looked, known = time.monotonic(), self._ranker.trained_on
            done = (tables.item.c.state == "done") & (tables.item.c.split == _TRAIN)
            finished = self._campaign.store.read(lambda c: c.execute(select(func.count()).where(done)).scalar_one())
            if finished < known + max(_RETRAIN_AFTER, known // 10):
                return
        self._training = asyncio.create_task(self._train())

    async def _train(self) -> None:
        flow = self._campaign.flow
        found = await self._campaign.store.read_slowly(
            lambda c: list(map(flow.instance, finished_pasts(c, flow, _TRAIN)))
        )
        self._ranker = await train_aside([instance for instance in found if instance is not None])


class RankingModel:
    """Any model of this program that can rank text."""

    learned = True

    def __init__(self, name: str, timeout: float) -> None:
        model = open_model(name, ModelSettings(timeout=timeout))
        if not isinstance(model, Ranker) or model.needs_picture:
            raise CampaignError(f"loop.model: {name} cannot rank text without a picture; leave it at “ranker”")
        self.name = name
        self._model = model

    def describe(self, say: Callable[[str], str]) -> str:
        """Return a sentence on what it is, in the language of `say`."""
        return say("The model is {name}; it sees the text only.").format(name=self.name)

    def refresh(self) -> None:
        """Do nothing: it is not trained."""

    async def likely(self, context: str, responses: tuple[str, ...]) -> tuple[float, ...]:
        """Return probabilities from the losses of the options."""
        options = tuple(map(Option, responses))
        key = hashlib.sha256("\n".join((context, *responses)).encode()).hexdigest()
        asked = Request(key, (Turn("user", context),), "choice", options, context, Parts(context))
        losses = await self._model.losses(asked)
        powers = np.exp(min(losses) - np.array(losses))
        return tuple(float(power) for power in powers / powers.sum())


TextModel = OwnRanker | RankingModel
"""A model that gives the probability of each response in a context."""


def open_loop(campaign: Campaign) -> TextModel:
    """Return the model named in the settings."""
    loop = campaign.settings.loop
    return OwnRanker(campaign) if loop.model == "ranker" else RankingModel(loop.model, loop.deadline)


async def check(
    campaign: Campaign, model: TextModel, lease: Lease, context: str, responses: tuple[str, ...], texts: str
) -> ModelCheck:
    """Ask the model, store its scores, and return them with the number of the attempt. Slow models are abandoned."""
    loop, asked = campaign.settings.loop, select(func.count()).where(tables.check.c.lease_id == lease.id)
    before = int(campaign.store.read(lambda c: c.execute(asked).scalar_one()))
    if before >= loop.attempts:
        return ModelCheck(
            model.name, (), before, "You have used all checks of this item. Send it without further checks."
        )
    begun = time.monotonic()
    try:
        scores = await asyncio.wait_for(model.likely(context, responses), loop.deadline)
    except TimeoutError:
        return ModelCheck(model.name, (), before, "The model takes too long. You can continue without it.")
    except Exception:
        _log.exception("the model %s did not answer", model.name)
        return ModelCheck(model.name, (), before, "The model did not answer. You can continue without it.")
    found = ModelCheck(model.name, tuple(scores), before + 1)
    row = {
        "lease_id": lease.id,
        "item_id": lease.item_id,
        "attempt": found.attempt,
        "model": model.name,
        "asked": hashlib.sha256(context.encode()).hexdigest(),
        "texts": texts,
        "scores": msgspec.json.encode(scores).decode(),
        "fooled": sum(found.fools),
        "seconds": time.monotonic() - begun,
        "at": time.time(),
    }
    await campaign.store.write(lambda c: c.execute(insert(tables.check).values(**row)))
    return found


async def answers_blind(campaign: Campaign, model: TextModel, asked: Instance) -> float | None:
    """Return a text model's probability of the right option; None if it does not answer in time.

    It is called while somebody types, so it does not wait for training.
    """
    if not model.learned:
        model.refresh()
        return None
    try:
        scores = await asyncio.wait_for(model.likely(asked.context, asked.responses), campaign.settings.loop.deadline)
    except Exception:  # only a hint: failures are ignored
        return None
    return scores[0] if scores else None
