"""Editors that are handed a picture and words, and paint: services and pipelines, behind one small interface."""

import asyncio
from typing import Any, Protocol

import msgspec
import numpy as np

from countersight.editing.compositing import kept_outside
from countersight.editing.masks import Mask, encode_mask, read_mask
from countersight.editing.protocol import Edited, EditFailed, EditRequest, Instruction
from countersight.editing.words import VERSION
from countersight.picture import BadPicture, Picture, as_seen, check_picture, to_send

Log = dict[str, str | int | float]


class Brief(msgspec.Struct, frozen=True):
    """What a painter is to do."""

    picture: Picture
    """As it goes to a server: upright, opaque, not too large."""
    words: str
    seed: int
    mask: Mask | None
    """Of the size of that picture."""

    @property
    def size(self) -> tuple[int, int]:
        return self.picture.width, self.picture.height


class Given(msgspec.Struct, frozen=True):
    """What it gave."""

    data: bytes
    """Of what is to be the edited picture."""
    log: Log = {}
    cost: float = 0.0


class Painter(Protocol):
    """Whatever paints."""

    settings: dict[str, Any]
    fills: bool
    """Whether it paints only where a mask is."""

    def words(self, instruction: Instruction) -> str:
        """An instruction as it is told to this one."""
        ...

    async def paint(self, brief: Brief) -> Given:
        """Do it, or fail as an editor does."""
        ...

    async def close(self) -> None:
        """Let go of connections and memory."""
        ...


class Painting:
    """An editor whose pictures a painter makes."""

    def __init__(self, name: str, painter: Painter) -> None:
        self.name = name
        self.settings = {**painter.settings, "words": VERSION}
        self._painter = painter

    async def edit(self, request: EditRequest) -> Edited:
        """Hand over the picture and the words, and check what comes back."""
        brief = await asyncio.to_thread(self._brief, request)
        nothing = request.instruction.action == "nothing"
        mask = encode_mask(np.zeros(brief.size[::-1], bool)) if nothing else request.mask
        if self._painter.fills and nothing:  # its mask is empty: there is nothing to fill
            return Edited(request.picture, mask, {})
        if self._painter.fills and mask is None:
            raise EditFailed(f"{self.name} paints only where a mask is, and there is none")
        given = await self._painter.paint(brief)
        try:
            picture = check_picture(given.data)
            received = f"{picture.width} x {picture.height} {picture.mime}"
            if brief.mask is not None and not nothing:
                picture = await asyncio.to_thread(_within, brief.mask, request.picture, picture)
        except BadPicture as error:
            raise EditFailed(f"the edited picture {error}", again=True) from None
        sent = f"{brief.picture.width} x {brief.picture.height} {brief.picture.mime}"
        log: Log = {"prompt": brief.words, "seed": request.seed, "sent": sent, "received": received, **given.log}
        return Edited(picture, mask, log, given.cost)

    async def close(self) -> None:
        await self._painter.close()

    def _brief(self, request: EditRequest) -> Brief:
        try:
            picture = to_send(request.picture)
        except BadPicture as error:
            raise EditFailed(f"the picture {error}") from None
        mask = None if request.mask is None else read_mask(request.mask, (picture.width, picture.height))
        return Brief(picture, self._painter.words(request.instruction), request.seed, mask)


def _within(mask: Mask, before: Picture, after: Picture) -> Picture:
    return kept_outside(mask, as_seen(before), as_seen(after))
