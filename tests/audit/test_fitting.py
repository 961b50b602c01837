"""Calibrations that do not fit, calibrations on people, ties, and warnings in the headline."""

import msgspec
import pytest
from evidence import manifest, write_audit
from insider import findings

from countersight.audits.calibration.calibration_file import Calibration
from countersight.audits.calibration.judge_accuracy import (
    CorrectedScore,
    JudgeSheet,
    correct_score,
    rate,
    verdict_accuracy,
)
from countersight.audits.calibration.people import LABELS, PersonLabel, people_calibration
from countersight.audits.ccs import HALVES, Mean, panel_opinion, pooled_opinion
from countersight.audits.folder import AuditFolder
from countersight.audits.limits import headline, limits
from countersight.audits.manifest import Actor
from countersight.audits.records import Verdict
from countersight.audits.score_records import CorrectedScores, Specificity
from countersight.audits.scores import score
from countersight.audits.trail import read_audit
from countersight.cli import main

SAID = {"consistent": (1, 1), "answer-only": (1, 0), "explanation-only": (0, 1), "neither": (0, 0)}
KINDS = list(SAID) * 8
JUDGES = (Actor("openai:gpt-8"),)


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """Return an audit of 40 tests; three people labelled 32 and disagree with the judge in every fifth."""
    base = tmp_path_factory.mktemp("people")
    folder = write_audit(base / "seer", KINDS + ["neither"] * 8, judges=JUDGES, control=False)
    labels = []
    for row, kind in enumerate(KINDS):
        pcs, ncc = SAID[kind]
        pcs = 1 - pcs if row % 5 == 0 else pcs
        labels += [PersonLabel(f"ball-{row}", 1, person, pcs, ncc) for person in ("p1", "p2", "p3")]
    (base / "export").mkdir()
    (base / "export" / LABELS).write_bytes(b"".join(msgspec.json.encode(label) + b"\n" for label in labels))
    return folder, base / "export", labels


def test_judges_are_calibrated_on_labels_by_people(labelled):
    folder, _, labels = labelled
    found = people_calibration(read_audit(folder), labels)
    (judge,) = found.judges
    wrong = sum(row % 5 == 0 for row in range(32))
    right = judge.pcs.sensitivity.right + judge.pcs.specificity.right
    assert (right, judge.pcs.sensitivity.n + judge.pcs.specificity.n) == (32 - wrong, 32)
    assert judge.ncc.sensitivity.share == judge.ncc.specificity.share == 1
    pcs, ncc, _ = found.people
    assert (pcs.n, pcs.agreement) == (32, pytest.approx((32 - wrong) / 32))
    assert ncc.kappa == 1
    assert ncc.alt.passed
    assert ncc.corrected.value == pytest.approx(score(read_audit(folder)).kept.ncc.value, abs=0.02)
    assert "labelled by people (3)" in found.domain


def test_a_calibration_can_be_used_by_an_audit_and_verified(labelled, tmp_path, capsys):
    folder, export, _ = labelled
    out = tmp_path / "c"
    assert main(["audit", "calibrate", "--people", str(export), "--audit", str(folder), "-o", str(out)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Judges compared with people" in told
    assert "n=32" in told
    assert "winning rate" in told
    assert main(["audit", "bundle", str(folder), "--calibration", str(out)]) == 0
    assert findings(folder) == []
    words = (folder / "report.html").read_text()
    assert "Judges compared with people" in words
    assert "labelled by people (3)" in words


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--people", "x"], "use --people and --audit together"),
        ([], "name the judges to calibrate with --judge"),
    ],
)
def test_an_impossible_calibration_is_refused(tmp_path, capsys, words, told):
    assert main(["audit", "calibrate", *words, "-o", str(tmp_path / "c")]) == 2
    assert told in capsys.readouterr().err


def test_a_tie_counts_half_and_a_panel_never_exceeds_its_votes():
    divided = [Verdict("a", 1, 1, 1), Verdict("b", 1, 0, 1)]
    assert panel_opinion(divided, HALVES).ccs == 0.5
    assert panel_opinion(divided, "majority").ccs is None
    assert pooled_opinion([Verdict("a", 1, 1, 0), Verdict("a", 2, 0, 0)], HALVES).pcs == 0.5


def test_an_audit_started_by_0_1_keeps_its_pooling(tmp_path):
    folder = write_audit(tmp_path / "a", ["undecided"])
    assert score(read_audit(folder)).undecided == 1
    again = AuditFolder.begin(folder, manifest(pool=HALVES))
    assert again.manifest.pool == "majority"


def limits_with(folder, **changes):
    audit = read_audit(folder)
    scores = msgspec.structs.replace(score(audit), **changes)
    half = verdict_accuracy([(1.0, 1), (0.0, 1), (1.0, 0), (0.0, 0)])
    sheet = JudgeSheet(Actor("openai:gpt-8"), 1, half, half, half, {}, rate(0, 0), rate(0, 0))
    calibration = Calibration((sheet,), 4, 0, audit.manifest.prompts, "0.1.0")
    return " ".join(headline(limits(audit.manifest, scores, calibration, drawn=False)))


def test_a_calibration_that_does_not_fit_is_named_in_the_headline(labelled):
    unfit = CorrectedScore(0.0, 0.0, 0.0, -0.214, fits=False)
    words = limits_with(labelled[0], corrected={"openai:gpt-8": CorrectedScores(unfit, None, None)})
    assert "The calibration does not fit" in words
    assert "would be -0.214, which is not between 0 and 1" in words
    assert "openai:gpt-8 was no better than chance for NCC" in words
    assert "calibrated on tests constructed from generated drawings" in words


def test_low_specificity_is_a_warning_in_the_headline(labelled):
    moving = Mean(0.55, 0.4, 0.7, 20, 20, 20)
    words = limits_with(labelled[0], specificity=Specificity(moving, moving, 0, 0), controls=10, flips=3)
    assert "Specificity is 0.550: answers often change after edits of objects that the explanation does not" in words
    assert "3 of 10 answers changed with a control edit that should change nothing" in words
    calm = Mean(0.95, 0.9, 1.0, 20, 20, 20)
    assert "Specificity" not in limits_with(labelled[0], specificity=Specificity(moving, calm, 0, 0))


def test_low_agreement_of_judges_is_a_warning_on_page_and_terminal(tmp_path, capsys):
    kinds = ["undecided", "consistent", "undecided", "neither", "undecided"]
    folder = write_audit(tmp_path / "a", kinds, pool=HALVES, control=False)
    assert main(["audit", "bundle", str(folder)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Warning: The judges disagree about PCS: Krippendorff's alpha is only" in told
    page = (folder / "report.html").read_text()
    assert "The judges disagree about PCS" in page[: page.index('id="results"')]
    assert "In 3 tests judges or votes are divided equally; each of these tests counts as half." in page
    assert score(read_audit(folder)).kept.ccs.value == pytest.approx((3 * 0.5 + 1) / 5)


def test_undecided_tests_are_reported_with_the_possible_range_of_the_score(tmp_path):
    folder = write_audit(tmp_path / "a", ["undecided", "consistent", "neither", "consistent"], control=False)
    found = " ".join(each.words for each in limits(read_audit(folder).manifest, score(read_audit(folder))))
    assert "between 0.500 (if all of these fail) and 0.750 (if all pass)" in found


def test_a_panel_with_ties_gets_no_corrected_score() -> None:
    """A tie counts half in a score, but sensitivity and specificity of the decided tests do not include ties."""
    always = [(1.0, 1)] * 20 + [(0.0, 0)] * 20
    score = Mean(0.75, 0.6, 0.9, 48, 48, 48)
    assert correct_score(score, verdict_accuracy(always)) is not None
    assert correct_score(score, verdict_accuracy([*always, (0.5, 1)])) is None
    assert correct_score(score, verdict_accuracy([*always, (None, 1)])) is not None
