"""Registries of plug-ins, one per kind (models, editors, judges, suites); other packages add their own as entry points.

A plug-in is named by one string, in the same form for every kind:

    KIND[:TARGET][?KEY=VALUE&KEY=VALUE]

as in `embedded`, `openai:gpt-4o`, `hf:folder`, `inpaint:migan.onnx?annotations=coco.json`. A target may contain
anything, for example an address with colons. Each plug-in defines its own options, which are parsed by `with_options`.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, Literal, NamedTuple, TypeVar
from urllib.parse import parse_qsl

from countersight.errors import CountersightError
from countersight.suggestions import nearest, unknown

T = TypeVar("T")

Where = Literal["here", "server", "either"]
"""Where a plug-in runs: in this process, on a server, or depending on its target."""


class Plug(NamedTuple):
    """One plug-in of a registry."""

    usage: str
    """Its name, with a placeholder for the target in capitals."""
    words: str
    home: str
    """`module:attribute` of the function that opens it; imported on first use."""
    where: Where = "here"


class Registry(Generic[T]):
    """The plug-ins of one kind: built-in ones and those of other packages."""

    def __init__(
        self,
        what: str,
        table: Mapping[str, Plug],
        error: type[CountersightError],
        families: Mapping[str, str] | None = None,
        otherwise: str = "",
    ) -> None:
        """`families` maps the beginning of a name without a kind to the intended name, such as gpt- to openai:NAME.

        `otherwise` is the advice for any other name without a kind; NAME is replaced by that name in both.
        """
        self.what = what
        self.group = f"countersight.{what}s"
        """The entry-point group through which other packages add plug-ins."""
        self.built_in = dict(table)
        self._error = error
        self._families = families or {}
        self._otherwise = otherwise

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the plug-ins, built-in ones first."""
        yield from self.built_in
        yield from (name for name in self._external() if name not in self.built_in)

    def usages(self, *, load: bool = False) -> dict[str, str]:
        """Return the usage and the description of each plug-in.

        With `load`, plug-ins of other packages are imported, and their attribute `usage` gives the form of their names,
        such as `bright:NUMBER`.
        """
        lines = {plug.usage: plug.words for plug in self.built_in.values()}
        for name, entry in self._external().items():
            if name not in self.built_in:
                usage = _declared_usage(entry) if load else ""
                lines[usage or name] = f"from {_package(entry)}"
        return lines

    def package(self, name: str) -> str:
        """Return the name and version of the package that provides the plug-in of that name; empty if built-in."""
        kind = _split_name(name)[0]
        entry = None if kind in self.built_in else self._external().get(kind)
        return f"{entry.dist.name} {entry.dist.version}" if entry and entry.dist else ""

    def faults(self, taken: Collection[str] = ()) -> dict[str, str]:
        """Import the plug-ins of other packages, and return those that cannot be used, with the reasons.

        `taken` has names that they must not have, in addition to the built-in ones.
        """
        found = {}
        for name, entry in self._external().items():
            if name in self.built_in or name in taken:
                found[name] = f"the one from {_package(entry)} is ignored: a built-in {self.what} has this name"
                continue
            try:
                entry.load()
            except Exception as error:  # importing another package's module may raise anything
                found[name] = f"cannot be imported: {_package(entry)} raised {type(error).__name__}: {error}"
        return found

    def where(self, name: str) -> Where:
        """Return where the plug-in of that name runs; "either" for plug-ins of other packages."""
        kind = _split_name(name)[0]
        return self.built_in[kind].where if kind in self.built_in else "either"

    def knows(self, name: str) -> bool:
        """Whether there is a plug-in of that kind."""
        kind = _split_name(name)[0]
        return kind in self.built_in or kind in self._external()

    def find(self, name: str) -> tuple[Any, str]:
        """Return the function that opens the plug-in of that name, and its target with options."""
        kind, target = _split_name(name)
        plug = self.built_in.get(kind)
        if plug is None:
            entry = self._external().get(kind)
            if entry is None:
                raise self._error(self._advice(name, kind))
            return self._load(entry), target
        has_target, may_have_options = ":" in plug.usage, "?" in plug.usage or "URL" in plug.usage
        if not may_have_options and (option := _OPTION.search(target)):
            takers = [usage for usage in self.usages() if "?" in usage]
            others = f"; {self.what}s with options: {', '.join(takers)}" if takers else ""
            raise self._error(f"{kind} has no option {option[1]!r}{others}")
        must_have_target = ":" in plug.usage.partition("[")[0]
        if must_have_target if not target else not (has_target or may_have_options):
            raise self._error(unknown(self.what, name, self.usages()))
        module, _, attribute = plug.home.partition(":")
        return getattr(import_module(module), attribute), target

    def _advice(self, name: str, kind: str) -> str:
        """Return the error message for a name of an unknown kind, with the name that was probably intended."""
        for start, meant in self._families.items():
            if name.startswith(start):
                return f"there is no {self.what} {name[:80]!r}; did you mean {meant.replace('NAME', name[:80])}?"
        without_target = (usage for usage in self.usages() if ":" not in usage.partition("[")[0])
        if self._otherwise and name == kind and not nearest(name, without_target):
            return f"there is no {self.what} {name[:80]!r}; {self._otherwise.replace('NAME', name[:80])}"
        return unknown(self.what, name, self.usages())

    def open(self, name: str, settings: Any) -> T:
        """Open the plug-in of that name; its opener is called with the name, the target and the settings."""
        import inspect

        opener, target = self.find(name)
        try:
            inspect.signature(opener).bind(name, target, settings)
        except TypeError:
            called = getattr(opener, "__name__", opener)
            raise self._error(
                f"the {self.what} {name[:80]!r} cannot be opened: {called} must take three arguments: name, target and "
                "settings"
            ) from None
        except ValueError:  # functions that are not written in Python may have no signature
            pass
        return self.called(name, opener, name, target, settings)

    def called(self, name: str, opener: Callable[..., T], *arguments: Any) -> T:
        """Call the opener of the plug-in of that name; an exception from another package becomes a one-sentence
        error."""
        try:
            return opener(*arguments)
        except CountersightError:
            raise
        except Exception as error:
            entry = self._external().get(_split_name(name)[0])
            if entry is None:
                raise
            raise self._failure(entry, "opened", error) from error

    def _load(self, entry: Any) -> Any:
        try:
            return entry.load()
        except Exception as error:  # importing another package's module may raise anything
            raise self._failure(entry, "imported", error) from error

    def _failure(self, entry: Any, what: str, error: Exception) -> CountersightError:
        reason = f"{type(error).__name__}: {error}"
        return self._error(f"the {self.what} {entry.name!r} of {_package(entry)} cannot be {what}: {reason}")

    def _external(self) -> dict[str, Any]:
        from importlib.metadata import entry_points

        return {entry.name: entry for entry in entry_points(group=self.group)}


_OPTION = re.compile(r"\?([a-z][\w-]*)=")


def _split_name(name: str) -> tuple[str, str]:
    """Split a name into the kind of the plug-in and its target with options."""
    kind = re.split("[:?]", name, maxsplit=1)[0]
    return kind, name[len(kind) :].removeprefix(":")


def with_options(
    target: str, known: Collection[str], error: type[CountersightError] = CountersightError
) -> tuple[str, dict[str, str]]:
    """Split a target from the options after its question mark; unknown options and missing values raise an error."""
    plain, _, text = target.partition("?")
    written = parse_qsl(text, keep_blank_values=True)
    options = dict(written)
    for option in options:
        if option not in known:
            raise error(unknown("option", option, known))
    if len(options) < len(written):
        raise error(f"an option is given twice in {text[:80]!r}; give each option once")
    if (text and not options) or not all(options.values()):
        raise error(f"invalid options {text[:80]!r}; write ?NAME=VALUE&NAME=VALUE with these names: {', '.join(known)}")
    return plain, options


def _declared_usage(entry: Any) -> str:
    """Return the attribute `usage` of the plug-in of an entry point, or nothing if it cannot be imported."""
    try:
        return str(getattr(entry.load(), "usage", ""))
    except Exception:  # importing another package's module may raise anything; `faults` reports it
        return ""


def _package(entry: Any) -> str:
    return f"the package {entry.dist.name if entry.dist else entry.value}"
