"""The base class of editors that generate a picture from a prompt: services and local pipelines."""

import asyncio
from typing import Any

import msgspec
import numpy as np

from countersight.detection import Mask, encode_mask
from countersight.editing.pictures import keep_outside, unchanged, with_margin
from countersight.editing.protocol import (
    VERSION,
    Action,
    Edited,
    EditRequest,
    NoBook,
    OrderBook,
    description_of,
    words_for,
)
from countersight.editing.selecting import Selector
from countersight.errors import BadPicture, EditFailed
from countersight.picture import Picture, as_seen, check_picture, to_send

Log = dict[str, str | int | float]

WITHIN: tuple[Action, ...] = ("remove", "recolour", "reshape", "replace", "other")
"""Actions that change only pixels inside the object's outline, unlike moving, enlarging or adding an object."""


class Brief(msgspec.Struct, frozen=True):
    """A picture and a prompt, ready to be sent."""

    picture: Picture
    """The picture as sent to a server: upright, opaque, and not too large."""
    words: str
    seed: int
    mask: Mask | None
    """A mask with the size of the picture."""
    orders: OrderBook = NoBook()


class Given(msgspec.Struct, frozen=True):
    """The edited picture as received."""

    data: bytes
    """The bytes of the edited picture."""
    log: Log = {}
    cost: float = 0.0


class Painting:
    """Base class of editors that generate a picture; a subclass implements `paint`."""

    fills = False
    """Whether it needs a mask and changes only the pixels under it."""
    described = False
    """Whether its prompt must describe the result instead of the change."""

    def __init__(self, name: str, settings: dict[str, Any], selector: Selector | None = None) -> None:
        """`selector` finds a mask if the editor needs one and the request has none."""
        self.name = name
        self._selector = selector or Selector()
        self.settings = {**settings, **self._selector.settings, "words": VERSION}

    async def paint(self, brief: Brief) -> Given:
        """Return the edited picture; raises the same errors as `edit`."""
        raise NotImplementedError

    async def close(self) -> None:
        """Release connections and memory."""

    async def edit(self, request: EditRequest) -> Edited:
        """Send the picture and the prompt, and check the result."""
        nothing = request.instruction.action == "nothing"
        if nothing and self.fills:  # its mask is empty: there is nothing to fill
            return unchanged(request)
        brief, how = await asyncio.to_thread(self._brief, request)
        changing = np.zeros((brief.picture.height, brief.picture.width), bool) if nothing else brief.mask
        given = await self.paint(brief)
        try:
            picture = check_picture(given.data)
            received = f"{picture.width} x {picture.height} {picture.mime}"
            if brief.mask is not None:
                picture = await asyncio.to_thread(keep_outside, brief.mask, request.picture, picture)
        except BadPicture as error:
            raise EditFailed(f"the edited picture {error}", again=True) from None
        sent = f"{brief.picture.width} x {brief.picture.height} {brief.picture.mime}"
        log: Log = {"prompt": brief.words, "seed": request.seed, "sent": sent, "received": received, **given.log}
        if how:
            log["mask from"] = how
        return Edited(picture, None if changing is None else encode_mask(changing), log, given.cost)

    def _brief(self, request: EditRequest) -> tuple[Brief, str]:
        """Return the picture and prompt to send, and the source of the mask."""
        try:
            picture = to_send(request.picture)
            mask, how = self._mask(request, picture)
        except BadPicture as error:
            raise EditFailed(f"the picture {error}") from None
        words = (description_of if self.described else words_for)(request.instruction)
        return Brief(picture, words, request.seed, mask, request.orders or NoBook()), how

    def _mask(self, request: EditRequest, picture: Picture) -> tuple[Mask | None, str]:
        action = request.instruction.action
        if not self.fills or action == "nothing":
            return None, ""
        if action not in WITHIN:
            raise EditFailed(f"{self.name} needs a mask, and there is none for “{action}”")
        found = self._selector.target(request, np.asarray(as_seen(picture)))
        return with_margin(found.mask), found.how
