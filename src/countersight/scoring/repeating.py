"""The same questions asked several times: how much of an accuracy is the model's, and how much is chance."""

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import ASKINGS, Asking
from countersight.scoring.outcome import RIGHT, Outcomes


class Repeated(msgspec.Struct, frozen=True):
    """What came of one asking over several runs, on the cases that all of them scored."""

    asking: Asking
    runs: int
    cases: int
    expected: float
    """The accuracy of one run, on average."""
    majority: float
    """The accuracy of the answer that most runs gave; of answers that came as often, the share that is right."""
    tied: float
    """The share of cases in which no answer came more often than every other."""
    flips: float
    """The share of cases that were not answered the same every time."""
    within: float
    """The variance of right and wrong within a case: chance, that asking again would change."""
    between: float
    """The variance between cases: what some cases are harder by."""

    def __str__(self) -> str:
        return (
            f"{self.asking}: {self.runs} times {self.cases:,} cases, {self.expected:.1%} right on average, "
            f"{self.majority:.1%} by majority ({self.tied:.1%} tied), {self.flips:.1%} flip, variance "
            f"{self.within:.4f} within a case and {self.between:.4f} between"
        )


def repeats(runs: Sequence[Outcomes]) -> tuple[Repeated, ...]:
    """The figures of each asking; nothing of one that no case was scored on every time."""
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
    """How much of what came most often is right, and whether that was more than one answer.

    Which run came first must not decide: of two answers that came as often, one of them right, half is right.
    """
    times = Counter(answers)
    most = max(times.values())
    leading = [bool(right[answers.index(answer)]) for answer, number in times.items() if number == most]
    return sum(leading) / len(leading), len(leading) > 1
