"""Agreement: known figures, laws that hold whatever is labelled, and words where nothing is defined."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countersight.scoring import agreement, cohen_kappa, krippendorff_alpha

PAIRS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=40)
ROWS = st.lists(st.lists(st.sampled_from([*"abc", None]), min_size=2, max_size=5), min_size=2, max_size=30)


def test_cohens_own_kind_of_example():
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohen_kappa(first, second) == pytest.approx(0.4)


def test_krippendorffs_published_example():
    """The nominal data of his "Computing Krippendorff's Alpha-Reliability": 12 units, 4 observers, alpha 0.743."""
    one = [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None]
    two = [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3]
    three = [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None]
    four = [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None]
    assert krippendorff_alpha(list(zip(one, two, three, four, strict=True))) == pytest.approx(0.743, abs=0.0005)


def test_fleiss_published_example():
    """Fleiss 1971 as it is commonly given: 10 subjects, 14 raters, 5 categories, kappa 0.210."""
    table = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    rows = [[label for label, number in enumerate(row) for _ in range(number)] for row in table]
    assert agreement(rows, resamples=2).fleiss.value == pytest.approx(0.210, abs=0.0005)


def test_kappa_collapses_where_nearly_everybody_says_yes_and_ac1_does_not():
    rows = [("yes", "yes")] * 118 + [("yes", "no")] * 5 + [("no", "yes")] * 2
    found = agreement(rows)
    assert found.cohen.value == pytest.approx(-0.0234, abs=0.0005)  # Gwet's own paradox
    assert found.ac1.value == pytest.approx(0.9405, abs=0.0005)
    assert found.raw.value == pytest.approx(0.944)


def test_what_is_not_defined_says_why():
    same = agreement([("yes", "yes")] * 5)
    assert (same.cohen.value, same.alpha.value) == (None, None)
    assert "agreement cannot be measured" in same.alpha.why
    assert same.ac1.value == 1.0
    assert "twice" in agreement([("yes",), (None, "no")]).raw.why
    assert "two people" in agreement([("yes", "no", "yes")] * 3).cohen.why


@given(ROWS)
def test_raw_agreement_is_the_mean_share_of_pairs_alike(rows):
    shares = []
    for row in rows:
        pairs = list(combinations([label for label in row if label is not None], 2))
        if pairs:
            shares.append(sum(a == b for a, b in pairs) / len(pairs))
    found = agreement(rows, resamples=50)
    assert found.items == len(shares)
    if shares:
        assert found.raw.value == pytest.approx(sum(shares) / len(shares))


@given(ROWS)
def test_intervals_hold_their_figures(rows):
    found = agreement(rows, resamples=100)
    for estimate in (found.raw, found.fleiss, found.alpha, found.ac1):
        if estimate.value is not None:
            assert estimate.interval.low <= estimate.value <= estimate.interval.high
            assert estimate.value <= 1 + 1e-9
