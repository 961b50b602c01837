"""Plugs: one table a kind (models, editors, judges, suites), open to other packages by entry points.

A plug is named by one string, the same way for every kind:

    KIND[:TARGET][?KEY=VALUE&KEY=VALUE]

as in `embedded`, `openai:gpt-4o`, `hf:folder`, `inpaint:migan.onnx?annotations=coco.json`. A target may hold anything,
an address with its own colons among it. Which options a plug takes is the plug's affair.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from countersight.errors import CountersightError
from countersight.text import unknown

T = TypeVar("T")

Where = Literal["here", "server", "either"]
"""Where a plug computes: in this process, behind an address, or as its target says."""


class Plug(NamedTuple):
    """One line of a table."""

    usage: str
    """How it is named, its target in capitals."""
    words: str
    home: str
    """`module:attribute` of what opens it; imported when it is used and no sooner."""
    where: Where = "here"

    @property
    def takes_target(self) -> bool:
        """Whether it is named with a target."""
        return ":" in self.usage


class Registry(Generic[T]):
    """The plugs of one kind: those that ship, and those that other packages bring."""

    def __init__(self, what: str, table: Mapping[str, Plug], error: type[CountersightError]) -> None:
        self.what = what
        self.group = f"countersight.{what}s"
        """The group of entry points by which other packages add to it."""
        self._table = dict(table)
        self._error = error

    def __iter__(self) -> Iterator[str]:
        """How each is named, ours first."""
        yield from self._table
        yield from (name for name in self._brought() if name not in self._table)

    def usages(self) -> dict[str, str]:
        """How each is named and what it is, for `countersight list`."""
        lines = {plug.usage: plug.words for plug in self._table.values()}
        for name, entry in self._brought().items():
            if name not in self._table:
                lines[name] = f"from {_package(entry)}"
        return lines

    def plug(self, kind: str) -> Plug:
        """The line of the table for a kind of ours."""
        return self._table[kind]

    def where(self, name: str) -> Where:
        """Where the plug of that name computes; one of another package may be anywhere."""
        kind = name.partition(":")[0]
        return self._table[kind].where if kind in self._table else "either"

    def knows(self, name: str) -> bool:
        """Whether there is a plug of that kind."""
        kind = name.partition(":")[0]
        return kind in self._table or kind in self._brought()

    def find(self, name: str) -> tuple[Any, str]:
        """What opens the plug of that name, and its target with its options."""
        kind, _, target = name.partition(":")
        plug = self._table.get(kind)
        if plug is None and kind in self._brought():
            return self._load(self._brought()[kind]), target
        if plug is None or (target and not plug.takes_target) or (not target and ":" in plug.usage.partition("[")[0]):
            raise self._error(unknown(self.what, name, self.usages()))
        module, _, attribute = plug.home.partition(":")
        return getattr(import_module(module), attribute), target

    def _load(self, entry: Any) -> Any:
        try:
            return entry.load()
        except Exception as error:  # another package's module may do anything when it is imported
            told = f"{type(error).__name__}: {error}"
            raise self._error(
                f"the {self.what} {entry.name!r} of {_package(entry)} cannot be imported: {told}"
            ) from error

    def _brought(self) -> dict[str, Any]:
        from importlib.metadata import entry_points

        return {entry.name: entry for entry in entry_points(group=self.group)}


def _package(entry: Any) -> str:
    return f"the package {entry.dist.name if entry.dist else entry.value}"
