"""From an audit to people and back: three judge its edits in a campaign, and what they say measures its judge."""

import msgspec
import pytest
from collecting import Visitor, make_campaign, opened
from evidence import write_audit
from sqlalchemy import select

from countersight.audits.calibration.sheet import CALIBRATION, Calibration, read_labels
from countersight.audits.records import Actor
from countersight.cli import main
from countersight.collect import export_campaign
from countersight.collect.database import tables

SAID = {"consistent": (1, 1), "answer-only": (1, 0), "explanation-only": (0, 1), "neither": (0, 0)}
KINDS = list(SAID) * 10
LABELLED = 34
"""The rest is the judge's alone: what its scores say there is corrected by how it did on these."""


def judge_some(visitor: Visitor, errs_at: int) -> None:
    """Judge the first edits as they are, but for every tenth."""
    for row in range(LABELLED):
        task = visitor.begin("judge")
        assert _key(visitor, task) == f"ball-{row}/1"
        pcs, ncc = (said ^ (row % 10 == errs_at) for said in SAID[KINDS[row]])
        assert visitor.post(task, pcs=str(pcs), ncc=str(ncc)).status_code == 303


def _key(visitor: Visitor, task: str) -> str:
    """The key of the item of a task, which the page does not show."""
    wanted = (
        select(tables.item.c.key)
        .join(tables.lease, tables.lease.c.item_id == tables.item.c.id)
        .where(tables.lease.c.token == task.rpartition("/")[2])
    )
    visitor.get(task)
    return visitor.campaign.store.read(lambda connection: connection.execute(wanted).scalar_one())


@pytest.mark.slow
def test_three_people_of_a_campaign_say_what_the_judge_of_an_audit_is_worth(tmp_path, capsys):
    audit = write_audit(tmp_path / "audit", KINDS, judges=(Actor("openai:gpt-8"),), control=False)
    make_campaign(tmp_path / "campaign", "judge", source=audit)
    with opened(tmp_path / "campaign") as (app, campaign):
        for errs_at, name in enumerate(("ada", "ben", "cleo")):
            judge_some(Visitor(app, campaign, name), errs_at)
        export_campaign(campaign, tmp_path / "labels")
    assert len(list(read_labels(tmp_path / "labels"))) == 3 * LABELLED
    command = ["audit", "calibrate", "--people", str(tmp_path / "labels"), "--audit", str(audit)]
    capsys.readouterr()
    assert main([*command, "-o", str(tmp_path / "worth")]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"n={LABELLED}" in told
    assert "winning rate" in told
    found = msgspec.json.decode((tmp_path / "worth" / CALIBRATION).read_bytes(), type=Calibration)
    for sheet in found.people[:2]:
        assert [contest.items for contest in sheet.alt.contests] == [LABELLED] * 3
        assert sheet.alt.winning_rate == 1  # each of them errs now and then, the judge never
        assert sheet.corrected.value == pytest.approx(0.5, abs=0.02)
        assert sheet.corrected.interval.low < 0.5 < sheet.corrected.interval.high
