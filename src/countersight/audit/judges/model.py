"""Judging by a language model, which sees the words and never the pictures (EDCT 3, stage 4)."""

from typing import Annotated, Any, Final, Literal

import msgspec

from countersight.asking import fill
from countersight.audit.asking import AskedModel
from countersight.audit.judges.protocol import Evidence, Judged, abstention
from countersight.audit.judges.rules import certain
from countersight.audit.prompts import AuditPrompts
from countersight.audit.quoting import quoted
from countersight.audit.records import Party, Try, Verdict
from countersight.audit.shapes import BadShape, ask_shaped, read_shape

Reason = Annotated[str, msgspec.Meta(max_length=4_000)]


class _Reply(msgspec.Struct, frozen=True):
    pcs: Literal[0, 1]
    ncc: Literal[0, 1]
    pcs_reason: Reason = ""
    ncc_reason: Reason = ""


_TEXT, _SCORE = {"type": "string"}, {"type": "integer", "enum": [0, 1]}
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"pcs_reason": _TEXT, "pcs": _SCORE, "ncc_reason": _TEXT, "ncc": _SCORE},
    "required": ["pcs_reason", "pcs", "ncc_reason", "ncc"],
    "additionalProperties": False,
}


class ModelJudge:
    """Asks a language model, but only where the words alone do not decide."""

    several = True

    def __init__(self, model: AskedModel, prompts: AuditPrompts) -> None:
        self.party: Party = model.party
        self._model = model
        self._prompts = prompts

    async def judge(self, evidence: Evidence, vote: int, key: str) -> Judged:
        """The verdict of one vote; an abstention where no reply had the shape asked for."""
        told = certain(evidence)
        if told is not None:
            return Judged(msgspec.structs.replace(told, judge=self.party.name, vote=vote))
        text = judge_prompt(self._prompts, evidence)
        shaped = await ask_shaped(self._model, key, text, _Reply, SCHEMA, self._prompts.again, vote=vote - 1)
        return Judged(verdict_said(self.party.name, vote, shaped.tries), shaped.spent, shaped.asked)

    async def close(self) -> None:
        """Let go of connections and memory."""
        await self._model.close()


def judge_prompt(prompts: AuditPrompts, evidence: Evidence) -> str:
    """What a language model is asked about a test."""
    return fill(prompts.judge, _values(evidence))


def verdict_said(judge: str, vote: int, tries: tuple[Try, ...]) -> Verdict:
    """The verdict that stands in what a judge said; an abstention where none does."""
    try:
        reply = read_shape(tries[-1].text if tries else "", _Reply)
    except BadShape as error:
        verdict = abstention(judge, vote, f"no reply had the shape asked for: {error}")
    else:
        verdict = Verdict(judge, vote, reply.pcs, reply.ncc, reply.pcs_reason, reply.ncc_reason, path="model")
    return msgspec.structs.replace(verdict, tries=tries)


def _values(evidence: Evidence) -> dict[str, str]:
    """Everything a judge is told; all of it was written by others, and is quoted."""
    instruction = evidence.instruction
    return {
        "question": quoted("question", evidence.question.text),
        "answer": quoted("answer before", evidence.answer),
        "explanation": quoted("explanation before", evidence.explanation),
        "change": quoted("edit", instruction.positive),
        "keep": quoted("edit: not to be seen, or not to be touched", instruction.negative)
        if instruction.negative
        else "",
        "new_answer": quoted("answer after", evidence.new_answer),
        "new_explanation": quoted("explanation after", evidence.new_explanation),
    }
