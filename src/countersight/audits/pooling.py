"""Pool the votes of judges into opinions and mean scores, and measure how well judges agree."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from typing import Final

import msgspec

from countersight.audits.records import Pool, Verdict
from countersight.scoring import cohen_kappa, krippendorff_alpha, mean_interval

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
    """A mean over cases (each the mean of its concepts), with a 95% interval over pictures; None without cases."""

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


Score = Hashable | None


class JudgePair(msgspec.Struct, frozen=True):
    """The agreement of two judges: Cohen's kappa over the tests that both decided themselves, for PCS and for NCC."""

    first: str
    second: str
    pcs: float | None
    ncc: float | None
    pcs_n: int
    ncc_n: int
    """Tests that both decided, except those that were decided by rules on their behalf."""


class SelfAgreement(msgspec.Struct, frozen=True):
    """A judge's agreement with itself over its votes: alpha, and how often two votes on the same test differ."""

    judge: str
    pcs_alpha: float | None
    ncc_alpha: float | None
    pcs_flips: float | None
    ncc_flips: float | None
    n: int
    """Tests with at least two votes."""


class JudgeAgreement(msgspec.Struct, frozen=True):
    """The agreement of an audit's judges; alpha is Krippendorff's, over all judges."""

    pairs: tuple[JudgePair, ...]
    own: tuple[SelfAgreement, ...]
    pcs_alpha: float | None
    ncc_alpha: float | None


def flip_rate(items: Sequence[Sequence[Score]]) -> float | None:
    """Return how often two votes on the same test differ, averaged over tests; None if no test has two votes."""
    rates = []
    for row in items:
        given = [score for score in row if score is not None]
        pairs = list(combinations(given, 2))
        if pairs:
            rates.append(sum(a != b for a, b in pairs) / len(pairs))
    return sum(rates) / len(rates) if rates else None


def agreement(tests: Sequence[Sequence[Verdict]]) -> JudgeAgreement:
    """Return the agreement of judges over tests; each test is given as all of its verdicts.

    Verdicts that rules gave on a judge's behalf are left out, because they do not show that judges agree.
    """
    asked = [by_judge(each for each in test if each.path != "rules" or each.judge == "rules") for test in tests]
    judges = list(dict.fromkeys(judge for test in tests for judge in by_judge(test)))
    opinions = {
        judge: [pooled_opinion(votes[judge], "majority") if judge in votes else None for votes in asked]
        for judge in judges
    }
    scores = [
        {judge: [getattr(each, measure) if each else None for each in opinions[judge]] for judge in judges}
        for measure in ("pcs", "ncc")
    ]
    pairs = []
    for first, second in combinations(judges, 2):
        kappas, counts = [], []
        for given in scores:
            kappas.append(cohen_kappa(given[first], given[second]))
            counts.append(sum(None not in both for both in zip(given[first], given[second], strict=True)))
        pairs.append(JudgePair(first, second, kappas[0], kappas[1], counts[0], counts[1]))
    own = []
    for judge in judges:
        votes = [test[judge] for test in asked if len(test.get(judge, ())) > 1]
        pcs, ncc = ([[getattr(vote, measure) for vote in given] for given in votes] for measure in ("pcs", "ncc"))
        alphas = krippendorff_alpha(pcs), krippendorff_alpha(ncc)
        if votes:
            own.append(SelfAgreement(judge, *alphas, flip_rate(pcs), flip_rate(ncc), len(votes)))
    of_pcs, of_ncc = (krippendorff_alpha(list(zip(*given.values(), strict=True))) for given in scores)
    return JudgeAgreement(tuple(pairs), tuple(own), of_pcs, of_ncc)
