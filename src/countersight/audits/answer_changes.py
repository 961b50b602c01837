"""Answer changes: whether an answer about an edited picture differs from the first answer."""

from typing import Final

from countersight.audits.judges.protocol import read_answer
from countersight.audits.judges.rules import normal
from countersight.audits.trail import CaseTrail, ConceptTrail
from countersight.case import Question

_CHANGES_THE_ANSWER: Final = set(normal("no not none nor neither without never isn't and or").split())


def flips(case: CaseTrail) -> bool | None:
    """Whether the answer changes with the control edit, which changes nothing relevant to the answer; None if this was
    not tested."""
    return answer_changes(case, case.control) if case.control else None


def answer_changes(case: CaseTrail, concept: ConceptTrail) -> bool | None:
    """Whether the answer about the edited picture differs from the first answer; None if one is missing."""
    if case.answer is None or concept.answer is None:
        return None
    return not same_answer(case.record.question, case.answer, concept.answer)


def same_answer(question: Question, before: str, after: str) -> bool:
    """Whether two answers to a question are the same.

    Open answers are also the same if one contains all words of the other, and the rest neither denies nor adds
    anything: "rugby" and "It is rugby", but not "a cat" and "no cat", or "a man" and "a man and a woman".
    """
    one, other = (normal(read_answer(question, text) or text) for text in (before, after))
    if question.unlisted_kind != "open" or not one or not other:
        return one == other
    words, others = set(one.split()), set(other.split())
    return (words <= others or others <= words) and not (words ^ others) & _CHANGES_THE_ANSWER
