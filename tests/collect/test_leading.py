"""What leads and reviewers do: pausing, voiding, adding, editing, sending back, sampling, the log, copies, the API."""

import csv
import io
import json
import re
import time
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from collecting import ANSWERS, Visitor, make_campaign, opened, setting, states
from making import case, dataset, picture
from sqlalchemy import make_url, select

from countersight.cli import main
from countersight.collect import (
    audit_log,
    back_up,
    export_campaign,
    invite_person,
    pay,
    restore,
    tables,
    work,
)
from countersight.collect.campaign import Campaign, remember_database
from countersight.collect.web import configuration_faults
from countersight.engine import lock_folder
from countersight.errors import CampaignError


def balances(campaign: Campaign, person: Visitor) -> dict[str, int]:
    return campaign.store.read(lambda c: pay.balances(c, person.id))


@pytest.fixture
def verify(opening):
    return opening("verify", 3)


@pytest.fixture
def cosim(opening):
    """One finished item of three phases, by ada, ben and cleo."""
    enter, campaign = opening("cosim", 1)
    people = list(map(enter, ("ada", "ben", "cleo")))
    for person, phase in zip(people, ("question", "change", "distractor"), strict=True):
        person.contribute(phase)
    return enter, campaign, people


def test_a_paused_person_sees_their_account_and_a_blocked_one_nothing(verify):
    enter, _ = verify
    ada, lead = enter("ada"), enter("lea", "lead")
    task = ada.begin("verify")
    lead.post(f"/lead/people/{ada.id}/access", access="paused")
    assert "Your account is paused" in ada.get("/work").text
    assert ada.post(task, **ANSWERS["verify/verify"]).status_code == 403
    assert ada.post("/work/verify").status_code == 403
    assert enter("ben").begin("verify") is not None  # what ada held is free
    lead.post(f"/lead/people/{ada.id}/access", access="open")
    ada.contribute("verify")
    lead.post(f"/lead/people/{ada.id}/access", access="blocked")
    assert ada.get("/work").headers["location"].startswith("/login")
    assert lead.post(f"/lead/people/{lead.id}/access", access="blocked").status_code == 422


@pytest.mark.parametrize(
    ("fate", "paid", "state", "account"),
    [("keep", "no", "done", "voided"), ("redo", "yes", "open", "accrued"), ("remove", "no", "removed", "voided")],
)
def test_all_work_of_a_person_is_kept_redone_or_removed_and_pay_is_decided(cosim, fate, paid, state, account):
    enter, campaign, (ada, ben, cleo) = cosim
    lead = enter("lea", "lead")
    assert lead.post(f"/lead/people/{ben.id}/work", fate=fate).status_code == 422  # pay is decided, not forgotten
    asked = lead.post(f"/lead/people/{ben.id}/work", fate=fate, pay=paid).text
    assert ("Contributions affected: 1" in asked, states(campaign)) == (True, ["done"])  # nothing yet
    lead.post(f"/lead/people/{ben.id}/work", fate=fate, pay=paid, sure="1")
    assert states(campaign) == [state]
    assert set(balances(campaign, ben)) == {account}
    assert set(balances(campaign, ada)) == set(balances(campaign, cleo)) == {"accrued"}  # others lose nothing
    if fate == "redo":  # the question stands; others do the change again, anybody what was built on it
        assert ben.begin("change") is None
        enter("dan").contribute("change")
        cleo.contribute("distractor")
        assert states(campaign) == ["done"]


def test_withdrawn_pay_includes_replaced_work_and_is_logged_with_items_and_amount(cosim):
    enter, campaign, (_, ben, _) = cosim
    lead, rita = enter("lea", "lead"), enter("rita", "reviewer")
    review = rita.post("/review/sample").headers["location"]
    rita.post(review, contribution="2", outcome="returned", note="Say where.")
    assert set(balances(campaign, ben)) == {"accrued"}  # his work was sent back and does not count now
    lead.post(f"/lead/people/{ben.id}/work", fate="keep", pay="no", sure="0")
    assert set(balances(campaign, ben)) == {"voided"}
    (row,) = [row for row in csv.DictReader(io.StringIO(lead.get("/lead/log.csv").text)) if row["action"] == "retract"]
    assert json.loads(row["details"])["amount"] == f"{balances(campaign, ben)['voided'] / 100:.2f} USD"


def test_pictures_and_cases_are_added_to_a_running_campaign(tmp_path: Path, opening, capsys):
    make_campaign(tmp_path / "campaign", "cfmm", 2)
    more = tmp_path / "more"
    more.mkdir()
    for number in range(3):
        (more / f"{number}.png").write_bytes(picture((number, 90, 0)))
    enter, campaign = opening()  # it is open meanwhile
    for added in ("3 items added", "0 items added"):  # what is there already is not added again
        assert main(["collect", "add", str(campaign.path), "--pictures", str(more)]) == 0
        assert added in capsys.readouterr().out
    ada = enter("ada")
    assert sum(ada.contribute("write") is not None for _ in range(6)) == 5
    make_campaign(tmp_path / "other", "verify", 2)
    source = dataset(tmp_path / "cases", [case(7), case(1)])
    assert main(["collect", "add", str(tmp_path / "other"), "--from", str(source)]) == 0
    told = capsys.readouterr()
    assert "1 item added" in told.out
    assert "case-1: this item is already in the campaign" in told.err


def test_other_cases_with_known_names_are_added_under_new_ones(tmp_path: Path, opening, capsys):
    folder = make_campaign(tmp_path / "campaign", "verify", 2, source=dataset(tmp_path / "first", [case(1), case(2)]))
    other = msgspec.structs.replace(case(7), id="case-1")
    source = dataset(tmp_path / "second", [other, case(2)])
    for added in ("1 item added", "0 items added"):
        assert main(["collect", "add", str(folder), "--from", str(source)]) == 0
        assert added in capsys.readouterr().out
    _, campaign = opening()
    rows = campaign.store.read(lambda c: c.execute(select(tables.item.c.key, tables.item.c.source)).all())
    assert [row.key for row in rows] == ["case-1", "case-2", "case-1-2"]
    assert json.loads(rows[2].source)["case"]["id"] == "case-1-2"


def test_forty_four_pictures_make_forty_four_items_of_three(opening):
    _, campaign = opening("cosim", 44)
    sources = campaign.store.read(lambda c: c.execute(select(tables.item.c.source)).scalars().all())
    triples = [frozenset(json.loads(source)["pictures"]) for source in sources]
    assert (len(triples), {len(each) for each in triples}) == (44, {3})
    assert max(len(one & other) for n, one in enumerate(triples) for other in triples[:n]) == 1


def test_a_reviewer_samples_finished_work_and_keeping_it_earns_the_bonus(cosim):
    enter, campaign, (_, _, cleo) = cosim
    campaign.store.write_now(lambda c: c.execute(tables.contribution.update().values(fooled=2)))
    rita = enter("rita", "reviewer")
    place = rita.post("/review/sample").headers["location"]
    assert "A sample of finished work" in rita.get(place).text
    assert rita.post("/review/sample").headers["location"] == "/review?empty=1"  # nothing is drawn twice
    again = {"item": "1"}
    assert rita.post("/review/sample", **again).status_code == 409  # it waits for a decision
    before = balances(campaign, cleo)["accrued"]
    rita.post(place, outcome="unfair", note="quite good")
    assert balances(campaign, cleo)["accrued"] == before + 2 * 5
    assert states(campaign) == ["done"]
    lead = enter("lea", "lead")
    assert "Review this item" in lead.get("/lead/items/1").text
    assert lead.post("/review/sample", **again).headers["location"] == "/review/2"  # who finds a mistake later


def test_a_reviewer_edits_and_the_author_keeps_seat_and_pay(cosim):
    enter, campaign, (ada, *_) = cosim
    rita, lead = enter("rita", "reviewer"), enter("lea", "lead")
    place = rita.post("/review/sample").headers["location"]
    form = f"{place}/edit/1"
    page = rita.get(place).text
    assert form in page
    assert page.count("(required)") == 2  # the decision and the reason
    unsent = '{"question": "Typed after it was sent?"}'
    for draft in (tables.lease.c.draft, unsent, None):
        campaign.store.write_now(lambda c, draft=draft: c.execute(tables.lease.update().values(draft=draft)))
        assert "Would it be easy to count the dots?</textarea>" in rita.get(form).text
    assert 'name="kind:object addition" value="1" checked' in rita.get(f"{place}/edit/2").text
    fields = ANSWERS["cosim/question"] | {"question": "Would it be hard to count?", "note": "it reads better"}
    fields["picture"] = json.loads(
        campaign.store.read(lambda c: c.execute(select(tables.contribution.c.content)).scalars().first())
    )["picture"]
    assert rita.post(form, **fields | {"note": ""}).status_code == 422
    measured = {"pasted": "0.5", "seconds": "61", "typed": "1795067463218"}
    assert rita.post(form, **fields | measured).headers["location"] == "/review"
    (logged,) = (line for line in campaign.store.read(audit_log.read_log) if line.name == "edit")
    assert not measured.keys() & logged.details.keys()
    page = lead.get("/lead/items/1").text
    assert "edited by a reviewer" in page
    assert "Would it be hard to count?" in page
    assert set(balances(campaign, ada)) == {"accrued"}
    assert states(campaign) == ["done"]


def test_work_is_sent_back_with_a_note_and_corrected_without_being_paid_twice(cosim):
    enter, campaign, (_, ben, cleo) = cosim
    rita = enter("rita", "reviewer")
    place = rita.post("/review/sample").headers["location"]
    rita.post(place, outcome="returned", contribution="2", note="which circle do you mean?")
    assert states(campaign) == ["open"]
    assert "A reviewer sent an item back to you." in ben.get("/work").text
    lead = enter("lea", "lead")
    for access in ("paused", "open"):  # a pause does not take it away
        saved = lead.post(f"/lead/people/{ben.id}/access", access=access).headers["location"]
        assert "The change was saved." in lead.get(saved).text
    task = ben.begin("change")
    assert "which circle do you mean?" in ben.get(task).text
    assert "Add a hundred dots to every circle." in ben.get(task).text  # all that was sent is there
    ben.post(f"{task}/draft", change="Add")
    tomorrow = time.time() + 86_400  # a draft does not shorten the days that the author has
    campaign.store.write_now(lambda c: work.free_expired(c, campaign, tomorrow))
    assert ben.begin("change") == task
    before = balances(campaign, ben)
    ben.post(task, **ANSWERS["cosim/change"] | {"change": "Add a hundred dots to the left circle."})
    assert balances(campaign, ben) == before
    cleo.contribute("distractor")  # whoever did a later phase may do it again
    assert states(campaign) == ["done"]


@pytest.mark.parametrize(("chosen", "loses"), [(None, "ada"), ("2", "ben"), ("0", "")])
def test_a_removed_item_takes_the_pay_of_the_contribution_that_the_reviewer_chose(cosim, chosen, loses):
    enter, campaign, people = cosim
    rita = enter("rita", "reviewer")
    place = rita.post("/review/sample").headers["location"]
    fields = {} if chosen is None else {"contribution": chosen}
    assert rita.post(place, outcome="fair", note="it is bad", contribution="99").status_code == 422
    rita.post(place, outcome="fair", note="the question is bad", **fields)
    assert states(campaign) == ["removed"]
    found = {person.name: "voided" in balances(campaign, person) for person in people}
    assert found == {name: name == loses for name in ("ada", "ben", "cleo")}


def test_quotas_hold_for_a_phase_an_aspect_and_a_person(tmp_path: Path, opening):
    make_campaign(tmp_path / "campaign", "cfmm", 6)
    setting(
        tmp_path / "campaign",
        "[phases.write]",
        "[quotas]\ncount = 2\n[person_quotas]\ncount = 1\n[phases.write]\nmost = 2",
    )
    enter, _ = opening()
    ada, ben, cleo = map(enter, ("ada", "ben", "cleo"))
    for person in (ada, ben):
        person.contribute("write")
    for person in (ada, cleo):  # one has written hers, of the other kind there are enough
        task = person.begin("write")
        assert 'value="count" disabled' in person.get(task).text
        answer = person.post(task, **ANSWERS["cfmm/write"])
        assert (answer.status_code, "There are enough of “count”" in answer.text) == (422, True)
    ada.contribute("write", aspect="size")
    assert ada.begin("write") is None
    assert "reached the limit per person" in ada.get("/work").text
    assert "2 / 2" in enter("lea", "lead").get("/lead").text


def test_what_leads_and_reviewers_do_is_in_the_log_and_what_workers_do_is_not(verify, capsys):
    enter, campaign = verify
    lead, ada = enter("lea", "lead"), enter("ada")
    ada.contribute("verify")
    lead.post(f"/lead/people/{ada.id}/role", role="reviewer")
    lead.post(f"/lead/pay/approve/{ada.id}")
    assert lead.post(f"/lead/people/{ada.id}/role", role="none").status_code == 422
    invite_person(campaign, "ben")
    rows = list(csv.DictReader(io.StringIO(lead.get("/lead/log.csv").text)))
    assert [(row["action"], row["about"].partition(" ")[0]) for row in rows] == [
        ("change_role", "ada"), ("approve", "ada"), ("invite", "ben"),
    ]  # fmt: skip
    assert json.loads(rows[0]["details"]) == {"role": "reviewer"}
    assert (rows[0]["who"].startswith("lea (p"), rows[2]["who"]) == (True, "command line")
    assert "change role" in lead.get("/lead/log").text
    assert main(["collect", "log", str(campaign.path)]) == 0
    assert capsys.readouterr().out == lead.get("/lead/log.csv").text


def test_a_copy_is_restored_into_either_database(tmp_path: Path, opening, database: str | None, capsys):
    make_campaign(tmp_path / "campaign", "verify", 2)
    enter, campaign = opening()
    enter("ada").contribute("verify")
    assert main(["collect", "backup", str(campaign.path), "-o", str(tmp_path / "first")]) == 0  # while it is open
    for name in ("campaign", "first"):
        assert (tmp_path / name / "campaign.sqlite").stat().st_mode & 0o077 == 0
    restore(tmp_path / "first", tmp_path / "again", database)
    with opened(tmp_path / "again", database) as (app, campaign):  # served, and copied at the same time
        Visitor(app, campaign, "ben").contribute("verify")
        back_up(tmp_path / "again", tmp_path / "second", database)
    with opened(tmp_path / "second") as (_, campaign):
        assert states(campaign) == ["done", "open"]
        assert campaign.store.read(pay.balances) == {"accrued": 20}
    with lock_folder(tmp_path / "first", CampaignError), pytest.raises(CampaignError, match="server is running"):
        restore(tmp_path / "first", tmp_path / "third")
    assert main(["collect", "restore", str(tmp_path / "first"), "-o", str(tmp_path / "fourth")]) == 0
    assert "first has been served since it was made" in capsys.readouterr().out
    if database:
        with pytest.raises(CampaignError, match="use an empty database"):
            restore(tmp_path / "first", tmp_path / "third", database)


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_campaign_remembers_its_database_but_not_the_password(tmp_path: Path, database: str, capsys):
    folder = make_campaign(tmp_path / "campaign", "verify", 2, database)
    assert main(["collect", "status", str(folder)]) == 0
    assert "2 items" in capsys.readouterr().out
    assert not (folder / "campaign.sqlite").exists()
    back_up(folder, tmp_path / "copy")  # a copy has a database of its own
    with pytest.raises(CampaignError, match="this database is empty, and the campaign's database is"):
        Campaign.open(tmp_path / "copy", f"sqlite:///{tmp_path}/empty.sqlite")
    secret = make_url(database).set(password="hunter2").render_as_string(hide_password=False)
    remember_database(folder, secret)
    assert "hunter2" not in (folder / "database.txt").read_text(encoding="utf-8")
    assert main(["collect", "status", str(folder)]) == 2
    assert "***" in (told := capsys.readouterr().err)
    assert "and its password is not stored" in told
    assert main(["collect", "status", str(folder), "--database", database]) == 0
    remember_database(folder, "postgresql://db.example.org/kitchen")  # this one is a copy of it
    assert main(["collect", "status", str(folder), "--database", database]) == 2
    assert "names another one" in capsys.readouterr().err
    assert "db.example.org/kitchen" in (folder / "database.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_two_campaigns_never_share_a_database(tmp_path: Path, database: str):
    make_campaign(tmp_path / "campaign", "verify", 2, database)
    (tmp_path / "second").mkdir()
    with pytest.raises(CampaignError, match="belongs to the campaign 'A campaign'"):
        make_campaign(tmp_path / "second" / "campaign", "verify", 2, database)
    assert not (tmp_path / "second" / "campaign").exists()


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_database_of_a_campaign_that_could_not_be_made_can_be_used_again(tmp_path: Path, database: str):
    (tmp_path / "nothing").mkdir()
    new = ["collect", "new", str(tmp_path / "campaign"), "--flow", "cfmm", "--database", database, "--pictures"]
    assert main([*new, str(tmp_path / "nothing")]) == 2
    make_campaign(tmp_path / "campaign", "verify", 2, database)


def script(lead: Visitor, label: str = "a script") -> dict[str, str]:
    """The header that a script of a lead sends."""
    page = lead.post("/lead/tokens", label=label).text
    return {"authorization": f"Bearer {page.partition('<code>')[2].partition('</code>')[0]}"}


def test_a_script_reads_and_leads_with_a_token_until_it_is_revoked(verify):
    enter, _ = verify
    lead, ada = enter("lea", "lead"), enter("ada")
    ada.contribute("verify")
    http, token = enter().client, script(lead)
    assert [item["key"] for item in http.get("/api/items", headers=token).json()] == ["case-0", "case-1", "case-2"]
    assert [each["id"] for each in http.get("/api/items?after=1", headers=token).json()] == [2, 3]
    (made,) = http.get("/api/contributions", headers=token).json()
    assert (made["phase"], made["content"]["verdict"], made["stands"]) == ("verify", "keep", True)
    assert [each["amount"] for each in http.get("/api/payments", headers=token).json()] == [10]
    assert http.get("/api/items/1", headers=token).json()["contributions"][0]["version"] == 1
    assert http.post(f"/api/people/{ada.id}/approve", headers=token, json={}).json() == {"payments": 1}
    assert http.post("/api/payments/export", headers=token, json={}).json()["csv"].endswith(",0.10\n")
    assert http.post(f"/api/people/{ada.id}/access", headers=token, json={"access": "paused"}).status_code == 200
    invited = http.post("/api/people", headers=token, json={"name": "ben"}).json()
    assert (invited["id"], invited["path"].startswith("/join/")) == (3, True)
    assert [each["access"] for each in http.get("/api/people", headers=token).json()] == ["open", "paused", "open"]
    assert http.post("/api/payments/export", headers=token, json={}).status_code == 422  # nothing is left
    assert http.post("/api/payments/export", json={}).status_code == 401
    for query in ("state=finished", "after=last", "after=-1"):
        assert http.get(f"/api/items?{query}", headers=token).status_code == 422
    for body in (["ben"], {"name": ["ben"]}, {"name": 1}):
        refused = http.post("/api/people", headers=token, json=body)
        assert (refused.status_code, "one JSON object whose values are all strings" in refused.text) == (400, True)
    for answer in (
        http.get("/api/nothing", headers=token),
        http.post("/api/people/99/access", headers=token, json={"access": "paused"}),
        http.post("/api/people/99/approve", headers=token, json={}),
    ):
        assert (answer.status_code, list(answer.json())) == (404, ["error"])
    logged = [each["name"] for each in http.get("/api/log", headers=token).json()]
    assert logged == ["make_token", "approve", "export_pay", "set_access", "invite"]  # as on the pages
    progress = http.get("/api/progress", headers=token).json()
    assert (progress["items"], progress["states"], progress["balances"]) == (3, {"open": 3}, {"exported": 10})
    for method, address in (("PUT", "/api/items"), ("DELETE", "/api/items/1"), ("PATCH", "/api/nothing")):
        answer = http.request(method, address, headers=token)
        assert (answer.status_code, list(answer.json())) == (405, ["error"])
    for method in ("GET", "POST", "PUT", "DELETE"):
        for address in ("/api/", "/api/%00?after=%ff", "/api/items/x?state=\u2028"):
            assert http.request(method, address, headers=token).status_code < 500
    for path in ("/lead", "/work"):  # a token is for the API alone
        assert http.get(path, headers=token).headers["location"].startswith("/login")
    assert lead.client.post("/api/people", json={"name": "eve"}).status_code == 415  # and a browser's session is not
    lead.post("/lead/tokens/revoke", label="a script")
    refused = http.get("/api/items", headers=token)
    assert (refused.status_code, list(refused.json())) == (401, ["error"])


def test_guidelines_are_markdown_with_pictures_and_tags_stay_text(tmp_path: Path, opening):
    folder = make_campaign(tmp_path / "campaign", "verify", 1)
    (folder / "guidelines").mkdir()
    (folder / "guidelines" / "good.png").write_bytes(picture())
    setting(folder, "A campaign", "<script>title</script>")
    text = "# Look\n\n**Both** answers, [the paper](https://example.org)\n\n![good](good.png)\n\n<script>x</script>"
    (folder / "guidelines" / "verify.md").write_text(text, encoding="utf-8")
    enter, _ = opening()
    ada = enter("ada")
    page = ada.get("/guidelines/verify").text
    for part in (
        "&lt;script&gt;title",
        "<h3>Look</h3>",
        "<strong>Both</strong>",
        'href="https://example.org"',
        "&lt;script&gt;",
    ):
        assert part in page
    assert 'src="/pictures/good.png"' in page
    assert ada.get("/pictures/good.png").content == picture()
    assert ada.get("/pictures/verify.md").status_code == 404
    assert ada.get(f"/pictures/{'a' * 5000}.png").status_code == 404


def test_an_unsafe_configuration_is_named(tmp_path: Path, opening, capsys):
    folder = make_campaign(tmp_path / "campaign", "verify", 1)
    serve = ["collect", "serve", str(folder), "--check"]
    assert main([*serve, "--host", "0.0.0.0"]) == 1
    told = capsys.readouterr().out
    for wrong in ("quatsch", "https://"):
        assert main([*serve, "--public-url", wrong]) == 2
    assert "not 'quatsch'" in capsys.readouterr().err
    for words in ("unencrypted", "the campaign has no lead", "`contact`"):
        assert words in told
    setting(folder, 'contact = ""', 'contact = "ada@example.org"')
    (folder / "secret.key").chmod(0o644)
    _, campaign = opening()
    invite_person(campaign, "lea", "lead")
    assert [fault.partition(":")[0] for fault in configuration_faults(campaign)] == [
        "others on this machine can read secret.key"
    ]
    (folder / "secret.key").chmod(0o600)
    safe = {"public_url": "https://collect.example.org", "trusted_proxies": "127.0.0.1"}
    assert configuration_faults(campaign, "0.0.0.0", **safe) == []


@pytest.mark.parametrize(
    ("language", "basic", "counterfactual"),
    [
        ("zh", "有几个杯子？", "如果掉了两个杯子，还剩几个？"),
        ("ar", "كم كوبا؟", "لو سقط كوبان، كم يبقى؟"),
        ("de", "Wie viele Tassen sind da?", "Wie viele wären es, wenn zwei herunterfielen?"),
        ("de-AT", "Wie viele Tassen sind da?", "Wie viele wären es, falls zwei herunterfielen?"),
        ("en", "How many cups are there?", "Had two cups fallen off the table, how many cups would be left?"),
    ],
)
def test_people_write_in_their_own_language(tmp_path: Path, opening, language: str, basic: str, counterfactual: str):
    make_campaign(tmp_path / "campaign", "cfmm", 1, language=language)
    if language.startswith("de"):  # the interface is in German too, and English for those who ask for it
        setting(tmp_path / "campaign", 'languages = ["de", "en"]', 'languages = ["en"]')
    pair = ANSWERS["cfmm/write"] | {"basic": basic, "counterfactual": counterfactual}
    enter, _ = opening()
    ada = enter("ada")
    task = ada.begin("write")
    assert f'lang="{language}" dir="auto"' in ada.get(task).text
    assert "is the same as" in ada.post(task, **pair | {"option_b": "X", "option_a": "x"}).text
    assert "is missing" in ada.post(task, **pair | {"basic": " "}).text
    again = {"basic": f"¿ {counterfactual.upper()} ?"}
    assert "is the same as" in ada.post(task, **pair | again).text
    if language == "zh":
        assert "is the same as" in ada.post(task, **pair | {"counterfactual": "有几个 杯子?"}).text
    if language == "zh":
        leaky = {"counterfactual": "如果把车漆成蓝色，它是什么颜色？", "option_a": "蓝色", "option_b": "红色"}
        assert "names the answer" in ada.post(task, **pair | leaky).text
    assert ada.post(task, **pair).status_code == 303


def test_a_region_does_not_switch_the_checks_of_a_language_off(opening):
    enter, _ = opening("cfmm", 1, language="en-GB")
    ada = enter("ada")
    without = ANSWERS["cfmm/write"] | {"counterfactual": "How many circles would be left?"}
    assert "State the difference as a condition" in ada.post(ada.begin("write"), **without).text


def test_figures_are_at_most_a_minute_old(opening, monkeypatch: pytest.MonkeyPatch):
    enter, _ = opening("verify", 1)
    lead, done = enter("lea", "lead"), "<dt>Done</dt><dd>1</dd>"
    assert done not in lead.get("/lead").text
    assert re.search(r"These figures are \d+ s old\.", lead.get("/lead").text)
    for name in ("ada", "ben"):
        enter(name).contribute("verify")
    clock = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: clock() + 61)
    assert done in lead.get("/lead").text


def test_one_word_makes_another_response(tmp_path: Path, opening):
    make_campaign(tmp_path / "campaign", "cosim", 1)
    long = (
        "No, because " + "there are a great many dots in every one of the circles and " * 5 + "nobody can count them."
    )
    enter, campaign = opening()
    enter("ada").contribute("question")
    enter("ben").contribute("change", response=long)
    near = {f"distractor_{n}": long.replace("nobody", word) for n, word in enumerate(("anybody", "Ada", "one"), 1)}
    cleo = enter("cleo")
    assert cleo.get(cleo.begin("distractor")).text.count(f"{long}</textarea>") == 4
    cleo.contribute("distractor", response=long, **near)
    assert states(campaign) == ["done"]


def vqav2(folder: Path, asked: list[tuple[str, str]]) -> list[str]:
    """Questions, annotations and pictures in VQAv2's own layout."""
    questions = [{"question_id": n, "image_id": n, "question": text} for n, (text, _) in enumerate(asked)]
    answers = [
        {"question_id": n, "image_id": n, "answers": [{"answer": said}] * 10} for n, (_, said) in enumerate(asked)
    ]
    (folder / "pictures").mkdir()
    for number in range(len(asked)):
        (folder / "pictures" / f"COCO_val2014_{number:012d}.jpg").write_bytes(picture((number, 0, 9)))
    (folder / "questions.json").write_text(json.dumps({"data_subtype": "val2014", "questions": questions}))
    (folder / "annotations.json").write_text(json.dumps({"annotations": answers}))
    named = ["--from", "questions.json", "--annotations", "annotations.json", "--pictures", "pictures"]
    return [word if word.startswith("--") else str(folder / word) for word in named]


def test_one_command_leads_from_vqav2_to_a_writing_campaign_of_as_many_questions_as_wanted(
    tmp_path: Path, opening, capsys
):
    asked = [("What color is it?", "blue")] * 20 + [("How many are there?", "3")] * 4 + [("Is it red?", "yes")]
    files = vqav2(tmp_path, asked)
    (tmp_path / "pictures" / f"COCO_val2014_{23:012d}.jpg").unlink()
    new = ["collect", "new", str(tmp_path / "campaign"), "--flow", "cvqa", *files]
    assert main([*new, "--size", "4"]) == 0
    told = capsys.readouterr().out
    for words in ("4 of 4 usable questions", "20 ask neither for a number nor for yes or no", "1 have no picture in"):
        assert words in told
    _, campaign = opening()
    rows = campaign.store.read(lambda c: c.execute(select(tables.item.c.phase, tables.item.c.source)).all())
    kinds = [json.loads(row.source)["case"]["factual_question"]["kind"] for row in rows]
    assert ({row.phase for row in rows}, sorted(kinds)) == ({"write"}, ["boolean", *["number"] * 3])
    new[2] = str(tmp_path / "fewer")
    assert main([*new, "--size", "2"]) == 0
    assert "2 of 4 usable questions" in capsys.readouterr().out


def test_questions_that_make_no_campaign_leave_nothing_behind(tmp_path: Path, capsys):
    files = vqav2(tmp_path, [("What color is it?", "blue")])
    for _ in range(2):  # the command can be repeated
        assert main(["collect", "new", str(tmp_path / "campaign"), "--flow", "cvqa", *files]) == 2
        assert "1 ask neither for a number nor for yes or no" in capsys.readouterr().err
        assert not list(tmp_path.glob("campaign*"))


def test_each_person_answers_in_an_order_of_their_own_with_twins_apart(tmp_path: Path, opening):
    make_campaign(tmp_path / "campaign", "answer", 12)
    orders = []
    enter, campaign = opening()
    for name in ("ada", "ben"):
        person = enter(name)
        while person.contribute("answer"):
            pass
        asked = select(tables.item.c.key).join(tables.lease).where(tables.lease.c.person_id == person.id)
        keys = campaign.store.read(lambda c, q=asked: c.execute(q.order_by(tables.lease.c.id)).scalars().all())
        orders.append([key.partition("/")[0] for key in keys])
    assert export_campaign(campaign, tmp_path / "run")[0].startswith("24 questions")
    assert len((tmp_path / "run" / "answers.jsonl").read_text(encoding="utf-8").splitlines()) == 48
    assert orders[0] != orders[1]
    assert all(one != other for cases in orders for one, other in pairwise(cases[:-4]))
