"""What sits on each machine: an actor that holds the model and answers for whoever asks."""

from typing import Any, Literal

import msgspec

from countersight.errors import AskingFailed, CountersightError
from countersight.models.protocol import Model, ModelSettings, Request, Viewer
from countersight.models.registry import open_model
from countersight.picture import Picture

Asked = Literal["reply", "losses"]


class About(msgspec.Struct, frozen=True):
    """What a model is on the machine that computes it."""

    settings: dict[str, Any]
    needs_picture: bool
    ranks: bool
    picture_limits: tuple[int, int] | None = None
    places: int = 1
    """So many times as many questions can be under way there as with a server."""


class Failure(msgspec.Struct, frozen=True):
    """Why there is no answer. Exceptions of ours do not travel: what they say does."""

    reason: str
    again: bool = False
    for_good: bool = False
    """Every further question would fail too."""


class Seat:
    """The model in a process of its own, on one machine of the cluster."""

    def __init__(self, name: str, settings: ModelSettings) -> None:
        self._name, self._settings = name, settings
        self._model: Model | None = None

    async def about(self) -> About | Failure:
        """Open the model; nothing is loaded before the first question."""
        try:
            self._model = model = open_model(self._name, self._settings)
        except CountersightError as error:
            return Failure(str(error), for_good=True)
        limits = model.picture_limits if isinstance(model, Viewer) else None
        places = getattr(model, "places", 1)
        return About(model.settings, model.needs_picture, hasattr(model, "losses"), limits, places)

    async def ask(self, how: Asked, request: Request, *pictures: Picture | None) -> Any:
        """Put a question to the model; its pictures come from the object store, apart from the words."""
        turns = [msgspec.structs.replace(turn, picture=one) for turn, one in zip(request.turns, pictures, strict=True)]
        try:
            return await getattr(self._model, how)(msgspec.structs.replace(request, turns=tuple(turns)))
        except AskingFailed as failure:
            return Failure(str(failure), again=failure.again)
        except CountersightError as error:
            return Failure(str(error), for_good=True)

    async def remarks(self) -> list[str]:
        """What turned out about the model while it was asked."""
        return list(getattr(self._model, "remarks", ()))
