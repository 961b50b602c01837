"""Repeated runs: how much of an accuracy is due to the model, and how much to chance."""

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import ASKINGS, Asking
from countersight.scoring.outcome import RIGHT, Outcomes


class Repeated(msgspec.Struct, frozen=True):
    """The results of one kind of asking over several runs, on cases that all of them scored."""

    asking: Asking
    runs: int
    cases: int
    expected: float
    """The mean accuracy of a run."""
    majority: float
    """The accuracy of the most frequent answer; if several are equally frequent, the share of them that is right."""
    tied: float
    """The share of cases without a single most frequent answer."""
    flips: float
    """The share of cases with different answers."""
    within: float
    """The variance of right and wrong within a case, which is due to chance."""
    between: float
    """The variance between cases, which is due to their difficulty."""

    def __str__(self) -> str:
        return (
            f"{self.asking}: {self.runs} times {self.cases:,} cases, {self.expected:.1%} right on average, "
            f"{self.majority:.1%} by majority ({self.tied:.1%} tied), {self.flips:.1%} flip, variance "
            f"{self.within:.4f} within a case and {self.between:.4f} between"
        )


def repeats(runs: Sequence[Outcomes]) -> tuple[Repeated, ...]:
    """Return the results for each kind of asking with cases that every run scored."""
    return tuple(found for nth in range(len(ASKINGS)) if (found := _repeated(runs, nth)) is not None)


def _repeated(runs: Sequence[Outcomes], nth: int) -> Repeated | None:
    shared = sorted(set.intersection(*(set(run.rows.tolist()) for run in runs)))
    places = [np.searchsorted(run.rows, shared) for run in runs]
    codes = np.stack([run.codes[place, nth] for run, place in zip(runs, places, strict=True)])
    asking = ASKINGS[nth]
    scored = np.logical_and.reduce([run.scored(asking)[place] for run, place in zip(runs, places, strict=True)])
    if not scored.any():
        return None
    right = codes[:, scored] == RIGHT
    answers = [[run.answer_texts[n] for n in run.answers[p, nth][scored]] for run, p in zip(runs, places, strict=True)]
    share = right.mean(axis=0)
    within = float((share * (1 - share)).mean()) * len(runs) / max(1, len(runs) - 1)
    voted = [_voted([answer[case] for answer in answers], right[:, case]) for case in range(right.shape[1])]
    return Repeated(
        asking,
        len(runs),
        right.shape[1],
        float(right.mean()),
        float(np.mean([share for share, _ in voted])),
        float(np.mean([tied for _, tied in voted])),
        float(np.mean([len({answer[case] for answer in answers}) > 1 for case in range(right.shape[1])])),
        within,
        max(0.0, float(share.var(ddof=1)) - within / len(runs)) if right.shape[1] > 1 else 0.0,
    )


def _voted(answers: list[str | None], right: NDArray[np.bool_]) -> tuple[float, bool]:
    """Return the share of the most frequent answers that is right, and whether there are several.

    The order of runs must not matter: of two equally frequent answers, one of them right, half is right.
    """
    times = Counter(answers)
    most = max(times.values())
    leading = [bool(right[answers.index(answer)]) for answer, number in times.items() if number == most]
    return sum(leading) / len(leading), len(leading) > 1
