"""Options that say "nothing", and questions for the one that is not."""

import re
from collections.abc import Sequence

from countersight.reading.choices.texts import affirmed, name_of, words_of
from countersight.reading.language.vocabulary import words

_NOTHING = words("options.nothing")
_IS_EMPTY = re.compile(r"(?:\bbe|\bis|\bare|'s|\bstay|\blook)(?: (?:then|\w+ly))? (?:empty|bare)\b", re.IGNORECASE)
_OPENS_WITH_NOTHING = re.compile(r"\W*(?:nothing|nobody|no one|none)\s*(?:[,;:.!]|--?\s|$)", re.IGNORECASE)


def denied_alone(text: str, options: Sequence[str], letters: str) -> str | None:
    """The only option that a reply denies, where it was asked which one is not: "there is no boat"."""
    said, plain = words_of(text), words_of(affirmed(text))
    denied = [
        letter
        for letter, option in zip(letters, options, strict=True)
        if (name := name_of(option)) in said and (name not in plain or f"no {name}" in said)
    ]
    return denied[0] if len(denied) == 1 else None


def opens_with_nothing(text: str) -> bool:
    """Whether the first word of a text is a whole answer: "Nothing; the red block is the topmost one."."""
    return bool(_OPENS_WITH_NOTHING.match(text))


def nothing_at_all(text: str, options: Sequence[str], letters: str) -> str | None:
    """The one option that says "nothing", where a reply says that it is empty: "The cup would be empty."."""
    nothing = [letter for letter, option in zip(letters, options, strict=True) if words_of(option) in _NOTHING]
    others = [option for option in options if words_of(option) not in _NOTHING]
    named = any(name_of(option) in words_of(text) for option in others)
    said = _IS_EMPTY.search(text) or opens_with_nothing(text)
    return nothing[0] if len(nothing) == 1 and said and not named else None
