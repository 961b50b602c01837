"""A last look, learned from replies whose readings were fixed by hand.

It weighs every number of a reply, or every option, against the others and against "none of them". What the rules read
is left unread where it finds that unlikely, and what they leave unread is read where it finds one answer very likely.
It knows nothing of what the rules made of the reply, so that both seldom err alike; where they disagree, nothing is
read.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from countersight.case import AnswerKind, Question
from countersight.reading.learned.counts import count_evidence
from countersight.reading.learned.options import option_evidence
from countersight.reading.learned.told import Evidence

if TYPE_CHECKING:
    from countersight.reading.learned.trees import Trees

FILES: Final[dict[AnswerKind, str]] = {"number": "counts.npz", "choice": "options.npz"}
"""The kinds of questions that it reads replies to, and the trees it does it with."""

_LIKELY: Final = 0.5  # enough for what the rules read
_CERTAIN: Final = 0.85  # enough for what they do not
_FEW: Final = 8  # words that name an option, and hardly anything besides
LARGEST: Final = 30.0  # score, so that no exponential overflows


def last_look(answer: str | None, text: str, question: Question) -> str | None:
    """The answer in a plain text once it is weighed: what the rules read if that is likely, or what is very likely.

    What cannot be weighed stays as the rules have it: a sum that is not told, an option named in a few words.
    """
    if question.kind not in FILES:
        return answer
    likely = likelihoods(text, question)
    if answer is None:
        best = max(likely, key=likely.__getitem__, default=None)
        return best if best is not None and likely[best] >= _CERTAIN else None
    if question.kind == "choice" and len(text.split()) <= _FEW:
        return answer
    return answer if likely.get(answer, 1.0) >= _LIKELY else None


def likelihoods(text: str, question: Question) -> dict[str, float]:
    """How likely each number or option of a text is its answer; what is left to one is that it has none."""
    candidates = evidence(text, question)
    return _shares(candidates, question.kind) if candidates else {}


def _shares(candidates: list[tuple[str, Evidence]], kind: AnswerKind) -> dict[str, float]:
    import numpy as np  # only where something is weighed: who asks models needs none

    scores = _trees(kind).scores([each for _, each in candidates])
    weights = np.exp(np.clip(scores, -LARGEST, LARGEST))
    likely: dict[str, float] = {}
    for (each, _), share in zip(candidates, weights / (1 + weights.sum()), strict=True):
        likely[each] = likely.get(each, 0.0) + float(share)
    return likely


def evidence(text: str, question: Question) -> list[tuple[str, Evidence]]:
    """The candidates of a text, and what is to be said of each."""
    if question.kind == "choice":
        return option_evidence(text, question.text, [option.text for option in question.options])
    return count_evidence(text, question.text)


@cache
def _trees(kind: AnswerKind) -> "Trees":
    from countersight.reading.learned.trees import Trees

    return Trees.load(Path(__file__).parent / FILES[kind])
