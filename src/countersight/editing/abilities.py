"""What an editor can do to a picture, told before an edit is asked for: what it cannot do need not be tried."""

from typing import Protocol, get_args, runtime_checkable

import msgspec

from countersight.editing.protocol import Action, Editor, EditRequest

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
