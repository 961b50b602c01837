"""The outcome of a question: the status of its reply, the counts of a run, and what stops a run early."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

import msgspec

from countersight.case import Question, Reply
from countersight.dataset import BadRow
from countersight.engine.prompt import Prompt
from countersight.engine.run_folder import MANIFEST, RunFolder
from countersight.errors import ModelError, RunError
from countersight.models import Model, Priced
from countersight.reading import ReadFrom, read_reply
from countersight.text import printable, several

ReplyStatus = Literal["failed", "cut", "empty", "unread", "read"]
"""Cut: the limit of tokens ended it before its answer. Empty: nothing was said. Unread: no answer was found in it."""


UNCERTAIN: Final = "uncertain"
"""The answer of a reply that says neither yes nor no, where the question accepts that (`accepts_uncertain`)."""


class ReadReply(msgspec.Struct, frozen=True):
    """What became of a reply, and the answer where one was read."""

    status: ReplyStatus
    answer: str | None = None


def status_of(reply: Reply, question: Question, read_from: ReadFrom = "whole") -> ReadReply:
    """Read a reply; what was cut off before its answer is neither wrong nor unread, but cut.

    A reply that restates another is the answer alone, wherever the prompt has the answer stand.
    """
    if reply.state == "failed":
        return ReadReply("failed")
    read_from = "whole" if reply.restates and not reply.orders else read_from
    answer = None if reply.is_empty else read_reply(reply, question, read_from)
    if answer is not None:
        return ReadReply("read", answer)
    if reply.is_cut:
        return ReadReply("cut")
    if reply.is_empty:
        return ReadReply("empty")
    return ReadReply("read", UNCERTAIN) if question.accepts_uncertain else ReadReply("unread")


def is_doubtful(reply: Reply) -> bool:
    """Whether a reply may be cut or empty: only then it has to be read to know."""
    return reply.is_cut or reply.is_empty


BAD_ROWS_KEPT = 20
NO_PICTURE = (
    "the picture is not in the dataset; make the dataset again with `pictures`, or choose a prompt without pictures, "
    "such as text-only"
)
NO_OPTIONS = "the question has no options to rank; leave out `answering` and choose another folder"
REASONS_KEPT = 1000
REASONS_SHOWN = 5


class Tally:
    """Counts of one run."""

    def __init__(self) -> None:
        self.total = 0
        self.before = 0
        """Answered by an earlier process."""
        self.failed_before = 0
        """Failed in an earlier process, and not answered since."""
        self.answered = 0
        self.failed = 0
        self.amiss = {"cut": 0, "empty": 0}
        """Answers that say nothing, or that the limit of tokens ended before they did, of earlier processes too."""
        self.restated = self.still_unread = 0
        """Answers that the model was asked to state once more, and those of them that could not be read either."""
        self.without_picture = 0
        """Questions left out because their case has no picture."""
        self.without_options = 0
        """Questions left out because there is nothing to rank."""
        self.unfit: dict[str, int] = {}
        """Questions that the prompt makes no difference to, by what their case lacks for it."""
        self.bad_pictures = 0
        """Cases whose picture is missing or bad."""
        self.bad_rows = 0
        self.first_bad_rows: list[BadRow] = []
        self.reasons: dict[str, int] = {}
        self.tokens_in = 0
        self.tokens_out = 0
        self.cost = 0.0
        self.paid = 0
        """Replies that this was spent on, those of earlier processes and those asked for again since included."""
        self.spent = False
        """Whether the run stopped because one question more would cost more than the budget."""
        self.limit = 0
        """Questions that may be under way now."""
        self.trouble = ""
        """What the server said last, if it was no answer."""
        self.damaged = 0
        """Lines of the journal that were not whole; their questions are asked again."""

    @property
    def unasked(self) -> dict[str, int]:
        """Questions that this run cannot ask, by the reason and what to do about it."""
        found = {NO_PICTURE: self.without_picture, NO_OPTIONS: self.without_options}
        return {reason: number for reason, number in found.items() if number}

    @property
    def done(self) -> int:
        return self.before + self.answered + self.failed

    def bad_row(self, bad: BadRow) -> None:
        self.bad_rows += 1
        if len(self.first_bad_rows) < BAD_ROWS_KEPT:
            self.first_bad_rows.append(bad)

    def count(self, reply: Reply, status: str = "read") -> None:
        """Count a reply and its outcome."""
        if reply.state == "failed":
            self._failed(reply.reason)
        else:
            self.answered += 1
        self.count_amiss(status)
        if reply.restates:
            self.restated += reply.state == "answered"
            self.still_unread += status == "unread"
        self.spend(reply.tokens_in, reply.tokens_out, reply.cost)

    def count_amiss(self, status: str) -> None:
        """Count an answer that was cut off or is empty."""
        if status in self.amiss:
            self.amiss[status] += 1

    def summary(self) -> str:
        """What happened, in a few lines."""
        lines = [f"{self.before + self.answered:,} of {self.total:,} questions answered, {self.failed:,} failed"]
        if self.before:
            lines[0] += f" ({self.before:,} were answered before)"
        for what, number in self.amiss.items():
            if number:
                lines.append(
                    f"{several(number, 'answer')} {what}: repeat them with `again`={what} and a larger `max_tokens`"
                )
        if self.restated:
            lines.append(f"{several(self.restated, 'answer')} restated, {self.still_unread:,} of them still unread")
        lines += self._spent()
        if self.damaged:
            lines.append(f"{several(self.damaged, 'damaged line')} in replies.jsonl; their questions were asked again")
        for reason, number in self.unasked.items():
            lines.append(f"{several(number, 'question')} not asked: {reason}")
        for reason, number in self.unfit.items():
            lines.append(
                f"{several(number, 'question')} asked without the special prompt, because it does not apply: {reason}"
            )
        if self.bad_pictures:
            lines.append(f"{several(self.bad_pictures, 'case')} with a bad picture")
        return "\n".join([*lines, *self._troubles("replies.jsonl")])

    def _failed(self, reason: str) -> None:
        self.failed += 1
        if reason in self.reasons or len(self.reasons) < REASONS_KEPT:
            self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def spend(self, tokens_in: int, tokens_out: int, cost: float) -> None:
        """Count what a reply took, of this process or of an earlier one."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self.cost += cost
        self.paid += 1

    def forget_spending(self) -> None:
        """Begin to count again, before all replies of the run are looked at."""
        self.tokens_in = self.tokens_out = self.paid = 0
        self.cost = 0.0

    def _spent(self) -> Iterator[str]:
        if self.tokens_in or self.tokens_out:
            yield f"{self.tokens_in:,} tokens read, {self.tokens_out:,} written"
        if self.cost:
            yield f"${self.cost:,.4f}"

    def _troubles(self, file: str) -> Iterator[str]:
        """The commonest reasons of failures, with the file that has all of them, and the first bad rows."""
        for reason, count in sorted(self.reasons.items(), key=lambda item: -item[1])[:REASONS_SHOWN]:
            yield f"  {count:,} x {printable(reason)}"
        if len(self.reasons) > REASONS_SHOWN:
            yield f"  and {len(self.reasons) - REASONS_SHOWN:,} other reasons; all are in {file}"
        if self.bad_rows:
            yield several(self.bad_rows, "bad row")
        for bad in self.first_bad_rows:
            yield f"  {printable(str(bad))}"


FIRST_REPLIES: Final = 20
"""Replies of which one at least must have an answer that can be read."""

_ADVICE: Final[dict[ReplyStatus, str]] = {
    "cut": "increase `max_tokens` and choose a new folder",
    "empty": "increase `max_tokens`, or check the log of the server",
    "unread": "read the replies in replies.jsonl, and choose another `prompt` or model",
    "failed": "see the reasons in replies.jsonl",
}


class FirstReplies:
    """Counts what becomes of the first replies of a run that nobody has begun yet."""

    def __init__(self, prompt: Prompt, *, begun: bool) -> None:
        self._prompt = prompt
        self._counts: Counter[ReplyStatus] = Counter()
        self._over = begun

    def status(self, reply: Reply, question: Question) -> ReplyStatus:
        """What became of a reply; one that is neither among the first, doubtful nor restated is taken for read."""
        if not self._over or is_doubtful(reply) or reply.restates:
            return status_of(reply, question, self._prompt.of(reply.world).reads).status
        return "failed" if reply.state == "failed" else "read"

    def look(self, status: ReplyStatus, reply: Reply, *, left: int) -> None:
        """Take in the next reply; raises RunError if none of the first is an answer and questions are `left` to ask."""
        if self._over:
            return
        self._counts[status] += 1
        self._over = status == "read"
        if not self._over and self._counts.total() >= FIRST_REPLIES and left > 0:
            raise RunError(self._sentence(reply))

    def _sentence(self, last: Reply) -> str:
        counted = ", ".join(f"{number} {status}" for status, number in self._counts.most_common())
        [(commonest, _)] = self._counts.most_common(1)
        said = last.reason or " ".join(last.text.split())[:80]
        told = f" (the last: {said!r})" if said else ""
        return (
            f"none of the first {self._counts.total()} replies has a readable answer: {counted}{told}; "
            f"{_ADVICE[commonest]}; to continue anyway, start the run again"
        )


FIRST_COSTS: Final = 5
"""Answers of which one at least must say what it cost."""


def refuse_unpriced(model: Model) -> None:
    """Say before anything is asked that nobody knows what a hosted model costs."""
    if isinstance(model, Priced) and not model.is_priced:
        raise ModelError(f"the price of {model.name} is unknown: set it with `price` IN,OUT, or leave out `budget`")


def spent_in(runs: Iterable[Path]) -> float:
    """What runs have cost so far, as far as they were begun."""
    begun = (RunFolder.open(run) for run in runs if (run / MANIFEST).exists())
    return sum(reply.cost for run in begun for reply in run.replies())


class Budget:
    """So many dollars for a run, earlier calls included; None is no bound."""

    def __init__(self, dollars: float | None, tally: Tally) -> None:
        self._dollars = dollars
        self._tally = tally
        self._free = 0
        """Answers that did not say what they cost."""

    def is_spent(self, under_way: int) -> bool:
        """Whether one question more would cost more; those under way cost what others have."""
        if self._dollars is None:
            return False
        each = self._tally.cost / max(1, self._tally.paid)
        return self._tally.cost + each * (under_way + 1) > self._dollars

    def look(self, reply: Reply) -> None:
        """Take in a reply that was counted; raises RunError where the first of them all say nothing of their cost."""
        if self._dollars is None or self._tally.cost or reply.state != "answered" or not reply.attempts:
            return
        self._free += 1
        if self._free >= FIRST_COSTS:
            raise RunError(
                f"none of the first {FIRST_COSTS} answers reports its cost or number of tokens, so the budget cannot "
                "be enforced; leave out `budget`, or limit the run with `cases`"
            )
