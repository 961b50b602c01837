"""CFMM's observations, computed: correlation, ranking of groups, what another prompt changes."""

from math import sqrt

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import RIGHT_BOTH, RIGHT_TO_WRONG, WRONG_BOTH, WRONG_TO_RIGHT, judged
from numpy.typing import NDArray
from scipy import stats

from countersight.scoring import OUTCOMES, Outcomes
from countersight.scoring.observations import MAX_GROUPS, MIN_MARGINAL_COUNT, compare_prompts, correlation, ranking

KINDS = (RIGHT_BOTH, RIGHT_TO_WRONG, WRONG_TO_RIGHT, WRONG_BOTH)


def test_phi_is_minus_one_where_seeing_well_and_imagining_well_exclude_each_other() -> None:
    found = correlation(judged([RIGHT_TO_WRONG, WRONG_TO_RIGHT] * 10))
    assert found is not None
    assert found.phi is not None
    assert (found.phi.value, found.phi.low) == (pytest.approx(-1), -1)
    assert found.phi.high < 0
    assert found.phi.p < 0.001
    assert found.n == 20
    assert (found.after_right.value, found.after_wrong.value) == (0.0, 1.0)


def test_phi_has_an_interval_and_the_shares_behind_it() -> None:
    found = correlation(judged([RIGHT_BOTH] * 20 + [RIGHT_TO_WRONG] * 40 + [WRONG_TO_RIGHT] * 20 + [WRONG_BOTH] * 20))
    assert found is not None
    assert found.phi is not None
    assert found.phi.value == pytest.approx((20 * 20 - 40 * 20) / sqrt(60 * 40 * 40 * 60))
    assert -0.4 < found.phi.low < found.phi.value < found.phi.high < 0.1
    assert found.after_right.value == pytest.approx(1 / 3)
    assert found.after_wrong.value == 0.5
    assert found.after_right.low < 1 / 3 < found.after_right.high


ONE_WRONG = [RIGHT_BOTH] * 200 + [RIGHT_TO_WRONG] * 99 + [WRONG_TO_RIGHT]


@pytest.mark.parametrize("letters", [[RIGHT_TO_WRONG] * 5, ONE_WRONG])
def test_where_a_world_is_all_right_but_for_one_case_there_is_no_phi(letters: list[tuple[str, str]]) -> None:
    found = correlation(judged(letters))
    assert found is not None
    assert found.phi is None
    assert correlation(judged([("B", "!"), ("!", "C")])) is None  # no case was scored in both worlds


@given(st.lists(st.sampled_from(KINDS), min_size=2, max_size=80))
@settings(max_examples=60, deadline=None)
def test_phi_is_the_correlation_of_ones_and_noughts(letters: list[tuple[str, str]]) -> None:
    found = correlation(judged(letters))
    assert found is not None
    before, after = np.array([(one == "B", other == "C") for one, other in letters], float).T
    if min(map(min, (_margin(before), _margin(after)))) >= MIN_MARGINAL_COUNT:
        assert found.phi is not None
        assert found.phi.value == pytest.approx(np.corrcoef(before, after)[0, 1])
        assert -1 <= found.phi.low <= found.phi.high <= 1
        assert (found.phi.p >= 0.05) == (found.phi.low <= 0 <= found.phi.high)
        # Mantel and Haenszel's test of one table is the chi-square one, but for n - 1 in the place of n.
        chi2 = stats.chi2_contingency(
            np.array([[sum((before == i) & (after == j)) for j in (0, 1)] for i in (0, 1)]), correction=False
        )
        assert found.phi.p == pytest.approx(stats.chi2.sf(chi2.statistic * (len(letters) - 1) / len(letters), 1))
    else:
        assert found.phi is None


def _margin(answers: np.ndarray) -> tuple[int, int]:
    return int((answers == 0).sum()), int((answers == 1).sum())


def answered(kept: Outcomes, before: NDArray[np.bool_], after: NDArray[np.bool_], pictures: int) -> Outcomes:
    """The same cases answered otherwise, about so many pictures."""
    codes = kept.codes.copy()
    codes[:, :2] = np.where(np.stack([before, after], axis=1), OUTCOMES.index("right"), OUTCOMES.index("wrong"))
    return msgspec.structs.replace(kept, codes=codes, pictures=np.arange(len(kept), dtype=np.int32) % pictures)


@pytest.mark.parametrize(
    ("shares", "pictures"),
    [((0.9, 0.3), 200), ((0.6, 0.6), 12)],
)
def test_independent_worlds_are_called_correlated_once_in_twenty_times(
    shares: tuple[float, float], pictures: int
) -> None:
    """Also where the answers about a picture are alike in each world."""
    generator = np.random.default_rng(5)
    kept = judged([RIGHT_BOTH] * 200)
    claimed = spoken = 0
    for _ in range(1000):
        likely = [generator.beta(2 * share, 2 - 2 * share, pictures)[np.arange(200) % pictures] for share in shares]
        before, after = (generator.random(200) < each for each in likely)
        found = correlation(answered(kept, before, after, pictures))
        assert found is not None
        if found.phi is not None:
            spoken += 1
            claimed += not found.phi.low <= 0 <= found.phi.high
    assert spoken > 800
    assert claimed / spoken < 0.071  # 0.05 and three standard errors


@pytest.mark.parametrize(("groups", "pictures"), [(3, 60), (6, 20)])
def test_the_best_and_the_worst_of_groups_that_are_alike_are_not_called_apart(groups: int, pictures: int) -> None:
    """They are chosen among all pairs: the interval of two groups named beforehand left zero out in up to 65%."""
    generator = np.random.default_rng(5)
    names = [str(row % groups) for row in range(60)]
    kept = judged([RIGHT_BOTH] * 60, names)
    claimed = 0
    for _ in range(120):
        right = generator.random(60) < generator.beta(1.2, 0.8, pictures)[np.arange(60) % pictures]
        found = ranking(answered(kept, right, right, pictures), "factual")
        claimed += bool(found and found.spread.low > 0)
    assert claimed / 120 < 0.11  # 0.05 and three standard errors


def test_groups_are_ranked_with_intervals() -> None:
    letters = [RIGHT_BOTH] * 90 + [RIGHT_TO_WRONG] * 10 + [RIGHT_BOTH] * 20 + [RIGHT_TO_WRONG] * 80 + [RIGHT_BOTH] * 3
    groups = ["count"] * 100 + ["size"] * 100 + ["few"] * 3
    found = ranking(judged(letters, groups), "counterfactual")
    assert found is not None
    assert [group for group, _ in found.rates] == ["few", "count", "size"]
    few = found.rates[0][1]
    assert few.value == 1.0
    assert few.low < 0.5  # three of three is no certainty
    assert found.spread.value == pytest.approx(0.8)
    assert found.spread.low < 0.8
    assert found.spread.n == 203


def test_one_group_too_many_groups_and_groups_that_are_alike_are_no_ranking() -> None:
    many = judged([RIGHT_BOTH, WRONG_BOTH] * 60, [str(row) for row in range(120)])
    assert len(many.group_names) > MAX_GROUPS
    assert ranking(many, "factual") is None
    assert ranking(judged([RIGHT_BOTH, WRONG_BOTH]), "factual") is None
    assert ranking(judged([RIGHT_BOTH, ("!", "!")], ["a", "b"]), "factual") is None
    assert ranking(judged([RIGHT_BOTH, RIGHT_BOTH], ["a", "b"]), "factual") is None  # all are alike


def test_what_another_prompt_changes_is_counted_case_by_case() -> None:
    first = judged([RIGHT_TO_WRONG] * 30 + [RIGHT_BOTH] * 10 + [WRONG_BOTH] * 10)
    other = judged([RIGHT_BOTH] * 20 + [RIGHT_TO_WRONG] * 10 + [RIGHT_BOTH] * 9 + [("B", "!")] + [WRONG_BOTH] * 10)
    found = compare_prompts(other, first)
    assert found["factual"] is not None
    assert found["factual"].value == 0
    assert found["counterfactual"] is not None
    assert (found["counterfactual"].value, found["counterfactual"].n) == (pytest.approx(20 / 49), 49)
    assert found["counterfactual"].low > 0.2
    assert found["counterfactual"].p < 0.001
    assert found["drop"] is not None
    assert (found["drop"].value, found["drop"].n) == (pytest.approx(-20 / 49), 49)
    assert found["drop"].high < 0


def test_runs_without_a_common_answer_show_no_effect() -> None:
    found = compare_prompts(judged([("!", "!")]), judged([RIGHT_BOTH]))
    assert found == dict.fromkeys(("factual", "counterfactual", "both_right", "drop"))
