"""Where a few words say that something is, or whose it is: "on the porch", "the girl on the left has"."""

import re

import msgspec

from countersight.reading.counts.company import names_several
from countersight.reading.language.stems import is_empty, stem
from countersight.reading.language.vocabulary import words

_THE_LEFT = re.compile(r"\bleft(?= side\b)|(?<=the )(?:far )?left\b", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|[^\sa-z'\"*]")
_PREPOSITIONS = words("counts.placing")
_THE = words("counts.before_a_place")
_HAVING = words("questions.possession")
_HAS = _HAVING | {":"}
_VERBS = words("questions.helping")
_SAID = words("counts.said_in_counting")
_IN_A_PLACE = words("counts.being_there") | words("counts.being_at")
_UNSURE = words("counts.unsure_of_places")
ROOMY = frozenset(map(stem, words("counts.roomy")))
"""Places that may hold others: what is on a bench is in the park."""
_SCENE = frozenset(map(stem, ("side", "image", "picture", "photo", "scene", "moment")))


class Where(msgspec.Struct, frozen=True):
    """A place, or whose the things are: the stems of its words, and the preposition before them."""

    words: frozenset[str] = frozenset()
    how: str = ""
    has: bool = False
    """Whether it is told to have the things."""


class UnclearError(Exception):
    """Raised where a word or a number cannot be accounted for."""


def thing_in(tokens: list[str]) -> tuple[list[str], list[str]]:
    """The words of what is counted, and what is said of it."""
    start = next((i for i, token in enumerate(tokens) if token not in ("more", "other", "others", "additional")), 0)
    stop = next((i for i, t in enumerate(tokens) if i >= start and not _tells(t)), len(tokens))
    stop = next((i + 1 for i in range(start, stop) if names_several(tokens[i])), stop)
    return tokens[start:stop], tokens[stop:]


def place_in(tokens: list[str]) -> tuple[Where, list[str]]:
    """The place that words tell, or who has something, and the other words."""
    said: set[str] = set()
    how, has = "", False
    others: list[str] = []
    holds = next((i for i, token in enumerate(tokens) if token in _HAS), 0)
    i = 0
    while i < len(tokens):
        placed = tokens[i] in _PREPOSITIONS and not _THE.isdisjoint(tokens[i + 1 : i + 2])
        start = i + 2 if placed else i + 1 if tokens[i] in _THE else i
        stop = next((j for j in range(start, len(tokens)) if not _tells(tokens[j])), len(tokens))
        if start < stop and (placed or (start < holds and not said)):
            said |= {stem(token.removesuffix("'s")) for token in tokens[start:stop]}
            how, has = how or (tokens[i] if placed else ""), has or not placed
            i = stop
        else:
            others.append(tokens[i])
            i += 1
    return Where(frozenset(said - _SCENE), how, has), others


def _tells(token: str) -> bool:
    """Whether a word may be one of a name."""
    return token[0].isalpha() and not (_is_known(token) or token in _IN_A_PLACE)


def is_said(token: str) -> bool:
    """Whether a word is one of those with which things are counted, and tells nothing else of them."""
    if token in _UNSURE or token.endswith("n't"):
        raise UnclearError
    return _is_known(token) or not token[0].isalnum()


def _is_known(token: str) -> bool:
    return is_empty(token) or any(token in known for known in (_SAID, _PREPOSITIONS, _VERBS, _HAVING))


def is_said_of_places(token: str) -> bool:
    """The same, of a part: its things may stand or lie there."""
    return token in _IN_A_PLACE or is_said(token)


def tokens_of(text: str) -> list[str]:
    """The words and stops of a text in small letters, and a left that is a side by a name of its own."""
    return _TOKEN.findall(_THE_LEFT.sub("leftside", text.lower()))
