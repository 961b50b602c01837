"""Messages about unknown names, which suggest the most similar known ones."""

import re
from collections.abc import Iterable

_MOST_MEANT = 3
"""The maximum number of names that an error message suggests."""


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
