"""The scores of EDCT: PCS, NCC and CCS of a test, pooled from the votes of judges, and their means over cases."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from countersight.audits.manifest import Pool
from countersight.audits.records import Verdict
from countersight.scoring import mean_interval

HALVES: Final = "majority, ties half"


class Opinion(msgspec.Struct, frozen=True):
    """PCS and NCC, each from 0 to 1, or None if undecided."""

    pcs: float | None
    ncc: float | None

    @property
    def ccs(self) -> float | None:
        """CCS = PCS · NCC (EDCT 3): 0 if either is 0; otherwise None if either is None."""
        if 0 in (self.pcs, self.ncc):
            return 0.0
        return None if self.pcs is None or self.ncc is None else self.pcs * self.ncc


def pool_scores(scores: Iterable[float | None], pool: Pool) -> float | None:
    """Return the majority of scores, without abstentions; a tie counts as half, or as undecided in old audits."""
    given = [score for score in scores if score is not None]
    if not given:
        return None
    mean = sum(given) / len(given)
    if mean == 0.5:
        return 0.5 if pool == HALVES else None
    return float(mean > 0.5)


def pooled_opinion(given: Sequence[Verdict | Opinion], pool: Pool) -> Opinion:
    """Pool the votes of one judge, or the opinions of several judges, into one opinion."""
    return Opinion(pool_scores((each.pcs for each in given), pool), pool_scores((each.ncc for each in given), pool))


def by_judge(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    """Return the votes of each judge, in order; judges are in order of first appearance."""
    votes: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        votes.setdefault(verdict.judge, []).append(verdict)
    return {judge: sorted(given, key=lambda each: each.vote) for judge, given in votes.items()}


def panel_opinion(verdicts: Iterable[Verdict], pool: Pool) -> Opinion:
    """Return the pooled opinion of all judges; every judge has the same weight, regardless of its number of votes."""
    return pooled_opinion([pooled_opinion(votes, pool) for votes in by_judge(verdicts).values()], pool)


class Mean(msgspec.Struct, frozen=True):
    """A mean over cases (each the mean of its concepts), with a 95% interval clustered by picture; None if empty."""

    value: float | None
    low: float
    high: float
    concepts: int
    cases: int
    pictures: int


def mean_by_cluster(scores: Iterable[tuple[str, str, float]]) -> Mean:
    """Return the mean over cases of scores; each score is given with its picture and case. Pictures are clusters."""
    cases: dict[tuple[str, str], list[float]] = {}
    for picture, case, value in scores:
        cases.setdefault((picture, case), []).append(value)
    if not cases:
        return Mean(None, 0.0, 1.0, 0, 0, 0)
    means = [sum(values) / len(values) for values in cases.values()]
    pictures = [picture for picture, _ in cases]
    value = sum(means) / len(means)
    interval = mean_interval([round(mean, 9) for mean in means], pictures)
    concepts = sum(len(values) for values in cases.values())
    return Mean(value, min(interval.low, value), max(interval.high, value), concepts, len(cases), len(set(pictures)))
