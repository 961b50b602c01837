"""Questions about what is, turned into questions about what would be."""

import re
from typing import Final

import msgspec

from countersight.composer import PLACES, is_verb
from countersight.english import is_plural, number_of

_WORD = re.compile(r"[A-Za-z0-9'’-]+")
_PLAIN = re.compile(r"[A-Za-z0-9'’ ,.?!-]+")
"""Anything else would be lost on the way."""
_NO_NAMES: Final = frozenset({"of", "more", "other", "different", "total"})
_IN_GENERAL: Final = frozenset({"usually", "normally", "typically", "generally", "average", "supposed"})
"""What is asked of the world, and not of the picture."""
_JOINING: Final = frozenset({"and", "or", "whose", "who", "which", "that", "how"})
"""A name with one of these is more than one name: "cars and trucks", "cars whose wheels"."""
_PLACES: Final = frozenset(
    {"in", "on", "at", "near", "behind", "by", "under", "over", "above", "inside", "outside", "with"}
)
_STATES: Final = frozenset({"visible", "shown", "seen", "pictured", "present", "depicted"})
"""What does not ask for some of the things only: of "how many bears are brown" nobody knows who else would be."""
_BEFORE_A_PLACE = re.compile(
    r"(?:(?:are|is|was|were) there|(?:can|do|could) you see|(?:can|could) be seen|are|is|was|were)\b *"
    rf"(?:(?:{'|'.join(sorted(_STATES))})\b *)?",
    re.IGNORECASE,
)
_OF_THE_PICTURE = re.compile(
    rf"(?:^| )(?:in|on) (?:(?:the|this|that) )?(?:{'|'.join(sorted(PLACES))})$|^here$", re.IGNORECASE
)
_DEFINITE = re.compile(
    r"(?:in|on|at|near|behind|by|under|over|above|inside|outside)(?: (?:front|top|back) of)? "
    r"(?:all )?(?:the|this|that|these|those|his|her|their|its) .+",
    re.IGNORECASE,
)
"""A place one may call "there": not "on a leash", not "with hats"."""
_VERBS: Final = frozenset({"are", "is", "was", "were", "can", "do", "does", "did", "have", "has"})
_NAME_ENDS: Final = _PLACES | _STATES | _VERBS | {"there", "here"}


class Conditional(msgspec.Struct, frozen=True):
    """A how-many question taken apart so that it can be asked of another world."""

    name: str
    """The counted things as the question names them, in the plural: "slices of pizza"."""
    asked: str
    """What is asked: "how many slices of pizza would be on the plate"."""
    where: str = ""
    """Where they are counted: "on the plate"; nothing where it is the whole picture."""


def conditional(question: str) -> Conditional | None:
    """The question as it is asked of what would be, or None where its grammar is not covered."""
    words = _WORD.findall(question) if _PLAIN.fullmatch(question) else []
    if [word.casefold() for word in words[:2]] != ["how", "many"] or len(words) < 3:
        return None
    if _IN_GENERAL & {word.casefold() for word in words}:
        return None
    said = words[2:]
    name = _name(said)
    rest = said[len(name) :]
    if (
        not name
        or "'" in _head(name)
        or not is_plural(_head(name))
        or name[0].casefold() in _NO_NAMES
        or _JOINING & {word.casefold() for word in name}
        or number_of(name[0].casefold())
    ):
        return None
    would, where = _would(rest), _where(rest)
    if would is None or (where and not _DEFINITE.fullmatch(where)):
        return None
    return Conditional(" ".join(name), f"how many {' '.join(name)} {would}", where)


def _head(name: list[str]) -> str:
    lower = [word.casefold() for word in name]
    return lower[lower.index("of") - 1] if "of" in lower[1:] else lower[-1]


def _name(said: list[str]) -> list[str]:
    for place, word in enumerate(said):
        lower = word.casefold()
        if lower in _NAME_ENDS or (place and lower.endswith("ing")):
            return said[:place]
    return said


def _where(rest: list[str]) -> str:
    """The place the things are in, without the picture itself; what somebody has is in no place."""
    said = " ".join(rest)
    if said.casefold().endswith(" have"):
        return ""
    begins = _BEFORE_A_PLACE.match(said)
    place = _OF_THE_PICTURE.sub("", said[begins.end() if begins else 0 :])
    return re.sub(r"\ball (the .+) together$|(.) together$", r"\1\2", place)  # nothing is put into all of them together


def _would(rest: list[str]) -> str | None:
    """The predicate with "would": "are on the table" becomes "would be on the table"."""
    lower = [word.casefold() for word in rest]
    behind = " ".join(rest[1:])
    match lower:
        case []:
            return "would there be"
        case ["are" | "is" | "was" | "were", "there", *_]:
            return " ".join(["would there be", *rest[2:]])
        case ["are" | "is" | "was" | "were", "here" | "this" | "these" | "that" | "the" | "it" | "he" | "she", *_]:
            return "would there be here" if lower[1:] == ["here"] else None
        case ["are" | "is" | "was" | "were", "not" | "on" | "off"] | ["are" | "is" | "was" | "were", "not", *_]:
            return None
        case ["are" | "is" | "was" | "were", state, *_] if state in _PLACES | _STATES:
            return f"would be {behind}"
        case ["can" | "do" | "could", "you", "see", *_]:
            return " ".join(["would you see", *rest[3:]])
        case ["can" | "could", "be", "seen", *_]:
            return " ".join(["would be seen", *rest[3:]])
        case ["does" | "do", *subject, "have"] if 1 <= len(subject) <= 4:
            return f"would {' '.join(rest[1:-1])} have"
        case [word, *more] if word in _PLACES and not any(map(is_verb, more)):  # not "in the picture look happy"
            return " ".join(["would there be", *rest])
        case [word, *_] if word in _STATES:
            return " ".join(["would be", *rest])
    return None
