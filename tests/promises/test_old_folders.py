"""Folders that commit 2753a27 wrote still open, are gone on with, and have the same scores."""

import re
from pathlib import Path

import pytest
from collecting import Visitor, opened

import countersight as cs
from countersight.cli import main


def test_a_dataset_opens(old: Path) -> None:
    dataset = cs.Dataset.open(old / "dataset")
    cases = [case for _, case in dataset.cases()]
    assert len(cases) == dataset.count == 12
    assert {case.id for case in cases if case.control_of} == {f"cvqa-synthetic-{n:06d}-control" for n in range(1, 7)}
    assert all(dataset.picture(case.image, case.image_digest).data for case in cases)
    assert cs.describe(dataset).cases == 6, "controls are counted apart"


def test_a_run_is_scored_and_not_asked_again(old: Path, tmp_path: Path) -> None:
    journal = (old / "run/replies.jsonl").read_bytes()
    run = cs.run(old / "dataset", "chance", out=old / "run", shown=True)
    assert (old / "run/replies.jsonl").read_bytes() == journal
    assert run.dataset().fingerprint == cs.Dataset.open(old / "dataset").fingerprint
    scores = run.scores()
    assert (scores.overall.factual.n, scores.overall.shown.n, scores.overall.failed) == (6, 6, 0)
    assert cs.report(run, out=tmp_path / "report").html.stat().st_size > 10_000
    assert cs.leaderboard(run, out=tmp_path / "board").html.is_file()


def test_a_killed_run_goes_on(old: Path) -> None:
    """It was cut within its eighth line: seven replies are kept as they are, and the rest is asked."""
    before = (old / "half-run/replies.jsonl").read_bytes()
    kept = before[: before.rindex(b"\n") + 1]
    run = cs.run(old / "dataset", "chance", out=old / "half-run", shown=True)
    assert (old / "half-run/replies.jsonl").read_bytes().startswith(kept)
    texts = [
        {(one.row, one.world, one.telling): one.text for one in each.replies()} for each in (run, cs.Run(old / "run"))
    ]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", ["audit", "probed", "seer"])
def test_an_audit_opens_and_nothing_in_it_is_called_altered(name: str, old: Path) -> None:
    """Judges were changed on purpose since: what follows otherwise today is "not verified", which accuses nobody."""
    audit = cs.Audit.open(old / name)
    assert audit.scores().cases == {"audit": 4, "probed": 2, "seer": 9}[name]
    assert audit.page.is_file()
    assert {finding.what for finding in cs.verify(audit).findings} <= {"not verified"}


def audit_again(old: Path, out: str, judge: str) -> cs.Audit:
    return cs.audit(
        old / "dataset", "embedded", extractor="rules", editor="exact", judges=[judge], cases=4, out=old / out
    )


def test_a_killed_audit_goes_on(old: Path) -> None:
    steps = (old / "half-audit-rules/steps.jsonl").read_bytes()
    audit = audit_again(old, "half-audit-rules", "rules")
    assert (audit.path / "steps.jsonl").read_bytes().startswith(steps)
    assert (audit.scores().cases, audit.scores().failed) == (4, 0)
    assert {finding.what for finding in cs.verify(audit).findings} <= {"not verified"}


def test_verdicts_of_another_exact_judge_are_not_mixed_with_those_of_today(old: Path) -> None:
    """The judge `exact` scores something else since: a killed audit of it is refused, and left as it is."""
    steps = (old / "half-audit/steps.jsonl").read_bytes()
    with pytest.raises(cs.AuditError, match="the judge exact"):
        audit_again(old, "half-audit", "exact")
    assert (old / "half-audit/steps.jsonl").read_bytes() == steps


def sent_by(visitor: Visitor) -> int:
    """Take an item, and send a form that finds it in order: the number under which it was acknowledged."""
    visitor.get("/work")
    task = visitor.begin("verify")
    visitor.get(task)
    sent = visitor.post(task.partition("?")[0], related="yes", right="yes", factual_right="yes")
    return int(re.search(r"sent=(\d+)", sent.headers["location"])[1])


def test_a_campaign_is_worked_on_and_exported(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two of its four items are done. Two people have accounts, and held tasks when it was stopped."""
    folder = old / "campaign"
    assert main(["collect", "status", str(folder)]) == 0
    assert "4 items: 2 done, 2 open" in capsys.readouterr().out
    with opened(folder) as (app, campaign):
        people = [Visitor(app, campaign) for _ in range(2)]
        for visitor, name in zip(people, ("ann", "ben"), strict=True):
            visitor.get("/login")
            visitor.post("/login", name=name, password="a long enough password")
        assert [sent_by(visitor) for visitor in people * 2] == [5, 6, 7, 8]
    assert main(["collect", "status", str(folder)]) == 0
    assert "4 items: 4 done" in capsys.readouterr().out
    assert main(["collect", "export", str(folder), "-o", str(tmp_path / "verified")]) == 0
    assert cs.Dataset.open(tmp_path / "verified").count == 4
