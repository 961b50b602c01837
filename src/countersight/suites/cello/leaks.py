"""Check whether a question reveals its answer, or does not say what it should (CELLO 4.3)."""

import re
from collections.abc import Iterable

from countersight.causal import head, plain, singular, synonyms, words_in

LONGEST = 400
"""Longest question in characters; published ones have a tenth of that."""

_NOT_GONE = re.compile(r"(?:\bnot|\bnever|n't)(?: \w+)? (?:gone|absent|missing|removed|lost|taken)\b", re.IGNORECASE)
"""A loss that is denied: nothing is then supposed to be gone."""
_PRONOUNS = frozenset({"it", "they", "he", "she"})
_CONDITIONS = frozenset({"if", "suppose", "supposing", "imagine", "assume", "assuming", "even", "with", "given", "say"})


def leaked(text: str, forbidden: Iterable[str], named: Iterable[str]) -> list[str]:
    """Return the forbidden names that a text reveals, by the name, its head or a synonym, in any number.

    Words of the things that the question is meant to name give nothing away.
    """
    said = [singular(word) for word in words_in(text)]
    allowed = {singular(word) for name in named for word in words_in(name)}
    found = []
    for name in forbidden:
        forms = {name, head(name), *synonyms(name)}
        tokens = {tuple(singular(word) for word in words_in(form)) for form in forms} - {()}
        if any(_stands_in(form, said) for form in tokens if not allowed.issuperset(form)):
            found.append(name)
    return found


def _stands_in(form: tuple[str, ...], said: list[str]) -> bool:
    return any(tuple(said[place : place + len(form)]) == form for place in range(len(said) - len(form) + 1))


def misses(text: str, named: Iterable[str]) -> list[str]:
    """Return the required names that are missing from a question, also by their head or a synonym."""
    said = [singular(word) for word in words_in(text)]
    return [
        name
        for name in named
        if not any(
            _stands_in(tuple(singular(word) for word in words_in(form)), said)
            for form in (plain(name), head(name), *synonyms(name))
        )
    ]


def fault(
    text: str,
    *,
    forbidden: Iterable[str],
    named: Iterable[str],
    gone: str | None = None,
    asked: str | None = None,
) -> str | None:
    """Return what is wrong with a language model's wording, as a message to it, or None.

    Of a question for yes or no, what is `asked` about must stand in the clause that asks, and what is supposed to be
    `gone` must not: with the two exchanged the answer would be another.
    """
    if not 10 <= len(text) <= LONGEST:
        return f"it must have 10 to {LONGEST} characters"
    if text.count("?") != 1 or not text.endswith("?") or "\n" in text:
        return "it must be one question on one line, and nothing else"
    forbidden, named = list(forbidden), list(named)
    given_away = leaked(text, forbidden, named)
    if given_away:
        return f"it must not mention {' or '.join(given_away)}, nor a synonym"
    absent = misses(text, named)
    if absent:
        return f"it must mention {' and '.join(absent)}"
    if gone and _NOT_GONE.search(text):
        return f"it must suppose, in plain words, that {gone} is gone"
    clause = _asking_clause(text)
    if asked and misses(clause, [asked]) and not _PRONOUNS.intersection(words_in(clause)):
        return f"it must ask about {asked}"
    if gone and not misses(clause, [gone]):
        return f"it must ask about {asked}, and suppose {gone} to be gone"
    return None


def _asking_clause(text: str) -> str:
    """The clause that asks: behind the supposition, or before it."""
    text = text.casefold()
    if _CONDITIONS.intersection(words_in(text)[:1]):
        return re.split(r"[,.;]\s", text)[-1]
    return re.split(r"\s(?:if|when|while|once|were|should)\s", text)[0]
