"""Imports between packages point down, go through the door of a package, and form no cycles."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
ROOT = SOURCE / "countersight"
MAP = Path(__file__).parents[1] / "docs" / "architecture.md"

Import = tuple[str, tuple[str, ...]]
"""The module that is imported, and the names that are imported from it."""


def _layers() -> list[frozenset[str]]:
    """Return the layers of the map in docs/architecture.md, the lowest first."""
    drawn = MAP.read_text(encoding="utf-8").split("```")[1]
    return [frozenset(re.findall(r"\w+", line)) for line in reversed(drawn.strip().splitlines())]


def _modules() -> Iterator[tuple[str, Path]]:
    for file in sorted(ROOT.rglob("*.py")):
        parts = file.relative_to(SOURCE).with_suffix("").parts
        yield ".".join(part for part in parts if part != "__init__"), file


LAYERS = _layers()
MODULES = dict(_modules())


def _imports(node: ast.AST) -> Iterator[Import]:
    """Yield all imports, also those inside functions and those for types only."""
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
    """Return the names that the `__init__.pyi` of a package offers, and the module of each."""
    package = ".".join(stub.parent.relative_to(SOURCE).parts)
    lines = ast.parse(stub.read_text(encoding="utf-8")).body
    return {alias.name: f"{package}.{line.module}" for line in lines for alias in line.names}


DOORS = {".".join(stub.parent.relative_to(SOURCE).parts): _door(stub) for stub in ROOT.rglob("*/__init__.pyi")}


def _package(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def _layer(package: str) -> int:
    return next((number for number, packages in enumerate(LAYERS) if package in packages), -1)


@cache
def _imports_of_other_packages() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Return the imports of one package by another: the importing module, the imported one, and the names."""
    return tuple(
        (module, target, names)
        for module, tree in _trees().items()
        for target, names in _imports(tree)
        if target.startswith("countersight.") and _package(target) != _package(module) and _layer(_package(module)) >= 0
    )


def test_every_package_has_a_layer():
    packages = {_package(module) for module in MODULES} - {"", "__main__"}
    assert packages == frozenset().union(*LAYERS)


def test_imports_point_down():
    upward = {
        (importer, imported)
        for importer, imported, _ in _imports_of_other_packages()
        if _layer(_package(imported)) >= _layer(_package(importer))
    }
    assert upward == set()


def _run_by(target: str, names: tuple[str, ...]) -> Iterator[str]:
    """Yield the modules that an import runs: those of the names in a door, or the imported module itself."""
    for name in names or ("",):
        yield DOORS.get(target, {}).get(name) or (f"{target}.{name}" if f"{target}.{name}" in MODULES else target)


def test_there_are_no_import_cycles():
    """Neither within a package, nor by imports inside functions or for types only."""
    below = {
        module: {each for found in _imports(tree) for each in _run_by(*found) if each in MODULES}
        for module, tree in _trees().items()
    }
    while leaves := {module for module, others in below.items() if not others}:
        below = {module: others - leaves for module, others in below.items() if module not in leaves}
    assert below == {}, "a cycle, and all modules that depend on it"


def test_packages_are_imported_and_not_their_modules():
    modules = set()
    for importer, imported, names in _imports_of_other_packages():
        if imported.count(".") > 1 and MODULES.get(imported, Path()).name != "__init__.py":
            modules.add((importer, imported))
        modules |= {(importer, f"{imported}.{name}") for name in names if f"{imported}.{name}" in MODULES}
    assert modules == set()


@pytest.mark.parametrize("stub", sorted(ROOT.glob("*/**/__init__.pyi")), ids=lambda path: path.parent.name)
def test_no_name_of_a_door_is_also_the_name_of_a_module(stub: Path):
    """A module becomes an attribute of its package when it is imported, and would replace the name."""
    names = [alias.name for node in ast.parse(stub.read_text(encoding="utf-8")).body for alias in node.names]
    assert [name for name in names if (stub.parent / f"{name}.py").exists() or (stub.parent / name).is_dir()] == []
    assert len(names) == len(set(names))
