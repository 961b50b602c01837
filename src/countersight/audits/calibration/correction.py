"""Scores corrected for the judges' errors."""

import msgspec
import numpy as np

from countersight.audits.calibration.sheets import Instrument
from countersight.audits.pooling import Mean

DRAWS = 20_000


class CorrectedScore(msgspec.Struct, frozen=True):
    """A corrected score; its interval includes the uncertainty of the score and of the judge."""

    value: float
    low: float
    high: float
    estimate: float = 0.0
    estimate_low: float = 0.0
    estimate_high: float = 0.0
    """The upper end before it is clipped to 0 and 1."""
    fits: bool = True
    """Whether the estimate lies between 0 and 1; otherwise the judge behaves differently than in the calibration."""


def correct_score(score: Mean, judge: Instrument, *, seed: int = 0) -> CorrectedScore | None:
    """Return the score without the judge's errors: θ = (p + q0 − 1) / (q0 + q1 − 1), q0 specificity, q1 sensitivity.

    This is the estimator of Rogan and Gladen (1978), where p is the score. Return None if nothing was scored, if the
    judge was not tested on both kinds, if some verdicts were ties (the score counts a tie as half, but q0 and q1 do not
    include ties), or if the judge is no better than a coin flip. The interval is simulated: p, q0 and q1 are sampled
    from their Jeffreys posteriors (for p, with the number of cases that its clustered interval corresponds to), and θ
    is computed from each sample. The interval always includes the score's own interval, converted by the same formula.
    Both are clipped to 0 and 1. If the estimate itself is outside 0 and 1, the calibration does not fit these verdicts.
    """
    if score.value is None or judge.tied or not judge.sensitivity.n or not judge.specificity.n:
        return None
    q1, q0 = judge.sensitivity.share, judge.specificity.share
    if q0 + q1 <= 1:
        return None
    generator = np.random.default_rng(seed)
    n = _effective_size(score)
    p = generator.beta(score.value * n + 0.5, (1 - score.value) * n + 0.5, DRAWS)
    right, wrong = judge.sensitivity.right, judge.sensitivity.n - judge.sensitivity.right
    drawn_q1 = generator.beta(right + 0.5, wrong + 0.5, DRAWS)
    right, wrong = judge.specificity.right, judge.specificity.n - judge.specificity.right
    drawn_q0 = generator.beta(right + 0.5, wrong + 0.5, DRAWS)
    better = drawn_q0 + drawn_q1 > 1
    drawn = (p[better] + drawn_q0[better] - 1) / (drawn_q0[better] + drawn_q1[better] - 1)
    low, high = (float(end) for end in np.quantile(drawn, [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2]))
    estimate, own_low, own_high = ((p + q0 - 1) / (q0 + q1 - 1) for p in (score.value, score.low, score.high))
    low, high = min(low, own_low), max(high, own_high)
    fits = -ROUNDING <= estimate <= 1 + ROUNDING
    return CorrectedScore(_clipped(estimate), _clipped(low), _clipped(high), estimate, low, high, fits)


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))


def _effective_size(score: Mean) -> float:
    """Return the effective number of independent cases, which is smaller if cases share pictures."""
    assert score.value is not None
    half = (score.high - score.low) / 2
    spread = score.value * (1 - score.value)
    if spread < 1e-9 or half < 1e-9:
        return float(score.pictures)
    return float(min(score.concepts, spread * (1.959964 / half) ** 2))


CONFIDENCE = 0.95
ROUNDING = 1e-9
