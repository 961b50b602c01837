"""The editor protocol: an editor gets a picture and an instruction, and returns an edited picture."""

from typing import Any, Literal, Protocol, get_args, runtime_checkable

import msgspec

from countersight.errors import OrderInDoubt
from countersight.picture import Picture
from countersight.scenes import Scene


class EditOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """The recorded state of an order for an edit."""

    key: str
    """The digest of the request."""
    state: Literal["placing", "placed", "over"]
    id: str = ""
    address: str = ""
    """The address of the result."""
    cost: float = 0.0


class OrderBook(Protocol):
    """A durable record of orders."""

    def find(self, key: str) -> EditOrder | None:
        """Return the last recorded state of an order."""
        ...

    def note(self, order: EditOrder) -> None:
        """Record an order durably."""
        ...


class NoBook:
    """An order book that records nothing: every order is new."""

    def find(self, key: str) -> EditOrder | None:
        """Return None."""
        return None

    def note(self, order: EditOrder) -> None:
        """Do nothing."""


def refuse_doubtful(order: EditOrder) -> None:
    """Raise if an order may have been paid for without a known id."""
    if order.state == "placing":
        raise OrderInDoubt(
            "this edit may already be paid for: the process or the connection ended while it was being ordered. "
            f"Check your account, then remove the line with {order.key[:16]} from orders.jsonl and run the same "
            "command to order it again"
        )


Action = Literal["remove", "recolour", "add", "move", "resize", "reshape", "replace", "nothing", "other"]
"""The action on the concept; `nothing` is the control edit, which must leave the picture as it is."""

ConceptKind = Literal["object", "attribute"]


class Instruction(msgspec.Struct, frozen=True, omit_defaults=True):
    """One change of one concept, in words for editors that read and in parts for those that do not (EDCT 3.2)."""

    concept: str
    """The concept as the explanation cites it: "the red polygon", "the dog's leash"."""
    kind: ConceptKind
    action: Action
    positive: str
    """What the picture should show."""
    negative: str = ""
    """What it should no longer show, or must not change."""
    target: str = ""
    """The thing to change, in a word or two."""
    value: str = ""
    """The new colour, size, shape, direction or thing, if the action needs one."""


class EditRequest(msgspec.Struct, frozen=True):
    """A picture and the requested change."""

    picture: Picture
    instruction: Instruction
    seed: int = 0
    mask: bytes | None = None
    """A PNG of the picture's size, white where it may be changed; None leaves it to the editor."""
    scene: Scene | None = None
    """The scene behind the picture, if we drew it."""
    name: str = ""
    """The picture's file name in its dataset, used to find annotations."""
    orders: OrderBook | None = None
    """Where a paid editor records its orders before placing them."""


class Edited(msgspec.Struct, frozen=True):
    """The edited picture, and how it was made."""

    picture: Picture
    mask: bytes | None
    """A PNG of the original's size, white where the editor meant to change something; None if unknown."""
    log: dict[str, str | int | float]
    """Further facts about how it was made: model, seed, size sent and received, …"""
    cost: float = 0.0
    scene: Scene | None = None
    """The scene after the change, if we drew it."""


class EditorSettings(msgspec.Struct, frozen=True):
    """Settings of an editor, apart from its name."""

    timeout: float = 180.0
    """Timeout in seconds for one picture of a hosted editor."""


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
"""The actions of an editor that understands words."""


class Abilities(msgspec.Struct, frozen=True, omit_defaults=True):
    """The abilities of an editor for one picture."""

    actions: tuple[Action, ...] = ANY
    values: dict[str, str] = {}
    """The understood values of each action that needs one: "red, blue, …"."""
    things: tuple[str, ...] | None = None
    """The targets it can find in this picture, in words it understands; None if it accepts any words."""

    @property
    def words(self) -> str:
        """Return the abilities as sentences, for a writer of instructions; empty if anything is possible."""
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
    """An editor with limited abilities, which it can list."""

    async def abilities(self, request: EditRequest) -> Abilities:
        """Return the abilities for the picture of a request; its instruction does not matter."""
        ...


async def abilities_of(editor: Editor, request: EditRequest) -> Abilities:
    """Return the abilities of an editor; without a list, it accepts any words."""
    return await editor.abilities(request) if isinstance(editor, Able) else Abilities()


VERSION = 1
"""Increased whenever a word below changes, so that audits can be distinguished."""

_SAME = "Framing, size, viewpoint, light, background and everything else must stay exactly as they are."
_ALONE = "Answer with the edited picture alone."


def words_for(instruction: Instruction) -> str:
    """Return the prompt for an editor that gets the picture and these words.

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
    """Return the description of the result under a mask: editors that fill masks are trained on descriptions."""
    return _sentence(instruction.positive)


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."
