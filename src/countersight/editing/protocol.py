"""What an editor is to the rest of the program: it is handed a picture and an instruction and gives a picture back."""

from typing import Any, Literal, Protocol

import msgspec

from countersight.editing.orders import OrderBook
from countersight.picture import Picture
from countersight.scenes import Scene
from countersight.worlds import Discs, Supports

Action = Literal["remove", "recolour", "add", "move", "resize", "reshape", "replace", "nothing", "other"]
"""What is done to the concept; `nothing` is the control edit, which must leave the picture as it is."""

ConceptKind = Literal["object", "attribute"]

Drawn = Scene | Supports | Discs
"""What is drawn in a picture of ours: a scene, or a world."""


class Instruction(msgspec.Struct, frozen=True, omit_defaults=True):
    """One change of one concept, in words for editors that read and in parts for those that do not (EDCT 3.2)."""

    concept: str
    """What the explanation cites: "the red polygon", "the dog's leash"."""
    kind: ConceptKind
    action: Action
    positive: str
    """What the picture shall show."""
    negative: str = ""
    """What it shall no longer show, or must not change."""
    target: str = ""
    """The thing that is changed, in a word or two."""
    value: str = ""
    """The new colour, size, shape, direction or thing, where the action has one."""


class EditRequest(msgspec.Struct, frozen=True):
    """A picture and how it is to be changed."""

    picture: Picture
    instruction: Instruction
    seed: int = 0
    mask: bytes | None = None
    """A PNG of the picture's size, white where it may be changed; None leaves it to the editor."""
    scene: Drawn | None = None
    """What is drawn in the picture, where we drew it."""
    name: str = ""
    """The picture's file name in its dataset, by which annotations know it."""
    orders: OrderBook | None = None
    """Where an editor that is paid notes its orders before it places them."""


class Edited(msgspec.Struct, frozen=True):
    """The changed picture, and how it came about."""

    picture: Picture
    mask: bytes | None
    """A PNG of the original's size, white where the editor meant to change something; None where it does not know."""
    log: dict[str, str | int | float]
    """What else is needed to tell how it was made: model, seed, size sent and received, …"""
    cost: float = 0.0
    scene: Drawn | None = None
    """The scene or world after the change, where we drew it."""


class EditorSettings(msgspec.Struct, frozen=True):
    """How an editor works, beside what it is named."""

    timeout: float = 180.0
    """Seconds a hosted editor may take for a picture."""


class Editor(Protocol):
    """Anything that edits. `settings` are what its pictures depend on beside the request."""

    name: str
    settings: dict[str, Any]

    async def edit(self, request: EditRequest) -> Edited:
        """Change the picture, or raise EditFailed or another AskingFailed, or CountersightError where none can be."""
        ...

    async def close(self) -> None:
        """Let go of connections and memory."""
        ...
