"""Modules that take long to import and that few tests need: imported when one of them is used."""

from importlib import import_module
from typing import Any


class Lazy:
    """A module that is imported when something in it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # as pytest asks of everything that it finds in a test file
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)
