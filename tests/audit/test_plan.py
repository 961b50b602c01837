"""The plan before an audit, and the verdict after it."""

import json
from types import SimpleNamespace

import pytest
from audits import audit, command, scenes
from insider import rechained
from msgspec.structs import replace
from scripted import Scripted, never
from test_signing import private_key

from countersight.audits.ccs import Mean
from countersight.audits.conclusion import conclude
from countersight.audits.criteria import check_criterion
from countersight.audits.finishing import finish
from countersight.audits.plan import AuditPlan, write_plan
from countersight.audits.records import Failed
from countersight.audits.step_log import LOG, read_steps
from countersight.audits.verifying import verify_bundle
from countersight.cli import main
from countersight.errors import AuditError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return scenes(tmp_path_factory.mktemp("planned") / "scenes", size=2)


def plan(folder, to, *more):
    assert main(["audit", "plan", str(folder), "--judge", "exact", "-o", str(to), *more]) == 0
    return to


def verdict(output):
    return json.loads((output / "verdict.json").read_text())


def scored(value, low, high, tests=40):
    mean = Mean(value, low, high, tests, tests, tests)
    kept = SimpleNamespace(ccs=mean, pcs=mean, ncc=mean)
    return SimpleNamespace(kept=kept, specificity=None, accuracy=None, steady=None, cases=tests, failed=0)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("CCS lower end at least 0.8", "cannot tell"),
        ("CCS lower end at least 0.7", "met"),
        ("ccs lower end >= .96", "not met"),
        ("CCS at least 0.9", "met"),
        ("NCC at most 0.5", "not met"),
        ("tests at least 41", "not met"),
        ("specificity at least 0.9", "cannot tell"),
    ],
)
def test_a_criterion_is_met_not_met_or_undecided(words, answer):
    found = conclude(SimpleNamespace(requires=(words,), plan=""), scored(0.9, 0.75, 0.95), None)
    assert found.answer == answer
    assert "not in a plan before it" in found.why


@pytest.mark.parametrize(
    "words", ["be good", "beauty at least 0.5", "CCS", "CCS at least 80", "tests lower end at least 5"]
)
def test_undecidable_criteria_are_refused(words):
    with pytest.raises(
        AuditError, match=r"is not a criterion|scores are from 0 to 1|the number of tests has no lower end"
    ):
        check_criterion(words)


def test_the_page_and_the_command_begin_with_the_verdict(folder, tmp_path, capsys):
    to = plan(folder, tmp_path / "plan.json", "--require", "CCS at least 0.9", "--checker", "pixels")
    words = command(folder, tmp_path / "a", "embedded", "--plan", str(to), "--checker", "pixels", "--require")[3:]
    assert main(words) == 0
    assert "Verdict: met." in capsys.readouterr().out
    page = (tmp_path / "a" / "report.html").read_text()
    verdict = page[page.index('id="verdict"') :]
    order = ("Verdict: met.", "was asked again", "What this does not show", "Only concepts that", "SHA-256")
    assert [verdict.index(words) for words in order] == sorted(verdict.index(words) for words in order)
    assert verify_bundle(tmp_path / "a").sound
    assert main(command(folder, tmp_path / "b", "embedded", "--limit", "1", "--require", "CCS at most 0.1")[3:]) == 1


def test_a_required_verdict_without_a_criterion_is_refused_before_the_first_step(folder, tmp_path, capsys):
    to = plan(folder, tmp_path / "plan.json")
    for more in ([], ["--plan", str(to)]):
        assert main(command(folder, tmp_path / "a", "embedded", *more, "--require")[3:]) == 2
        assert "there is no criterion to meet" in capsys.readouterr().err
        assert not (tmp_path / "a").exists()
    assert main(command(folder, tmp_path / "a", "embedded", "--require", "CCS at least 0.9")[3:]) == 0
    assert main(command(folder, tmp_path / "a", "embedded", "--require")[3:]) == 0  # resumed with its criterion


def test_a_plan_is_never_replaced_by_another(folder, tmp_path, capsys):
    to = plan(folder, tmp_path / "plan.json", "--require", "CCS at least 0.9")
    before = to.read_bytes()
    plan(folder, to, "--require", "CCS at least 0.9")
    assert main(["audit", "plan", str(folder), "--judge", "exact", "-o", str(to)]) == 2
    assert "plan.json is another plan, which is not replaced" in capsys.readouterr().err
    assert to.read_bytes() == before


def test_a_plan_is_sealed_signed_and_cannot_be_changed_later(folder, tmp_path):
    key = private_key(tmp_path / "key")
    to = plan(folder, tmp_path / "plan.json", "--require", "CCS at least 0.9", "--key", str(key))
    audit(folder, tmp_path / "a", Scripted("never", never), plan=to, checkers=("pixels", "seams"))
    assert finish(tmp_path / "a").conclusion.answer == "not met"
    assert any("plan is signed" in str(each) for each in verify_bundle(tmp_path / "a").signed)
    milder = json.loads(to.read_text()) | {"criteria": ["CCS at least 0.0"]}
    to.write_text(json.dumps(milder))
    with pytest.raises(AuditError, match="a different plan"):
        audit(folder, tmp_path / "a", Scripted("never", never), plan=to, checkers=("pixels", "seams"))
    (tmp_path / "a" / "plan.json").write_text(json.dumps(milder))
    with pytest.raises(AuditError, match="is not the plan"):
        finish(tmp_path / "a")


def test_a_failed_step_is_never_part_of_a_met_criterion(folder, tmp_path):
    audit(folder, tmp_path / "a", "embedded", requires=("CCS at least 0.9",))
    assert finish(tmp_path / "a").conclusion.answer == "met"
    last = list(read_steps(tmp_path / "a" / LOG))[-1]
    timed_out = replace(last, output=Failed("timed out"), asked=())
    rechained(tmp_path / "a" / LOG, lambda step: timed_out if step.n == last.n else step)
    found = finish(tmp_path / "a").conclusion
    assert (found.answer, found.why[:46]) == ("cannot tell", "The audit is not complete: 1 step failed. CCS ")


PARTY = SimpleNamespace(name="m")
DONE = SimpleNamespace(
    requires=(), plan="x", dataset=SimpleNamespace(fingerprint="f"), model=PARTY, extractor=PARTY, editor=PARTY,
    cases=None, concepts=1, votes=1, intervene="picture", strength=1, judges=(PARTY,),
    checkers=(), descriptive=False, control=False, uncited=False, started="2026",
)  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "deviation"),
    [
        ({}, "3 of 12 cases were not audited"),
        ({"checkers": (SimpleNamespace(name="seams"),)}, "the checker seams was added"),
        ({"judges": (PARTY, SimpleNamespace(name="rules"))}, "the judge rules was added"),
        ({"judges": ()}, "the judge m was dropped"),
        ({"control": True}, "the control edits were added"),
        ({"uncited": True}, "the edits of uncited objects were added"),
        ({"descriptive": True}, "the restriction to descriptive questions was added"),
        ({"strength": 3}, "the number of doses is 3 instead of 1"),
        ({"started": "2025"}, "the audit was started before the plan was written"),
    ],
)
def test_every_deviation_is_named_and_the_verdict_is_cannot_tell(changed, deviation):
    planned = AuditPlan(dataset="f", name="d", judges=("m",), criteria=("CCS at least 0.5",), written="2026")
    manifest = SimpleNamespace(**vars(DONE) | changed)
    found = conclude(manifest, scored(0.9, 0.8, 0.95, tests=12 if changed else 9), planned, selected=12)
    assert (found.answer, found.deviations) == ("cannot tell", (deviation,))


def test_a_plan_that_no_audit_can_meet_is_refused(tmp_path):
    with pytest.raises(AuditError, match="from 1 to 4"):
        write_plan(tmp_path / "plan.json", AuditPlan(dataset="0", name="scenes", judges=("exact",), strength=9))


def test_a_criterion_that_is_not_in_the_plan_is_named():
    planned = AuditPlan(dataset="f", name="d", judges=("m",), criteria=("CCS at least 0.5",), written="2026")
    manifest = SimpleNamespace(**vars(DONE) | {"requires": ("CCS at least 0.5", "NCC at least 0.6")})
    found = conclude(manifest, scored(0.9, 0.8, 0.95, tests=12), planned, selected=12)
    assert found.answer == "met"
    assert found.why.endswith("Not in the plan: NCC at least 0.6.")
