"""What has happened in an audit so far; the progress bar looks at it while the stages fill it."""

from countersight.asking.tally import REASONS_KEPT, REASONS_SHOWN, Tally
from countersight.audit.records import Failed, Step
from countersight.wording import printable, several


class AuditTally(Tally):
    """Counts of one audit, step by step."""

    def __init__(self) -> None:
        super().__init__()
        self.cases = 0
        self.left_out = 0
        """Cases without a picture, or without a question about the picture as it is."""

    def found(self) -> None:
        """A step had been done before."""
        self.before += 1

    def did(self, step: Step) -> None:
        """A step was done, or failed."""
        if isinstance(step.output, Failed):
            self.failed += 1
            reason = f"{step.stage}: {step.output.reason}"
            if reason in self.reasons or len(self.reasons) < REASONS_KEPT:
                self.reasons[reason] = self.reasons.get(reason, 0) + 1
        else:
            self.answered += 1
        self.tokens_in += step.spent.tokens_in
        self.tokens_out += step.spent.tokens_out
        self.cost += step.spent.cost

    def summary(self) -> str:
        """What happened, in a few lines."""
        lines = [f"{several(self.cases, 'case')}: {self.before + self.answered:,} steps done, {self.failed:,} failed"]
        if self.before:
            lines[0] += f" ({self.before:,} were done before)"
        if self.tokens_in or self.tokens_out:
            lines.append(f"{self.tokens_in:,} tokens read, {self.tokens_out:,} written")
        if self.cost:
            lines.append(f"${self.cost:,.4f}")
        if self.left_out:
            lines.append(f"{several(self.left_out, 'case')} left out: no picture, or no question about it as it is")
        for reason, count in sorted(self.reasons.items(), key=lambda item: -item[1])[:REASONS_SHOWN]:
            lines.append(f"  {count:,} x {printable(reason)}")
        if len(self.reasons) > REASONS_SHOWN:
            lines.append(f"  and {len(self.reasons) - REASONS_SHOWN:,} other reasons; all are in steps.jsonl")
        if self.bad_rows:
            lines.append(several(self.bad_rows, "bad row"))
        lines.extend(f"  {printable(str(bad))}" for bad in self.first_bad_rows)
        return "\n".join(lines)
