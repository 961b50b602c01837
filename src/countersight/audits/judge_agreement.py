"""The agreement of judges with each other and with themselves: Cohen's kappa and Krippendorff's alpha."""

from collections.abc import Hashable, Sequence
from itertools import combinations

import msgspec

from countersight.audits.ccs import by_judge, pooled_opinion
from countersight.audits.records import Verdict
from countersight.scoring import cohen_kappa, krippendorff_alpha

Score = Hashable | None


class JudgePair(msgspec.Struct, frozen=True):
    """The agreement of two judges: Cohen's kappa over the tests that both decided themselves, for PCS and for NCC."""

    first: str
    second: str
    pcs: float | None
    ncc: float | None
    pcs_n: int
    ncc_n: int
    """The number of tests that both decided, except those that were decided by rules on their behalf."""


class SelfAgreement(msgspec.Struct, frozen=True):
    """A judge's agreement with itself over its votes: alpha, and how often two votes on the same test differ."""

    judge: str
    pcs_alpha: float | None
    ncc_alpha: float | None
    pcs_flips: float | None
    ncc_flips: float | None
    n: int
    """The number of tests with at least two votes."""


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
