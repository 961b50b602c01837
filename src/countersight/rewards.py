"""Rewards for reinforcement learning, computed with the same answer extraction and gold answers as `score`.

Pass `trl_reward`, `trl_format_reward` or `trl_paired_reward` to TRL's GRPOTrainer as `reward_funcs`; they use the
columns written by `export --to trl-grpo`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from countersight.case import Question, Reply
from countersight.errors import CountersightError
from countersight.scoring import judge

Completion = str | Reply | Sequence[Mapping[str, Any]] | None
"""A model's output: a text, a `Reply`, or chat messages ending with the model's message, with text or parts as content.

None, an empty list of messages, and a message without content count as an empty reply, which has no answer.
"""


def reward(reply: Completion, question: Question | str, *, format_weight: float = 0.0) -> float:
    """Return 1 for a right reply, and 0 for a reply that is wrong or has no clear answer (`unread`).

    `question` may be JSON, as in the column `gold`. `format_weight` is added if an answer can be read, right or wrong.
    If several people answered the question, the reward is computed with VQA's formula.
    """
    received = reply if isinstance(reply, Reply) else Reply("", 0, "factual", text=_text(reply))
    judged = judge(received, _question(question))
    return judged.credit + format_weight * (judged.answer is not None)


def paired_reward(replies: Sequence[Completion], questions: Sequence[Question | str]) -> float:
    """Return the lowest reward of several replies: 1 only if a case is answered correctly in both worlds.

    The reward is 0 if there are no replies.
    """
    return min((reward(reply, question) for reply, question in zip(replies, questions, strict=True)), default=0.0)


def trl_reward(completions: Sequence[Completion], gold: Sequence[str], **columns: Any) -> list[float]:
    """Return `reward` for each completion of a batch; an empty list for an empty batch."""
    return [reward(reply, question) for reply, question in zip(completions, gold, strict=True)]


def trl_format_reward(completions: Sequence[Completion], gold: Sequence[str], **columns: Any) -> list[float]:
    """Return 1 for each completion in which an answer can be read; set its weight with TRL's `reward_weights`."""
    worth = [reward(reply, question, format_weight=1.0) for reply, question in zip(completions, gold, strict=True)]
    return [float(each > 0) for each in worth]


def trl_paired_reward(
    completions: Sequence[Completion], gold: Sequence[str], key: Sequence[str], **columns: Any
) -> list[float]:
    """Return `paired_reward` for each completion. The nth completions of both worlds of a case form a pair.

    A batch must contain complete cases: train with `shuffle_dataset=False`, and keep the exported order of the rows.
    """
    worth = trl_reward(completions, gold)
    cases: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, (case, _, asking) in enumerate(name.rpartition(":") for name in key):
        cases[case][asking].append(place)
    for case, askings in cases.items():
        if len(askings) < 2 or len({len(places) for places in askings.values()}) > 1:
            raise CountersightError(
                f"a batch contains only part of {case}: train with shuffle_dataset=False and a batch size that fits "
                "complete cases"
            )
        for places in zip(*askings.values(), strict=True):
            least = min(worth[place] for place in places)
            for place in places:
                worth[place] = least
    return worth


def _question(question: Question | str) -> Question:
    return msgspec.json.decode(question, type=Question) if isinstance(question, str) else question


def _text(reply: str | Sequence[Mapping[str, Any]] | None) -> str:
    if isinstance(reply, str):
        return reply
    content = (reply[-1].get("content") if reply else None) or ""
    return content if isinstance(content, str) else "".join(part.get("text") or "" for part in content)
