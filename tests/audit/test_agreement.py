"""Agreement of judges with each other and with themselves; tests/scoring holds kappa and alpha to published figures."""

import pytest

from countersight.audits.pooling import agreement, flip_rate
from countersight.audits.records import Verdict


def test_a_vote_that_differs_from_two_others_flips_two_pairs_of_three():
    assert flip_rate([[1, 1, 0], [1, 1, 1]]) == pytest.approx(1 / 3)
    assert flip_rate([[1, None], []]) is None


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
