"""The judge protocol: a judge receives the evidence of one test and returns two verdicts (EDCT 3)."""

from typing import Protocol

import msgspec

from countersight.audits.manifest import Actor
from countersight.audits.records import Verdict
from countersight.case import Question
from countersight.editing import Instruction
from countersight.errors import ModelError
from countersight.reading import answer_in
from countersight.registry import Plug, Registry
from countersight.scenes import Scene


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """The evidence of one test: question, answer and explanation before and after the edit, and the edit."""

    question: Question
    answer: str
    explanation: str
    instruction: Instruction
    new_answer: str
    new_explanation: str
    scene: Scene | None = None
    changed: Scene | None = None
    """The scenes before and after, if the pictures were generated."""


def read_answer(question: Question, text: str) -> str | None:
    """Return the normalised answer to a question in a text, or None if there is none."""
    kind = question.unlisted_kind
    if kind == "number":
        return answer_in(text, Question(question.text, "0", "number"))
    if kind == "boolean":
        return answer_in(text, Question(question.text, "yes", "boolean"))
    return answer_in(text, Question(question.text, "", "open"))


class Judge(Protocol):
    """The interface of a judge, which decides whether answer and explanation follow an edit."""

    party: Actor
    several: bool
    """Whether a second vote may differ from the first."""

    async def judge(self, evidence: Evidence, vote: int, key: str) -> Verdict:
        """Return the verdict of one vote (numbered from 1); raises the errors of a model."""
        ...


def path_of(name: str, pcs: int | None, ncc: int | None) -> str:
    """Return how PCS and NCC were decided: by the judge, by abstention, or one of each (PCS first)."""
    one, other = ("abstained" if score is None else name for score in (pcs, ncc))
    return one if one == other else f"{one} + {other}"


def abstention(judge: str, vote: int, reason: str) -> Verdict:
    """Return an abstaining verdict."""
    return Verdict(judge, vote, None, None, reason, reason, "abstained")


JUDGES: Registry[Judge] = Registry(
    "judge",
    {
        "exact": Plug(
            "exact",
            "for generated scenes: checks whether answer and explanation change as the scene does",
            "countersight.audits.judges.exact:ExactJudge",
        ),
        "rules": Plug(
            "rules",
            "decides from the text alone; abstains if it is not sufficient",
            "countersight.audits.judges.rules:RuleJudge",
        ),
    },
    ModelError,
)
"""The judges that need no language model; any language model is a judge too."""

ANY_MODEL = {"MODEL": "any model that reads text; see: countersight list models"}
