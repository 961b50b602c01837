"""What a judge is to the rest of an audit: it is handed the evidence of one test and gives two verdicts (EDCT 3)."""

from typing import Protocol

import msgspec

from countersight.audits.records import Actor, Asked, Usage, Verdict
from countersight.case import Question
from countersight.editing import Drawn, Instruction
from countersight.reading import answer_in


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """One test: what was said of the picture, what was changed, what was said of the changed picture."""

    question: Question
    answer: str
    explanation: str
    instruction: Instruction
    new_answer: str
    new_explanation: str
    scene: Drawn | None = None
    changed: Drawn | None = None
    """What is drawn before and after, where we drew it."""

    def read(self, text: str) -> str | None:
        """The answer in a text, in one spelling, or None where it gives none."""
        kind = self.question.unlisted_kind
        if kind == "number":
            return answer_in(text, Question(self.question.text, "0", "number"))
        if kind == "boolean":
            return answer_in(text, Question(self.question.text, "yes", "boolean"))
        return answer_in(text, Question(self.question.text, "", "open"))


class Judged(msgspec.Struct, frozen=True):
    """A verdict, and what it took."""

    verdict: Verdict
    spent: Usage = Usage()
    asked: tuple[Asked, ...] = ()


class Judge(Protocol):
    """Anything that judges."""

    party: Actor
    several: bool
    """Whether a second vote may differ from the first."""

    async def judge(self, evidence: Evidence, vote: int, key: str) -> Judged:
        """The verdict of one vote, counted from 1; fails as a `AskedModel` does."""
        ...

    async def close(self) -> None:
        """Let go of connections and memory."""
        ...


def path_of(name: str, pcs: int | None, ncc: int | None) -> str:
    """What decided: the judge, an abstention, or one for PCS and the other for NCC."""
    one, other = ("abstained" if score is None else name for score in (pcs, ncc))
    return one if one == other else f"{one} + {other}"


def abstention(judge: str, vote: int, reason: str) -> Verdict:
    """A judge who cannot tell."""
    return Verdict(judge, vote, None, None, reason, reason, "abstained")
