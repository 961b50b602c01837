"""Passwords, cookies, links and what people type are in no log, no export, no copy and no page of somebody else."""

import logging
import time
from pathlib import Path

import pytest
from collecting import ANSWERS, Visitor, make_campaign, opened
from sqlalchemy import text

from countersight.collect import back_up, export_campaign, people
from countersight.collect.web.visit import COOKIE

PASSWORD = "correct horse battery"
WRONG = "wrong horse battery"
TYPED = "what nobody but a reviewer reads"


def everything_in(folder: Path) -> bytes:
    """All bytes of all files below a folder."""
    return b"\n".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


def test_secrets_are_in_no_log_no_export_and_no_copy(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    make_campaign(tmp_path / "campaign", "verify", 2)
    caplog.set_level(logging.DEBUG)
    with opened(tmp_path / "campaign") as (app, campaign):
        link = campaign.store.write_now(lambda c: people.invite(c, "Ines Secret", "worker", time.time()))
        ines = Visitor(app, campaign)
        ines.get(f"/join/{link}")
        assert ines.post(f"/join/{link}", password=PASSWORD, again=PASSWORD).status_code == 303
        ines.get("/consent")
        ines.post("/consent")
        ines.get("/account")
        cookies = [ines.client.cookies[COOKIE]]
        ines.post("/logout")
        ines.get("/login")
        ines.post("/login", name="Ines Secret", password=WRONG)
        assert ines.post("/login", name="Ines Secret", password=PASSWORD).status_code == 303
        cookies.append(ines.client.cookies[COOKIE])
        ines.get("/work")
        ines.contribute("verify")
        Visitor(app, campaign, "ben").contribute("verify")
        unused = campaign.store.write_now(lambda c: people.invite(c, "somebody else", "lead", time.time()))
        export_campaign(campaign, tmp_path / "out")
        back_up(campaign.path, tmp_path / "copy")
        secret = campaign.secret
        assert (campaign.path / "secret.key").stat().st_mode & 0o077 == 0
        assert "argon2" not in Visitor(app, campaign, "lea", "lead").get("/lead/people").text
    logged = "\n".join(record.getMessage() for record in caplog.records if not record.name.startswith("httpx"))
    secrets = [PASSWORD, WRONG, link, unused, *cookies]
    kept = everything_in(tmp_path / "campaign") + everything_in(tmp_path / "copy")
    for each in secrets:
        assert each not in logged  # the client's own log is not the server's
        assert each.encode() not in kept
    assert b"$argon2id$" in kept
    exported = everything_in(tmp_path / "out")
    for hidden in (*map(str.encode, secrets), b"Ines Secret", b"$argon2", secret):
        assert hidden not in exported


def test_a_statement_that_fails_puts_nothing_that_was_typed_into_the_log(tmp_path: Path, caplog):
    make_campaign(tmp_path / "campaign", "verify", 1)
    with opened(tmp_path / "campaign") as (app, campaign):
        ada = Visitor(app, campaign, "ada")
        task = ada.begin("verify")
        campaign.store.write_now(lambda c: c.execute(text("ALTER TABLE contribution RENAME TO gone")))
        answer = ada.post(task, **ANSWERS["verify/verify"] | {"words": TYPED})
        assert answer.status_code == 500
        assert "no such table" in caplog.text
        assert TYPED not in caplog.text
        assert TYPED not in answer.text
        assert "your last input may not be stored" in answer.text
