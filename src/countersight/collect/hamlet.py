"""The model in the loop (HAMLET): people write distractors that a text model takes for the right response (CoSIm 4).

The model is a small ranker. Two rules of thumb work from the first item: a right response repeats words of the change,
and has many words in common with the other responses. From the finished items of the campaign it also learns which
words right responses have. Any other model that ranks text works too.

On CoSIm's published train split, it finds the right response for 52 % of all 1,924 instances without training (chance:
25 %); after training on 200 of them for 64 %, and after 1,300 for 68 % of the other 624.
"""

import asyncio
import hashlib
import logging
import re
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise

import msgspec
import numpy as np
from sqlalchemy import func, insert, select

from countersight.blindness import FeatureColumns, Table
from countersight.case import Option
from countersight.collect import tables
from countersight.collect.campaign import Campaign
from countersight.collect.flows import Instance
from countersight.collect.work import Lease, items_in
from countersight.errors import CampaignError
from countersight.models import ModelSettings, Parts, Ranker, Request, Turn, open_model

_RETRAIN_AFTER = 10
"""The number of new items in the train split (or 10 % more, if that is larger) after which the ranker is retrained."""
_TRAIN = "train"
"""The split that the ranker is trained on."""
_TAKEN_UP, _ALIKE = 8.0, 11.0
"""The weights of the two rules of thumb, fitted on CoSIm's train split; 7 to 11 work equally well."""
_MOST = 5_000
"""The maximum number of training instances (the latest ones), with which training takes a few seconds."""
_WORD = re.compile(r"\w+(?:'\w+)?")
_STOP_WORDS = frozenset(
    _WORD.findall("a an the of in on at to is are was were be it its and or this that there with for as")
)
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


class TextRanker(msgspec.Struct, frozen=True):
    """A text-only model that ranks responses, with one weight for each feature of a response."""

    weights: Mapping[str, float]
    trained_on: int

    def scores(self, instance: Instance) -> tuple[float, ...]:
        """Return the probability of each response; they add up to 1."""
        learned = ([self.weights.get(name, 0.0) for name in _features(instance, said)] for said in instance.responses)
        scores = np.array(_first_scores(instance)) + np.array([sum(weights) for weights in learned])
        powers = np.exp(scores - scores.max())
        return tuple(map(float, powers / powers.sum()))


def train(instances: Sequence[Instance]) -> TextRanker:
    """Train on the latest instances."""
    instances = instances[-_MOST:]
    features = FeatureColumns.of([_features(each, said) for said in each.responses] for each in instances)
    table = Table([0] * len(instances), features)
    weights = table.train(np.ones(len(instances), dtype=bool))
    return TextRanker(dict(zip(map(str, table.names), weights.tolist(), strict=True)), len(instances))


def _first_scores(instance: Instance) -> list[float]:
    """Return a score for each response by the rules of thumb, without training."""
    change = set(_words(instance.change))
    said = [set(_words(response)) - _STOP_WORDS for response in instance.responses]
    scores = []
    for place, words in enumerate(said):
        others = said[:place] + said[place + 1 :]
        alike = sum(len(words & other) / max(1, len(words | other)) for other in others) / max(1, len(others))
        scores.append(_TAKEN_UP * len(words & change) / max(1, len(words)) + _ALIKE * alike)
    return scores


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _features(instance: Instance, response: str) -> list[str]:
    """Return the features of a response: its words, pairs of neighbouring words, and words shared with the context."""
    said, there = _words(response), set(_words(instance.context)) - _STOP_WORDS
    words = list(dict.fromkeys(said))
    shared = [word for word in words if word in there]
    pairs = [f"{one} {other}" for one, other in pairwise(["<", *said, ">"])]
    return [*words, *pairs, *(f"shared: {word}" for word in shared), *["shared:"] * len(shared)]


class OwnRanker:
    """The ranker that is trained on the campaign as it grows."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._ranker = TextRanker({}, 0)
        self._training: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        """The name of the ranker with the number of training instances, because each training makes a new model."""
        return f"ranker/{self._ranker.trained_on}"

    async def likely(self, instance: Instance) -> tuple[float, ...]:
        """Return the probability of each response; if there is new data, the model is retrained in the background."""
        self.refresh()
        return self._ranker.scores(instance)

    def refresh(self) -> None:
        """Start training in the background if enough new items are finished."""
        if self._training is not None and not self._training.done():
            return
        known = self._ranker.trained_on
        done = (tables.item.c.state == "done") & (tables.item.c.split == _TRAIN)
        finished = self._campaign.store.read(lambda c: c.execute(select(func.count()).where(done)).scalar_one())
        if finished >= known + max(_RETRAIN_AFTER, known // 10):
            self._training = asyncio.create_task(self._train())

    async def _train(self) -> None:
        flow = self._campaign.flow
        instances = await self._campaign.store.read_slowly(
            lambda c: [flow.instance(each.past) for each in items_in(c, flow, "done") if each.item.split == _TRAIN]
        )
        self._ranker = await asyncio.to_thread(train, instances)


class RankingModel:
    """Any Countersight model that can rank text."""

    def __init__(self, name: str, timeout: float) -> None:
        model = open_model(name, ModelSettings(timeout=timeout))
        if not isinstance(model, Ranker) or model.needs_picture:
            raise CampaignError(f"loop.model: {name} cannot rank text without a picture; leave it at “ranker”")
        self.name = name
        self._model = model

    async def likely(self, instance: Instance) -> tuple[float, ...]:
        """Return probabilities from the losses of the options."""
        context, options = instance.context, tuple(map(Option, instance.responses))
        key = hashlib.sha256("\n".join((context, *instance.responses)).encode()).hexdigest()
        asked = Request(key, (Turn("user", context),), "choice", options, context, Parts(context))
        losses = await self._model.losses(asked)
        powers = np.exp(min(losses) - np.array(losses))
        return tuple(float(power) for power in powers / powers.sum())


TextModel = OwnRanker | RankingModel
"""A model that gives the probability of each response in a context."""


def open_loop(campaign: Campaign) -> TextModel | None:
    """Return the model named in the settings; None if no phase of the flow is checked."""
    loop = campaign.settings.loop
    if not any(phase.checked for phase in campaign.flow.phases):
        return None
    return OwnRanker(campaign) if loop.model == "ranker" else RankingModel(loop.model, loop.deadline)


async def check(campaign: Campaign, model: TextModel, lease: Lease, instance: Instance, texts: str) -> ModelCheck:
    """Ask the model, store its scores, and return them with the number of the attempt. Slow checks are abandoned."""
    loop, asked = campaign.settings.loop, select(func.count()).where(tables.check.c.lease_id == lease.id)
    before = int(campaign.store.read(lambda c: c.execute(asked).scalar_one()))
    if before >= loop.attempts:
        return ModelCheck(
            model.name, (), before, "You have used all checks for this item. Send it without further checks."
        )
    begun = time.monotonic()
    try:
        scores = await asyncio.wait_for(model.likely(instance), loop.deadline)
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
        "asked": hashlib.sha256(instance.context.encode()).hexdigest(),
        "texts": texts,
        "scores": msgspec.json.encode(scores).decode(),
        "fooled": sum(found.fools),
        "seconds": time.monotonic() - begun,
        "at": time.time(),
    }
    await campaign.store.write(lambda c: c.execute(insert(tables.check).values(**row)))
    return found
