"""A bound on what a run costs: kept by what the answers say they cost, refused where nothing can be known of that."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from countersight.case import Reply
from countersight.engine import Tally
from countersight.engine.run_folder import MANIFEST, RunFolder
from countersight.errors import ModelError, RunError
from countersight.models import Model, Priced

LOOKED_AT: Final = 5
"""Answers of which one at least must say what it cost."""


def refuse_unpriced(model: Model) -> None:
    """Say before anything is asked that nobody knows what a hosted model costs."""
    if isinstance(model, Priced) and not model.is_priced:
        raise ModelError(f"no price is known for {model.name}: name one with `price` IN,OUT, or leave `budget` out")


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
        if self._free >= LOOKED_AT:
            raise RunError(
                f"none of the first {LOOKED_AT} answers says what it cost or how many tokens it took, so that no "
                "budget can be kept; leave `budget` out, or bound the run with `cases`"
            )
