"""Agreement of judges, against figures that others worked out, and what must hold of any scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countersight.audits.agreement import agreement, cohen_kappa, flip_rate, krippendorff_alpha
from countersight.audits.records import Verdict

ROW = st.lists(st.sampled_from([0, 1, None]), min_size=2, max_size=4)


def test_kappa_of_the_textbook_example():
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    assert cohen_kappa(*zip(*pairs, strict=True)) == pytest.approx(0.4)


# K. Krippendorff, Computing Krippendorff's Alpha-Reliability: two observers with binary data, and four with nominal
# data of which some are missing.
TWO = ["01", "11", "01", "00", "00", "01", "00", "00", "10", "00"]
FOUR = ["11.1", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", ".555", "..11", ".3.."]


@pytest.mark.parametrize(("items", "alpha"), [(TWO, 0.095), (FOUR, 0.743)])
def test_alpha_of_published_examples(items, alpha):
    rows = [[None if score == "." else score for score in item] for item in items]
    assert krippendorff_alpha(rows) == pytest.approx(alpha, abs=5e-4)


@pytest.mark.slow
@given(st.lists(ROW, max_size=12))
def test_alpha_is_at_most_1_and_knows_neither_order_of_judges_nor_names_of_scores(items):
    alpha = krippendorff_alpha(items)
    turned = krippendorff_alpha([[None if score is None else 1 - score for score in reversed(row)] for row in items])
    assert (alpha is None) == (turned is None)
    if alpha is not None:
        assert alpha <= 1
        assert alpha == pytest.approx(turned)
        given = [[score for score in row if score is not None] for row in items]
        agreed = all(len(set(row)) == 1 for row in given if len(row) > 1)
        assert (alpha == pytest.approx(1)) == agreed


@given(st.lists(st.tuples(*[st.sampled_from([0, 1, None])] * 2), max_size=12))
def test_kappa_is_at_most_1_and_symmetric(pairs):
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    kappa = cohen_kappa(first, second)
    assert kappa == cohen_kappa(second, first)
    assert kappa is None or -1 <= kappa <= 1


@pytest.mark.slow
@given(st.lists(ROW, max_size=8))
def test_flips_are_a_share_and_none_where_votes_never_differ(items):
    flips = flip_rate(items)
    given = [[score for score in row if score is not None] for row in items]
    if flips is None:
        assert all(len(row) < 2 for row in given)
    else:
        assert 0 <= flips <= 1
        assert (flips == 0) == all(len(set(row)) <= 1 for row in given)


def test_a_vote_that_differs_from_two_others_flips_two_pairs_of_three():
    assert flip_rate([[1, 1, 0], [1, 1, 1]]) == pytest.approx(1 / 3)


def test_judges_are_compared_over_what_they_decided_themselves():
    def verdicts(pcs, path="model"):
        return [Verdict("one", 1, pcs, 1, path=path), Verdict("two", 1, pcs, 0, path=path)]

    found = agreement([verdicts(1), verdicts(0), verdicts(0, path="rules"), verdicts(None, path="abstained")])
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.pcs_n) == ("one", "two", 2)
    assert pair.pcs == 1
    assert found.own == ()


def test_a_judge_is_compared_with_itself_over_its_votes():
    votes = [[Verdict("one", vote, pcs, 1) for vote, pcs in enumerate(row, 1)] for row in ((1, 0, 1), (0, 0, 0))]
    (own,) = agreement(votes).own
    assert (own.judge, own.n, own.ncc_flips) == ("one", 2, 0)
    assert own.pcs_flips == pytest.approx(1 / 3)
