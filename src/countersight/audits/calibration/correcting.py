"""A score as it would be if its judge made no mistakes: corrected by how often the judge was right on known cases."""

import msgspec
import numpy as np

from countersight.audits.calibration.sheet import Instrument
from countersight.audits.clusters import Mean

DRAWS = 20_000
CONFIDENCE = 0.95
ROUNDING = 1e-9


class Corrected(msgspec.Struct, frozen=True):
    """A corrected score; its interval carries the doubt about the score and about the judge."""

    value: float
    low: float
    high: float
    estimate: float = 0.0
    estimate_low: float = 0.0
    estimate_high: float = 0.0
    """The same before it is held between 0 and 1."""
    fits: bool = True
    """Whether the estimate lies between 0 and 1; where it does not, the judge is another here than when calibrated."""


def corrected(score: Mean, judge: Instrument, *, seed: int = 0) -> Corrected | None:
    """The score without the judge's mistakes: θ = (p + q0 − 1) / (q0 + q1 − 1), q0 its specificity, q1 its sensitivity.

    (Rogan and Gladen, 1978.) None where nothing was scored, where the judge was never tried on both kinds, where its
    verdicts were ties (of an even panel: the score counts them half, and neither share knows of them), or where it
    does no better than a coin: then its verdicts say nothing of the truth. The interval is drawn: p, q0 and q1 by
    chance from what is known of each (Jeffreys' posterior; of p with as many cases as its clustered interval is worth),
    and θ from them. It holds at least what the score's own interval becomes by the same formula, so that it is never
    narrower than that one, but for what would lie outside of 0 and 1: no true share can, and an estimate that does says
    that the calibration does not fit these verdicts.
    """
    if score.value is None or judge.tied or not judge.sensitivity.n or not judge.specificity.n:
        return None
    q1, q0 = judge.sensitivity.share, judge.specificity.share
    if q0 + q1 <= 1:
        return None
    generator = np.random.default_rng(seed)
    n = _worth(score)
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
    return Corrected(_held(estimate), _held(low), _held(high), estimate, low, high, fits)


def _held(value: float) -> float:
    return min(1.0, max(0.0, value))


def _worth(score: Mean) -> float:
    """How many independent cases the score is worth: fewer than there are, where cases share pictures."""
    assert score.value is not None
    half = (score.high - score.low) / 2
    spread = score.value * (1 - score.value)
    if spread < 1e-9 or half < 1e-9:
        return float(score.pictures)
    return float(min(score.concepts, spread * (1.959964 / half) ** 2))
