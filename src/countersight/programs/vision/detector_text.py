"""A vision tool of a detector and a language model: the model answers questions from the list of detected objects."""

from collections import Counter

from countersight.detection import Detector, Patch, size_as_seen
from countersight.models import Model, Request, Turn
from countersight.picture import Picture
from countersight.programs.vision.model_vision import answer_of
from countersight.text import several

MOST_TOLD = 40
"""The maximum number of objects whose places are listed; of others only their number is given."""
FOUND = """\
A detector looked at {what}, {width} pixels wide and {height} pixels high. It knows only some kinds of things. \
It found: {found}.
{places}"""
QUESTION = """\
{found}Question about the picture: {question}
Answer in a word or a few words."""


class ToldVision:
    """Finds things with a detector; a language model answers questions from the detector's results."""

    def __init__(self, detector: Detector, model: Model) -> None:
        self.name = f"{detector.name}+told:{model.name}"
        self.settings: dict[str, object] = {**model.settings, **detector.settings}
        self._detector, self._model = detector, model
        self.find = detector.find

    async def query(self, picture: Picture, question: str, within: Patch | None) -> str:
        """Return the model's answer from the detected objects."""
        text = _told(await self._detector.everything(picture, within), picture, question, within)
        return await answer_of(self._model, Request(text, (Turn("user", text),), "open", question=question))

    async def close(self) -> None:
        """Close detector and model."""
        await self._detector.close()
        await self._model.close()


def _told(found: list[Patch], picture: Picture, question: str, within: Patch | None) -> str:
    return QUESTION.format(found=found_words(found, picture, within), question=" ".join(question.split()))


def found_words(found: list[Patch], picture: Picture, within: Patch | None) -> str:
    """Describe a detector's results in a picture or a part of it, as lines for a language model."""
    left, top, right, bottom = within.box if within else (0, 0, *size_as_seen(picture))
    counts = Counter(patch.name for patch in found)
    places = "".join(
        f"- {patch.name}: from ({patch.box[0] - left}, {patch.box[1] - top}) to "
        f"({patch.box[2] - left}, {patch.box[3] - top})\n"
        for patch in found[:MOST_TOLD]
    )
    return FOUND.format(
        what="a part of a picture" if within else "a picture",
        width=right - left,
        height=bottom - top,
        found=", ".join(several(number, name) for name, number in counts.items()) or "nothing it knows",
        places=f"Where, from the left top corner to the right bottom corner:\n{places}" if places else "",
    )
