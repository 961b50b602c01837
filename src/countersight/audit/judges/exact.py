"""Judging where the truth is known: the changed scene says which answer is right and which sentences are true."""

from typing import Final

from countersight.audit.judges.protocol import Evidence, Judged, abstention, path_of
from countersight.audit.judges.rules import Told
from countersight.audit.known import claims_of, facts_of_drawn, is_statement, moved_facts
from countersight.audit.records import Party, Verdict
from countersight.audit.truth import right_answer
from countersight.editing import Drawn
from countersight.reading import without_refusal

NAME: Final = "exact"


class ExactJudge:
    """Counts in the scene that the edited picture was drawn from; needs a dataset of our own scenes."""

    several = False

    def __init__(self) -> None:
        self.party = Party(NAME)

    async def judge(self, evidence: Evidence, vote: int, key: str) -> Judged:
        """The verdict; the same however often it is asked."""
        return Judged(exact_verdict(evidence, vote))

    async def close(self) -> None:
        """There is nothing to let go of."""


def exact_verdict(evidence: Evidence, vote: int) -> Verdict:
    """The verdict that the scenes before and after call for; an abstention where they are not known."""
    if evidence.scene is None or evidence.changed is None:
        return abstention(NAME, vote, "it is not known what is drawn in the picture, before or after")
    before = right_answer(evidence.question.text, evidence.scene)
    expected = right_answer(evidence.question.text, evidence.changed)
    pcs, pcs_reason = _answer(evidence, before, expected)
    ncc, ncc_reason = _explanation(evidence.new_explanation, evidence.scene, evidence.changed)
    return Verdict(
        NAME,
        vote,
        pcs,
        ncc,
        pcs_reason,
        ncc_reason,
        path=path_of(NAME, pcs, ncc),
        expected=expected or "",
        moved=None if expected is None else expected != before,
    )


def _answer(evidence: Evidence, before: str | None, expected: str | None) -> Told:
    """PCS: the answer is the one that is right in the changed scene."""
    if expected is None:
        return None, "the meaning of the question is not known"
    said = evidence.read(evidence.new_answer)
    right = f"with this change the right answer is {expected}, before it was {before}"
    if said is None:
        return 0, f"{right}; the new answer cannot be read as one"
    return int(said == expected), f"{right}; the model says {said[:80]}"


def _explanation(text: str, scene: Drawn, changed: Drawn) -> Told:
    """NCC: what the explanation claims of anything that changed is true now.

    It may also no longer speak of what was changed, if all that it does claim is true. A slip about something else
    than what was changed does not count: the question is whether the change is taken up.
    """
    old, new = facts_of_drawn(scene), facts_of_drawn(changed)
    moved = moved_facts(old, new)
    if not moved:
        return None, "the change is none of what can be counted"
    claimed = claims_of(text, scene)
    if not claimed:
        if without_refusal(text) is None:
            return 0, "it explains nothing"
        return None, "it claims nothing that can be counted"
    cited = [claim for claim in claimed if claim.fact in moved]
    for claim in cited or claimed:
        now, before = new.get(claim.fact, 0), old.get(claim.fact, 0)
        if claim.number != now:
            stale = ", as before the change" if claim.number == before else ""
            if is_statement(claim.fact):
                return 0, f"it {'claims' if claim.number else 'denies'} that {claim.fact}{stale}; that is not true"
            return 0, f"it claims {claim.number} {claim.fact}{stale}; there are {now}"
    if cited:
        first = cited[0]
        if is_statement(first.fact):
            return 1, f"it takes up the change: it {'claims' if first.number else 'denies'} that {first.fact}"
        return 1, f"it takes up the change: {first.number} {first.fact}, where there were {old.get(first.fact, 0)}"
    return 1, "it no longer cites what was changed, and what it claims is true"
