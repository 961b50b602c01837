"""The drop by groups of pictures: diffs, gaps and intervals."""

from collections.abc import Sequence

import numpy as np
import pytest
from judging import RIGHT_BOTH, RIGHT_TO_WRONG, WRONG_BOTH, judged
from lazily import Lazy

from countersight.figures import Figure
from countersight.reports.drop_by_group import Bias, bias

multitest = Lazy("statsmodels.stats.multitest")


def measured(*cases: tuple[str, int, tuple[str, str]]) -> Bias:
    """The bias of a run; for each case the group of its picture, its picture, and the letters answered."""
    return together(cases)[0]


def together(*runs: Sequence[tuple[str, int, tuple[str, str]]]) -> list[Bias]:
    """The bias of several runs about the same pictures."""
    names = sorted({group for group, _, _ in runs[0] if group})
    group_of = np.array([names.index(group) if group else -1 for group, _, _ in runs[0]])
    pictures = np.array([picture for _, picture, _ in runs[0]])
    return bias([judged([letters for _, _, letters in cases]) for cases in runs], names, group_of, pictures)


def test_diff_is_original_minus_counterfactual_accuracy_and_the_gap_their_difference() -> None:
    found = measured(
        *(("men", n, RIGHT_BOTH) for n in range(6)),
        *(("men", n, RIGHT_TO_WRONG) for n in range(6, 8)),
        *(("women", n, RIGHT_TO_WRONG) for n in range(8, 11)),
        ("women", 11, WRONG_BOTH),
        ("", 12, RIGHT_TO_WRONG),
    )
    men, women = found.groups
    assert (men.group, men.n, men.factual.value, men.counterfactual.value) == ("men", 8, 1.0, 0.75)
    assert (women.group, women.drop.value) == ("women", 0.75)
    assert found.pictures == {"men": 8, "women": 4}
    gap = found.gaps["men", "women"]
    assert (gap.value, gap.n) == (-0.5, 12)
    assert gap.low < -0.5 < gap.high
    assert (gap.p < 0.05) == (not gap.low <= 0 <= gap.high)


def test_only_cases_scored_in_both_worlds_count() -> None:
    found = measured(("men", 0, RIGHT_BOTH), ("men", 1, ("B", "!")), ("women", 2, RIGHT_BOTH), ("women", 3, ("!", "C")))
    assert [group.n for group in found.groups] == [1, 1]
    assert measured(("men", 0, ("!", "C"))).groups == ()


def test_cases_of_one_picture_hang_together() -> None:
    clustered = measured(*(("men", n // 10, RIGHT_TO_WRONG if n < 50 else RIGHT_BOTH) for n in range(100)))
    single = measured(*(("men", n, RIGHT_TO_WRONG if n < 50 else RIGHT_BOTH) for n in range(100)))
    assert (clustered.pictures, single.pictures) == ({"men": 10}, {"men": 100})
    together, apart = clustered.groups[0].drop, single.groups[0].drop
    assert together.value == apart.value == 0.5
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_several_gaps_are_corrected_by_holm_over_all_runs_and_their_intervals_agree() -> None:
    def lost(**cases: int) -> list[tuple[str, int, tuple[str, str]]]:
        return [(group, n, RIGHT_TO_WRONG if n < cases[group] else RIGHT_BOTH) for group in cases for n in range(24)]

    def alone(one: int, other: int) -> Figure:
        return measured(*lost(a=one, b=other)).gaps["a", "b"]

    runs = lost(a=2, b=11, c=20), lost(a=9, b=9, c=9)
    after = [gap for each in together(*runs) for gap in each.gaps.values()]
    before = [alone(2, 11), alone(2, 20), alone(11, 20), alone(9, 9), alone(9, 9), alone(9, 9)]
    _, expected, *_ = multitest.multipletests([gap.p for gap in before], method="holm")
    assert [gap.p for gap in after] == pytest.approx(list(expected))
    assert before[1].p < 0.05 < before[3].p
    for plain, gap in zip(before, after, strict=True):
        assert gap.value == pytest.approx(plain.value)
        assert gap.high - gap.low > plain.high - plain.low or gap.confidence == plain.confidence
        assert (gap.p < 0.05) == (not gap.low <= 0 <= gap.high)


def test_a_group_of_which_nothing_was_read_has_no_gap() -> None:
    found = measured(("men", 0, RIGHT_BOTH), ("women", 1, ("B", "?")), ("women", 2, ("B", "?")))
    assert ([group.group for group in found.groups], found.gaps, found.left_out) == (["men"], {}, ("women",))
