"""The alt-test and means corrected by people's labels."""

from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countersight.scoring import alt_test, corrected_mean


def labelled(chance: Random, truth: list[int], slips: float) -> dict[str, int]:
    return {str(item): label ^ (chance.random() < slips) for item, label in enumerate(truth)}


def people(slips: float, number: int = 3, items: int = 100, seed: int = 4):
    chance = Random(seed)
    truth = [chance.randrange(2) for _ in range(items)]
    return truth, {f"p{each}": labelled(chance, truth, slips) for each in range(number)}


def test_a_judge_as_good_as_people_may_stand_in():
    truth, given_by = people(0.1)
    found = alt_test(given_by, labelled(Random(9), truth, 0.1))
    assert found.passed is True
    assert found.winning_rate == 1.0
    assert all(contest.items == 100 for contest in found.contests)


def test_a_judge_who_guesses_may_not():
    truth, given_by = people(0.1)
    found = alt_test(given_by, labelled(Random(9), truth, 0.5))
    assert found.passed is False


def test_the_p_values_are_those_of_students_t():
    """By hand: of 30 items the judge loses 6 to each person and ties on the rest; t = (0.2 − 0.3) / (0.4068 / √30)."""
    others = {str(item): 1 for item in range(30)}
    found = alt_test(dict.fromkeys("abc", others), {str(item): int(item >= 6) for item in range(30)}, margin=0.3)
    assert [contest.p for contest in found.contests] == pytest.approx([0.0943192] * 3, abs=1e-6)


def test_two_people_or_few_items_give_no_verdict():
    _, two = people(0.1, number=2)
    _, few = people(0.1, items=20)
    for given_by in (two, few):
        found = alt_test(given_by, {str(item): 1 for item in range(100)})
        assert found.passed is None
        assert "three people" in found.why


def test_the_corrected_mean_is_near_the_truth_where_the_judge_alone_is_not():
    covered = biased = 0
    for seed in range(200):
        chance = Random(seed)
        truth = [int(chance.random() < 0.6) for _ in range(600)]
        judge = [1 if chance.random() < 0.25 else label for label in truth]  # says yes too often
        found = corrected_mean(truth[:100], judge[:100], judge[100:])
        covered += found.interval.low <= 0.6 <= found.interval.high
        biased += abs(fmean(judge) - 0.6) > 0.05
    assert covered >= 180  # 95 % of 200, less three standard deviations
    assert biased >= 190


def test_a_judge_who_knows_nothing_is_not_trusted_and_does_no_harm():
    chance = Random(2)
    labels = [int(chance.random() < 0.5) for _ in range(60)]
    noise = [chance.randrange(2) for _ in range(500)]
    found = corrected_mean(labels, noise[:60], noise[60:])
    assert found.weight < 0.3
    assert found.value == pytest.approx(fmean(labels), abs=0.05)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=50), st.integers(2, 50))
def test_a_judge_who_is_always_right_narrows_the_interval(pairs, others):
    labels = [label for label, _ in pairs]
    rest = [*[label for _, label in pairs][:others], 0, 1]
    perfect = corrected_mean(labels, labels, rest)
    assert 0 <= perfect.weight <= 1
    assert perfect.interval.low <= perfect.value <= perfect.interval.high


def test_too_few_labels_give_nothing():
    assert corrected_mean([1], [1], [0, 1]) is None
    assert corrected_mean([1, 0], [1, 0], [1]) is None


def test_labels_that_are_all_alike_leave_some_doubt_and_no_share_leaves_its_bounds():
    found = corrected_mean([1] * 15, [1.0] * 15, [1.0] * 15)
    assert found.value == 1.0
    assert found.interval.low < 0.85
    assert found.interval.high == 1.0
    found = corrected_mean([1] * 14 + [0], [1.0] * 15, [1.0, 0.0] * 8)
    assert 0 <= found.interval.low < found.interval.high <= 1
