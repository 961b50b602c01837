from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from countersight.html import balanced_sample
from countersight.reports.gallery import pair_outcome
from countersight.scoring import Outcome


@pytest.mark.parametrize(
    ("factual", "counterfactual", "outcome"),
    [
        ("right", "wrong", "lost"),
        ("wrong", "right", "gained"),
        ("right", "right", "both-right"),
        ("wrong", "wrong", "both-wrong"),
        ("right", "unread", "unread"),
        ("unread", "failed", "failed"),
        ("missing", "right", "missing"),
        ("missing", "failed", "failed"),
        (None, "right", "right"),
        ("wrong", None, "wrong"),
        (None, None, "missing"),
    ],
)
def test_every_case_stands_under_one_heading(
    factual: Outcome | None, counterfactual: Outcome | None, outcome: str
) -> None:
    assert pair_outcome(factual, counterfactual) == outcome


strata_of_a_run = st.integers(1, 80).flatmap(
    lambda cases: st.lists(
        st.lists(st.integers(0, 6), min_size=cases, max_size=cases).map(lambda values: np.array(values, np.int64)),
        min_size=1,
        max_size=3,
    )
)


@given(strata_of_a_run, st.integers(1, 100), st.integers(0, 5))
def test_a_sample_has_the_size_asked_for_and_every_case_once(strata: list[np.ndarray], size: int, seed: int) -> None:
    sample = balanced_sample(strata, size, seed).tolist()
    assert sample == sorted(set(sample))
    assert len(sample) == min(size, len(strata[0]))
    assert set(sample) <= set(range(len(strata[0])))
    assert balanced_sample(strata, size, seed).tolist() == sample


@given(strata_of_a_run, st.integers(1, 100))
def test_with_one_run_strata_are_filled_evenly(strata: list[np.ndarray], size: int) -> None:
    sample = balanced_sample(strata[:1], size, 0)
    there, taken = Counter(strata[0].tolist()), Counter(strata[0][sample].tolist())
    most = max(taken.values())
    assert all(taken[stratum] >= min(there[stratum], most - 1) for stratum in there)


def test_a_rare_outcome_of_any_run_is_in_the_sample() -> None:
    first, second = np.zeros(100_000, np.int64), np.zeros(100_000, np.int64)
    first[123], second[99_000] = 1, 1
    assert {123, 99_000} <= set(balanced_sample([first, second], 10, 0).tolist())


def test_another_seed_is_another_sample() -> None:
    strata = [np.zeros(1000, np.int64)]
    assert balanced_sample(strata, 10, 0).tolist() != balanced_sample(strata, 10, 1).tolist()
