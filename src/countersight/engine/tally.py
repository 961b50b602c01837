"""What has happened in a run so far; the progress bar looks at it while the engine fills it."""

from collections.abc import Iterator

from countersight.case import Reply
from countersight.dataset import BadRow
from countersight.text import printable, several

BAD_ROWS_KEPT = 20
NO_PICTURE = (
    "their picture is not in the dataset; make it again with its `pictures`, or ask with a prompt that shows none, "
    "such as text-only"
)
NO_OPTIONS = "they have no options to rank; leave out `answering`, in another folder"
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
        """Answers that say nothing, or that the limit of tokens ended before they did."""
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

    def count(self, reply: Reply, fate: str = "read") -> None:
        """Take in a reply and what became of it."""
        if reply.state == "failed":
            self._failed(reply.reason)
        else:
            self.answered += 1
        if fate in self.amiss:
            self.amiss[fate] += 1
        if reply.restates:
            self.restated += reply.state == "answered"
            self.still_unread += fate == "unread"
        self.spend(reply.tokens_in, reply.tokens_out, reply.cost)

    def summary(self) -> str:
        """What happened, in a few lines."""
        lines = [f"{self.before + self.answered:,} of {self.total:,} questions answered, {self.failed:,} failed"]
        if self.before:
            lines[0] += f" ({self.before:,} were answered before)"
        for what, number in self.amiss.items():
            if number:
                lines.append(f"{several(number, 'answer')} {what}: ask them again with `again`={what}, `max_tokens`=N")
        if self.restated:
            lines.append(f"{several(self.restated, 'answer')} restated, of which {self.still_unread:,} still unread")
        lines += self._spent()
        if self.damaged:
            lines.append(f"{several(self.damaged, 'damaged line')} in replies.jsonl: asked again")
        for reason, number in self.unasked.items():
            lines.append(f"{several(number, 'question')} not asked: {reason}")
        for reason, number in self.unfit.items():
            lines.append(f"{several(number, 'question')} asked plainly, since the prompt does not apply: {reason}")
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
