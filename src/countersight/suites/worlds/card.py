"""What the card of a suite of worlds tells: how it divides, how often a change matters, and what was left out."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from countersight.case import Case
from countersight.suites.dividing import division_table
from countersight.suites.worlds.suite import DISCS_NAME

REASONS = {
    "margin": "what falls was a matter of less than 6 pixels, or of a fifth more or less friction",
    "radius": "discs hit or missed each other or a wall by less than 6 pixels (radii 3 px larger or smaller decide)",
    "bank": "a disc met another after it bounced off a wall, which nobody can tell by eye (hard cases have it)",
    "jitter": "one of 16 jitters (±1 px, ±2 % friction or speed, and weight) had another outcome",
    "model": "the world did not follow the structural model of its causal graph under every intervention",
    "floor": "the floor had no room for what fell",
}


ASKED_OTHERWISE = ((DISCS_NAME, "role"), (DISCS_NAME, "who first"), (DISCS_NAME, "planning"))
"""Groups whose factual question is another one, so that equal answers in both worlds say nothing of the change."""


class CaseTally:
    """Counts cases as they are made."""

    def __init__(self) -> None:
        self.dropped: Counter[str] = Counter()
        self.relevant: Counter[tuple[str, bool]] = Counter()

    def add(self, cases: Iterable[Case], dropped: dict[str, int]) -> None:
        """Count some cases, and what was dropped for them."""
        self.dropped.update(dropped)
        for case in cases:
            if (case.suite, case.group) not in ASKED_OTHERWISE:
                kind = case.change.kinds[0] if case.change else "remove"
                self.relevant[kind, is_relevant(case)] += 1

    def total(self, relevant: bool) -> int:
        """Cases whose change matters, or does not."""
        return sum(number for (_, is_so), number in self.relevant.items() if is_so == relevant)


def is_relevant(case: Case) -> bool:
    """Whether the change matters to what is asked: what is asked about falls, or is otherwise than before."""
    if not case.shown or not case.factual or case.group == "planning":
        return False  # the plan that is sought in supports is a change that matters to nothing
    if case.group == "falls":
        return case.shown.answer == "yes"
    return case.group == "which falls" or case.factual.answer != case.shown.answer


def section(tally: CaseTally, folder: Path) -> str:
    """The part of the card about changes, stability and citing."""
    matters = f"""
## Changes that matter, and changes that do not

Of the cases that ask the same of both worlds, the change matters to what is asked in {tally.total(True):,}, and does
not in {tally.total(False):,}:

{_by_kind(tally)}

A plan among supports is a change that matters to nothing; one among discs, which is
not counted here, is one that matters.
"""
    told = "\n".join(
        f"- {tally.dropped[reason]:,} because {words}" for reason, words in REASONS.items() if reason in tally.dropped
    )
    return f"""{matters if tally.relevant else ""}
## What was left out

Every outcome is solved, not simulated. A candidate was dropped where a viewer could not be sure of it:

{told}

## Citing

Name the suite, its version, the seed and the size, which all stand above: the same make the same pixels. Models may
have seen the public set; for a test of your own, make one with a fresh seed.
"""


def _by_kind(tally: CaseTally) -> str:
    """The kinds of change, and how often each matters."""
    kinds = sorted({kind for kind, _ in tally.relevant})
    rows = [f"| {kind} | {tally.relevant[kind, True]:,} | {tally.relevant[kind, False]:,} |" for kind in kinds]
    return "\n".join(("| change | matters | does not |", "| --- | --- | --- |", *rows))


def divisions(folder: Path) -> str:
    """How many cases each split and each difficulty has, group by group, and how people check them."""
    return f"""## Splits and difficulty

{division_table(folder, "group", lambda case: case.group)}

Splits are by picture: no picture is in two, and cases in the same words but for colours are in one. Difficulty goes by
how many things a world has. Both are in `provenance`. To have people check cases: `countersight collect new NAME --flow
verify --from THIS_FOLDER`.
"""


def attribution(follows: str, folder: Path) -> str:
    """Under which licence a suite is, and whose work it follows."""
    return f"""## Licence and attribution

CC0-1.0: worlds, pictures, questions and answers are made by Countersight from a seed, and contain nobody else's data.
{follows}"""
