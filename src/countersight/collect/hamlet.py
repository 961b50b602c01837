"""HAMLET, human and model in the loop: people write examples that a model answers incorrectly (CoSIm 4)."""

import asyncio
import hashlib
import logging
import time

import msgspec
import numpy as np
from sqlalchemy import func, insert, select

from countersight.case import Option
from countersight.collect.campaign import Campaign
from countersight.collect.database import tables
from countersight.collect.text_ranker import TextRanker, train
from countersight.collect.work import Lease, items_in
from countersight.errors import CampaignError
from countersight.models import ModelSettings, Parts, Ranker, Request, Turn, open_model

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
    def name(self) -> str:
        """Its name with the number of training instances, since each training makes a new model."""
        return f"ranker/{self._ranker.trained_on if self._ranker else 0}"

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
            lambda c: [flow.instance(each.past) for each in items_in(c, flow, "done") if each.item.split == _TRAIN]
        )
        instances = [instance for instance in found if instance is not None]
        self._ranker = await asyncio.to_thread(train, instances)


class RankingModel:
    """Any model of this program that can rank text."""

    def __init__(self, name: str, timeout: float) -> None:
        model = open_model(name, ModelSettings(timeout=timeout))
        if not isinstance(model, Ranker) or model.needs_picture:
            raise CampaignError(f"loop.model: {name} cannot rank text without a picture; leave it at “ranker”")
        self.name = name
        self._model = model

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


def open_loop(campaign: Campaign) -> TextModel | None:
    """Return the model named in the settings; None if no phase of the flow is checked."""
    loop = campaign.settings.loop
    if not any(phase.checked for phase in campaign.flow.phases):
        return None
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
