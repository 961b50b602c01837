"""Times and costs of a bundle: taken on trust, but they must be some, and must not contradict each other."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from countersight.audit.bundle.seal import SEAL
from countersight.audit.log import LOG
from countersight.audit.verifying.finding import Finding, Opened

SLACK: Final = timedelta(days=1)
"""By so much the clocks of machines that work on one audit in turn may differ."""


def checked_times(opened: Opened) -> Iterator[Finding]:
    """A step long before one that it follows, a seal before its own steps, words for a time, a cost below zero."""
    latest = None
    for step in opened.audit.steps:
        spent = step.spent
        if min(spent.cost, spent.seconds, spent.tokens_in, spent.tokens_out, spent.attempts) < 0:
            yield Finding("broken", LOG, f"line {step.n + 1} is said to have cost less than nothing")
            return
        at = _time(step.at) if step.at else latest
        if at is None and step.at:
            yield Finding("broken", LOG, f"line {step.n + 1}: {step.at[:40]!r} is no time")
            return
        if at and latest and at < latest - SLACK:
            yield Finding("broken", LOG, f"line {step.n + 1} was done at {step.at}, long before a line that it follows")
            return
        latest = max(filter(None, (at, latest)), default=None)
    sealed = _time(opened.bundle.sealed)
    if sealed is None:
        yield Finding("broken", SEAL, f"{opened.bundle.sealed[:40]!r} is no time")
    elif latest and sealed < latest - SLACK:
        yield Finding("broken", SEAL, f"it was sealed at {opened.bundle.sealed}, long before its own steps were done")


def _time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
