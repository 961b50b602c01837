"""The drop by groups of pictures: diffs, gaps, intervals and the permutation test."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import RIGHT_BOTH, RIGHT_TO_WRONG, WRONG_BOTH, judged
from lazily import Lazy

from countersight.scoring.group_bias import Bias, bias, corrected_gaps, permutation_p

multitest = Lazy("statsmodels.stats.multitest")


def measured(*cases: tuple[str, int, tuple[str, str]], seed: int = 0) -> Bias:
    """The bias of a run; for each case the group of its picture, its picture, and the letters answered."""
    names = sorted({group for group, _, _ in cases if group})
    group_of = np.array([names.index(group) if group else -1 for group, _, _ in cases])
    pictures = np.array([picture for _, picture, _ in cases])
    return bias(judged([letters for _, _, letters in cases]), names, group_of, pictures, seed=seed)


def test_diff_is_original_minus_counterfactual_accuracy_and_the_gap_their_difference() -> None:
    found = measured(
        *(("men", n, RIGHT_BOTH) for n in range(6)),
        *(("men", n, RIGHT_TO_WRONG) for n in range(6, 8)),
        *(("women", n, RIGHT_TO_WRONG) for n in range(8, 11)),
        ("women", 11, WRONG_BOTH),
        ("", 12, RIGHT_TO_WRONG),
    )
    men, women = found.groups
    assert (men.name, men.pictures, men.n, men.factual.value, men.counterfactual.value) == ("men", 8, 8, 1.0, 0.75)
    assert (women.name, women.diff.value) == ("women", 0.75)
    [gap] = found.gaps
    assert (gap.first, gap.second, gap.value, gap.pictures, gap.n) == ("men", "women", -0.5, 12, 12)
    assert gap.low < -0.5 < gap.high
    # The interval's own p is the larger here.
    assert gap.p > brute_force([0] * 6 + [1] * 2, [1] * 3 + [0])
    assert (gap.p < 0.05) == (not gap.low <= 0 <= gap.high)


def test_only_cases_scored_in_both_worlds_count() -> None:
    found = measured(("men", 0, RIGHT_BOTH), ("men", 1, ("B", "!")), ("women", 2, RIGHT_BOTH), ("women", 3, ("!", "C")))
    assert [group.n for group in found.groups] == [1, 1]
    assert measured(("men", 0, ("!", "C"))).groups == ()


def test_cases_of_one_picture_hang_together() -> None:
    together = measured(*(("men", n // 10, RIGHT_TO_WRONG if n < 50 else RIGHT_BOTH) for n in range(100))).groups[0]
    apart = measured(*(("men", n, RIGHT_TO_WRONG if n < 50 else RIGHT_BOTH) for n in range(100))).groups[0]
    assert (together.pictures, apart.pictures, together.n) == (10, 100, 100)
    assert together.diff.value == apart.diff.value == 0.5
    assert together.diff.high - together.diff.low > 2 * (apart.diff.high - apart.diff.low)


def test_the_same_seed_gives_the_same_figures() -> None:
    cases = [("men" if n % 3 else "women", n, RIGHT_TO_WRONG if n % 5 else RIGHT_BOTH) for n in range(60)]
    assert measured(*cases) == measured(*cases)


def test_three_groups_have_three_gaps() -> None:
    found = measured(*((group, n, RIGHT_BOTH) for group in "abc" for n in range(3)))
    assert [(gap.first, gap.second) for gap in found.gaps] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_several_gaps_are_corrected_by_holm_over_all_runs_and_their_intervals_agree() -> None:
    lost = {"a": 2, "b": 11, "c": 17}  # of 24
    first = measured(
        *((group, n, RIGHT_TO_WRONG if n < lost[group] else RIGHT_BOTH) for group in lost for n in range(24))
    )
    second = measured(*((group, n, RIGHT_TO_WRONG if n < 9 else RIGHT_BOTH) for group in "ab" for n in range(24)))
    before = [gap for each in (first, second) for gap in each.gaps]
    after = [gap for each in corrected_gaps([first, second]) for gap in each.gaps]
    _, expected, *_ = multitest.multipletests([gap.p for gap in before], method="holm")
    assert [gap.p for gap in after] == pytest.approx(list(expected))
    assert [gap.p < 0.05 for gap in before] == [True, True, False, False]
    for plain, gap in zip(before, after, strict=True):
        assert gap.p >= plain.p
        assert gap.high - gap.low > plain.high - plain.low or gap.confidence == plain.confidence
        assert (gap.p < 0.05) == (not gap.low <= 0 <= gap.high)
    assert [gap.confidence > plain.confidence for plain, gap in zip(before, after, strict=True)].count(True) >= 2
    assert corrected_gaps([second]) == (second,)


def test_a_group_of_which_nothing_was_read_has_no_gap() -> None:
    found = measured(("men", 0, RIGHT_BOTH), ("women", 1, ("B", "?")), ("women", 2, ("B", "?")))
    assert ([group.name for group in found.groups], found.gaps, found.left_out) == (["men"], (), ("women",))


def brute_force(first: list[float], second: list[float], cases: list[int] | None = None) -> float:
    """The same p, by taking every set of pictures."""
    values, weights = np.array([*first, *second], float), np.array(cases or [1] * (len(first) + len(second)), float)

    def apart(taken: np.ndarray) -> float:
        return abs(values[taken].sum() / weights[taken].sum() - values[~taken].sum() / weights[~taken].sum())

    def mask(chosen: tuple[int, ...]) -> np.ndarray:
        taken = np.zeros(values.size, bool)
        taken[list(chosen)] = True
        return taken

    found = apart(mask(tuple(range(len(first)))))
    ways = [apart(mask(chosen)) for chosen in itertools.combinations(range(values.size), len(first))]
    return sum(way >= found - 1e-9 for way in ways) / len(ways)


PICTURES = st.lists(st.tuples(st.integers(-2, 2), st.integers(1, 2)), min_size=1, max_size=5)


@given(PICTURES, PICTURES)
@settings(max_examples=60)
def test_the_test_agrees_with_trying_every_way(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> None:
    (one, one_cases), (other, other_cases) = (np.array(each, float).T for each in (first, second))
    p = permutation_p(one, one_cases, other, other_cases, seed=0)
    expected = brute_force(list(one), list(other), [*one_cases.astype(int), *other_cases.astype(int)])
    assert p == pytest.approx(expected, abs=0.03)


def test_where_nothing_differs_p_is_one() -> None:
    assert permutation_p(np.zeros(5), np.ones(5), np.zeros(3), np.ones(3), seed=0) == pytest.approx(1.0)
