"""Judge by rules, from the text alone, without a model or ground truth."""

import re
from typing import Final

from countersight.audits.judges.protocol import Evidence, path_of, read_answer
from countersight.audits.manifest import Actor
from countersight.audits.records import Verdict
from countersight.english import FUNCTION_WORDS

NAME: Final = "rules"
Decision = tuple[int | None, str]
"""A score or None, and the reason."""

_SEPARATORS = re.compile(r"[\W_]+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
"""Invisible characters inside words, which are ignored when texts are compared."""
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


class RuleJudge:
    """Decides if the text is sufficient, and abstains otherwise."""

    several = False

    def __init__(self) -> None:
        self.party = Actor(NAME)

    async def judge(self, evidence: Evidence, vote: int, key: str) -> Verdict:
        """Return the verdict, which is the same for every vote."""
        pcs, pcs_reason = judge_answer(evidence)
        ncc, ncc_reason = judge_explanation(evidence)
        return Verdict(NAME, vote, pcs, ncc, pcs_reason, ncc_reason, path_of(NAME, pcs, ncc))


def decide_unchanged(evidence: Evidence) -> Verdict | None:
    """Return the verdict if the model gave no new answer or explanation; None if a judge is needed."""
    silent = not evidence.new_answer.strip(), not evidence.new_explanation.strip()
    if all(silent):
        return Verdict(NAME, 1, 0, 0, "there is no new answer", "there is no new explanation", NAME)
    same = (
        normal(evidence.new_answer) == normal(evidence.answer),
        normal(evidence.new_explanation) == normal(evidence.explanation),
    )
    if all(same) and evidence.instruction.action != "nothing":
        reason = "word for word the same as before the edit"
        return Verdict(NAME, 1, 0, 0, f"the answer is {reason}", f"the explanation is {reason}", NAME)
    return None


def judge_answer(evidence: Evidence) -> Decision:
    """Return PCS if the text is sufficient: 0 for an unchanged answer, 1 for the new value."""
    new, old = read_answer(evidence.question, evidence.new_answer), read_answer(evidence.question, evidence.answer)
    if new is None:
        return 0, "no answer could be extracted from the new reply"
    if old is not None and normal(new) == normal(old):
        return 0, f"the answer is still {old[:80]!r}, although its reason was changed"
    value = evidence.instruction.value
    if _names(new, value):
        return 1, f"the answer is now {new[:80]!r}, as the edit requires"
    return None, "the answer has changed; the text alone cannot show whether it is right"


def judge_explanation(evidence: Evidence) -> Decision:
    """Return NCC if the text is sufficient: 0 if the explanation is unchanged, 1 if it names the new value.

    An explanation that only omits a removed object remains undecided, because it may be about something else.
    """
    new, old = normal(evidence.new_explanation), normal(evidence.explanation)
    if not new:
        return 0, "there is no new explanation"
    if new == old:
        return 0, "the explanation is word for word the same as before"
    value = evidence.instruction.value
    if _names(new, value) and not _names(old, value):
        return 1, f"it names the new content: {value[:80]!r}"
    return None, "the explanation has changed; the text alone cannot show whether it reflects the change"


def normal(text: str) -> str:
    """Normalise a text: lower case, without punctuation and articles, with single spaces."""
    visible = _INVISIBLE.sub("", text).casefold()
    return " ".join(_ARTICLE.sub(" ", _SEPARATORS.sub(" ", visible)).split())


def _names(text: str, thing: str) -> bool:
    """Whether a text contains every content word of a phrase; False if the phrase is only a number."""
    words, there = _weighty(thing), set(normal(text).split())
    return words <= there and any(not word.isdecimal() for word in words)


def _weighty(thing: str) -> set[str]:
    return set(normal(thing).split()) - FUNCTION_WORDS
