"""The HAMLET check: does a model take a distractor for the right response? Asked live, with a deadline (CoSIm 4)."""

import asyncio
import hashlib
import time
from typing import Protocol

import msgspec
import numpy as np
from sqlalchemy import Connection, func, insert, select

from countersight.case import Option
from countersight.collect.campaign import Campaign
from countersight.collect.database import tables
from countersight.collect.flows import Instance
from countersight.collect.loop.ranker import AT_ONCE, FEW, FEWEST, TextRanker, train_aside
from countersight.collect.work import finished_pasts
from countersight.errors import CampaignError
from countersight.models import ModelSettings, Parts, Ranker, Request, Turn, open_model

_RETRAIN_AFTER = 10
"""New items in the train split after which the ranker learns anew, or a tenth more, whichever is later."""
_LOOK_AFTER = 5.0
"""Seconds after which it looks again whether there are so many."""
_TRAIN = "train"
"""The split that it learns from."""


class ModelCheck(msgspec.Struct, frozen=True):
    """What the model made of the right response (the first) and the distractors."""

    model: str
    scores: tuple[float, ...]
    attempt: int = 0
    note: str = ""
    """Why there are no scores, where there are none."""

    @property
    def fools(self) -> tuple[bool, ...]:
        """For each distractor, whether the model takes it for right rather than the right response."""
        return tuple(score > self.scores[0] for score in self.scores[1:]) if self.scores else ()


class TextModel(Protocol):
    """Whatever says how likely each of several responses is, given what was said before."""

    name: str

    @property
    def learned(self) -> bool:
        """Whether it can answer at once; one that learns for the first time cannot."""
        ...

    def refresh(self) -> None:
        """Begin to learn, where there is something new to learn from."""
        ...

    async def likely(self, context: str, responses: tuple[str, ...]) -> tuple[float, ...]:
        """How likely each response is; they add up to 1."""
        ...


class OwnRanker:
    """The ranker that learns from the campaign as it goes."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._ranker: TextRanker | None = None
        self._training: asyncio.Task[None] | None = None
        self._looked = -_LOOK_AFTER

    @property
    def learned(self) -> bool:
        """Whether it has learned from enough since the server began."""
        return self._ranker is not None and self._ranker.ready

    @property
    def name(self) -> str:
        """Its name with how much it has learned from, since it is another model after each training."""
        return f"ranker/{self._ranker.trained_on if self._ranker else 0}"

    @property
    def words(self) -> str:
        """How good it is, in a sentence."""
        ranker = self._ranker
        if ranker is None or not ranker.ready:
            seen = ranker.trained_on if ranker else 0
            return (
                f"{seen} items of the train split are finished. Until there are {FEWEST} to learn from, the model "
                "prefers the response that shares most words with the question, the first response and the change."
            )
        right = f"{ranker.accuracy or 0:.0%}"
        return f"The model learned from {ranker.trained_on} items and gets {right} right without the pictures."

    async def likely(self, context: str, responses: tuple[str, ...]) -> tuple[float, ...]:
        """Ask it as it is now; where there is more to learn from, it learns meanwhile."""
        self.refresh()
        if self._ranker is None and self._training is not None:
            await asyncio.shield(self._training)  # whoever asks may give up waiting; the learning goes on
        ranker = self._ranker
        return tuple(ranker.scores(context, responses)) if ranker else ()

    def refresh(self) -> None:
        """Begin to learn in the background, where there is something new to learn from."""
        if self._training is not None and not self._training.done():
            return
        if self._ranker is None or self._has_more(self._ranker.trained_on):
            self._training = asyncio.create_task(self._train())

    def _has_more(self, known: int) -> bool:
        """Whether there is enough new to learn from; looked up now and then, since somebody asks with every word."""
        if time.monotonic() - self._looked < _LOOK_AFTER:
            return False
        self._looked = time.monotonic()
        return self._campaign.store.read(_finished) >= known + max(_RETRAIN_AFTER, known // 10)

    async def _train(self) -> None:
        instances = await self._campaign.store.read_slowly(self._instances)
        if self._ranker is None and len(instances) > FEW:  # a little is learned in a second: nobody waits for the rest
            self._ranker = await train_aside(instances[-AT_ONCE:])
            self._training = asyncio.create_task(self._train())
        else:
            self._ranker = await train_aside(instances)

    def _instances(self, connection: Connection) -> list[Instance]:
        flow = self._campaign.flow
        found = (flow.instance(past) for past in finished_pasts(connection, flow, _TRAIN))
        return [instance for instance in found if instance is not None]


class RankingModel:
    """Any of our models that can rank text."""

    learned = True

    def refresh(self) -> None:
        """It does not learn."""

    def __init__(self, name: str, timeout: float) -> None:
        model = open_model(name, ModelSettings(timeout=timeout))
        if not isinstance(model, Ranker) or model.needs_picture:
            raise CampaignError(f"loop.model: {name} cannot rank text without a picture; leave it at “ranker”")
        self.name = name
        self.words = f"The model is {name}; it sees the text only."
        self._model = model

    async def likely(self, context: str, responses: tuple[str, ...]) -> tuple[float, ...]:
        """From the losses of the options."""
        options = tuple(map(Option, responses))
        key = hashlib.sha256("\n".join((context, *responses)).encode()).hexdigest()
        asked = Request(key, (Turn("user", context),), "choice", options, context, Parts(context))
        losses = await self._model.losses(asked)
        powers = np.exp(min(losses) - np.array(losses))
        return tuple(float(power) for power in powers / powers.sum())


def open_loop(campaign: Campaign) -> OwnRanker | RankingModel:
    """The model that the settings name."""
    loop = campaign.settings.loop
    return OwnRanker(campaign) if loop.model == "ranker" else RankingModel(loop.model, loop.deadline)


async def check(
    campaign: Campaign,
    model: TextModel,
    lease_id: int,
    item_id: int,
    context: str,
    responses: tuple[str, ...],
    texts: str,
) -> ModelCheck:
    """Ask the model, keep what it said, and say which attempt this was. Too slow a model is left behind."""
    loop = campaign.settings.loop
    before = campaign.store.read(lambda c: attempts(c, lease_id))
    if before >= loop.attempts:
        return ModelCheck(
            model.name,
            (),
            before,
            f"You have used all {loop.attempts} checks of this item. Send it without further checks.",
        )
    begun = time.monotonic()
    try:
        scores = await asyncio.wait_for(model.likely(context, responses), loop.deadline)
    except TimeoutError:
        return ModelCheck(model.name, (), before, "The model takes too long. You can continue without it.")
    except Exception as error:
        return ModelCheck(
            model.name, (), before, f"The model did not answer ({type(error).__name__}). Continue without it."
        )
    found = ModelCheck(model.name, tuple(scores), before + 1)
    row = {
        "lease_id": lease_id,
        "item_id": item_id,
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


def attempts(connection: Connection, lease_id: int) -> int:
    """How often the model was asked about an item."""
    return int(connection.execute(select(func.count()).where(tables.check.c.lease_id == lease_id)).scalar_one())


def _finished(connection: Connection) -> int:
    done = (tables.item.c.state == "done") & (tables.item.c.split == _TRAIN)
    return int(connection.execute(select(func.count()).where(done)).scalar_one())


async def answers_blind(campaign: Campaign, model: TextModel, asked: Instance) -> float | None:
    """How likely a model without the picture thinks the right option; None where it cannot say in time.

    It is asked while somebody types, who need not wait until it has learned.
    """
    if not model.learned:
        model.refresh()
        return None
    try:
        scores = await asyncio.wait_for(model.likely(asked.context, asked.responses), campaign.settings.loop.deadline)
    except Exception:  # a hint that fails is no hint
        return None
    return scores[0] if scores else None
