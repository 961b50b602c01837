"""What stands beside a yes or no and only says that there is one ("So the answer is clear."), or joins a lack to it."""

import re

from countersight.reading.language.asked import content
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, words

_REMARK = re.compile(
    rf"(?:(?<=[.!?;])|,)\s+(?:(?:and |but )?{any_of('yes_no.conclusions', 'yes_no.fillers')},?\s+)?"
    rf"{any_of('yes_no.remarks')}(?:\s*(?:[.!]+|$))",
    re.IGNORECASE,
)
_AND_NO = re.compile(r"(?<=\w),? and no (?=[a-z])", re.IGNORECASE)  # "it has a bed and no carpet"
_SPOKEN_OF = frozenset(map(stem, words("yes_no.remarked_on")))


def without_remarks(text: str, question: str) -> str:
    """The text without remarks on its answer, which conclude nothing; not where the question speaks of the same."""
    asked = content(question)
    text = _AND_NO.sub(", but no ", text)
    return _REMARK.sub(lambda found: found.group() if _is_asked(found.group(), asked) else ".", text)


def _is_asked(remark: str, asked: frozenset[str]) -> bool:
    """Whether a remark may answer: "the situation is clear", where that was asked, but not to whether the sky is."""
    said = content(remark)
    return bool((said & _SPOKEN_OF or said) & asked)
