"""Options that say "nothing", and questions for the one that is not."""

import re
from collections.abc import Sequence

from countersight.reading.choices.texts import affirmed, name_of, words_of
from countersight.reading.language.clauses import contrasted, sentences, stated
from countersight.reading.language.vocabulary import words

_NOTHING = words("options.nothing")
_IS_EMPTY = re.compile(r"(?:\bbe|\bis|\bare|'s|\bstay|\blook)(?: (?:then|\w+ly))? (?:empty|bare)\b", re.IGNORECASE)
_OPENS_WITH_NOTHING = re.compile(r"\W*(?:nothing|nobody|no one|none)\s*(?:[,;:.!]|--?\s|$)", re.IGNORECASE)

_ASKS_WHAT_CANNOT = re.compile(
    r"\W*what\b.*(?:\b(?:unable to|not be able to|no longer)\b|\b(?:could|can|would|will)(?:n't| \w+(?: \w+)? not)\b)"
    r".*\bdo\b",
    re.IGNORECASE,
)
_CANNOT = re.compile(
    r"\b(?:could|can|would|will|is|are)(?:n't| not| no longer)\b|\b(?:cannot|unable|impossible)\b|^\W*(?:but )?not\b",
    re.IGNORECASE,
)
_MAY_BE_DONE = re.compile(r"\b(?:could|can|would|will|able|cannot|unable|impossible)\b|n't\b|'d\b", re.IGNORECASE)


def denied_alone(text: str, options: Sequence[str], letters: str) -> str | None:
    """The only option that a reply denies, where it was asked which one is not: "there is no boat"."""
    said, plain = words_of(text), words_of(affirmed(text))
    denied = [
        letter
        for letter, option in zip(letters, options, strict=True)
        if (name := name_of(option)) in said and (name not in plain or f"no {name}" in said)
    ]
    return denied[0] if len(denied) == 1 else None


def tells_what_cannot_be_done(text: str, question: str) -> bool:
    """Whether a sentence answers what somebody could not do: what it says to be possible is no answer then."""
    return bool(_ASKS_WHAT_CANNOT.match(stated(question)) and _MAY_BE_DONE.search(text))


def cannot_be_done(text: str, options: Sequence[str], letters: str) -> str | None:
    """The only option that a reply says cannot be done: "he could still stand, but he could not work safely"."""
    ruled_out: set[str] = set()
    possible: set[str] = set()
    for part in (part for piece in sentences(text) for part in contrasted(piece)):
        said = words_of(part)
        named = {letter for letter, option in zip(letters, options, strict=True) if name_of(option) in said}
        (ruled_out if _CANNOT.search(part) else possible).update(named)
    return (ruled_out - possible).pop() if len(ruled_out - possible) == 1 else None


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
