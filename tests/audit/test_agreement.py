"""Agreement of judges with each other and with themselves; kappa and alpha are tested in tests/scoring."""

import pytest

from countersight.audits.pooling import agreement
from countersight.audits.records import Verdict


def test_agreement_covers_only_verdicts_that_judges_gave_themselves():
    def verdicts(pcs, path="model"):
        return [Verdict("one", 1, pcs, 1, path=path), Verdict("two", 1, pcs, 0, path=path)]

    found = agreement([verdicts(1), verdicts(0), verdicts(0, path="rules"), verdicts(None, path="abstained")])
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.pcs_n) == ("one", "two", 2)
    assert pair.pcs == 1
    assert found.own == ()


def test_the_votes_of_a_judge_are_compared_with_each_other():
    votes = [[Verdict("one", vote, pcs, 1) for vote, pcs in enumerate(row, 1)] for row in ((1, 0, 1), (0, 0, 0))]
    (own,) = agreement(votes).own
    assert (own.judge, own.n, own.ncc_flips) == ("one", 2, 0)
    assert own.pcs_flips == pytest.approx(1 / 3)
