"""Our reader as the reward of GRPO: 1 for a right answer, 0 for a wrong one and for none."""

from typing import Any

import msgspec

from countersight.case import Question, Reply
from countersight.scoring import judge


def reward(completions: list[Any], gold: list[str], **further: Any) -> list[float]:
    """What each completion is worth; `gold` is the column of that name in what `export --to trl-grpo` wrote."""
    return [_worth(_text(said), question) for said, question in zip(completions, gold, strict=True)]


def _worth(text: str, question: str) -> float:
    reply = Reply("", 0, "factual", text=text)
    return judge(reply, msgspec.json.decode(question, type=Question)).credit


def _text(completion: Any) -> str:
    """The words of a completion: a text, or turns whose content is a text or parts."""
    if isinstance(completion, str):
        return completion
    content = completion[-1]["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or "" for part in content)
