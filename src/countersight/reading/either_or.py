"""Open questions that name the two answers they expect: "Would the glass be full or empty?"."""

import re

from msgspec.structs import replace

from countersight.case import LETTERS, Option, Question
from countersight.reading.bare import loose

_NAME = r"(?:(?:an?|the|in|on|at|to the) )?[\w-]+"
_ENDS = r"(?=\s*(?:\?|,|$)| (?:if|when|after|once|now|then|in the (?:image|picture|photo))\b)"
_ASKED = re.compile(
    r"(?:^|,)\W*(?:then )?(?:is|are|was|were|would|will|does|do|did|could|can|has|have)\b[^,?]*?"
    rf" (?P<one>{_NAME}) or (?P<other>{_NAME}){_ENDS}",
    re.IGNORECASE,
)
# "Half open", "on the table": neither of the two
_NEARLY = r"\b(?:half|halfway|nearly|almost|partly|partially|slightly|semi|not|never|neither)[ -]"
_OF_A_PLACE = r"\s+(?:the|an?|his|her|its|their|top)\b"
_PLACING = frozenset({"on", "off", "in", "out", "up", "down"})
_FEW = 3  # words that name a third thing


def of_two(question: Question) -> Question | None:
    """The question as one between the two that it names, or None where it names none; "or not" names only one."""
    found = _ASKED.search(question.text)
    if found is None or found["other"].lower() in ("not", "no", "nothing", "more"):
        return None
    return replace(question, kind="choice", options=(Option(found["one"]), Option(found["other"])))


def named_by(letter: str | None, text: str, two: Question) -> str | None:
    """The one of the two that was chosen, if a reply says it in words and in its own sense."""
    told = two.options[LETTERS.index(letter)].text if letter else ""
    if not told or f" {loose(told)} " not in f" {loose(text)} ":
        return None
    otherwise = rf"{_NEARLY}{told}\b" + (rf"|\b{told}{_OF_A_PLACE}" if told.lower() in _PLACING else "")
    return None if re.search(otherwise, text, re.IGNORECASE) else told


def may_name_a_third(text: str) -> bool:
    """Whether a reply is so short that it may name what the question does not: "half open"."""
    return len(text.split()) <= _FEW
