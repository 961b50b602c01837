"""Outcomes of small runs, from the letters that were answered."""

from collections.abc import Sequence

from countersight.case import Case, Option, Question, Reply
from countersight.scoring import Outcomes, outcomes

OPTIONS = tuple(map(Option, ("1", "2", "3", "4")))
Letters = tuple[str, str]

RIGHT_BOTH, RIGHT_TO_WRONG, WRONG_TO_RIGHT, WRONG_BOTH = ("B", "C"), ("B", "A"), ("A", "C"), ("A", "A")
"""What is answered as it is and after the change, where B and C are right."""


def judged(letters: Sequence[Letters], groups: Sequence[str] = ()) -> Outcomes:
    """What became of cases that were answered so; "!" stands for a question that failed."""
    cases = [
        Case(
            id=f"c{row}",
            group=groups[row] if groups else "",
            factual=Question("How many?", "B", "choice", OPTIONS),
            counterfactual=Question("How many if?", "C", "choice", OPTIONS),
        )
        for row in range(len(letters))
    ]
    replies = [
        Reply(f"c{row}", row, world, state="failed" if letter == "!" else "answered", text=letter)
        for row, pair in enumerate(letters)
        for world, letter in zip(("factual", "counterfactual"), pair, strict=True)
    ]
    return outcomes(enumerate(cases), replies)
