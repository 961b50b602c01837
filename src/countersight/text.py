"""Format numbers, and text from files and servers, for display in a terminal."""

import re
from collections.abc import Iterable
from unicodedata import combining, east_asian_width

_MOST_MEANT = 3
"""The maximum number of names that an error message suggests."""


def several(number: int, noun: str) -> str:
    """Format a count: "1 case", "3,000 cases"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def printable(text: str) -> str:
    """Make text from a file or a server safe to print: one line, without control characters."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in " ".join(text.split()))


def columns(text: str) -> int:
    """Return the width of a text in terminal columns: 2 per Chinese, Japanese or Korean character, 0 for an accent."""
    return sum(0 if combining(sign) else 1 + (east_asian_width(sign) in "WF") for sign in text)


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the most similar name, ignoring case; None if no name is similar."""
    return next(iter(_near(name, names)), None)


def _near(name: str, names: Iterable[str]) -> list[str]:
    """Return the names that start with this one or, if there are none, the most similar name."""
    import difflib

    known = {(plain := each.partition("[")[0]).casefold(): plain for each in names}  # without their optional parts
    # zero-shot and one-shot are usual names of the prompts 0-shot and 1-shot
    typed = re.sub(r"\b(zero|one)\b", lambda word: str(("zero", "one").index(word[0])), name.casefold())
    near = [each for each in known if typed and each.startswith(typed)]
    return [known[each] for each in near or difflib.get_close_matches(typed, known, n=1, cutoff=0.5)]


def unknown(what: str, name: str, names: Iterable[str]) -> str:
    """Return an error message for an unknown name, with the most similar name and all valid names."""
    known = list(names)
    near = _near(name, known) or _of_kind(name, known)
    meant = f"did you mean {' or '.join(map(repr, near[:_MOST_MEANT]))}? The" if near else "the"
    return f"there is no {what} {name[:80]!r}; {meant} names are: {', '.join(known)}"


def _of_kind(name: str, known: list[str]) -> list[str]:
    """Return the name whose part before the colon is most similar: viper:CODE_MODEL for vipr:gpt."""
    kind, colon, _ = name.partition(":")
    kinds = {each.partition(":")[0]: each for each in known if ":" in each}
    near = nearest(kind, kinds) if colon else None
    return [kinds[near]] if near else []


def in_dollars(amount: float) -> str:
    """Format an amount of money: $1,234.50, or $0.005 if it is less than a cent."""
    return f"${amount:,.2f}" if amount >= 0.01 or not amount else f"${amount:.2g}"
