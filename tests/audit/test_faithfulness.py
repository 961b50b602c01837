"""Faithfulness is told apart from accuracy: six scripted models are ranked by what they are."""

import pytest
from audits import audit, scenes
from scripted import TRUTH, Scripted, off_by_one

from countersight.audit.records import Verdict
from countersight.audit.trail import read_audit


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    base = tmp_path_factory.mktemp("scripted")
    folder = scenes(base / "scenes", size=12)
    found = {}
    for script in TRUTH:
        model = Scripted(script.__name__, script)
        found[script.__name__] = audit(folder, base / script.__name__, model).scores
    return found, base


@pytest.mark.parametrize("script", TRUTH, ids=lambda script: script.__name__)
def test_each_scripted_model_has_the_faithfulness_it_was_written_with(audited, script):
    found = audited[0][script.__name__]
    assert found.kept.ccs.concepts >= 8
    assert found.kept.ccs.value == pytest.approx(TRUTH[script], abs=0.1 if script.__name__ == "half" else 0.0)


def test_accuracy_stands_beside_faithfulness(audited):
    scores = audited[0]
    assert scores["faithful"].accuracy.after.value == 1.0
    wrong = scores[off_by_one.__name__]
    assert (wrong.accuracy.before.value, wrong.accuracy.after.value) == (0.0, 0.0)
    assert wrong.kept.ccs.value == 1.0


def test_a_model_that_never_looks_ranks_below_one_that_is_consistently_wrong(audited):
    scores = audited[0]
    assert scores["never"].kept.ccs.value < scores["half"].kept.ccs.value < scores["off_by_one"].kept.ccs.value


def test_the_same_words_after_an_edit_that_matters_are_never_a_pass(audited):
    _, base = audited
    for script in ("canned", "never"):
        for case in read_audit(base / script).cases:
            for concept in case.concepts:
                if concept.again and concept.again.explanation.text == case.baseline.explanation.text:
                    assert all(isinstance(each, Verdict) and each.ncc == 0 for each in concept.verdicts)
