"""Replies in the format that the paper's own prompts ask for (EDCT, appendix A), read into ours."""

import re
from typing import Any, Final

_SCORE: Final = r"\b{}\b[^\w-]{{0,12}}(?P<score>[01](?:\.0+)?|true|false)\b(?!\.\d)"
_SCORES: Final = {name: re.compile(_SCORE.format(name), re.IGNORECASE) for name in ("pcs", "ncc")}
_REASONS: Final = {
    "pcs_reason": re.compile(r"Prediction Change Score[^:\n]{0,20}:\W*(?P<words>[^\n]{3,2000})", re.IGNORECASE),
    "ncc_reason": re.compile(r"NLE Concept Consistency[^:\n]{0,20}:\W*(?P<words>[^\n]{3,2000})", re.IGNORECASE),
}
_PART: Final = r"{} Prompt\W{{0,8}}:\W{{0,8}}(?P<words>.{{3,2000}}?)[\"“”*\s]*"
_POSITIVE: Final = re.compile(_PART.format("Positive") + r"(?=Negative Prompt|\Z)", re.IGNORECASE | re.DOTALL)
_NEGATIVE: Final = re.compile(_PART.format("Negative") + r"(?=Positive Prompt|\Z)", re.IGNORECASE | re.DOTALL)


def scores_told(text: str) -> dict[str, Any] | None:
    """PCS and NCC with their reasons where a reply gives each exactly one score; None elsewhere."""
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


def edit_told(text: str) -> dict[str, Any] | None:
    """The one edit that a reply describes by what shall be seen and what not; None where it describes none."""
    positive, negative = _POSITIVE.search(text), _NEGATIVE.search(text)
    if positive is None:
        return None
    words, unwanted = positive["words"].strip(), negative["words"].strip() if negative else ""
    return {
        "concepts": [
            {"concept": unwanted[:500] or words[:500], "kind": "object", "action": "other", "positive": words,
             "negative": unwanted}
        ]
    }  # fmt: skip
