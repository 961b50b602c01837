"""Fields of a request that a server may refuse; refused ones are then left out or renamed."""

import re
from collections.abc import Mapping
from typing import Any

Names = Mapping[str, tuple[str, ...]]
"""The names of each setting in a request; several are tried in turn, and a setting without names is never sent."""

_NOT_TAKEN = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|deprecated|not permitted|not allowed|"
    r"forbidden|extra inputs|may not be set|cannot be set",
    re.IGNORECASE,
)
_OF_SIZE = re.compile(
    r"too (?:large|big|long|high|many|small|low)|exceed|at most|at least|maximum|greater than|less than|out of range",
    re.IGNORECASE,
)
"""Words about the value in one request, which do not mean that the field as such is refused."""


class Fields:
    """The settings sent with each question, as far as the server accepts them."""

    def __init__(self, settings: Mapping[str, Any], names: Names) -> None:
        self._values = {name: value for name, value in settings.items() if value is not None and names.get(name)}
        self._names = {name: names[name] for name in self._values}
        self.refused: dict[str, str] = {}
        """The server's message for each refused field."""
        self.sent = self._taken()
        """The fields of the next request, by the server's names; updated when something is learned."""

    def called(self, setting: str) -> str:
        """Return the name of a setting in a request; its own name if the server refused all names."""
        return next(iter(self._left(setting)), setting)

    def instead_of(self, refused: str) -> str:
        """Describe how a refused field is handled: left out, or sent under its other name."""
        other = next(
            (left[0] for setting, names in self._names.items() if refused in names and (left := self._left(setting))),
            "",
        )
        return f"sent as {other}" if other else "left out"

    def learn(self, sent: Mapping[str, Any], said: str) -> bool:
        """Learn from a refusal; returns whether one of these fields was refused and the request should be repeated
        without it.

        If a concurrent request has learned the same meanwhile, repeating is enough. If the server says the same without
        the named fields, they were not the cause and are sent again.
        """
        if any(name not in self.sent for name in sent):
            return True
        named = next((name for name in sent if re.search(rf"(?<![a-z_]){name}(?![a-z_])", said, re.IGNORECASE)), None)
        if named is None or (_OF_SIZE.search(said) and not _NOT_TAKEN.search(said)):
            self.refused = {name: why for name, why in self.refused.items() if why != said}
        else:
            self.refused[named] = said
        self.sent = self._taken()
        return self.refused.get(named or "") == said

    def _left(self, setting: str) -> list[str]:
        return [name for name in self._names.get(setting, ()) if name not in self.refused]

    def _taken(self) -> dict[str, Any]:
        return {left[0]: value for setting, value in self._values.items() if (left := self._left(setting))}
