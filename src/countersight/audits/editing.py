"""Editors as an audit uses them: asked on until there is a picture, and what they give is checked and measured."""

import asyncio
import io

from countersight.audits.asking import News
from countersight.audits.records import Actor
from countersight.editing import Abilities, Edited, Editor, EditRequest, abilities_of
from countersight.editing.quality import EditQuality, PerceptualDistance, measure
from countersight.engine import Client, RetryPolicy
from countersight.errors import BadPicture
from countersight.picture import Picture, as_seen


class AskedEditor(Client[EditRequest, Edited]):
    """The editor of an audit."""

    def __init__(self, editor: Editor, retry: RetryPolicy, stop: asyncio.Event, news: News) -> None:
        super().__init__(editor.edit, retry, stop, news)
        self.party = Actor(editor.name, editor.settings)
        self._editor = editor

    async def abilities(self, request: EditRequest) -> Abilities | None:
        """What it can do to a picture; None where it takes any words."""
        able = await abilities_of(self._editor, request)
        return able if able.words else None

    async def close(self) -> None:
        """Let go of connections and memory."""
        await self._editor.close()


def measured(
    before: Picture,
    after: Picture,
    mask: bytes | None,
    *,
    control: bool = False,
    lpips: PerceptualDistance | None = None,
) -> EditQuality:
    """How good an edit is; raises BadPicture where the edited picture cannot be decoded."""
    from PIL import Image

    seen, edited = as_seen(before), as_seen(after)
    try:
        area = Image.open(io.BytesIO(mask)).convert("L") if mask else None
    except OSError:
        raise BadPicture("came with a mask that cannot be decoded") from None
    return measure(seen, edited, area, control=control, lpips=lpips)
