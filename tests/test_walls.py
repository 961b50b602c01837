"""The walls of the house: arrows of import go down, through doors, and never in a circle."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
HOUSE = SOURCE / "countersight"

MAP = Path(__file__).parents[1] / "docs" / "architecture.md"


def _floors() -> list[frozenset[str]]:
    """The floors of the drawn map, from the ground up: what the page shows is what is held."""
    drawn = MAP.read_text(encoding="utf-8").split("```")[1]
    return [frozenset(re.findall(r"\w+", line)) for line in reversed(drawn.strip().splitlines())]


FLOORS = _floors()
"""A module may import from its own room and from the floors below its own."""


def _modules() -> Iterator[tuple[str, Path]]:
    for file in sorted(HOUSE.rglob("*.py")):
        parts = file.relative_to(SOURCE).with_suffix("").parts
        yield ".".join(part for part in parts if part != "__init__"), file


MODULES = dict(_modules())


Import = tuple[str, tuple[str, ...]]


def _imports(node: ast.AST) -> Iterator[Import]:
    """What is imported anywhere in the code: inside functions and for the sake of types too."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            continue  # nothing is imported inside an expression
        if isinstance(child, ast.ImportFrom) and child.level == 0 and child.module:
            yield child.module, tuple(alias.name for alias in child.names)
        elif isinstance(child, ast.Import):
            yield from ((alias.name, ()) for alias in child.names)
        else:
            yield from _imports(child)


@cache
def _trees() -> dict[str, ast.Module]:
    return {module: ast.parse(file.read_text(encoding="utf-8")) for module, file in MODULES.items()}


def _door(stub: Path) -> dict[str, str]:
    """The names that a door offers, and the module behind each."""
    room = ".".join(stub.parent.relative_to(SOURCE).parts)
    lines = ast.parse(stub.read_text(encoding="utf-8")).body
    return {alias.name: f"{room}.{line.module}" for line in lines for alias in line.names}


DOORS = {".".join(stub.parent.relative_to(SOURCE).parts): _door(stub) for stub in HOUSE.rglob("*/__init__.pyi")}


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def _floor(room: str) -> int:
    return next((number for number, rooms in enumerate(FLOORS) if room in rooms), -1)


@cache
def _arrows() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Imports of one room from another: who, from where, and which names."""
    return tuple(
        (module, target, names)
        for module, tree in _trees().items()
        for target, names in _imports(tree)
        if target.startswith("countersight.") and _room(target) != _room(module) and _floor(_room(module)) >= 0
    )


def test_every_package_has_a_layer():
    rooms = {_room(module) for module in MODULES} - {"", "__main__"}
    assert rooms == frozenset().union(*FLOORS)


def test_imports_point_down():
    upward = {(who, where) for who, where, _ in _arrows() if _floor(_room(where)) >= _floor(_room(who))}
    assert upward == set()


def _behind(target: str, names: tuple[str, ...]) -> Iterator[str]:
    """The modules that an import runs: those behind the names of a door, or the one that is named."""
    for name in names or ("",):
        yield DOORS.get(target, {}).get(name) or (f"{target}.{name}" if f"{target}.{name}" in MODULES else target)


def test_there_are_no_import_cycles():
    """Also not inside one room, nor by an import inside a function, nor for the sake of types alone."""
    beneath = {
        module: {each for found in _imports(tree) for each in _behind(*found) if each in MODULES}
        for module, tree in _trees().items()
    }
    while leaves := {module for module, others in beneath.items() if not others}:
        beneath = {module: others - leaves for module, others in beneath.items() if module not in leaves}
    assert beneath == {}, "a circle, with all that stands on it"


def test_no_import_bypasses_the_door_of_a_package():
    """What others may use stands in a package's `__init__`; its modules are its own affair."""
    past = {
        (who, where)
        for who, where, _ in _arrows()
        if where.count(".") > 1 and MODULES.get(where, Path()).name != "__init__.py"
    }
    assert past == set()


def test_no_module_is_handed_through_a_door():
    handed = {
        (who, f"{where}.{name}") for who, where, names in _arrows() for name in names if f"{where}.{name}" in MODULES
    }
    assert handed == set()


@pytest.mark.parametrize("stub", sorted(HOUSE.glob("*/**/__init__.pyi")), ids=lambda path: path.parent.name)
def test_a_door_hides_no_module_behind_a_name(stub: Path):
    """Once a module is imported it is an attribute of its package: a name that is both would be one or the other."""
    names = [alias.name for node in ast.parse(stub.read_text(encoding="utf-8")).body for alias in node.names]
    assert [name for name in names if (stub.parent / f"{name}.py").exists() or (stub.parent / name).is_dir()] == []
    assert len(names) == len(set(names))
