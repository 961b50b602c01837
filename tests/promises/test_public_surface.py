"""The public surface: names and signatures, verbs and options, entry points, and what `countersight list` names."""

import argparse
import importlib.metadata
import inspect
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import countersight as cs
from countersight.cli import main

ROOT = Path(__file__).parents[2]
LISTS = ("suites", "models", "prompts", "editors", "extractors", "judges", "checkers", "formats", "tools")


def test_python_names_and_signatures(promised: Callable[[str, str], None]) -> None:
    lines = [line for name in sorted(cs.__all__) for line in _described(name, getattr(cs, name))]
    promised("python", "\n".join(lines) + "\n")


def _described(name: str, thing: object) -> Iterator[str]:
    """A function with its signature, or a class with its bases, its fields and its public methods."""
    if not inspect.isclass(thing):
        yield f"{name}{_signature(thing)}"
        return
    if issubclass(thing, Exception):
        yield f"{name}: {', '.join(base.__name__ for base in thing.__bases__)}"
        return
    yield f"class {name}{_signature(thing)}"
    own = {key: value for base in reversed(thing.__mro__[:-1]) for key, value in vars(base).items()}
    for key in sorted(key for key in own if not key.startswith("_")):
        member = inspect.getattr_static(thing, key)
        if isinstance(member, property):
            yield f"    {key} -> {_plain(str(inspect.signature(member.fget).return_annotation))}"
        elif isinstance(member, classmethod | staticmethod) or inspect.isfunction(member):
            yield f"    {key}{_signature(getattr(thing, key))}"


def _signature(thing: object) -> str:
    """What it takes, one argument a line where there are many, and what it gives."""
    signature = inspect.signature(thing)
    line = _plain(str(signature))
    if len(line) < 100:
        return line
    arguments = [_plain(str(argument)) for argument in signature.parameters.values()]
    first = next((n for n, one in enumerate(signature.parameters.values()) if one.kind is one.KEYWORD_ONLY), None)
    if first is not None:
        arguments.insert(first, "*")
    given = "" if signature.return_annotation is signature.empty else line[line.rindex(")") + 1 :]
    return "\n        ".join(["(", *(f"{argument}," for argument in arguments)]) + f"\n    ){given}"


def _plain(text: str) -> str:
    """Without the modules that things are defined in: those may change."""
    text = re.sub(r"<class '([^']+)'>", r"\1", re.sub(r"<function (\w+) at \w+>", r"\1", text))
    return re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", text)


class _FoundError(Exception):
    pass


@pytest.fixture(scope="module")
def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line, caught when it is asked to parse."""

    def caught(self: argparse.ArgumentParser, *_: object) -> None:
        raise _FoundError(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_known_args", caught)
        with pytest.raises(_FoundError) as found:
            main([])
    return found.value.args[0]


def test_verbs_options_and_defaults(parser: argparse.ArgumentParser, promised: Callable[[str, str], None]) -> None:
    promised("commands", "\n".join(_verbs(parser)) + "\n")


def _verbs(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield parser.prog
    below: list[argparse.ArgumentParser] = []
    for action in sorted(parser._actions, key=lambda action: (bool(action.option_strings), action.option_strings)):
        if isinstance(action, argparse._SubParsersAction):
            below = list(action.choices.values())
        elif not isinstance(action, argparse._HelpAction):
            yield f"    {_option(action)}"
    for other in sorted(below, key=lambda other: other.prog):
        yield from _verbs(other)


def _option(action: argparse.Action) -> str:
    """How it is written, what it may be, and what it is where nobody writes it."""
    name = ", ".join(action.option_strings) or str(action.metavar or action.dest)
    values = {None: " VALUE", 0: "", "?": " [VALUE]", "*": " [VALUE …]", "+": " VALUE …"}.get(action.nargs, " VALUES")
    parts = [name + (values if action.option_strings else "")]
    if action.choices is not None:
        parts.append(f"one of {', '.join(map(str, action.choices))}")
    if action.required and action.option_strings:
        parts.append("required")
    if not action.option_strings and action.nargs:
        parts.append({"?": "optional", "*": "any number", "+": "one or more"}.get(str(action.nargs), str(action.nargs)))
    if action.default is not None and action.default is not False and action.default is not argparse.SUPPRESS:
        parts.append(f"default {str(action.default) if isinstance(action.default, Path) else action.default!r}")
    return "; ".join(parts)


def test_every_verb_helps_with_an_example(parser: argparse.ArgumentParser, capsys: pytest.CaptureFixture[str]) -> None:
    (verbs,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    for name in verbs.choices:
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])
        usage, *examples = " ".join(capsys.readouterr().out.split()).split(f"countersight {name}")
        assert ended.value.code == 0
        assert usage == "usage: "
        assert examples[1:], f"{name} has no example"


def test_listed_names_and_entry_points(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], promised: Callable[[str, str], None]
) -> None:
    """Every list is asked with one plug-in in whatever group it looks for: the group is then part of the name."""

    def brought(*, group: str) -> importlib.metadata.EntryPoints:
        entry = importlib.metadata.EntryPoint(f"(entry point of {group})", "countersight:Suite", group)
        return importlib.metadata.EntryPoints([entry])

    shipped = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = ["# entry points that are installed"]
    lines += [f"console script {name} = {home}" for name, home in shipped["scripts"].items()]
    lines += [f"{group}: {name}" for group, table in shipped["entry-points"].items() for name in table]
    monkeypatch.setattr(importlib.metadata, "entry_points", brought)
    for what in LISTS:
        assert main(["list", what]) == 0
        printed = capsys.readouterr().out.splitlines()
        names = [re.split(r"  +| (?=from )", line)[0] for line in printed if line and not line.startswith(" ")]
        lines += ["", f"# countersight list {what}", *(_name(name) for name in names)]
    promised("names", "\n".join(lines) + "\n")


def _name(line: str) -> str:
    """The name at the head of a line: a name is one word, a plug-in's is set in brackets."""
    return re.match(r"\([^)]*\)|\S+", line)[0]
