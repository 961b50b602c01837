"""Modules that take long to import and that few tests need: imported when one of them is used."""

from importlib import import_module
from typing import Any


class Lazy:
    """A module that is imported when something in it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        # pytest asks everything that it finds in a test file for private names.
        if attribute.startswith("_") and attribute != "__version__":
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)
