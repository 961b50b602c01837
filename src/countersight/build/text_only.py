"""A reader without the picture: what the text of a counterfactual question tells by itself."""

import re
from itertools import permutations
from typing import Final

from countersight.composer import FILLER, PLACES, compose, noun_key

_COUNTS: Final = range(1, 25)
_SHORTEST = 6
"""Letters: in shorter words "ing" may be no ending, as in "king"."""
_NEGATIONS: Final = frozenset({"not", "no", "never", "stopped", "without", "removed", "disappeared", "gone", "off"})
_PRONOUNS: Final = frozenset({"it", "he", "she", "they"})
_PARTS: Final = re.compile(
    r"(?:if|suppose(?: that)?) (?P<said>.+?)[,.] (?P<asked>(?:would|could|will)\b.+)"
    r"|(?P<asked_too>(?:would|could|will)\b.+?) if (?P<said_too>.+)"
)
_BOTH_WAYS: Final = re.compile(
    r"\b(every\w*|all)\b.+\band (\w+ |turned \w+ )?(every\w*|all)\b"
    r"|\bor\b.* if (there|it|he|she|they|nobody) (is|are|has|have)\b"
)
"""What is so ends and what is not so begins: one has to look which it is."""
_WORD: Final = re.compile(r"[a-z]+(?:['’][a-z]+)?")
_LITTLE: Final = (
    FILLER | PLACES | {"if", "would", "be", "is", "are", "there", "do", "does", "suppose", "any", "some", "have"}
)
_OPPOSITES: Final = frozenset(
    pair
    for words in (
        *("on off", "open closed", "open shut", "full empty", "wet dry", "clean dirty", "awake asleep", "happy sad"),
        *("standing sitting", "big small", "old young", "new old", "hot cold", "cooked raw", "clear cloudy"),
        *("sunny cloudy", "day night", "left right", "up down", "black white", "tall short", "light dark"),
    )
    for pair in permutations(map(noun_key, words.split()))
)


def answer_without_picture(question: str) -> str | None:
    """What can be answered without looking: the same number whatever was counted, or what is stated outright."""
    if re.search(r"\bhow many\b|\bnumber of\b", question, re.IGNORECASE):
        return _number(question)
    return _yes_or_no(question)


def _number(question: str) -> str | None:
    answers = [answer for count in _COUNTS if (answer := compose(count, question)) is not None]
    return str(answers[0]) if len(answers) > 1 and len(set(answers)) == 1 else None


def _yes_or_no(question: str) -> str | None:
    """Yes where the if-clause says what is asked, no where it says that it is not so, or the opposite."""
    parts = _PARTS.fullmatch(question.casefold().strip())
    if parts is None or _BOTH_WAYS.search(parts["said"] or parts["said_too"]):
        return None
    asked, said = (_WORD.findall(parts[name] or parts[f"{name}_too"]) for name in ("asked", "said"))
    stated = {_stem(word) for word in said}
    if any((_stem(word), other) in _OPPOSITES for word in asked for other in stated):
        return "no"
    wanted = [_stem(word) for word in asked if word not in _LITTLE]
    is_stated = bool(wanted) and wanted[-1] in stated and (set(wanted) <= stated or bool(_PRONOUNS & set(said)))
    if not is_stated:
        return None
    return "no" if _NEGATIONS & set(said) else "yes"


def _stem(word: str) -> str:
    """One form for a fight and fighting, good for comparing and nothing else."""
    return noun_key(word.removesuffix("ing") if len(word) > _SHORTEST else word).removesuffix("e")
