"""Picture editors: an editor receives a picture and an instruction, and returns an edited picture.

`EDITORS` lists them by name.
"""

from typing import Any, Literal, Protocol, get_args, runtime_checkable

import msgspec

from countersight.errors import EditorError, OrderInDoubt
from countersight.picture import Picture
from countersight.registry import Plug, Registry
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
        """Return None, because no order is ever recorded."""
        return None

    def note(self, order: EditOrder) -> None:
        """Do nothing."""


def refuse_doubtful(order: EditOrder) -> None:
    """Raise OrderInDoubt if an order may have been paid for but has no known id."""
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
    """One change to one concept, as sentences for editors that accept text and as fields for others (EDCT 3.2)."""

    concept: str
    """The concept as named in the explanation: "the red polygon", "the dog's leash"."""
    kind: ConceptKind
    action: Action
    positive: str
    """A description of what the edited picture should show."""
    negative: str = ""
    """A description of what it should no longer show, or what must not change."""
    target: str = ""
    """The object to change, in a word or two."""
    value: str = ""
    """The new colour, size, shape, direction or object, if the action needs one."""


class EditRequest(msgspec.Struct, frozen=True):
    """A picture and the requested change."""

    picture: Picture
    instruction: Instruction
    seed: int = 0
    scene: Scene | None = None
    """The scene that the picture was drawn from, if it was generated."""
    name: str = ""
    """The picture's file name in its dataset, used to find annotations."""
    orders: OrderBook | None = None
    """The order book in which a paid editor records orders before it places them."""


class Edited(msgspec.Struct, frozen=True):
    """The edited picture, and how it was made."""

    picture: Picture
    mask: bytes | None
    """A PNG with the size of the original, white where the editor meant to change something; None if unknown."""
    log: dict[str, str | int | float]
    """Further details: model, seed, size sent and received, …"""
    cost: float = 0.0
    scene: Scene | None = None
    """The scene after the change, if the picture was generated."""


class EditorSettings(msgspec.Struct, frozen=True):
    """Settings of an editor, apart from its name."""

    timeout: float = 180.0
    """The timeout in seconds for one picture of a hosted editor."""


class Editor(Protocol):
    """A picture editor. `settings` contains everything, apart from the request, that its results depend on."""

    name: str
    settings: dict[str, Any]

    async def edit(self, request: EditRequest) -> Edited:
        """Edit the picture. Raises EditFailed or another AskingFailed, or CountersightError if no edit is possible."""
        ...

    async def close(self) -> None:
        """Release connections and memory."""
        ...


ANY: tuple[Action, ...] = tuple(action for action in get_args(Action) if action != "nothing")
"""The actions of an editor that accepts any instruction."""


class Abilities(msgspec.Struct, frozen=True, omit_defaults=True):
    """The actions, values and targets that an editor supports for one picture."""

    actions: tuple[Action, ...] = ANY
    values: dict[str, str] = {}
    """The accepted values of each action that needs one: "red, blue, …"."""
    things: tuple[str, ...] | None = None
    """The targets it can find in this picture, in words it understands; None if it accepts any words."""

    @property
    def words(self) -> str:
        """Return the abilities as sentences for the model that writes instructions; empty if anything is possible."""
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
    """An editor that supports only some edits, and can list them."""

    async def abilities(self, request: EditRequest) -> Abilities:
        """Return the abilities for the picture of a request; the instruction is ignored."""
        ...


async def abilities_of(editor: Editor, request: EditRequest) -> Abilities:
    """Return the abilities of an editor; an editor that lists none accepts any instruction."""
    return await editor.abilities(request) if isinstance(editor, Able) else Abilities()


EDITORS: Registry[Editor] = Registry(
    "editor",
    {
        "exact": Plug(
            "exact",
            "for generated scenes: changes the scene as instructed and redraws it",
            "countersight.editing.exact:open_exact",
        ),
        "classical": Plug(
            "classical[?OPTIONS]",
            "for photographs, with OpenCV under a mask; annotations=COCO.json or detector=FILE locate objects, "
            "segmenter=FOLDER outlines them",
            "countersight.editing.classical:open_classical",
        ),
        "inpaint": Plug(
            "inpaint:FILE.onnx[?OPTIONS]",
            "the same, but holes are filled by a network such as MI-GAN or LaMa",
            "countersight.editing.inpaint:open_inpaint",
        ),
        "flux": Plug(
            "flux:MODEL[?OPTIONS]",
            "Black Forest Labs: flux-2-pro, flux-kontext-max, or flux-pro-1.0-fill with a mask; key from BFL_API_KEY",
            "countersight.editing.flux:open_flux",
            "server",
        ),
        "chat-image": Plug(
            "chat-image:[URL#]MODEL",
            "a chat model that returns pictures: on OpenRouter (key from OPENROUTER_API_KEY) or on another server "
            "(key from COUNTERSIGHT_API_KEY, if needed)",
            "countersight.editing.hosted:open_chat_image",
            "server",
        ),
        "diffusers": Plug(
            "diffusers:FOLDER[?OPTIONS]",
            "a local diffusers pipeline: Kontext, Qwen-Image-Edit, FLUX.2, InstructPix2Pix; Fill and inpainting with "
            "a mask; steps=N, and annotations=COCO.json for masks",
            "countersight.editing.diffusion:open_diffusion",
        ),
    },
    EditorError,
)
"""The editors by name, as printed by `countersight list editors`. Add an editor here or with an entry point."""


def open_editor(name: str, settings: EditorSettings = EditorSettings()) -> Editor:  # noqa: B008 - frozen
    """Return the editor with this name, ready to edit."""
    return EDITORS.open(name, settings)


VERSION = 1
"""The version of the prompts below; increased with every change, so that audits can be distinguished."""

_SAME = "Framing, size, viewpoint, light, background and everything else must stay exactly as they are."
_ALONE = "Answer with the edited picture alone."


def words_for(instruction: Instruction) -> str:
    """Return the prompt for an editor that edits a whole picture.

    The negative part can name what should vanish or what must not change (EDCT 3.2 allows both), so it is passed on
    unchanged. The prompt asks for a picture alone, because some models would reply with text instead.
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
