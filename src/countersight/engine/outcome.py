"""Outcomes: the status of a reply, and the counts of a run."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from countersight.case import Question, Reply
from countersight.dataset import BadRow
from countersight.reading import ReadFrom, read_reply
from countersight.text import printable, several

ReplyStatus = Literal["failed", "cut", "empty", "unread", "read"]
"""Cut: the token limit ended the reply before an answer. Empty: it has no text. Unread: no answer was found in it."""


UNCERTAIN: Final = "uncertain"
"""The answer of a reply that is neither yes nor no, if the question accepts that (`accepts_uncertain`)."""


class ReadReply(msgspec.Struct, frozen=True):
    """The status of a reply, and its answer if there is one."""

    status: ReplyStatus
    answer: str | None = None


def status_of(reply: Reply, question: Question, read_from: ReadFrom = "whole") -> ReadReply:
    """Return the status of a reply and the answer extracted from it; a reply cut off before its answer is `cut`.

    A restated reply contains only the answer, so the whole text is read, even if the prompt reads only the end.
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
    """Whether a reply was cut off or has no text; it must be read to find out whether it contains an answer."""
    return reply.is_cut or reply.is_empty


BAD_ROWS_KEPT = 20
NO_PICTURE = (
    "the picture is not in the dataset; add it to the folder of `pictures` and make the dataset again, or "
    "choose a prompt without pictures, such as text-only"
)
NO_PICTURE_BY_DESIGN = "the question has no picture by design, but the model needs one; choose another model"
NO_OPTIONS = "the question has no options to rank; leave out `answering` and choose another folder"
REASONS_KEPT = 1000
REASONS_SHOWN = 5


class Tally:
    """Counts of one run."""

    def __init__(self) -> None:
        self.total = 0
        self.before = 0
        """The number of questions answered by an earlier process."""
        self.failed_before = 0
        """The number of questions that failed in an earlier process and are not answered yet."""
        self.answered = 0
        self.failed = 0
        self.cut_or_empty = {"cut": 0, "empty": 0}
        """The numbers of replies that are cut or empty, including those of earlier processes."""
        self.restated = self.still_unread = self.not_restated = 0
        """The numbers of restated replies, of those still unread, and of replies that could not be restated."""
        self.unasked: Counter[str] = Counter()
        """The number of questions that cannot be asked, by reason; each reason says how to fix the problem."""
        self.bad_pictures = 0
        """The number of cases whose picture is missing or bad."""
        self.bad_rows = 0
        self.first_bad_rows: list[BadRow] = []
        self.reasons: Counter[str] = Counter()
        self.tokens_in = 0
        self.tokens_out = 0
        self.cost = 0.0
        self.paid = 0
        """The number of replies that count towards the cost, including those of earlier processes and replaced ones."""
        self.spent = False
        """Whether the run stopped because the next question would exceed the budget."""
        self.models: Counter[str] = Counter()
        """The number of replies by the model's name as the server reported it, including those of earlier processes."""
        self.limit = 0
        """The current limit of concurrent questions."""
        self.trouble = ""
        """The server's last error message."""
        self.damaged = 0
        """The number of damaged lines in the journal; their questions are asked again."""

    @property
    def done(self) -> int:
        return self.before + self.answered + self.failed

    def bad_row(self, bad: BadRow) -> None:
        self.bad_rows += 1
        if len(self.first_bad_rows) < BAD_ROWS_KEPT:
            self.first_bad_rows.append(bad)

    def count(self, reply: Reply, status: str = "read") -> None:
        """Count a reply and its outcome."""
        if reply.state == "answered":
            self.answered += 1
            self.restated += bool(reply.restates)
            self.still_unread += bool(reply.restates) and status == "unread"
        elif reply.restates:  # the question keeps its first reply
            self.answered += 1
            self.not_restated += 1
            self._note_reason(reply.reason)
        else:
            self.failed += 1
            self._note_reason(reply.reason)
        self.count_cut_or_empty(status)
        self.add_reply(reply)

    def count_cut_or_empty(self, status: str) -> None:
        """Count an answer that was cut off or is empty."""
        if status in self.cut_or_empty:
            self.cut_or_empty[status] += 1

    def summary(self) -> str:
        """Summarise the run in a few lines."""
        lines = [f"{self.before + self.answered:,} of {self.total:,} questions answered, {self.failed:,} failed"]
        if self.before:
            lines[0] += f" ({self.before:,} were answered before)"
        for what, number in self.cut_or_empty.items():
            if number:
                advice = f"repeat them with `again`={what} and a larger `max_tokens`"
                lines.append(f"{several(number, 'answer')} {what}: {advice}")
        if self.restated:
            lines.append(f"{several(self.restated, 'answer')} restated, {self.still_unread:,} of them still unread")
        if self.not_restated:
            lines.append(f"{several(self.not_restated, 'answer')} not restated, because the request failed")
        if len(self.models) > 1:
            names = ", ".join(f"{printable(name)} ({number:,})" for name, number in self.models.most_common())
            lines.append(f"the server changed the model during this run: {names}")
        lines += self._spent()
        if self.damaged:
            lines.append(f"{several(self.damaged, 'damaged line')} in replies.jsonl; their questions were asked again")
        for reason, number in self.unasked.items():
            lines.append(f"{several(number, 'question')} not asked: {reason}")
        if self.bad_pictures:
            lines.append(f"{several(self.bad_pictures, 'case')} with a bad picture")
        return "\n".join([*lines, *self._troubles("replies.jsonl")])

    def _note_reason(self, reason: str) -> None:
        if reason in self.reasons or len(self.reasons) < REASONS_KEPT:
            self.reasons[reason] += 1

    def forget_replies(self) -> None:
        """Reset the totals of `add_reply`, before all replies of the journal are added again."""
        self.tokens_in = self.tokens_out = self.paid = 0
        self.cost = 0.0
        self.models.clear()

    def add_reply(self, reply: Reply) -> None:
        """Add the tokens and the cost of a reply, and the name of the model that wrote it."""
        self.spend(reply.tokens_in, reply.tokens_out, reply.cost)
        if reply.model:
            self.models[reply.model] += 1

    def spend(self, tokens_in: int, tokens_out: int, cost: float) -> None:
        """Add the tokens and the cost of a reply."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self.cost += cost
        self.paid += 1

    def _spent(self) -> Iterator[str]:
        if self.tokens_in or self.tokens_out:
            yield f"{self.tokens_in:,} input tokens, {self.tokens_out:,} output tokens"
        if self.cost:
            yield f"${self.cost:,.4f}"

    def _troubles(self, file: str) -> Iterator[str]:
        """Iterate over lines with the most common failures, the file that has all of them, and the first bad rows."""
        for reason, count in self.reasons.most_common(REASONS_SHOWN):
            yield f"  {count:,} x {printable(reason)}"
        if len(self.reasons) > REASONS_SHOWN:
            yield f"  and {len(self.reasons) - REASONS_SHOWN:,} other reasons; all are in {file}"
        if self.bad_rows:
            yield several(self.bad_rows, "bad row")
        for bad in self.first_bad_rows:
            yield f"  {printable(str(bad))}"
