"""Questions that ask whether a statement holds ("is it false that …"), and what a reply calls that statement."""

import re
from functools import lru_cache

import msgspec

from countersight.reading.language.vocabulary import any_of, listed, words

_OF_WORD: dict[str, tuple[int, bool]] = {
    word: (family, side == 0)
    for family, sides in enumerate(listed("verdicts.families"))
    for side, called in enumerate(sides)
    for word in called
}
_WORD = "|".join(sorted(_OF_WORD, key=len, reverse=True))
_CLAIM = any_of("verdicts.claims")
_IF_TRUE = rf"(?:(?:is|was) it|would it be) (?P<word>{_WORD})(?: to (?:say|claim|think)(?: that)?| that)\b(?P<what>.+)"
_IF_POSSIBLE = r"(?:is|was) it (?P<odds>(?:im)?possible|(?:un)?likely) (?:for|to|that)\b(?P<event>.+)"
_IF_SO = r"(?:is|would|will) (?P<thing>(?!it\b).+?) (?:be )?(?P<thus>impossible|unlikely)\b(?P<rest>.*)"
_IF_A_CLAIM = rf"(?:is|was) the {_CLAIM} that (?P<claim>.+) (?P<called>{_WORD})\W*$"
_IF_SAID = r"(?:can|could) (?:one|you|we) (?:say|claim) that (?P<said>.+)"
_ASKED = re.compile(rf"^\W*(?:{_IF_TRUE}|{_IF_POSSIBLE}|{_IF_SO}|{_IF_A_CLAIM}|{_IF_SAID})", re.IGNORECASE)
_CANNOT = re.compile(r"\bcan(?:'t|not)\b", re.IGNORECASE)
_SHORT_NOT = re.compile(r"n't\b", re.IGNORECASE)
_LEAD = r"^\W*(?:(?:and|but|so|then|therefore|thus|hence|i think|i'd say)\b,? )*"
_IT = rf"(?:it|that|this|(?:the|this|that) {_CLAIM})"
# "It is not wrong at all", "impossible!"; "so the claim does not hold", "one can say that".
_IS_CALLED = (
    rf"(?:(?P<it>{_IT}|(?:the )?\w+(?: \w+)?)(?:'s| is| was| would)(?P<not> not| far from)? )?(?:be )?(?P<un>not )?"
    rf"(?:an? )?(?:(?:\w+ly|quite|very) )?(?P<word>{_WORD})(?P<more> (?:to|for|that) .+)?(?: at all| indeed)?"
)
_HOLDS = rf"{_IT} (?P<fails>does not )?(?:holds?|stands?)"
_IS_SAID = r"(?:one|you|we) can (?P<cannot>not )?(?:say|claim) (?:so|it|that|this)"
_CALLED = re.compile(rf"{_LEAD}(?:{_IS_CALLED}|{_HOLDS}|{_IS_SAID})\W*$", re.IGNORECASE)
_ENDS = re.compile(r"[.!;:]\s|, (?=so\b|just\b|but\b|because\b|as\b|since\b)")
_WORDS = re.compile(r"[a-z]+", re.IGNORECASE)
_SAYING_SO = words("verdicts.saying_so")
_ALONE = frozenset({"possible", "impossible", "likely", "unlikely"})


class Statement(msgspec.Struct, frozen=True):
    """What a question asks to be judged."""

    text: str
    family: int
    asks_if_right: bool


@lru_cache(maxsize=512)
def judged_in(question: str) -> Statement | None:
    """The statement that a question asks about, or None where it asks of the world itself."""
    asked = _ASKED.match(question)
    if not asked:
        return None
    word = asked["word"] or asked["odds"] or asked["thus"] or asked["called"] or "true"
    thing = f"{asked['thing']} {asked['rest']}" if asked["thing"] else ""
    text = asked["what"] or asked["event"] or thing or asked["claim"] or asked["said"]
    return Statement(text.strip(" ?"), *_OF_WORD[word.lower()])


def verdict(text: str, statement: Statement) -> str | None:
    """Yes or no, where a reply calls the statement what the question does, or the contrary; None where it does not."""
    said = _SHORT_NOT.sub(" not", _CANNOT.sub("can not", text))
    told = {_called(piece, statement) for piece in _ENDS.split(said)} - {None}
    return ("yes" if told.pop() == statement.asks_if_right else "no") if len(told) == 1 else None


def _called(piece: str, statement: Statement) -> bool | None:
    called = _CALLED.match(piece)
    if not called:
        return None
    if not (word := called["word"]):
        return not (called["fails"] or called["cannot"])
    family, right = _OF_WORD[word.lower()]
    denied = bool(called["not"]) != bool(called["un"])
    known = _words(statement.text) | _SAYING_SO
    if family != statement.family or not (called["it"] or word.lower() in _ALONE):
        return None
    if not _words(called["more"] or "") <= known or not _words(called["it"] or "") <= known | _words(_CLAIM):
        return None
    # "That's not true", to whether it is false, may be said of either.
    return None if denied and right and not statement.asks_if_right and word.lower() not in _ALONE else right != denied


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORDS.findall(text)} - {"the"}
