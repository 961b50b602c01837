"""Whether an extracted answer is the gold answer of its question."""

import re

from countersight.case import LETTERS, Question
from countersight.reading.numbers import canonical
from countersight.reading.plain import any_case

_LOOSE = re.compile(r"[\W_]+")
# "In the kitchen" and "the kitchen" name one place.
_ARTICLE = re.compile(r"^(?:(?:in|on|at|from|to|into|onto) )?(?:(?:a|an|the|his|her|its|their) )?(?=\w)")
# "Which team …", "what kind of shop …"
_WHICH = any_case(
    r"\W*(?:which|what (?:kind|type|sort) of|what(?= \w{3,} (?:is|are|was|were|would|does|do|did)\b)) (\w+)",
)
_NO_NAME = re.compile(r"(?:.* )?(?:no|any|some|every|each|number|\w+ty|hundred|thousand)|.*\d")
_DOING = re.compile(r"^(?:he|she|it|they|the \w+) (?:is|are|was|were|would be) (?=\w+ing\b)")


def agrees(answer: str, question: Question) -> bool:
    """Whether an extracted answer is the question's gold answer."""
    if question.kind == "number":
        return answer == canonical(question.answer)
    if question.kind == "open":
        return _are_one(_loose(answer), _loose(question.answer), question.text)
    if question.kind == "choice":  # where the right option stands there twice, either is right
        return question.options[LETTERS.index(answer)].text.strip() == question.right_text.strip()
    return answer == question.answer


def _loose(text: str) -> str:
    """A text by its words alone, without the article or the preposition, or the subject of a deed, at its beginning."""
    return _ARTICLE.sub("", _DOING.sub("", _LOOSE.sub(" ", text).strip().casefold()))


def _are_one(said: str, gold: str, question: str) -> bool:
    """Whether two open answers are one: so are "the red one", "the red team" and "red", to which team it is."""
    asked = _WHICH.match(question)
    if said == gold or not asked:
        return said == gold
    longer, shorter = sorted((said, gold), key=len, reverse=True)
    return longer in (f"{shorter} one", f"{shorter} ones", f"{shorter} {asked[1].casefold()}") and not (
        _NO_NAME.fullmatch(shorter)
    )
