"""What sits on each machine: an actor that holds the models and answers for whoever asks."""

from typing import Any, Literal

import msgspec

from countersight.errors import AskingFailed, CountersightError
from countersight.models.protocol import Model, ModelSettings, Request, Viewer
from countersight.models.registry import open_here, open_text_here
from countersight.picture import Picture

Asked = Literal["reply", "losses"]


class Wanted(msgspec.Struct, frozen=True):
    """A model that the actors are to hold."""

    name: str
    settings: ModelSettings
    for_words: bool = False
    """Whether it is asked with words alone, and may be one without eyes."""


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
    """The models of a command in a process of its own, on one GPU or one machine of the cluster."""

    def __init__(self) -> None:
        self._models: dict[Wanted, Model] = {}

    async def about(self, wanted: Wanted) -> About | Failure:
        """Open a model; nothing is loaded before the first question."""
        opened = open_text_here if wanted.for_words else open_here
        try:
            self._models[wanted] = model = opened(wanted.name, wanted.settings)
        except CountersightError as error:
            return Failure(str(error), for_good=True)
        limits = model.picture_limits if isinstance(model, Viewer) else None
        places = getattr(model, "places", 1)
        return About(model.settings, model.needs_picture, hasattr(model, "losses"), limits, places)

    async def ask(self, wanted: Wanted, how: Asked, request: Request, *pictures: Picture | None) -> Any:
        """Put a question to a model; its pictures come from the object store, apart from the words."""
        turns = [msgspec.structs.replace(turn, picture=one) for turn, one in zip(request.turns, pictures, strict=True)]
        try:
            return await getattr(self._models[wanted], how)(msgspec.structs.replace(request, turns=tuple(turns)))
        except AskingFailed as failure:
            return Failure(str(failure), again=failure.again)
        except CountersightError as error:
            return Failure(str(error), for_good=True)

    async def remarks(self, wanted: Wanted) -> list[str]:
        """What turned out about a model while it was asked."""
        return list(getattr(self._models.get(wanted), "remarks", ()))
