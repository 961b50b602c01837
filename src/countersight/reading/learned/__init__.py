"""A last look, learned from replies whose readings were fixed by hand.

It weighs every number of a reply, or every option, against the others and against "none of them". What the rules read
is left unread where it finds that unlikely. It knows nothing of what the rules made of the reply, so that both seldom
err alike, and it never reads anything by itself.
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

_UNLIKELY: Final = 0.3
_FEW: Final = 8  # words that name an option, and hardly anything besides
LARGEST: Final = 30.0  # score, so that no exponential overflows


def is_unlikely(answer: str, text: str, question: Question) -> bool:
    """Whether what the rules read in a plain text is hardly what it answers.

    The only number of a reply is not weighed, nor an option named in a few words, nor a sum that is not told.
    """
    if question.kind not in FILES or (question.kind == "choice" and len(text.split()) <= _FEW):
        return False
    candidates = evidence(text, question)
    known = {each for each, _ in candidates}
    return len(known) > 1 and answer in known and _shares(candidates, question.kind)[answer] < _UNLIKELY


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
