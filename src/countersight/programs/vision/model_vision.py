"""A vision tool that uses a model: the model answers questions, and boxes are parsed from its replies about places."""

import asyncio
import io
import re
from collections.abc import Iterable

from countersight.detection import Box, Patch, ToolFailed, size_as_seen
from countersight.errors import AskingFailed, BadPicture, Overloaded, Refused, Unreachable
from countersight.models import Answer, Model, Request, Turn
from countersight.picture import LARGE, Picture, as_seen

LONGEST = 20_000
"""The number of characters of a reply that are searched."""
MOST = 200
"""The maximum number of boxes; a model that repeats itself writes thousands."""
_NUMBER = r"\s*(-?\d{1,6}(?:\.\d{1,12})?)\s*"
_LISTED = re.compile(rf"(?:[\"']?(\w{{1,20}})[\"']?\s*:\s*)?[\[(]{_NUMBER},{_NUMBER},{_NUMBER},{_NUMBER}[\])]")
_CORNERS = re.compile(rf"[\[(]{_NUMBER},{_NUMBER}[\])]\s*,?\s*[\[(]{_NUMBER},{_NUMBER}[\])]")
_TOKENS = re.compile(r"<loc(\d{4})><loc(\d{4})><loc(\d{4})><loc(\d{4})>")
_UNDERLINED = re.compile(r"<loc_(\d{1,4})><loc_(\d{1,4})><loc_(\d{1,4})><loc_(\d{1,4})>")
_NAMED = re.compile(
    r",\s*".join(
        rf"[\"']?(?:{side})[\"']?\s*:{_NUMBER}"
        for side in ("x_?1|x_?min|left", "y_?1|y_?min|top", "x_?2|x_?max|right", "y_?2|y_?max|bottom")
    ),
    re.IGNORECASE,
)
# "No idea" and "No, I cannot see it" do not say that there is nothing.
_NONE = re.compile(
    r"\[\s*\]|^\W*(?:no\b(?! (?:idea|clue|problem)\b|, I can)|none\b|there (?:is|are) (?:no|none)\b)", re.IGNORECASE
)
Sides = tuple[float, float, float, float]


def read_boxes(text: str, width: int, height: int) -> list[Box] | None:
    """Return the boxes in a reply about a picture of that size; [] if it says that there are none, None if it is
    unclear.

    Boxes may be left, top, right and bottom, as lists or by name, in pixels, thousandths or fractions; `box_2d`, which
    begins with the top and counts in thousandths; two corners in thousandths; or location tokens of 1,024 or 1,000
    steps.
    """
    text = " ".join(text[:LONGEST].split())  # long runs of spaces would be scanned repeatedly
    shares = _shares(text, width, height)
    if shares is None:
        return [] if _NONE.search(text) else None
    found: dict[Box, None] = {}
    for left, top, right, bottom in shares:
        box = (round(left * width), round(top * height), round(right * width), round(bottom * height))
        box = (max(box[0], 0), max(box[1], 0), min(box[2], width), min(box[3], height))
        if box[0] < box[2] and box[1] < box[3]:
            found[box] = None
    return list(found)[:MOST]


def _shares(text: str, width: int, height: int) -> list[Sides] | None:
    """Return left, top, right and bottom of each box as shares of the picture."""
    if tokens := _numbers(_TOKENS.finditer(text)):
        return [(left / 1024, top / 1024, right / 1024, bottom / 1024) for top, left, bottom, right in tokens]
    if tokens := _numbers(_UNDERLINED.finditer(text)):
        return _thousandths(tokens)
    listed = [match for match, _ in zip(_LISTED.finditer(text), range(MOST), strict=False)]
    if not listed and (named := _numbers(_NAMED.finditer(text))):
        return _in_any_unit(named, width, height)
    if not listed:
        corners = _numbers(_CORNERS.finditer(text))
        return _thousandths(corners) if corners else None
    boxes = _numbers(listed, 2)
    if any(match[1] == "box_2d" for match in listed):
        return _thousandths([(left, top, right, bottom) for top, left, bottom, right in boxes])
    return _in_any_unit(boxes, width, height)


def _in_any_unit(boxes: list[Sides], width: int, height: int) -> list[Sides]:
    """Convert boxes in pixels, thousandths or fractions, whichever fits all of them, to shares."""
    if all(0 <= side <= 1 for box in boxes for side in box):
        return boxes
    beyond = any(right > width * 1.02 or bottom > height * 1.02 for _, _, right, bottom in boxes)
    if beyond and all(side <= 1000 for box in boxes for side in box):
        return _thousandths(boxes)
    return [(left / width, top / height, right / width, bottom / height) for left, top, right, bottom in boxes]


def _numbers(matches: Iterable[re.Match[str]], first: int = 1) -> list[Sides]:
    return [
        (float(match[first]), float(match[first + 1]), float(match[first + 2]), float(match[first + 3]))
        for match, _ in zip(matches, range(MOST), strict=False)
    ]


def _thousandths(boxes: list[Sides]) -> list[Sides]:
    return [(left / 1000, top / 1000, right / 1000, bottom / 1000) for left, top, right, bottom in boxes]


WHERE = (
    "Find every instance of this in the picture: {what}. The picture is {width} pixels wide and {height} pixels high. "
    "Reply only with a JSON list that has one entry for each instance, such as "
    '[{{"bbox_2d": [left, top, right, bottom], "label": "{what}"}}], in pixels, and with [] if there is none.'
)
ANSWER = "{question}\nAnswer in a word or a few words."


class ModelVision:
    """Uses any model as a vision tool; things can be found only if the model can answer with boxes."""

    def __init__(self, model: Model, spent: list[Answer]) -> None:
        """The model's answers are added to `spent`, from which the cost of a question is computed."""
        self.name = model.name
        self.settings: dict[str, object] = dict(model.settings)
        self._model, self._spent = model, spent

    async def find(self, picture: Picture, what: str, within: Patch | None) -> list[Patch]:
        """Find things at the places that the model reports."""
        left, top, right, bottom = within.box if within else (0, 0, *size_as_seen(picture))
        width, height = right - left, bottom - top
        said = await self._ask(picture, WHERE.format(what=what, width=width, height=height), within)
        boxes = read_boxes(said, width, height)
        if boxes is None:
            raise ToolFailed(f"{self.name} cannot locate objects; for {what[:60]!r} it answered {said[:80]!r}")
        return [Patch(_moved(box, left, top), what) for box in boxes]

    async def query(self, picture: Picture, question: str, within: Patch | None) -> str:
        """Return the model's answer about the picture or a part of it."""
        return await self._ask(picture, ANSWER.format(question=question), within)

    async def close(self) -> None:
        """Do nothing: the model may also have other uses, so its owner closes it."""

    async def _ask(self, picture: Picture, text: str, within: Patch | None) -> str:
        """Return the model's answer. A missing answer is a ToolFailed; errors that affect the whole run are passed
        on."""
        try:
            shown = await asyncio.to_thread(cut_out, picture, within.box) if within else picture
        except BadPicture as error:
            raise ToolFailed(f"the picture {error}") from None
        request = Request(text, (Turn("user", text, shown),), "open", question=text)
        try:
            answer = await self._model.reply(request)
        except (Overloaded, Refused, Unreachable):
            raise  # not a problem of this program: the run must handle it
        except AskingFailed as error:
            if error.again:
                raise
            raise ToolFailed(f"{self.name} did not answer: {error}") from None
        self._spent.append(answer)
        return answer.text


def cut_out(picture: Picture, box: Box) -> Picture:
    """Return a part of a picture as a new picture; raises BadPicture if the picture cannot be decoded."""
    part = as_seen(picture).crop(box)
    file = io.BytesIO()
    if picture.mime == "image/jpeg" or part.width * part.height > LARGE:
        part.save(file, "JPEG", quality=95, subsampling=0)
        return Picture(file.getvalue(), "image/jpeg", *part.size, plain=True)
    part.save(file, "PNG")
    return Picture(file.getvalue(), "image/png", *part.size, plain=True)


def _moved(box: Box, x: int, y: int) -> Box:
    return box[0] + x, box[1] + y, box[2] + x, box[3] + y
