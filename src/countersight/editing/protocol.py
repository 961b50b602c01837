"""What an editor is to the rest of the program: it is handed a picture and an instruction and gives a picture back."""

from typing import Any, Literal, Protocol, get_args, runtime_checkable

import msgspec

from countersight.errors import OrderInDoubt
from countersight.picture import Picture
from countersight.scenes import Scene
from countersight.worlds import Discs, Supports


class EditOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """One order of an edit, as far as it is known."""

    key: str
    """What is ordered: the digest of the request."""
    state: Literal["placing", "placed", "over"]
    id: str = ""
    address: str = ""
    """Where to look for the result."""
    cost: float = 0.0


class OrderBook(Protocol):
    """Where orders are noted; what is noted outlives the process."""

    def find(self, key: str) -> EditOrder | None:
        """What was last noted of an order."""
        ...

    def note(self, order: EditOrder) -> None:
        """Write it down; when this returns, a kill of the process cannot undo it."""
        ...


class NoBook:
    """Orders of somebody who keeps no book: each is a new one."""

    def find(self, key: str) -> EditOrder | None:
        """Nothing is known."""
        return None

    def note(self, order: EditOrder) -> None:
        """Nothing is written."""


def refuse_doubtful(order: EditOrder) -> None:
    """Raise where an order may have been paid for, and nobody knows under which name."""
    if order.state == "placing":
        raise OrderInDoubt(
            "this edit may already be paid for: the process or the connection ended while it was being ordered. "
            f"Check your account, then remove the line with {order.key[:16]} from orders.jsonl and run the same "
            "command to order it again"
        )


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
    """The edited picture, and how it was made."""

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
    """An editor of pictures. `settings` are what its results depend on besides the request."""

    name: str
    settings: dict[str, Any]

    async def edit(self, request: EditRequest) -> Edited:
        """Edit the picture. Raises EditFailed or another AskingFailed; CountersightError if no edit is possible."""
        ...

    async def close(self) -> None:
        """Release connections and memory."""
        ...


ANY: tuple[Action, ...] = tuple(action for action in get_args(Action) if action != "nothing")
"""What an editor that reads words can be asked for."""


class Abilities(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one editor can do to one picture."""

    actions: tuple[Action, ...] = ANY
    values: dict[str, str] = {}
    """For an action that needs one, which values are understood: "red, blue, …"."""
    things: tuple[str, ...] | None = None
    """The targets it can find in this picture, in words it understands; None where it takes any words."""

    @property
    def words(self) -> str:
        """The same as sentences, for whoever writes instructions; nothing where anything can be asked for."""
        said = []
        if self.actions != ANY:
            values = (f"{each} (value: {self.values[each]})" if each in self.values else each for each in self.actions)
            said.append(f"The only actions that can be done: {', '.join(values)}.")
        if self.things is not None:
            listed = ", ".join(self.things) or "none"
            said.append(f"The only targets that can be found in this picture: {listed}.")
        return " ".join(said)


@runtime_checkable
class Able(Protocol):
    """An editor that cannot do everything, and says so."""

    async def abilities(self, request: EditRequest) -> Abilities:
        """What it can do to the picture of a request, whose instruction does not matter."""
        ...


async def abilities_of(editor: Editor, request: EditRequest) -> Abilities:
    """What an editor can do; one that does not say takes any words."""
    return await editor.abilities(request) if isinstance(editor, Able) else Abilities()


VERSION = 1
"""Counted up whenever a word below changes, so that two audits can be told apart."""

_SAME = "Framing, size, viewpoint, light, background and everything else must stay exactly as they are."
_ALONE = "Answer with the edited picture alone."


def words_for(instruction: Instruction) -> str:
    """What an editor is told that gets the picture and these words.

    The negative part says what is to vanish or what is not to be touched (EDCT 3.2 leaves both to it), so it is handed
    on as it is written. Editors that also write are told not to: some send words in place of a picture.
    """
    if instruction.action == "nothing":
        return f"Give this picture back exactly as it is. Change nothing at all. {_SAME} {_ALONE}"
    lines = [f"Make one change to this picture: {_sentence(instruction.positive)}"]
    if instruction.negative.strip():
        lines.append(f"Not to be seen afterwards, or not to be touched: {_sentence(instruction.negative)}")
    return "\n".join([*lines, _SAME, _ALONE])


def description_of(instruction: Instruction) -> str:
    """What shall be seen where a mask is: editors that fill it are trained on descriptions, not on commands."""
    return _sentence(instruction.positive)


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."
