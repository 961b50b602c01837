"""How votes of one judge, and then several judges, are combined into one score."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from countersight.audits.records import Pool, Verdict

HALVES: Final = "majority, ties half"


class Opinion(msgspec.Struct, frozen=True):
    """PCS and NCC, each from 0 to 1, or None if undecided."""

    pcs: float | None
    ncc: float | None

    @property
    def ccs(self) -> float | None:
        """CCS = PCS · NCC (EDCT 3): 0 if either is 0, otherwise None if either is None."""
        if 0 in (self.pcs, self.ncc):
            return 0.0
        return None if self.pcs is None or self.ncc is None else self.pcs * self.ncc


def pool_scores(scores: Iterable[float | None], pool: Pool) -> float | None:
    """Combine several scores into one; abstentions do not count. A tie counts half, or nothing in old audits."""
    given = [score for score in scores if score is not None]
    if not given:
        return None
    mean = sum(given) / len(given)
    if pool == "mean":
        return mean
    if mean == 0.5:
        return 0.5 if pool == HALVES else None
    return float(mean > 0.5)


def pooled_opinion(given: Sequence[Verdict | Opinion], pool: Pool) -> Opinion:
    """Pool the votes of one judge, or the opinions of several judges, into one opinion."""
    return Opinion(pool_scores((each.pcs for each in given), pool), pool_scores((each.ncc for each in given), pool))


def by_judge(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    """Return the votes of each judge, in order; judges in order of first appearance."""
    votes: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        votes.setdefault(verdict.judge, []).append(verdict)
    return {judge: sorted(given, key=lambda each: each.vote) for judge, given in votes.items()}


def panel_opinion(verdicts: Iterable[Verdict], pool: Pool) -> Opinion:
    """Return the pooled opinion of all judges; every judge has the same weight, however often it voted."""
    return pooled_opinion([pooled_opinion(votes, pool) for votes in by_judge(verdicts).values()], pool)


def ccs_of_votes(verdicts: Iterable[Verdict], pool: Pool) -> float | None:
    """Return the CCS from pooling PCS · NCC of every single vote.

    What a panel holds may be more: most say yes to PCS, most say yes to NCC, and they are not the same.
    """
    own = (
        pool_scores((pooled_opinion([vote], pool).ccs for vote in votes), pool) for votes in by_judge(verdicts).values()
    )
    return pool_scores(own, pool)
