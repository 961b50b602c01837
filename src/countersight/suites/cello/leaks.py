"""Check whether a question reveals its answer, or does not name what it should (CELLO 4.3)."""

import re
from collections.abc import Iterable

from countersight.causal import head, plain, singular, synonyms, words_in

LONGEST = 400
"""Longest question in characters; published ones have a tenth of that."""

_NOT_GONE = re.compile(r"(?:\bnot|\bnever|n't)(?: \w+)? (?:gone|absent|missing|removed|lost|taken)\b", re.IGNORECASE)
"""A loss that is denied: nothing is then supposed to be gone."""


def leaked(text: str, forbidden: Iterable[str], named: Iterable[str]) -> list[str]:
    """Return the forbidden names that a text reveals, by the name, its head or a synonym, in any number.

    Words of the things that the question is meant to name give nothing away.
    """
    said = _singulars(text)
    allowed = {word for name in named for word in _singulars(name)}
    return [
        name
        for name in forbidden
        if any(_stands_in(form, said) for form in _forms(name) if not allowed.issuperset(form))
    ]


def fault(text: str, *, forbidden: Iterable[str], named: Iterable[str], gone: str | None = None) -> str | None:
    """Return what is wrong with a language model's wording, as a message to it, or None; `gone` must be lost."""
    if not 10 <= len(text) <= LONGEST:
        return f"it must have 10 to {LONGEST} characters"
    if text.count("?") != 1 or not text.endswith("?") or "\n" in text:
        return "it must be one question on one line, and nothing else"
    forbidden, named, said = list(forbidden), list(named), _singulars(text)
    given_away = leaked(text, forbidden, named)
    if given_away:
        return f"it must not mention {' or '.join(given_away)}, nor a synonym"
    if gone and _NOT_GONE.search(text):
        return f"it must suppose, in plain words, that {gone} is gone"
    absent = [name for name in named if not any(_stands_in(form, said) for form in _forms(name))]
    return f"it must mention {' and '.join(absent)}" if absent else None


def _singulars(text: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in words_in(text))


def _forms(name: str) -> set[tuple[str, ...]]:
    """The words by which a thing may be named: its name, its head, and synonyms."""
    return {_singulars(form) for form in (name, plain(name), head(name), *synonyms(name))} - {()}


def _stands_in(form: tuple[str, ...], said: tuple[str, ...]) -> bool:
    return any(said[place : place + len(form)] == form for place in range(len(said) - len(form) + 1))
