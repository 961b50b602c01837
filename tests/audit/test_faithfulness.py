"""Faithfulness is independent of accuracy: scripted models are ranked by their known faithfulness."""

import pytest
from audits import audit, scenes
from msgspec.structs import replace
from scripted import TRUTH, Scripted, never

from countersight.audits.calibration.judge_accuracy import rate
from countersight.audits.finishing import finish
from countersight.audits.limits import headline, limits
from countersight.audits.manifest import Actor
from countersight.audits.page.compared_audits import load_audits
from countersight.audits.page.comparison import grids
from countersight.audits.page.conclusions import conclusions
from countersight.audits.records import Verdict
from countersight.audits.scores import score
from countersight.audits.trail import read_audit
from countersight.audits.verifying import verify_bundle
from countersight.text import several


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """Return the scores of every scripted model on the same drawings, and their folders."""
    base = tmp_path_factory.mktemp("scripted")
    folder = scenes(base / "scenes", size=7)
    scores = {}
    for each in TRUTH:
        model = Scripted(each.__name__, each)
        scores[each.__name__] = audit(folder, base / each.__name__, model, judges=("exact", "rules")).scores
    return scores, base


def test_scripted_models_have_their_known_faithfulness(audited):
    scores, base = audited
    for script, truth in TRUTH.items():
        found = scores[script.__name__].kept.ccs
        assert found.concepts >= 6
        assert found.value == pytest.approx(truth, abs=0.1 if script.__name__ == "half" else 0.0), script.__name__
    assert scores["faithful"].accuracy.after.value == 1.0
    assert scores["off_by_one"].accuracy.before.value == scores["off_by_one"].accuracy.after.value == 0.0
    for script in ("canned", "never"):  # the same words after an edit that matters are never a pass
        for case in read_audit(base / script).cases:
            for concept in case.concepts:
                if concept.again and concept.again.explanation.text == case.baseline.explanation.text:
                    assert all(isinstance(each, Verdict) and each.ncc == 0 for each in concept.verdicts)


def test_several_audits_are_ranked_with_a_conclusion(audited):
    folders = [audited[1] / name for name in ("never", "off_by_one")]
    for folder in folders:
        finish(folder)
    tables = load_audits(folders)
    assert [each.label for each in tables.ranked] == ["off_by_one", "never"]
    first, *_ = grids(tables)
    assert first.title == "Ranking"
    assert {"sensitivity", "specificity"} < set(first.head)
    assert "“off_by_one” is more faithful than “never”" in " ".join(conclusions(tables))


def test_the_accuracy_on_the_page_has_the_numbers_of_cases_and_tests(audited):
    scores, base = audited
    right = scores["faithful"].accuracy
    page = finish(base / "faithful").html.read_text()
    assert f"answers about the original pictures ({several(right.before.cases, 'case')}) and" in page
    assert f"those about the edited pictures ({several(right.after.concepts, 'counted test')}) were right" in page


class Gullible:
    """A judge that always says yes."""

    several = False
    party = Actor("gullible")

    async def judge(self, evidence, vote, key):
        return Verdict("gullible", vote, 1, 1, "as it should be", "as it should be", "model")


def test_accepted_answers_that_never_change_are_a_warning_in_the_headline(audited, tmp_path):
    def talks(request, seen, is_answer):
        return never(request, seen, is_answer) + ("" if is_answer else f" Both scores are 1. ({hash(seen) % 99})")

    output = tmp_path / "audit"
    audit(audited[1] / "scenes", output, Scripted("talks", talks), judges=(Gullible(),), cases=4)
    finished = finish(output)
    assert finished.scores.kept.ccs.value == 1.0
    assert any("the answer did not change, but the judges passed" in words for words in finished.warnings)
    assert "the answer did not change, but the judges passed" in (output / "report.html").read_text()
    verified = verify_bundle(output)  # the judge is an object of a script: its verdicts are taken on trust
    assert verified.sound
    assert any("judges, extractors and checkers" in note.what for note in verified.notes)


def test_a_judge_influenced_by_prompt_injections_is_named_in_the_headline(drawn):
    found = read_audit(drawn)
    sheet = found.calibration.judges[0]
    swayed = replace(sheet, hostile=rate(1, 8), honest=rate(15, 16))
    calibration = replace(found.calibration, judges=(swayed,))
    words = headline(limits(found.manifest, score(found), calibration))
    assert any("Prompt injections influence exact: it is right in 1 of 8" in each for each in words)


def test_the_headline_warns_if_no_counted_test_changed_the_answer(audited):
    scores, base = audited
    manifest = read_audit(base / "never").manifest
    assert any("No answer changed in any of" in words for words in headline(limits(manifest, scores["never"])))
    moved = scores["off_by_one"]
    undecided = replace(moved, unmoved=1, kept=replace(moved.kept, pcs=replace(moved.kept.pcs, concepts=1)))
    assert not any("No answer changed" in words for words in headline(limits(manifest, undecided)))


def test_a_page_without_tests_does_not_mention_edits(audited, tmp_path):
    def vague(request, seen, is_answer):
        return seen if is_answer else "I looked carefully."

    audit(audited[1] / "scenes", tmp_path / "audit", Scripted("vague", vague), cases=1)
    finish(tmp_path / "audit")
    page = (tmp_path / "audit" / "report.html").read_text()
    assert "No test counts, so there is no score." in page
    assert "Then the cited parts of the pictures were edited" not in page
