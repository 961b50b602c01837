"""The first replies of a run, looked at before the others are paid for: where none can be scored, it stops."""

from collections import Counter
from typing import Final

from countersight.case import Question, Reply
from countersight.engine import Prompt
from countersight.engine.reply_status import ReplyFate, fate_of, is_doubtful
from countersight.errors import RunError

LOOKED_AT: Final = 20
"""Replies of which one at least must have an answer that can be read."""

_ADVICE: Final[dict[ReplyFate, str]] = {
    "cut": "give the model more room with a larger `max_tokens`, in a new folder",
    "empty": "give the model more room with a larger `max_tokens`, or look at what the server says of it",
    "unread": "look at what it says in replies.jsonl, and choose another `prompt` or model",
    "failed": "look at the reasons in replies.jsonl",
}


class FirstReplies:
    """Counts what becomes of the first replies of a run that nobody has begun yet."""

    def __init__(self, prompt: Prompt, *, begun: bool) -> None:
        self._prompt = prompt
        self._fates: Counter[ReplyFate] = Counter()
        self._over = begun

    def fate(self, reply: Reply, question: Question) -> ReplyFate:
        """What became of a reply; one that is neither among the first, doubtful nor restated is taken for read."""
        if not self._over or is_doubtful(reply) or reply.restates:
            return fate_of(reply, question, self._prompt.of(reply.world).reads).fate
        return "failed" if reply.state == "failed" else "read"

    def look(self, fate: ReplyFate, reply: Reply) -> None:
        """Take in the next reply; raises RunError where the first of them all came to nothing."""
        if self._over:
            return
        self._fates[fate] += 1
        self._over = fate == "read"
        if not self._over and self._fates.total() >= LOOKED_AT:
            raise RunError(self._sentence(reply))

    def _sentence(self, last: Reply) -> str:
        counted = ", ".join(f"{number} {fate}" for fate, number in self._fates.most_common())
        [(commonest, _)] = self._fates.most_common(1)
        said = last.reason or " ".join(last.text.split())[:80]
        told = f" (the last: {said!r})" if said else ""
        return (
            f"none of the first {LOOKED_AT} replies has an answer that can be read: {counted}{told}; "
            f"{_ADVICE[commonest]}; or start it once more to go on all the same"
        )
