"""Patterns in any case, each compiled when it is first used: importing the package compiles next to nothing."""

import re
from collections.abc import Iterator
from functools import cached_property


class any_case:  # noqa: N801 - read as a function
    """A regular expression that ignores case; `flags` are added to that."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._source, self._flags = pattern, flags | re.IGNORECASE

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    def search(self, text: str, start: int = 0, end: int = 1 << 30) -> re.Match[str] | None:
        return self._compiled.search(text, start, end)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self._compiled.match(text, start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self._compiled.fullmatch(text)

    def finditer(self, text: str, start: int = 0) -> Iterator[re.Match[str]]:
        return self._compiled.finditer(text, start)

    def findall(self, text: str) -> list[str]:
        return self._compiled.findall(text)

    def split(self, text: str) -> list[str]:
        return self._compiled.split(text)

    def sub(self, new: str, text: str) -> str:
        return self._compiled.sub(new, text)
