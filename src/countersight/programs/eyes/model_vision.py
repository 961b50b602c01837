"""A vision-language model as eyes for programs: it is asked about the picture, or about a part of it cut out."""

import asyncio
import io

from countersight.detection import Box, Patch, ToolFailed, size_as_seen
from countersight.errors import BadPicture
from countersight.models import Model, Request, Turn
from countersight.picture import LARGE, Picture, as_seen
from countersight.programs.eyes.asked import answer_of
from countersight.programs.eyes.boxes import read_boxes

WHERE = (
    "Find every instance of this in the picture: {what}. The picture is {width} pixels wide and {height} pixels high. "
    "Reply only with a JSON list that has one entry for each instance, such as "
    '[{{"bbox_2d": [left, top, right, bottom], "label": "{what}"}}], in pixels, and with [] if there is none.'
)
ANSWER = "{question}\nAnswer in a word or a few words."


class ModelVision:
    """Eyes that are any of our models; where things are it only knows if the model can say so in boxes."""

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self.settings: dict[str, object] = dict(model.settings)
        self._model = model

    async def find(self, picture: Picture, what: str, within: Patch | None) -> list[Patch]:
        """Where the model says things are."""
        left, top, right, bottom = within.box if within else (0, 0, *size_as_seen(picture))
        width, height = right - left, bottom - top
        said = await self._ask(picture, WHERE.format(what=what, width=width, height=height), within)
        boxes = read_boxes(said, width, height)
        if boxes is None:
            raise ToolFailed(f"{self.name} does not say where things are; of {what[:60]!r} it said {said[:80]!r}")
        return [Patch(_moved(box, left, top), what) for box in boxes]

    async def query(self, picture: Picture, question: str, within: Patch | None) -> str:
        """What the model says about the picture or a part of it."""
        return await self._ask(picture, ANSWER.format(question=question), within)

    async def close(self) -> None:
        """Let go of the model."""
        await self._model.close()

    async def _ask(self, picture: Picture, text: str, within: Patch | None) -> str:
        try:
            shown = await asyncio.to_thread(cut_out, picture, within.box) if within else picture
        except BadPicture as error:
            raise ToolFailed(f"the picture {error}") from None
        return await answer_of(self._model, Request(text, (Turn("user", text, shown),), "open", question=text))


def cut_out(picture: Picture, box: Box) -> Picture:
    """A part of a picture as a picture of its own; raises BadPicture where the whole cannot be decoded."""
    part = as_seen(picture).crop(box)
    file = io.BytesIO()
    if picture.mime == "image/jpeg" or part.width * part.height > LARGE:
        part.save(file, "JPEG", quality=95, subsampling=0)
        return Picture(file.getvalue(), "image/jpeg", *part.size, plain=True)
    part.save(file, "PNG")
    return Picture(file.getvalue(), "image/png", *part.size, plain=True)


def _moved(box: Box, x: int, y: int) -> Box:
    return box[0] + x, box[1] + y, box[2] + x, box[3] + y
