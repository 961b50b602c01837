"""A small grammar of wordings: "[How many|What number of] <flowers> are {place}?" stands for many sentences.

`[a|b]` is one of several texts, `<name>` is an entry of a named list of wordings, and `{slot}` is filled in later. A
list may contain an entry twice, so that it is drawn more often.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random

from countersight.errors import CountersightError

Node = str | tuple["Node", ...] | list["Node"]
"""Text, several parts in a row (a tuple), or one of several (a list)."""

_MARKS = re.compile(r"([\[\]|]|<\w+>)")


class Grammar:
    """Named lists of wordings, each of which may use the others."""

    def __init__(self, parts: Mapping[str, Sequence[str]]) -> None:
        self._written = parts
        self._parts: dict[str, Node] = {}
        self._open: list[str] = []

    def part(self, name: str) -> Node:
        """Return the parsed list with this name."""
        if name not in self._parts:
            if name not in self._written or name in self._open:
                raise CountersightError(f"the wordings use <{name}>, which does not exist or refers to itself")
            self._open.append(name)
            self._parts[name] = self.understood(self._written[name])
            self._open.pop()
        return self._parts[name]

    def has(self, name: str) -> bool:
        """Return whether there is a list with this name."""
        return name in self._written

    def understood(self, texts: Sequence[str]) -> Node:
        """Parse wordings to a node that stands for any of them."""
        return [self._wording(iter([*_MARKS.split(text), ""]), inner=False) for text in texts]

    def _wording(self, marks: Iterator[str], *, inner: bool) -> Node:
        choices: list[Node] = []
        row: list[Node] = []
        for mark in marks:
            if mark == "[":
                row.append(self._wording(marks, inner=True))
            elif mark in ("|", "]") and inner:
                choices.append(tuple(row))
                row = []
                if mark == "]":
                    return choices
            elif mark in ("|", "]"):
                raise CountersightError(f"a wording has {mark!r} outside brackets")
            elif mark.startswith("<") and mark.endswith(">"):
                row.append(self.part(mark[1:-1]))
            elif mark:
                row.append(mark)
        if inner:
            raise CountersightError("a wording has '[' without ']'")
        return tuple(row)


def drawn(rng: Random, node: Node) -> str:
    """Return a random sentence of a wording."""
    if isinstance(node, str):
        return node
    if isinstance(node, list):
        return drawn(rng, node[int(rng.random() * len(node))])
    return "".join([drawn(rng, each) for each in node])


def makes(node: Node, text: str) -> bool:
    """Return whether a text is a sentence of a wording, ignoring case, spaces and closing punctuation."""
    return "" in _left(node, _plain(text), {})


def _left(node: Node, text: str, known: dict[tuple[int, str], set[str]]) -> set[str]:
    """Return what may remain of a text after the wording matches its beginning; `known` caches results."""
    if isinstance(node, str):
        start = _plain(node)
        return {text[len(start) :]} if text.startswith(start) else set()
    key = (id(node), text)
    if key not in known:
        if isinstance(node, list):
            left = set().union(*(_left(each, text, known) for each in node))
        else:
            left = {text}
            for each in node:
                left = set().union(*(_left(each, rest, known) for rest in left))
        known[key] = left
    return known[key]


@cache
def _plain(text: str) -> str:
    return re.sub(r"[\s.?!]+", "", text).casefold()


def filled(text: str, slots: Mapping[str, object]) -> str:
    """Return a text with its slots filled in."""
    return _SLOT.sub(lambda found: str(slots[found[1]]), text)


def tidied(text: str) -> str:
    """Return a text with singular nouns after "1" and "one", and with corrected spaces and capitals."""
    spaced = _SPACES.sub(" ", _BEFORE_MARK.sub("", _ONE.sub(r"\1 \2", text))).strip(" ")
    small = _AFTER_COMMA.sub(lambda found: found[0].lower(), spaced)
    return _BEGINNING.sub(lambda found: found[0].upper(), small)


_SLOT = re.compile(r"{(\w+)}")
_ONE = re.compile(r"\b(1|one) (flower|dot|point|spot|blossom|bloom)s\b")
_SPACES = re.compile(r" {2,}")
_BEFORE_MARK = re.compile(r" +(?=[,.;:?!])")
_AFTER_COMMA = re.compile(r"(?<=, )[A-Z](?=[a-z])")
_BEGINNING = re.compile(r"^[a-z]|(?<=[.?!] )[a-z]")
