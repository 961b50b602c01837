"""The words of vocabulary.toml, and the patterns made of them."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

_CONDITION = re.compile(r", not (before|after): ")
_GAP = "..."


@cache
def _sections() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files(__package__) / "vocabulary.toml").read_text(encoding="utf-8"))


def listed(name: str) -> Any:
    """An entry of the vocabulary, named "section.entry", as it stands there."""
    section, _, entry = name.partition(".")
    return _sections()[section][entry]


def words(name: str) -> frozenset[str]:
    """A list of single words."""
    return frozenset(listed(name))


@cache
def any_of(*names: str) -> str:
    """A pattern for any phrase of these lists, the longest first, so that "no longer" is found before "no"."""
    return either({phrase for name in names for phrase in listed(name)})


def either(phrases: Iterable[str]) -> str:
    """A pattern for any of these phrases, the longest first."""
    return f"(?:{'|'.join(map(_phrase, sorted(phrases, key=lambda phrase: (-len(phrase), phrase))))})"


def found(*names: str) -> re.Pattern[str]:
    """A compiled pattern for any phrase of these lists."""
    return re.compile(any_of(*names), re.IGNORECASE)


def _phrase(written: str) -> str:
    core, *conditions = _CONDITION.split(written)
    first, *others = core.split()
    pattern = _bounded(core, _place(first, "", " ") + "".join(_place(word, " ", "") for word in others))
    for side, neighbours in zip(conditions[::2], conditions[1::2], strict=True):
        if side == "before":
            pattern += rf"(?! {_alternatives(neighbours)}\b)"
        else:
            unless = "".join(rf"(?<!\b{re.escape(other)} )" for other in neighbours.split("/"))
            pattern = f"(?={pattern}){unless}{pattern}"  # looks back only where the phrase stands
    return pattern


def _place(word: str, before: str, after: str) -> str:
    """One place of a phrase; the space that parts it from its neighbour goes with it where it may be missing."""
    if word == _GAP:
        return r"(?: \S+){0,3}?"
    if word.startswith("["):
        return f"(?:{before}{_alternatives(word[1:-1])}{after})?"
    return before + _alternatives(word)


def _alternatives(word: str) -> str:
    forms = [re.escape(form).replace(r"\*", r"\w*" if len(form) > 1 else r"\w+") for form in word.split("/")]
    return forms[0] if len(forms) == 1 else f"(?:{'|'.join(forms)})"


def _bounded(core: str, pattern: str) -> str:
    starts = r"\b" if core[0].isalnum() or core[0] in "*[" else ""
    ends = r"\b" if core[-1].isalnum() or core[-1] in "*]" else ""
    return f"{starts}{pattern}{ends}"
