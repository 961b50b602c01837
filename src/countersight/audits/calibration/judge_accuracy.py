"""The accuracy of judges on tests with known verdicts, and scores corrected for the errors of a judge."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from countersight.audits.ccs import Mean, Opinion, by_judge, panel_opinion, pooled_opinion
from countersight.audits.manifest import Actor, Manifest
from countersight.audits.records import Verdict
from countersight.figures import Interval
from countersight.scoring import combined, share_interval

PANEL = "panel"
"""The name that stands for all judges combined."""
MEASURES: Final = ("pcs", "ncc", "ccs")
Test = tuple[str, int]
"""A case and the number of its concept."""


class KnownShare(msgspec.Struct, frozen=True):
    """A proportion (`right` of `n`), with its exact binomial 95% interval."""

    right: int
    n: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The proportion; 0.5 if there are no cases."""
        return self.right / self.n if self.n else 0.5


def rate(right: int, n: int) -> KnownShare:
    """Return a proportion with its interval."""
    interval = share_interval(right, n)
    return KnownShare(right, n, interval.low, interval.high)


class VerdictAccuracy(msgspec.Struct, frozen=True):
    """The accuracy of yes/no verdicts."""

    sensitivity: KnownShare
    """The share of yes verdicts among tests in which yes is right (q1)."""
    specificity: KnownShare
    """The share of no verdicts among tests in which no is right (q0)."""
    abstained: int
    """The number of abstentions, which are counted in neither share."""
    tied: int = 0
    """The number of ties among them; an audit counts ties as half, so q1 and q0 do not describe its scores."""

    @property
    def is_no_better_than_chance(self) -> bool:
        """Whether the verdicts are no better than chance; False unless both yes and no were tested."""
        tried = self.sensitivity.n and self.specificity.n
        return bool(tried) and self.sensitivity.share + self.specificity.share <= 1


def verdict_accuracy(verdicts: Iterable[tuple[float | None, int]]) -> VerdictAccuracy:
    """Return the accuracy of verdicts, each paired with the right one. A tie counts as an abstention."""
    table = {(verdict, right): 0 for verdict in (0, 1) for right in (0, 1)}
    abstained = tied = 0
    for verdict, right in verdicts:
        if verdict is None or verdict == 0.5:
            abstained += 1
            tied += verdict == 0.5
        else:
            table[int(verdict > 0.5), right] += 1
    return VerdictAccuracy(
        rate(table[1, 1], table[1, 1] + table[0, 1]), rate(table[0, 0], table[0, 0] + table[1, 0]), abstained, tied
    )


ROUNDING: Final = 1e-9


class CorrectedScore(msgspec.Struct, frozen=True):
    """A corrected score; its interval includes the uncertainty of the score and of the judge."""

    value: float
    low: float
    high: float
    estimate: float = 0.0
    """The value before it is clipped to the range 0 to 1."""
    fits: bool = True
    """Whether the estimate lies between 0 and 1; otherwise the judge does not behave as in the calibration."""


def correct_score(score: Mean, judge: VerdictAccuracy) -> CorrectedScore | None:
    """Correct a score for the judge's errors: θ = (p + q0 − 1) / (q0 + q1 − 1), with the specificity q0 and the
    sensitivity q1.

    This is the estimator of Rogan and Gladen (1978), where p is the score. Return None if nothing was scored, if the
    judge was not tested on both yes and no, if some verdicts were ties (which the score counts as half, and q0 and q1
    omit), or if the judge is no better than chance. The interval combines those of p, q0 and q1. Value and interval are
    limited to 0 to 1. If the estimate itself is not from 0 to 1, the calibration does not fit these verdicts.
    """
    q1, q0 = judge.sensitivity, judge.specificity
    if score.value is None or judge.tied or not q1.n or not q0.n or q1.share + q0.share <= 1:
        return None

    def corrected(p: float, q1: float, q0: float) -> float:
        return (p + q0 - 1) / (q0 + q1 - 1) if q0 + q1 > 1 else math.inf

    estimate = corrected(score.value, q1.share, q0.share)
    ends = [corrected(p, q1.share, q0.share) for p in (score.low, score.high)]
    ends += [corrected(score.value, end, q0.share) for end in (q1.low, q1.high)]
    ends += [corrected(score.value, q1.share, end) for end in (q0.low, q0.high)]
    # If a judge may be no better than chance, its verdicts say nothing.
    found = (
        combined(estimate, [end for end in ends if end < estimate], [end for end in ends if end > estimate])
        if math.inf not in ends
        else Interval(0.0, 1.0)
    )
    fits = -ROUNDING <= estimate <= 1 + ROUNDING
    value, low, high = (min(1.0, max(0.0, each)) for each in (estimate, found.low, found.high))
    return CorrectedScore(value, low, high, estimate, fits)


class JudgeSheet(msgspec.Struct, frozen=True):
    """The accuracy of one judge, or of the whole panel, on tests with known verdicts."""

    judge: Actor
    votes: int
    pcs: VerdictAccuracy
    ncc: VerdictAccuracy
    ccs: VerdictAccuracy
    by_kind: dict[str, KnownShare]
    """The share of tests with both verdicts right, by kind of constructed test."""
    hostile: KnownShare
    """The same share, over tests with a prompt injection in the model's text."""
    honest: KnownShare
    """The same share, over all other tests."""


def opinions(manifest: Manifest, verdicts: Mapping[Test, Sequence[Verdict]]) -> list[tuple[Actor, dict[Test, Opinion]]]:
    """Return each judge's opinion of each test; the last is the panel, if there are several."""
    pool = manifest.pool
    votes = {test: by_judge(given) for test, given in verdicts.items() if given}
    found = [
        (judge, {test: pooled_opinion(own[judge.name], pool) for test, own in votes.items() if judge.name in own})
        for judge in manifest.judges
    ]
    if len(found) > 1:
        found.append((Actor(PANEL), {test: panel_opinion(verdicts[test], pool) for test in votes}))
    return found


def judge_sheets(
    manifest: Manifest,
    verdicts: Mapping[Test, Sequence[Verdict]],
    right: Mapping[str, Mapping[Test, int]],
    kinds: Mapping[Test, str] | None = None,
    hostile: Collection[Test] = (),
) -> tuple[JudgeSheet, ...]:
    """Return the accuracy of every judge and of the panel; `right` has the right verdicts, by measure and test."""

    def sheet(judge: Actor, decided: Mapping[Test, Opinion]) -> JudgeSheet:
        both = {
            test: (decided[test].pcs, decided[test].ncc) == (right["pcs"][test], right["ncc"][test])
            for test in right["pcs"]
            if test in right["ncc"] and test in decided
        }

        def share(tests: Iterable[Test]) -> KnownShare:
            found = [both[test] for test in tests if test in both]
            return rate(sum(found), len(found))

        pcs, ncc, ccs = (
            verdict_accuracy(
                (getattr(decided[test], measure), known) for test, known in right[measure].items() if test in decided
            )
            for measure in MEASURES
        )
        by_kind: dict[str, list[Test]] = {}
        for test, kind in (kinds or {}).items():
            by_kind.setdefault(kind, []).append(test)
        shares = {kind: share(tests) for kind, tests in by_kind.items()}
        honest = share(test for test in both if test not in hostile)
        return JudgeSheet(judge, manifest.votes, pcs, ncc, ccs, shares, share(hostile), honest)

    return tuple(sheet(judge, decided) for judge, decided in opinions(manifest, verdicts))
