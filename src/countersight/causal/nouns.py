"""The classes of things that names belong to, from `nouns.toml`."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

import msgspec

from countersight.errors import CountersightError
from countersight.text import unknown

_WORD = re.compile(r"[a-z'-]+")
_SHORTEST = 4
"""Letters of either part of a name of two nouns in one word."""


class NounsFile(msgspec.Struct, frozen=True):
    """The content of the nouns file."""

    measures: str
    plurals: dict[str, str]
    classes: dict[str, str]
    groups: dict[str, tuple[str, ...]]
    vague: str = ""
    endings: dict[str, str] = {}


class Nouns:
    """Names and the classes of things they belong to."""

    def __init__(self, file: NounsFile, wider: Callable[[str], Iterable[str]] = lambda _: ()) -> None:
        """`wider` returns the hypernyms of a noun, the nearest first: an unlisted noun takes its classes from them."""
        self.names = {*file.classes, *file.groups}
        """The names of all classes and groups of classes."""
        self._classes = _classes(file.classes, file.groups)
        self._plurals = file.plurals
        self._measures = frozenset(file.measures.split())
        self._wider = wider
        self._vague = frozenset(file.vague.split())
        self._endings = file.endings
        self._found = lru_cache(maxsize=1 << 16)(self._find)

    def classes(self, name: str) -> frozenset[str]:
        """Return the classes that a name belongs to; none if the name is unknown."""
        return self._found(name)

    def _find(self, name: str) -> frozenset[str]:
        listed = self._listed(name)
        if listed or not _WORD.search(name.casefold()):
            return listed
        words = (word for word in self._wider(name) if word not in self._vague)
        return next((found for word in words if (found := self._listed(word))), self._ending(name))

    def _ending(self, name: str) -> frozenset[str]:
        """The classes of what a name ends with that is written in one word: a cornfield is a field."""
        last = _WORD.findall(name.casefold())[-1]
        endings = [last[place:] for place in range(_SHORTEST, len(last) - _SHORTEST + 1)]
        endings += [noun for ending, noun in self._endings.items() if last.endswith(ending)]
        return next((found for ending in endings if (found := self._listed(ending))), frozenset())

    def _listed(self, name: str) -> frozenset[str]:
        words = _WORD.findall(name.casefold())
        if not words:  # "2", "50", "?": Visual Genome has such names
            return frozenset()
        if "of" in words[1:-1]:
            place = words.index("of")
            words = words[place + 1 :] if words[place - 1] in self._measures else words[:place]
        for length in dict.fromkeys((len(words), 2, 1)):
            if length <= len(words):
                for form in self._singulars(words[:-1][len(words) - length :], words[-1]):
                    if form in self._classes:
                        return self._classes[form]
        return frozenset()

    def _singulars(self, before: list[str], last: str) -> Iterator[str]:
        """The name as it stands, then what its singular may be."""
        forms = [last]
        if last in self._plurals:
            forms.append(self._plurals[last])
        elif last.endswith("s") and not last.endswith("ss"):
            forms += [f"{last[:-3]}y"] if last.endswith("ies") else []
            forms.append(last[:-1])
            forms += [last[:-2]] if last.endswith("es") else []
        for form in forms:
            yield " ".join((*before, form))


def _classes(classes: Mapping[str, str], groups: Mapping[str, tuple[str, ...]]) -> dict[str, frozenset[str]]:
    """The classes of every noun, with the groups these belong to."""
    for group, members in groups.items():
        for member in members:
            if member not in classes:
                raise CountersightError(f"group {group!r}: " + unknown("class of nouns", member, classes))
    found: dict[str, set[str]] = {}
    for name, listed in classes.items():
        also = {group for group, members in groups.items() if name in members}
        for noun in listed.replace("\n", " ").split(","):
            if noun.strip():
                found.setdefault(noun.strip(), set()).update({name}, also)
    return {noun: frozenset(names) for noun, names in found.items()}
