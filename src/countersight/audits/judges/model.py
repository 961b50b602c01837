"""Judge with a language model, which sees the text but not the pictures (EDCT 3, stage 4)."""

import re
from collections.abc import Callable
from typing import Annotated, Any, Final

import msgspec

from countersight.audits.clients import ByModel
from countersight.audits.json_replies import BadShape, ask_shaped, read_shape
from countersight.audits.judges.protocol import Evidence, abstention
from countersight.audits.judges.rules import decide_unchanged
from countersight.audits.prompts import AuditPrompts
from countersight.audits.quoting import flatten, quote
from countersight.audits.records import Attempt, Verdict
from countersight.engine import fill

Reason = Annotated[str, msgspec.Meta(max_length=4_000)]


class _Scores(msgspec.Struct, frozen=True):
    pcs: Annotated[int, "0 or 1"] | float | bool | str
    ncc: Annotated[int, "0 or 1"] | float | bool | str
    pcs_reason: Reason = ""
    ncc_reason: Reason = ""

    def __post_init__(self) -> None:
        """Convert scores such as `1.0`, `"1"` and `true` to a number, because models write them in many ways."""
        for name in ("pcs", "ncc"):
            written = getattr(self, name)
            score = _ONES.get(str(written).strip().casefold())
            if score is None:
                raise ValueError(f"{name} must be 0 or 1, not {str(written)[:40]!r}")
            msgspec.structs.force_setattr(self, name, score)


_ONES: Final = {"1": 1, "1.0": 1, "true": 1, "0": 0, "0.0": 0, "false": 0}


def _reader(prompts: AuditPrompts) -> Callable[[str], _Scores]:
    """Return a function that parses a reply and rejects reasons copied from an example in the prompt."""
    examples = prompts.judge.casefold()

    def read(text: str) -> _Scores:
        reply = read_shape(text, _Scores, parse_scores)
        reasons = (reply.pcs_reason, reply.ncc_reason)
        if all(reason and f'"{reason}"'.casefold() in examples for reason in reasons):
            raise BadShape("the reasons were copied from the example in the prompt")
        return reply

    return read


_SCORE_IN_WORDS: Final = r"\b{}\b[^\w-]{{0,12}}(?P<score>[01](?:\.0+)?|true|false)\b(?!\.\d)"
_SCORES: Final = {name: re.compile(_SCORE_IN_WORDS.format(name), re.IGNORECASE) for name in ("pcs", "ncc")}
_REASONS: Final = {
    "pcs_reason": re.compile(r"Prediction Change Score[^:\n]{0,20}:\W*(?P<words>[^\n]{3,2000})", re.IGNORECASE),
    "ncc_reason": re.compile(r"NLE Concept Consistency[^:\n]{0,20}:\W*(?P<words>[^\n]{3,2000})", re.IGNORECASE),
}


def parse_scores(text: str) -> dict[str, Any] | None:
    """Return PCS and NCC with their reasons if a reply gives each exactly one score; None otherwise."""
    found: dict[str, Any] = {}
    for name, pattern in _SCORES.items():
        given = {match["score"].casefold() for match in pattern.finditer(text)}
        values = {"1" if each in ("true", "1") or each.startswith("1.") else "0" for each in given}
        if len(values) != 1:
            return None
        found[name] = values.pop()
    for name, pattern in _REASONS.items():
        reason = pattern.search(text)
        found[name] = reason["words"].strip() if reason else ""
    return found


_TEXT, _SCORE = {"type": "string"}, {"type": "integer", "enum": [0, 1]}
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"pcs_reason": _TEXT, "pcs": _SCORE, "ncc_reason": _TEXT, "ncc": _SCORE},
    "required": ["pcs_reason", "pcs", "ncc_reason", "ncc"],
    "additionalProperties": False,
}


class ModelJudge(ByModel):
    """Asks a language model, unless the audited model repeated itself or gave no reply."""

    several = True

    async def judge(self, evidence: Evidence, vote: int, key: str) -> Verdict:
        """Return the verdict of one vote; an abstention if no reply had the required format."""
        unchanged = decide_unchanged(evidence)
        if unchanged is not None:
            return msgspec.structs.replace(unchanged, judge=self.party.name, vote=vote)
        text = fill(self._prompts.judge, _values(evidence))
        read = _reader(self._prompts)
        tries = await ask_shaped(self._model, key, text, read, SCHEMA, self._prompts.again, vote=vote - 1)
        return parse_verdict(self.party.name, vote, tries, self._prompts)


def parse_verdict(judge: str, vote: int, tries: tuple[Attempt, ...], prompts: AuditPrompts) -> Verdict:
    """Parse the verdict in a judge's reply; an abstention if there is none."""
    try:
        reply = _reader(prompts)(tries[-1].text if tries else "")
    except BadShape as error:
        verdict = abstention(judge, vote, f"no reply had the required format: {error}")
    else:
        verdict = Verdict(judge, vote, int(reply.pcs), int(reply.ncc), reply.pcs_reason, reply.ncc_reason, path="model")
    return msgspec.structs.replace(verdict, tries=tries)


def _values(evidence: Evidence) -> dict[str, str]:
    """Return the values of all placeholders; texts are quoted unless the placeholder is one of the paper's."""
    instruction = evidence.instruction
    return {
        "original_answer": flatten(evidence.answer),
        "original_explanation": flatten(evidence.explanation),
        "edit_instruction": flatten(" ".join((instruction.positive, instruction.negative))),
        "edited_answer": flatten(evidence.new_answer),
        "edited_explanation": flatten(evidence.new_explanation),
        "question": quote("question", evidence.question.text),
        "answer": quote("answer before", evidence.answer),
        "explanation": quote("explanation before", evidence.explanation),
        "change": quote("edit", instruction.positive),
        "keep": quote("edit: not to be seen, or not to be touched", instruction.negative)
        if instruction.negative
        else "",
        "new_answer": quote("answer after", evidence.new_answer),
        "new_explanation": quote("explanation after", evidence.new_explanation),
    }
