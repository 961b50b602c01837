"""Who may come where, and what nobody may do."""

import logging
import re
import shutil
import time
from pathlib import Path

import pytest
from collecting import ANSWERS, Visitor, make_campaign, opened, setting
from sqlalchemy import select, text
from starlette.testclient import TestClient
from tiers import mostly_slow

from countersight.collect import back_up, export_campaign, invite_person, pay, people, read_log, tables
from countersight.collect.people import ROLES
from countersight.collect.web.app import PAGES, application
from countersight.collect.web.visit import COOKIE
from countersight.errors import CampaignError

TABLES = tables.metadata.sorted_tables
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7*7 }}\u202e; DROP TABLE item"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_campaign(tmp_path_factory.mktemp("secure") / "campaign", "cosim", 12)


@pytest.fixture
def place(prepared: Path, tmp_path: Path):
    """A campaign for one test: accounts and tries at passwords of another would be in its way."""
    with opened(shutil.copytree(prepared, tmp_path / "campaign")) as (app, campaign):
        yield app, campaign


def filled(path: str) -> str:
    values = {"number:row": "1", "contribution:row": "1", "phase": "question", "name": "style.css"}
    return re.sub(r"\{([\w:]+)\}", lambda found: values.get(found[1], "none"), path)


def test_the_table_of_pages_is_all_that_the_application_answers(place):
    app, _ = place
    answered = {(route.path, method) for route in app.routes for method in route.methods - {"HEAD"}}
    nowhere = {("/{anything:path}", method) for method in ("GET", "POST")}
    assert answered == {(page.path, page.method) for page in PAGES} | nowhere


@pytest.mark.parametrize("role", mostly_slow([None, *ROLES], fast=(None, "worker")))
def test_every_route_lets_in_the_roles_it_names_and_no_others(place, role):
    app, campaign = place
    for page in PAGES:
        who = Visitor(app, campaign, f"{role} {page.method} {page.path}", role) if role else Visitor(app, campaign)
        path = filled(page.path)
        answer = who.post(path) if page.method == "POST" else who.get(path)
        least = ROLES.index(page.role) if page.role else -1
        mine = ROLES.index(role) if role else -1
        if mine < least:
            sent_to_log_in = role is None and page.method == "GET" and not page.path.startswith("/api/")
            refused = (303,) if sent_to_log_in else (401, 403)
            assert answer.status_code in refused, page
            if answer.status_code == 303:
                assert answer.headers["location"].startswith("/login")
        else:
            assert "This page is for people with the role" not in answer.text, page
            assert "You are logged out" not in answer.text, page


@pytest.mark.parametrize("role", mostly_slow(ROLES, fast=("worker",)))
def test_a_token_opens_the_addresses_of_the_api_that_its_role_may_use(place, role):
    app, campaign = place
    who = Visitor(app, campaign, "a script", role)
    token = campaign.store.write_now(lambda c: people.begin_session(c, who.id, time.time(), "script"))
    client, header = Visitor(app, campaign).client, {"authorization": f"Bearer {token}"}
    for page in PAGES:
        path = filled(page.path)
        sent = {"json": {}} if page.method == "POST" else {}
        answer = client.request(page.method, path, headers=header, **sent)
        if not page.path.startswith("/api/"):
            assert page.role is None or answer.status_code in (303, 401, 403, 415), page
        elif page.role and ROLES.index(role) < ROLES.index(page.role):
            assert (answer.status_code, list(answer.json())) == (403, ["error"]), page
        else:
            assert answer.status_code in (200, 404, 422), page


def test_every_post_needs_the_token_of_its_visitor(place):
    app, campaign = place
    lead = Visitor(app, campaign, "a lead with a forged form", "lead")
    for page in PAGES:
        if page.method == "POST":
            for token in ("", "0" * 64, Visitor(app, campaign, f"other {page.path}").csrf):
                lead.csrf = token
                assert lead.post(filled(page.path)).status_code == 403, page


@pytest.mark.slow
def test_no_route_answers_a_server_error_to_nonsense(place):
    app, campaign = place
    lead = Visitor(app, campaign, "a clumsy lead", "lead")
    for page in PAGES:
        path = filled(page.path)
        answer = lead.post(path, name=HOSTILE, role=HOSTILE, outcome="?") if page.method == "POST" else lead.get(path)
        assert answer.status_code < 500, page
        lead = Visitor(app, campaign, f"a clumsy lead after {page.method} {page.path}", "lead")
    for path in (
        "/nowhere",
        "/task/" + "x" * 5000,
        "/pictures/..%2f",
        f"/pictures/{'a' * 5000}.png",
    ):
        assert lead.get(path).status_code in (404, 400), path
    for query in ("after=%00", "state=1%27"):
        assert lead.get(f"/lead/items?{query}").status_code == 422
    assert lead.client.put("/work").status_code in (404, 405)


@pytest.mark.parametrize("number", [str(2**31), str(2**63), "1" * 5000], ids=["32 bits", "64 bits", "5000 digits"])
def test_a_number_that_no_row_can_have_is_no_address(place, number):
    app, campaign = place
    lead = Visitor(app, campaign, f"a lead who counts to {number[:20]}", "lead")
    for page in PAGES:
        if "{number:row}" in page.path:
            path = page.path.replace("{number:row}", number).replace("{contribution:row}", "1")
            answer = lead.post(path) if page.method == "POST" else lead.get(path)
            assert answer.status_code == 404, page
    assert lead.get(f"/lead/items?after={number}").status_code == 422


def test_forms_have_a_kind_and_a_size(place):
    app, campaign = place
    ada = Visitor(app, campaign, "ada with a large form")
    assert ada.client.post("/work/question", json={"csrf": ada.csrf}).status_code == 415
    assert ada.post("/work/question", words="x" * 300_000).status_code == 413
    many = "&".join(f"f{number}=1" for number in range(500))
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert ada.client.post("/work/question", content=many, headers=kind).status_code == 400


def test_pages_carry_a_policy_that_lets_nothing_foreign_run(place):
    app, campaign = place
    answer = Visitor(app, campaign, "ada who looks").get("/work")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert not re.search(r"<script(?! src=)|\son\w+=|style=", answer.text)


def test_only_an_https_address_is_pinned_to_https(place):
    _, campaign = place
    for secure in (True, False):
        answer = Visitor(application(campaign, secure=secure), campaign).get("/login")
        assert ("strict-transport-security" in answer.headers) == secure


def test_somebody_elses_task_does_not_exist(place):
    app, campaign = place
    ada, eve = Visitor(app, campaign, "ada with a task"), Visitor(app, campaign, "eve")
    task = ada.begin("question")
    for path in (task, f"{task}/draft", f"{task}/release", f"{task}/flag"):
        assert eve.post(path, **ANSWERS["cosim/question"]).status_code == 404
    assert eve.get(task).status_code == 404


def test_a_login_begins_a_session_of_its_own(place):
    app, campaign = place
    campaign.store.write_now(lambda c: people.add_person(c, "nora", "worker", time.time(), password="long enough"))
    nora = Visitor(app, campaign)
    nora.get("/login")
    before = nora.client.cookies[COOKIE]
    answer = nora.post("/login", name="nora", password="long enough")
    after = nora.client.cookies[COOKIE]
    assert (answer.status_code, before != after) == (303, True)
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    nora.get("/account")
    nora.post("/logout")
    nora.client.cookies.set(COOKIE, after)
    assert nora.get("/account").headers["location"].startswith("/login")


def test_a_form_from_before_a_logout_can_be_sent_after_the_same_person_logs_in_again(place):
    app, campaign = place
    olga, other = Visitor(app, campaign, "olga"), Visitor(app, campaign, "otto")
    task = olga.begin("question")
    campaign.store.write_now(lambda c: people.end_sessions(c, olga.id))
    assert "Log in in another tab" in olga.post(f"{task}/draft", question="Is it?").text
    for person, status in ((other, 403), (olga, 303)):  # otto's draft would be another person's
        token = campaign.store.write_now(lambda c, number=person.id: people.begin_session(c, number, time.time()))
        olga.client.cookies.set(COOKIE, token)
        assert olga.post(f"{task}/draft", question="Is it?").status_code == status


def test_nobody_is_sent_elsewhere_after_logging_in(place):
    app, campaign = place
    visitor = Visitor(app, campaign)
    for hostile in ("//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"):
        page = visitor.client.get("/login", params={"next": hostile}).text
        assert 'name="next" value="/"' in page


def test_tries_at_passwords_are_limited(place):
    app, campaign = place
    campaign.store.write_now(lambda c: people.add_person(c, "olga", "worker", time.time(), password="long enough"))
    visitor = Visitor(app, campaign)
    visitor.get("/login")
    codes = [visitor.post("/login", name="olga", password=f"guess {number}").status_code for number in range(11)]
    assert codes == [401] * 10 + [429]
    assert 0 < int(visitor.post("/login", name="olga", password="again").headers["retry-after"]) <= 900
    olga = Visitor(app, campaign)
    olga.client = TestClient(app, base_url="http://testserver", follow_redirects=False, client=("10.0.0.7", 1))
    olga.get("/login")
    assert olga.post("/login", name="olga", password="long enough").status_code == 303  # others' guesses do not count


def test_an_invitation_works_once(place):
    app, campaign = place
    _, token = campaign.store.write_now(lambda c: people.invite(c, "ines", "worker", time.time()))
    ines = Visitor(app, campaign)
    assert "Welcome, ines" in ines.get(f"/join/{token}").text
    assert ines.post(f"/join/{token}", password="short", again="short").status_code == 422
    assert ines.post(f"/join/{token}", password="long enough!", again="long enough!").status_code == 303
    assert ines.get("/work").headers["location"] == "/consent"
    campaign.store.write_now(lambda c: people.change_person(c, 1, role="lead"))
    assert ines.get("/lead").status_code == 200  # who only leads need not agree
    assert Visitor(app, campaign).get(f"/join/{token}").status_code == 404


def test_nobody_loses_their_own_role_or_approves_their_own_pay(place):
    app, campaign = place
    lead = Visitor(app, campaign, "a lead about herself", "lead")
    for role in ("worker", "lead"):  # an invitation changes nothing about an account that is there
        told = lead.post("/lead/people", name="A Lead about herself", role=role)
        assert (told.status_code, "/join/" in told.text) == (409, False)
        assert "already has an account (lead)" in told.text
        assert lead.get("/lead").status_code == 200
    assert "/join/" in lead.post(f"/lead/people/{lead.id}/link").text
    with pytest.raises(CampaignError, match="a link does not change roles"):
        invite_person(campaign, "a lead about herself", "worker")
    invite_person(campaign, "a lead about herself", None)
    assert lead.post(f"/lead/people/{lead.id}/role", role="worker").status_code == 422
    assert lead.post(f"/lead/pay/approve/{lead.id}").status_code == 422


LINK = "/?PROLIFIC_PID=5f0000000001&STUDY_ID=5f00000000aa&SESSION_ID="


def from_prolific(app, campaign, submission: str) -> Visitor:
    guest = Visitor(app, campaign)
    assert guest.get(f"{LINK}{submission}").status_code == 303
    guest.get("/consent")
    guest.post("/consent")
    return guest


def test_people_from_prolific_are_admitted_for_each_submission_until_their_data_is_deleted(tmp_path: Path):
    make_campaign(tmp_path / "campaign", "verify", 2)
    with opened(tmp_path / "campaign") as (app, campaign):
        assert Visitor(app, campaign).get(f"{LINK}first").status_code == 403  # only with a completion code
    setting(tmp_path / "campaign", 'completion_code = ""', 'completion_code = "C0DE"')
    setting(tmp_path / "campaign", "contributions = 0", "contributions = 1")
    with opened(tmp_path / "campaign") as (app, campaign):
        assert Visitor(app, campaign).get(LINK).status_code == 400
        guest = from_prolific(app, campaign, "first")
        guest.get("/work")
        sent = guest.post(guest.begin("verify"), **ANSWERS["verify/verify"])
        assert sent.headers["location"].startswith("/work")  # not to the second item
        assert "app.prolific.com/submissions/complete?cc=C0DE" in guest.get("/work").text
        guest = from_prolific(app, campaign, "second")  # what was done for another submission does not count for it
        assert "cc=C0DE" not in guest.get("/work").text
        guest.contribute("verify")
        assert "cc=C0DE" in guest.get("/work").text
        lead = Visitor(app, campaign, "lea", "lead")
        for path in ("approve/1", "export"):
            lead.post(f"/lead/pay/{path}")
        pseudonym = re.search(r"<dd>(p\w{7})</dd>", guest.get("/account").text).group(1)
        guest.post("/account/delete", sure=pseudonym)
        assert lead.get("/lead/pay/batch/1.csv").text == f"{pseudonym},0.20\n"
        assert lead.post("/lead/pay/export").status_code == 422  # nothing leaves twice
        for batch, outcome, status in ((9, "settled", 404), (1, "settled", 303), (1, "voided", 409)):
            assert lead.post(f"/lead/pay/batch/{batch}", outcome=outcome).status_code == status
        assert [each.name for each in campaign.store.read(read_log)].count("close_batch") == 1
        assert campaign.store.read(pay.balances) == {"settled": 20}
        rows = campaign.store.read(lambda c: [tuple(row) for table in TABLES for row in c.execute(select(table))])
        assert "5f0000000001" not in repr(rows)
        back = Visitor(app, campaign).get(f"{LINK}third")
        assert (back.status_code, "you cannot take part again" in back.text) == (403, True)


def test_a_person_can_have_their_data_deleted(opening):
    enter, campaign = opening("verify", 1)
    ada = enter("Ada Lovelace")
    ada.contribute("verify")
    page = ada.get("/account").text
    pseudonym = re.search(r"<dd>(p\w{7})</dd>", page).group(1)
    assert ada.post("/account/delete", sure="yes").status_code == 422
    invite_person(campaign, "ADA lovelace")
    left = ada.post("/account/delete", sure=pseudonym).headers["location"]
    assert "Your data was deleted" in ada.get(left).text
    assert ada.get("/work").headers["location"].startswith("/login")
    rows = campaign.store.read(lambda c: [tuple(row) for table in TABLES for row in c.execute(select(table))])
    logged = campaign.store.read(read_log)
    assert "ada lovelace" not in repr(rows).casefold()
    assert [(each.name, each.about) for each in logged][-1] == ("forget", f"(deleted) ({pseudonym})")
    assert pseudonym in repr(rows)


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
        _, link = campaign.store.write_now(lambda c: people.invite(c, "Ines Secret", "worker", time.time()))
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
        _, unused = campaign.store.write_now(lambda c: people.invite(c, "somebody else", "lead", time.time()))
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


def test_a_full_disk_is_told_and_what_was_saved_before_is_there(opening):
    enter, campaign = opening("verify", 1)
    ada = enter("ada")
    task = ada.begin("verify")
    ada.post(f"{task}/draft", words="saved before")
    campaign.store.write_now(lambda c: c.execute(text("PRAGMA max_page_count = 1")).all())  # as many as there are
    answer = ada.post(f"{task}/draft", words="x" * 100_000)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "60")
    assert "your last input may not be stored" in answer.text
    assert "saved before</textarea>" in ada.get(task).text


def test_a_statement_that_fails_puts_nothing_that_was_typed_into_the_log(opening, caplog):
    enter, campaign = opening("verify", 1)
    ada = enter("ada")
    task = ada.begin("verify")
    campaign.store.write_now(lambda c: c.execute(text("ALTER TABLE contribution RENAME TO gone")))
    answer = ada.post(task, **ANSWERS["verify/verify"] | {"words": TYPED})
    assert answer.status_code == 500
    assert "no such table" in caplog.text
    assert TYPED not in caplog.text
    assert TYPED not in answer.text
    assert "your last input may not be stored" in answer.text
