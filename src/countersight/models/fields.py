"""The fields of a request that a server may refuse: found out once, left out or named otherwise from then on."""

import re
from collections.abc import Mapping
from typing import Any

Names = Mapping[str, tuple[str, ...]]
"""What a setting is called in a request, by the setting; several names are tried in turn, and none is never sent."""

_NOT_TAKEN = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|deprecated|not permitted|not allowed|"
    r"forbidden|extra inputs|may not be set|cannot be set",
    re.IGNORECASE,
)
_OF_SIZE = re.compile(
    r"too (?:large|big|long|high|many|small|low)|exceed|at most|at least|maximum|greater than|less than|out of range",
    re.IGNORECASE,
)
"""Words about the value of one request: without the field, or any limit, the others would be asked otherwise."""


class Fields:
    """What is sent beside the question, as far as the server takes it."""

    def __init__(self, settings: Mapping[str, Any], names: Names) -> None:
        self._values = {name: value for name, value in settings.items() if value is not None and names.get(name)}
        self._names = {name: names[name] for name in self._values}
        self.refused: dict[str, str] = {}
        """What the server said to each field it does not take."""
        self.sent = self._taken()
        """The fields of the next request, by the names it has for them; made anew when something is learnt."""

    def called(self, setting: str) -> str:
        """What a setting is called in a request; its own name where the server refused all there are."""
        return next(iter(self._left(setting)), setting)

    def instead_of(self, refused: str) -> str:
        """What became of a field that was refused: left out, or sent by its other name."""
        other = next(
            (left[0] for setting, names in self._names.items() if refused in names and (left := self._left(setting))),
            "",
        )
        return f"sent as {other}" if other else "left out"

    def learn(self, sent: Mapping[str, Any], said: str) -> bool:
        """Whether a server that refused a request refused one of these fields; the next one goes without it.

        Many requests are under way: where another has learnt the same meanwhile, asking again is all there is to do.
        One that says the same without the fields it named did not mean them, and they are sent again from then on.
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
