"""One score out of many: the votes of a judge, then the judges of a panel. Pure functions."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec

from countersight.audits.records import Verdict

Pool = Literal["majority, ties half", "mean", "majority"]
"""How votes, and then judges, become one score. Of the last, which 0.1 had, a tie decides nothing."""
HALVES: Final = "majority, ties half"


class Opinion(msgspec.Struct, frozen=True):
    """PCS and NCC, each from 0 to 1, or None where nobody decides."""

    pcs: float | None
    ncc: float | None

    @property
    def ccs(self) -> float | None:
        """CCS = PCS · NCC (EDCT 3); None where one of the two is."""
        return None if self.pcs is None or self.ncc is None else self.pcs * self.ncc


def pooled(scores: Iterable[float | None], pool: Pool) -> float | None:
    """One score out of several; who abstains does not count. A tie is half a yes, or decides nothing in old audits."""
    given = [score for score in scores if score is not None]
    if not given:
        return None
    mean = sum(given) / len(given)
    if pool == "mean":
        return mean
    if mean == 0.5:
        return 0.5 if pool == HALVES else None
    return float(mean > 0.5)


def opinion(verdicts: Sequence[Verdict], pool: Pool) -> Opinion:
    """What one judge holds, over its votes."""
    return Opinion(pooled((each.pcs for each in verdicts), pool), pooled((each.ncc for each in verdicts), pool))


def by_judge(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    """The votes of each judge, in order, judges as they first appear."""
    votes: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        votes.setdefault(verdict.judge, []).append(verdict)
    return {judge: sorted(given, key=lambda each: each.vote) for judge, given in votes.items()}


def panel(verdicts: Iterable[Verdict], pool: Pool) -> Opinion:
    """What all judges hold together: each has one voice, however often it voted."""
    opinions = [opinion(votes, pool) for votes in by_judge(verdicts).values()]
    return Opinion(pooled((each.pcs for each in opinions), pool), pooled((each.ncc for each in opinions), pool))


def ccs_of_votes(verdicts: Iterable[Verdict], pool: Pool) -> float | None:
    """CCS where every vote's own PCS · NCC is pooled: no more than the votes allow.

    What a panel holds may be more: most say yes to PCS, most say yes to NCC, and they are not the same.
    """
    own = (pooled((opinion([vote], pool).ccs for vote in votes), pool) for votes in by_judge(verdicts).values())
    return pooled(own, pool)
