"""Whether a read answer is the one that a question has as its own."""

import re

from countersight.case import LETTERS, Question
from countersight.reading.bare import loose
from countersight.reading.language.numerals import canonical
from countersight.reading.open.deeds import asks_for_a_deed, deed

# "Which team …", "what room is this", "what kind of shop …"
_WHICH = re.compile(
    r"\W*(?:which|what (?:kind|type|sort) of|what(?= \w{3,} (?:is|are|was|were|would|does|do|did)\b)) (\w+)",
    re.IGNORECASE,
)
_BEFORE_ONE = re.compile(
    r"(?:.* )?(?:no|any|some|every|each|number|hundred|thousand|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)|.*\d"
)


def agrees(answer: str, question: Question) -> bool:
    """Whether a read answer is the question's gold answer."""
    if question.kind == "number":
        return answer == canonical(question.answer)
    if question.kind == "open":
        done = deed(question.answer, question.text) if asks_for_a_deed(question.text) else None
        golds = {loose(question.answer), loose(done or question.answer)}  # "he is reading", and "reading"
        return any(_is_the_same(loose(answer), gold, question.text) for gold in golds)
    if question.kind == "choice":  # where the right option stands there twice, either is right
        return question.options[LETTERS.index(answer)].text.strip() == question.right_text.strip()
    return answer == question.answer


def _is_the_same(said: str, gold: str, question: str) -> bool:
    """Whether two open answers are one: so are "the red one", "the red team" and "red", to which team it is."""
    asked = _WHICH.match(question)
    if said == gold or not asked:
        return said == gold
    longer, shorter = sorted((said, gold), key=len, reverse=True)
    return longer in (f"{shorter} one", f"{shorter} ones", f"{shorter} {asked[1].casefold()}") and not (
        _BEFORE_ONE.fullmatch(shorter)
    )
