"""`openai-edit:MODEL`: OpenAI's image edits, with a mask where there is one."""

import io
import os

import aiohttp
import numpy as np
from PIL import Image

from countersight.detection import Mask
from countersight.editing.hosted import (
    MAX_ANSWER,
    amount,
    failure,
    from_base64,
    inside,
    needed_key,
    no_picture,
    object_in,
    words_in,
)
from countersight.editing.painting import Brief, Given, Log, Painting
from countersight.editing.protocol import EditorSettings, Instruction, words_for
from countersight.errors import EditFailed
from countersight.models import OPENAI, Service, checked_address


class OpenAIEdit:
    """One image model of OpenAI."""

    fills = False

    def __init__(self, model: str, base: str, key: str, settings: EditorSettings) -> None:
        self.settings = {"address": base, "model": model}
        self._model = model
        self._url = base.rstrip("/") + "/images/edits"
        self._service = Service(base, key, timeout=settings.timeout, most=MAX_ANSWER)

    def words(self, instruction: Instruction) -> str:
        """The instruction, in words."""
        return words_for(instruction)

    async def paint(self, brief: Brief) -> Given:
        """Send the form, and take the picture out of the answer. These models know no seed."""
        received = await self._service.post(self._url, self._form(brief))
        if not received.well:
            raise failure(self._service.host, received)
        answer = object_in(received)
        first = inside(answer, "data", 0)
        if inside(first, "b64_json") is None:
            if inside(first, "url") is not None:
                raise EditFailed("the answer has an address where its picture should be")
            raise no_picture(words_in(inside(answer, "error", "message")))
        log: Log = {
            "tokens_in": amount(inside(answer, "usage", "input_tokens")),
            "tokens_out": amount(inside(answer, "usage", "output_tokens")),
        }
        if revised := words_in(inside(first, "revised_prompt")):
            log["revised_prompt"] = revised
        return Given(from_base64(inside(first, "b64_json")), log)

    async def close(self) -> None:
        await self._service.close()

    def _form(self, brief: Brief) -> aiohttp.FormData:
        form = aiohttp.FormData()
        form.add_field("model", self._model)
        form.add_field("prompt", brief.words)
        form.add_field("n", "1")
        form.add_field("output_format", "png")
        if self._model.startswith("gpt-image-1") and "mini" not in self._model:
            form.add_field("input_fidelity", "high")  # later models keep to the picture without being told
        kind = brief.picture.mime.removeprefix("image/")
        form.add_field("image", brief.picture.data, filename=f"picture.{kind}", content_type=brief.picture.mime)
        if brief.mask is not None:
            form.add_field("mask", _clear(brief.mask), filename="mask.png", content_type="image/png")
        return form


def open_openai_edit(name: str, model: str, settings: EditorSettings) -> Painting:
    """`openai-edit:MODEL`; key from OPENAI_API_KEY, another base address from OPENAI_BASE_URL."""
    base = checked_address(os.environ.get("OPENAI_BASE_URL") or OPENAI)
    return Painting(name, OpenAIEdit(model, base, needed_key("OPENAI_API_KEY", "openai-edit"), settings))


def _clear(mask: Mask) -> bytes:
    """A mask as OpenAI wants it: a PNG that is clear where the picture may be changed."""
    pixels = np.zeros((*mask.shape, 4), np.uint8)
    pixels[:, :, 3] = np.where(mask, 0, 255)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()
