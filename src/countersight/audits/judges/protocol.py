"""The judge protocol: a judge gets the evidence of one test and gives two verdicts (EDCT 3)."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal, Protocol

import msgspec

from countersight.audits.records import Actor, RecordedTurn, Usage, Verdict
from countersight.case import Question
from countersight.editing import Instruction
from countersight.errors import ModelError
from countersight.reading import answer_in
from countersight.registry import Plug, Registry
from countersight.scenes import Scene

Pool = Literal["majority, ties half", "mean", "majority"]
"""How votes, and then judges, are combined into one score. In the last, used by 0.1, a tie decides nothing."""
HALVES: Final = "majority, ties half"


class Opinion(msgspec.Struct, frozen=True):
    """PCS and NCC, each from 0 to 1, or None if undecided."""

    pcs: float | None
    ncc: float | None

    @property
    def ccs(self) -> float | None:
        """CCS = PCS · NCC (EDCT 3); None if either is None."""
        return None if self.pcs is None or self.ncc is None else self.pcs * self.ncc


def pool_scores(scores: Iterable[float | None], pool: Pool) -> float | None:
    """Combine several scores into one; abstentions do not count. A tie counts half, or nothing in old audits."""
    given = [score for score in scores if score is not None]
    if not given:
        return None
    mean = sum(given) / len(given)
    if pool == "mean":
        return mean
    if mean == 0.5:
        return 0.5 if pool == HALVES else None
    return float(mean > 0.5)


def opinion(given: Sequence[Verdict | Opinion], pool: Pool) -> Opinion:
    """Pool the votes of one judge, or the opinions of several judges, into one opinion."""
    return Opinion(pool_scores((each.pcs for each in given), pool), pool_scores((each.ncc for each in given), pool))


def by_judge(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    """Return the votes of each judge, in order; judges in order of first appearance."""
    votes: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        votes.setdefault(verdict.judge, []).append(verdict)
    return {judge: sorted(given, key=lambda each: each.vote) for judge, given in votes.items()}


def panel(verdicts: Iterable[Verdict], pool: Pool) -> Opinion:
    """Return the pooled opinion of all judges; every judge has the same weight, however often it voted."""
    return opinion([opinion(votes, pool) for votes in by_judge(verdicts).values()], pool)


def ccs_of_votes(verdicts: Iterable[Verdict], pool: Pool) -> float | None:
    """Return the CCS from pooling PCS · NCC of every single vote.

    What a panel holds may be more: most say yes to PCS, most say yes to NCC, and they are not the same.
    """
    own = (pool_scores((opinion([vote], pool).ccs for vote in votes), pool) for votes in by_judge(verdicts).values())
    return pool_scores(own, pool)


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
    """The scenes before and after, if we drew them."""

    def read(self, text: str) -> str | None:
        """Return the normalised answer in a text, or None if there is none."""
        kind = self.question.unlisted_kind
        if kind == "number":
            return answer_in(text, Question(self.question.text, "0", "number"))
        if kind == "boolean":
            return answer_in(text, Question(self.question.text, "yes", "boolean"))
        return answer_in(text, Question(self.question.text, "", "open"))


class Judged(msgspec.Struct, frozen=True):
    """A verdict, with the usage of the model that gave it."""

    verdict: Verdict
    spent: Usage = Usage()
    asked: tuple[RecordedTurn, ...] = ()


class Judge(Protocol):
    """A judge of answers and explanations."""

    party: Actor
    several: bool
    """Whether a second vote may differ from the first."""

    async def judge(self, evidence: Evidence, vote: int, key: str) -> Judged:
        """Return the verdict of one vote (numbered from 1); fails like a model."""
        ...

    async def close(self) -> None:
        """Release connections and memory."""
        ...


def path_of(name: str, pcs: int | None, ncc: int | None) -> str:
    """Return what decided: the judge, an abstention, or one for PCS and the other for NCC."""
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
