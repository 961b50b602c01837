"""Guards that stop a run early: if no first reply is readable, or if the next question would exceed the budget."""

from collections import Counter
from typing import Final

from countersight.case import Question, Reply
from countersight.engine.outcome import ReplyStatus, Tally, is_doubtful, status_of
from countersight.engine.prompt import Prompt
from countersight.errors import ModelError, RunError
from countersight.models import Model, Priced

FIRST_REPLIES: Final = 20
"""The number of first replies of which at least one must be readable."""

_ADVICE: Final[dict[ReplyStatus, str]] = {
    "cut": "increase `max_tokens` and choose a new folder",
    "empty": "increase `max_tokens`, or check the log of the server",
    "unread": "read the replies in replies.jsonl, and choose another `prompt` or model",
    "failed": "see the reasons in replies.jsonl",
}


class FirstReplies:
    """Watches the first replies of a new run and stops it if none is readable."""

    def __init__(self, prompt: Prompt, *, resumed: bool) -> None:
        self._prompt = prompt
        self._counts: Counter[ReplyStatus] = Counter()
        self._over = resumed

    def status(self, reply: Reply, question: Question) -> ReplyStatus:
        """Return the status of a reply; after the first replies, only doubtful or restated ones are read."""
        if self._over and reply.state == "answered" and not is_doubtful(reply) and not reply.restates:
            return "read"
        return status_of(reply, question, self._prompt.of(reply.world).reads).status

    def look(self, status: ReplyStatus, reply: Reply, *, left: int) -> None:
        """Count the next reply; raises RunError if none of the first replies is readable and questions are left."""
        if self._over:
            return
        self._counts[status] += 1
        self._over = status == "read"
        if self._over or self._counts.total() < FIRST_REPLIES or left <= 0:
            return
        counted = ", ".join(f"{number} {status}" for status, number in self._counts.most_common())
        words = reply.reason or " ".join(reply.text.split())[:80]
        last = f" (the last: {words!r})" if words else ""
        raise RunError(
            f"none of the first {self._counts.total()} replies has a readable answer: {counted}{last}; "
            f"{_ADVICE[self._counts.most_common(1)[0][0]]}; to continue anyway, start the run again"
        )


FIRST_COSTS: Final = 5
"""The number of first answers of which at least one must report its cost."""


class Budget:
    """The maximum cost of a run in dollars, including earlier calls; None for no limit."""

    def __init__(self, dollars: float | None, tally: Tally, model: Model) -> None:
        """Raises ModelError if the price of a hosted model is unknown."""
        if dollars is not None and isinstance(model, Priced) and not model.is_priced:
            raise ModelError(f"the price of {model.name} is unknown: set it with `price` IN,OUT, or leave out `budget`")
        self._dollars = dollars
        self._tally = tally
        self._free = 0
        """The number of answers without a cost."""

    def is_spent(self, under_way: int) -> bool:
        """Whether one more question would exceed the budget; running questions are assumed to have the average cost."""
        if self._dollars is None:
            return False
        each = self._tally.cost / max(1, self._tally.paid)
        return self._tally.cost + each * (under_way + 1) > self._dollars

    def look(self, reply: Reply) -> None:
        """Check a counted reply; raises RunError if none of the first answers reports a cost."""
        if self._dollars is None or self._tally.cost or reply.state != "answered" or not reply.attempts:
            return
        self._free += 1
        if self._free >= FIRST_COSTS:
            raise RunError(
                f"none of the first {FIRST_COSTS} answers reports its cost or number of tokens, so the budget cannot "
                "be enforced; leave out `budget`, or limit the run with `cases`"
            )
