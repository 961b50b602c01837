"""What has happened in an audit so far; the progress bar looks at it while the stages fill it."""

from countersight.audits.log import LOG
from countersight.audits.records import Failed, Step
from countersight.engine import Tally
from countersight.text import several


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
            self._failed(f"{step.stage}: {step.output.reason}")
        else:
            self.answered += 1
        self.spend(step.spent.tokens_in, step.spent.tokens_out, step.spent.cost)

    def summary(self) -> str:
        """What happened, in a few lines."""
        lines = [f"{several(self.cases, 'case')}: {self.before + self.answered:,} steps done, {self.failed:,} failed"]
        if self.before:
            lines[0] += f" ({self.before:,} were done before)"
        lines += self._spent()
        if self.left_out:
            why = "no picture, or no question about it as it is that needs no list of options"
            lines.append(f"{several(self.left_out, 'case')} left out: {why}")
        return "\n".join([*lines, *self._troubles(LOG)])
