"""Check whether a question reveals its answer, or does not name what it should (CELLO 4.3)."""

import re
from collections.abc import Iterable

from countersight.causal import head, plain, singular, synonyms, words_in

MAX_LENGTH = 400
"""The longest question in characters; published ones are about a tenth as long."""

_NOT_GONE = re.compile(r"(?:\bnot|\bnever|n't)(?: \w+)? (?:gone|absent|missing|removed|lost|taken)\b", re.IGNORECASE)
"""A loss that is negated, such as "not removed": the question then does not suppose that anything is gone."""


def leaked_names(text: str, forbidden: Iterable[str], named: Iterable[str]) -> list[str]:
    """Return the forbidden names that a text reveals by the name, its head or a synonym, in the singular or plural.

    Words of the things that the question must name are allowed.
    """
    words = _singulars(text)
    allowed = {word for name in named for word in _singulars(name)}
    return [
        name
        for name in forbidden
        if any(_occurs_in(form, words) for form in _forms(name) if not allowed.issuperset(form))
    ]


def wording_error(text: str, *, forbidden: Iterable[str], named: Iterable[str], gone: str | None = None) -> str | None:
    """Return a message to the language model about a fault in its wording, or None; `gone` is the thing that is
    lost."""
    if not 10 <= len(text) <= MAX_LENGTH:
        return f"it must have 10 to {MAX_LENGTH} characters"
    if text.count("?") != 1 or not text.endswith("?") or "\n" in text:
        return "it must be one question on one line, and nothing else"
    forbidden, named, words = list(forbidden), list(named), _singulars(text)
    given_away = leaked_names(text, forbidden, named)
    if given_away:
        return f"it must not mention {' or '.join(given_away)}, nor a synonym"
    if gone and _NOT_GONE.search(text):
        return f"it must suppose, in plain words, that {gone} is gone"
    absent = [name for name in named if not any(_occurs_in(form, words) for form in _forms(name))]
    return f"it must mention {' and '.join(absent)}" if absent else None


def _singulars(text: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in words_in(text))


def _forms(name: str) -> set[tuple[str, ...]]:
    """Return the ways to name a thing, each as a tuple of words: its name, its head, and synonyms."""
    return {_singulars(form) for form in (name, plain(name), head(name), *synonyms(name))} - {()}


def _occurs_in(form: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return any(words[place : place + len(form)] == form for place in range(len(words) - len(form) + 1))
