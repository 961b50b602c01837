"""What a plain Chinese or Japanese sentence says of the very thing that an English question asks."""

import re
from typing import NamedTuple

from countersight.reading.language.clauses import asks_of_now, stated
from countersight.reading.language.vocabulary import listed

_NEGATED = re.compile(r"\b(?:no|not|without|nobody|nothing|unable|fail|avoid)\b|n't\b", re.IGNORECASE)
_COMPARES = re.compile(r"\b(?:than|as \w+ as|both|all|every|only)\b|\w+est\b", re.IGNORECASE)
_ASKS_WHETHER_THERE_IS = re.compile(r"\W*(?:is|are) there\b|\W*(?:can|do) you see\b", re.IGNORECASE)
_DOES_SOMETHING_WITH = re.compile(r"\b(?:wear|hold|carry|rid|eat|drink|play)\w* (?=\w)", re.IGNORECASE)
_PAUSE = re.compile(r"[,.;!、。，；\s]+")


def _any(*names: str) -> str:
    return "|".join(re.escape(sign) for name in names for sign in listed(name))


_DENIES = re.compile(_any("eastern.denying"))
_NO_DENIAL = re.compile(_any("eastern.no_denying"))
_AS_IT_IS = re.compile(_any("eastern.now", "eastern.as_it_is"))
_SUPPOSES = re.compile(_any("eastern.conditions", "eastern.japanese_conditions"))
_UNDER_A_CONDITION = re.compile(f"(?:没有|沒有|有).*[就才]|{_any('eastern.nearly')}")
_THERE_IS = re.compile("有|い(?:ます|る)|あ(?:ります|る)|いません|ありません|いない|没|沒|見え|看到|看见")
_SHORT = 40  # signs of a reply that says one thing
_FEW = 3  # statements of it


class _Meaning(NamedTuple):
    english: re.Pattern[str]
    signs: re.Pattern[str]
    against: re.Pattern[str] | None
    """What shuts it out: who asks whether it would float hears that it sinks."""


def _meaning(english: str, signs: str, against: str = "") -> _Meaning:
    said = re.compile(rf"\b(?:{english})\b", re.IGNORECASE)
    return _Meaning(said, re.compile(signs), re.compile(against) if against else None)


_MEANINGS = [_meaning(*entry) for entry in listed("eastern.meanings")]
_THINGS = {
    re.compile(rf"\b(?:{name})s?\b", re.IGNORECASE): re.compile(s) for name, s in listed("eastern.things").items()
}


def said_in_signs(text: str, question: str) -> str | None:
    """Yes or no, by what a short reply says of the one thing asked, if its signs are known; None where it is open."""
    main = stated(question)
    told = [part for part in _PAUSE.split(text) if part and not _SUPPOSES.search(part)]
    if _NEGATED.search(main) or _COMPARES.search(main) or len(text) > _SHORT or not 0 < len(told) <= _FEW:
        return None
    if _ASKS_WHETHER_THERE_IS.match(main):
        return _there(told, main)
    asked = [meaning for meaning in _MEANINGS if meaning.english.search(main)]
    if len(asked) != 1 or (not asks_of_now(question) and any(map(_AS_IT_IS.search, told))):
        return None  # what is now is no answer to what would be
    said = {_side(part, asked[0], main) for part in told} - {None}
    return said.pop() if len(said) == 1 else None


def _side(part: str, asked: _Meaning, main: str) -> str | None:
    """Whether one statement affirms or denies what is asked, of the same thing where the question names a known one."""
    holds = asked.signs.search(part)
    other = asked.against.search(part) if asked.against else None
    if bool(holds) == bool(other):
        return None
    if _UNDER_A_CONDITION.search(part):
        return None
    if any(signs.match(part) and not name.search(main) for name, signs in _THINGS.items()):
        return None  # "门是开着的" says nothing of the window
    held = _held(main)
    if held and not held.search(part):
        return None
    return "yes" if bool(holds) is (_denials(part) == 0) else "no"


def _held(main: str) -> re.Pattern[str] | None:
    """What somebody wears, holds or eats has to be said again: glasses are no hat."""
    if not _DOES_SOMETHING_WITH.search(main):
        return None
    things = [signs for name, signs in _THINGS.items() if name.search(main)]
    return things[-1] if things else re.compile(r"(?!)")


def _there(told: list[str], main: str) -> str | None:
    """Whether there is a thing whose signs are known."""
    things = [signs for name, signs in _THINGS.items() if name.search(main)]
    said = {
        "no" if _denials(part) else "yes"
        for part in told
        if things and things[0].search(part) and _THERE_IS.search(part)
    }
    return said.pop() if len(said) == 1 else None


def _denials(part: str) -> int:
    return len(_DENIES.findall(_NO_DENIAL.sub("", part)))
