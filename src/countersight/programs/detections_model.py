"""`detections:MODEL?vision=detector:PATH`: a language model answers from a list of detected objects.

This is the smallest model with open weights that explains its answers about photographs. Its only information about a
picture is a list of objects and their places, so it cannot see an object that was edited out.
"""

from collections import Counter

from msgspec.structs import replace

from countersight.detection import Detector, Patch, ToolFailed, open_detector, size_as_seen
from countersight.errors import AskingFailed, ModelError
from countersight.models import Answer, Displayed, Model, ModelSettings, Request, Turn, open_model
from countersight.picture import Picture
from countersight.text import several

DETECTOR_OPTION = "?vision=detector:"
MOST_LISTED = 40
"""The maximum number of objects with listed places; others are only counted."""
FOUND = """\
A detector looked at a picture, {width} pixels wide and {height} pixels high. It knows only some kinds of things. \
It found: {found}.
{places}"""


class DetectionsModel(Displayed):
    """Answers questions about pictures from a detector's results."""

    needs_picture = True
    picture_limits = (1, 2)

    def __init__(self, name: str, detector: Detector, model: Model) -> None:
        self.name = name
        self.settings: dict[str, object] = {**model.settings, **detector.settings, "model": model.name}
        self._detector, self._model = detector, model

    async def reply(self, request: Request) -> Answer:
        """Return the model's reply to the conversation with each picture replaced by text."""
        turns = tuple([await self._with_detections(turn) for turn in request.turns])
        return await self._model.reply(replace(request, turns=turns))

    async def close(self) -> None:
        """Close detector and model."""
        await self._detector.close()
        await self._model.close()

    async def _with_detections(self, turn: Turn) -> Turn:
        if turn.picture is None:
            return turn
        try:
            found = await self._detector.everything(turn.picture, None)
        except ToolFailed as failure:
            raise AskingFailed(str(failure), again=False) from None
        return Turn(turn.role, f"{describe_detections(found, turn.picture)}{turn.text}")


def open_detections_model(name: str, target: str, settings: ModelSettings) -> DetectionsModel:
    """Open a model such as `detections:endpoint:http://127.0.0.1:8000/v1#qwen?vision=detector:yolo.onnx`."""
    model, named, where = target.rpartition(DETECTOR_OPTION)
    if not named or not where:
        raise ModelError(f"{name[:80]!r} has no detector; write detections:MODEL{DETECTOR_OPTION}PATH")
    if model.partition(":")[0] in ("detections", "viper", "visprog"):
        raise ModelError(f"{model[:80]!r} cannot read the list of detected objects; use a language model")
    return DetectionsModel(name, open_detector(where, settings), open_model(model, settings))


def describe_detections(found: list[Patch], picture: Picture) -> str:
    """Describe a detector's results in a picture as lines for a language model."""
    width, height = size_as_seen(picture)
    counts = Counter(patch.name for patch in found)
    places = "".join(
        f"- {patch.name}: from ({patch.box[0]}, {patch.box[1]}) to ({patch.box[2]}, {patch.box[3]})\n"
        for patch in found[:MOST_LISTED]
    )
    return FOUND.format(
        width=width,
        height=height,
        found=", ".join(several(number, name) for name, number in counts.items()) or "nothing it knows",
        places=f"Where, from the left top corner to the right bottom corner:\n{places}" if places else "",
    )
