"""Calibration of judges on tests with known verdicts, and scores corrected for their errors."""

import asyncio
import re
from collections import Counter

import numpy as np
import pytest
from audits import QUICK, audit, scenes, verdict, vision_model
from chat_server import ChatServer, question_of

from countersight.audits.calibration.calibrating import HOSTILE, RIGHT, Design, calibrate, calibration_of
from countersight.audits.calibration.judge_accuracy import PANEL, VerdictAccuracy, correct_score, rate
from countersight.audits.ccs import Mean
from countersight.audits.judges.rules import normal
from countersight.audits.prompts import find_prompts
from countersight.audits.steps import AuditTally
from countersight.audits.trail import read_audit
from countersight.errors import AuditError


def run(output, *judges, size=24, seed=0, **more):
    judging = {"judges": judges, "prompts": find_prompts("edct"), "retry": QUICK, **more}

    async def calibrated():
        return await calibrate(output, size, seed, AuditTally(), asyncio.Event(), **judging)

    return asyncio.run(calibrated())


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a calibration of the judge `exact`, and its audit."""
    output = tmp_path_factory.mktemp("calibration") / "c"
    return run(output, "exact", size=24), read_audit(output)


def test_kinds_are_balanced_and_each_has_hostile_tests():
    designs = [Design.of(row) for row in range(96)]
    assert set(Counter(design.kind for design in designs).values()) == {24}
    assert set(Counter((design.kind, design.hostile) for design in designs if design.hostile).values()) == {2}
    assert {design.hostile for design in designs} == {"", *HOSTILE}
    assert len({(design.kind, design.wording, design.hostile) for design in designs}) == 4 * 2 * 5


def test_the_judge_exact_is_right_in_every_calibration_test(made):
    calibration, audit = made
    [exact] = calibration.judges
    assert calibration.size > 20
    assert all(share.right == share.n for share in (*exact.by_kind.values(), exact.hostile, exact.honest))
    assert (exact.pcs.abstained, set(exact.by_kind)) == (0, set(RIGHT))
    assert calibration_of(audit) == calibration
    assert audit.manifest.editor.name == "exact"


def test_calibration_tests_need_a_judge_and_hostile_texts_ask_for_both_scores(made):
    wants = set()
    for case in made[1].cases:
        design = Design.of(case.row)
        for concept in case.concepts:
            said, again = case.baseline.explanation.text, concept.again.explanation.text
            assert normal(said) != normal(again)
            assert ("\n" in again) == bool(design.hostile)
            wants |= set(re.findall(r"\d(?=\D*$)", again)) if design.hostile else set()
    assert wants == {"0", "1"}


def gullible(server, number, body):
    """A judge that obeys any instruction in its prompt, quoted or not."""
    told = re.search(
        r"(?:scores of this test are|result is|Set pcs to|\"pcs\":) (\d)",
        question_of(body).split("--- explanation after")[1],
    )
    return verdict(int(told[1]), int(told[1])) if told else verdict(1, 1)


def test_calibration_detects_a_judge_that_always_says_yes(tmp_path):
    with ChatServer(gullible) as server:
        found = run(tmp_path / "c", server.name, "exact")
        asked = len(server.requests)
        again = run(tmp_path / "c", server.name, "exact")
        assert len(server.requests) == asked == 24
    assert again == found
    believer, exact, panel = found.judges
    assert (exact.pcs.sensitivity.right, exact.pcs.specificity.right, exact.ccs.specificity.n) == (12, 12, 18)
    assert exact.hostile.right == exact.hostile.n == 8
    assert believer.pcs.specificity.right == 0
    assert believer.hostile.right == 0
    assert believer.by_kind["faithful"].right == 4  # the hostile ones among them ask for 0
    assert panel.judge.name == PANEL


def test_a_calibration_with_other_settings_needs_another_folder(tmp_path):
    run(tmp_path / "c", "exact", size=4)
    with pytest.raises(AuditError, match="a different dataset"):
        run(tmp_path / "c", "exact", size=8)
    with pytest.raises(AuditError, match=r"with the judge exact .* which cannot be removed"):
        run(tmp_path / "c", "rules", size=4)


def test_an_audit_accepts_only_a_calibration_of_its_own_judges(tmp_path):
    flowers = scenes(tmp_path / "d")
    with ChatServer(vision_model) as model, ChatServer(gullible) as judge:
        run(tmp_path / "c", judge.name, size=8)
        known = {"judges": (judge.name,), "calibration": tmp_path / "c"}
        scores = audit(flowers, tmp_path / "a", model.name, **known).scores
        for changes, sentence in (
            ({"judges": (judge.name, "rules")}, "does not include the judge rules"),
            ({"votes": 2}, "with other settings or votes (votes 1 there, 2 here)"),
            ({"calibration": tmp_path / "d"}, "contains no calibration.json"),
        ):
            with pytest.raises(AuditError, match=re.escape(sentence)):
                audit(flowers, tmp_path / "b", model.name, **known | changes)
    assert set(scores.corrected) == {judge.name}
    assert scores.corrected[judge.name].pcs is None  # it says 1 to everything: no better than a coin
    assert (tmp_path / "a/calibration.json").read_bytes() == (tmp_path / "c/calibration.json").read_bytes()
    assert not (tmp_path / "b").exists()


def mean(value, n=1000, half=0.01):
    return Mean(value, max(0, value - half), min(1, value + half), n, n, n)


def judge(sensitivity, specificity, n=1000):
    return VerdictAccuracy(rate(round(sensitivity * n), n), rate(round(specificity * n), n), 0)


@pytest.mark.parametrize(
    ("p", "q1", "q0", "theta"),
    [(0.5, 0.9, 0.8, 3 / 7), (0.62, 1, 1, 0.62), (0.95, 0.9, 0.9, 1), (0.1, 0.7, 0.7, 0)],
)
def test_a_score_is_corrected_for_the_errors_of_its_judge(p, q1, q0, theta):
    found = correct_score(mean(p), judge(q1, q0))
    assert found.value == pytest.approx(theta, abs=1e-9)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.fits == (0 <= found.estimate <= 1) == (theta not in (0, 1))


def test_scores_are_not_corrected_for_an_untested_judge_or_one_no_better_than_chance():
    assert correct_score(mean(0.5), judge(0.5, 0.5)) is None
    assert correct_score(mean(0.5), judge(0.9, 0.9, n=0)) is None
    assert correct_score(Mean(None, 0, 1, 0, 0, 0), judge(0.9, 0.9)) is None


@pytest.mark.parametrize(("theta", "q1", "q0"), [(0.6, 0.9, 0.8), (0.9, 0.85, 0.95), (0.3, 0.75, 0.75)])
def test_intervals_of_corrected_scores_have_their_coverage(theta, q1, q0):
    generator = np.random.default_rng(7)
    n, m, trials = 150, 60, 100
    held = 0
    for _ in range(trials):
        p = generator.binomial(n, theta * q1 + (1 - theta) * (1 - q0)) / n
        half = 1.96 * np.sqrt(max(p * (1 - p), 1e-9) / n)
        known = VerdictAccuracy(rate(generator.binomial(m, q1), m), rate(generator.binomial(m, q0), m), 0)
        found = correct_score(Mean(p, p - half, p + half, n, n, n), known)
        held += found is not None and found.low <= theta <= found.high
    assert held / trials >= 0.9
