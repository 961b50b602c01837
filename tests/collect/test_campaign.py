"""The folder of a campaign: its settings, its database, its copies, its commands."""

import ast
import asyncio
import contextlib
import re
import socket
import subprocess
import sys
import threading
import tomllib
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest
from babel.messages.pofile import read_po
from collecting import ANSWERS, Visitor, make_campaign, opened, setting
from jinja2.ext import babel_extract
from making import picture
from postgresql import binaries, cluster
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from countersight.cli import main
from countersight.collect import people, work
from countersight.collect.campaign import Campaign
from countersight.collect.figures import campaign_figures, format_agreement
from countersight.collect.flows import FLOWS, flow_named
from countersight.collect.flows.forms import YES_NO
from countersight.collect.people import ROLES
from countersight.collect.settings import read_settings, settings_text
from countersight.collect.store import Store
from countersight.collect.web.app import PAGES
from countersight.collect.web.leading import STATES
from countersight.errors import CampaignError
from countersight.scoring.raters import NO_PAIR, NOT_TWO, ONE_LABEL
from countersight.suites.cfmm import ASPECTS
from countersight.suites.cosim import KINDS


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("train = 1.0", "train = 0.5", "must add up to 1"),
        ('languages = ["en"]', "languages = []", "$.languages"),
        ("pay = 10", "pay = 10\nmost = 0", "$.phases[...].most"),
        ("[pay]", "[quotas]\ncount = 0\n[pay]", "$.quotas[...]"),
        ("[pay]", "[person_quotas]\ncount = 0\n[pay]", "$.person_quotas[...]"),
        ("people = 2", "people = 0", "$.phases[...].people"),
        ("undo_minutes = 60", "undo_minuts = 60", "undo_minuts"),
        ("lease_minutes = 30", "lease_minutes = nan", "$.lease_minutes"),
        ("undo_minutes = 60", "undo_minutes = inf", "$.undo_minutes"),
        ("pay = 10", "pay = 99999999999999999999", "$.phases[...].pay"),
        ("[pay]", "[pay]\nfooling = -5", "$.pay.fooling"),
        ("[phases.adjudicate]", "[phases.third]", "the section [phases.adjudicate] is missing"),
        ('flow = "verify"', "flow = verify", "line 2"),
    ],
)
def test_settings_that_cannot_be_followed_are_named(tmp_path: Path, old: str, new: str, words: str):
    make_campaign(tmp_path / "campaign", "verify", 1)
    setting(tmp_path / "campaign", old, new)
    with pytest.raises(CampaignError, match=re.escape(words)):
        Campaign.open(tmp_path / "campaign")


def test_a_database_of_a_newer_version_is_refused(tmp_path: Path, database: str | None):
    make_campaign(tmp_path / "campaign", "verify", 1, database)
    campaign = Campaign.open(tmp_path / "campaign", database)
    campaign.store.write_now(lambda c: c.execute(text("UPDATE campaign SET version = 9999")))
    campaign.close()
    with pytest.raises(CampaignError, match="written by a newer version"):
        Campaign.open(tmp_path / "campaign", database)


def test_a_database_of_an_older_version_is_brought_up_to_date(tmp_path: Path, database: str | None):
    make_campaign(tmp_path / "campaign", "verify", 1, database)
    campaign = Campaign.open(tmp_path / "campaign", database)
    later = ("arrival", "departed", "sight", "campaign", "action")
    drops = (f"DROP TABLE {name}" for name in later)
    columns = ("person.access", "session.label", "lease.note", "contribution.editor_id")
    columns = ("ALTER TABLE {} DROP COLUMN {}".format(*each.split(".")) for each in columns)
    for statement in (*drops, *columns, "DROP INDEX item_listed"):
        campaign.store.write_now(lambda c, words=statement: c.execute(text(words)))
    campaign.close()
    campaign = Campaign.open(tmp_path / "campaign", database)
    rows = {name: text(f"SELECT count(*) FROM {name}") for name in later}
    found = {
        name: campaign.store.read(lambda c, asked=asked: c.execute(asked).scalar()) for name, asked in rows.items()
    }
    assert found == dict.fromkeys(later, 0) | {"campaign": 1}  # the folder that opened it is whose it is
    campaign.store.write_now(lambda c: people.add_person(c, "ada", "worker", 1.0))
    assert campaign.store.read(people.everybody)[0].access == "open"
    campaign.close()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://root:hunter2@db/x", "neither"),
        ("nonsense", "cannot be used"),
        ("postgresql://ada:hunter2@127.0.0.1:1/none", "cannot be opened"),
    ],
)
def test_a_database_that_cannot_be_used_is_named_without_its_password(url: str, words: str):
    with pytest.raises(CampaignError, match=words) as caught:
        Store(url)
    assert "hunter2" not in str(caught.value)


def test_a_database_that_is_down_is_reported_with_a_time_to_try_again(tmp_path: Path):
    if binaries() is None:
        pytest.skip("there is no PostgreSQL on this machine")
    end = text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    with ExitStack() as stack:
        with cluster() as address:
            make_campaign(tmp_path / "campaign", "verify", 1, address)
            app, campaign = stack.enter_context(opened(tmp_path / "campaign", address))
            ada = Visitor(app, campaign, "ada")
            task = ada.begin("verify")
            with contextlib.suppress(OperationalError):
                campaign.store.write_now(lambda c: c.execute(end))
            for _ in range(3):  # as after a restart of the database: every old connection fails once
                answer = ada.post(f"{task}/draft", words="so")
            assert answer.status_code == 303
        for answer in (ada.get("/work"), ada.post(task, **ANSWERS["verify/verify"])):
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "60")
            assert "The database cannot be used now" in answer.text
        assert ada.get("/static/style.css").status_code == 200  # so that the page looks as usual


def test_a_write_that_fails_takes_back_only_itself(tmp_path: Path, database: str | None):
    make_campaign(tmp_path / "campaign", "verify", 1, database)
    campaign = Campaign.open(tmp_path / "campaign", database)
    insert = text("INSERT INTO batch (at, csv) VALUES (0, :csv)")

    def failing(connection):
        connection.execute(insert, {"csv": "lost"})
        raise RuntimeError("on purpose")

    campaign.store.write_now(lambda c: c.execute(insert, {"csv": "one"}))
    with pytest.raises(RuntimeError):
        campaign.store.write_now(failing)
    campaign.store.write_now(lambda c: c.execute(insert, {"csv": "two"}))
    kept = campaign.store.read(lambda c: c.execute(text("SELECT csv FROM batch ORDER BY id")).scalars().all())
    campaign.close()
    assert kept == ["one", "two"]


def test_a_server_needs_no_system_libraries_for_drawing():
    code = "import sys; sys.modules['skia'] = None; import countersight.collect.web"  # as in a slim container
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_port_that_is_taken_or_does_not_exist_is_refused_in_a_sentence(tmp_path: Path, capsys):
    folder = make_campaign(tmp_path / "campaign", "verify", 1)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for port in (str(taken.getsockname()[1]), "99999"):
            assert main(["collect", "serve", str(folder), "--port", port]) == 2
            told = capsys.readouterr().err
            assert f"port {port} (" in told
            assert "choose another --port" in told


def test_bad_pictures_are_named_and_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.png").write_bytes(picture((number, 0, 0)))
    (folder / "same.png").write_bytes(picture((0, 0, 0)))
    (folder / "broken.png").write_bytes(picture()[:40])
    (folder / "notes.txt").write_text("no picture")
    new = ["collect", "new", str(tmp_path / "campaign"), "--flow", "cfmm", "--pictures", str(folder)]
    assert main(new) == 0
    told = capsys.readouterr()
    assert "broken.png is cut off" in told.err
    assert "notes.txt is not a PNG" in told.err
    assert "3 items" in told.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--flow", "cosimm"], "did you mean 'cosim'"),
        (["--flow", "cosim"], "--pictures"),
        (
            ["--flow", "cvqa", "--pictures", "photographs"],
            "cvqa needs --from; --pictures works only with --annotations",
        ),
        (["--flow", "judge"], "an audit"),
        (["--flow", "verify", "--from", "nowhere"], "is not a folder"),
        (["--flow", "cfmm", "--gold", "trusted"], "cfmm does not use --gold"),
        (["--flow", "cvqa", "--from", "nowhere", "--size", "5"], "work only with VQAv2's questions"),
    ],
)
def test_a_campaign_that_cannot_begin_leaves_nothing(tmp_path: Path, capsys, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    assert main(["collect", "new", "campaign", *words]) == 2
    assert told in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_people_are_managed_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = str(make_campaign(tmp_path / "campaign", "verify", 1))
    assert main(["collect", "people", folder, "--invite", "ada", "--role", "lead"]) == 0
    assert re.search(r"http://127\.0\.0\.1:8400/join/[\w-]{20,}", capsys.readouterr().out)
    assert main(["collect", "people", folder]) == 0
    assert re.search(r"lead\s+ada", capsys.readouterr().out)
    assert main(["collect", "people", folder, "--token", "ada"]) == 0
    assert main(["collect", "people", folder, "--invite", "eve"]) == 0
    assert main(["collect", "people", folder, "--token", "eve"]) == 2
    assert "eve is a worker: only leads can use the API" in capsys.readouterr().err
    assert main(["collect", "log", folder]) == 0
    assert capsys.readouterr().out.count("make_token") == 1
    assert main(["collect", "people", folder, "--forget", "nobody"]) == 2
    assert main(["collect", "people", folder, "--forget", "ada"]) == 0
    assert "ada" not in capsys.readouterr().out
    with opened(Path(folder)) as (app, campaign):
        Visitor(app, campaign, "ben").contribute("verify")
    assert main(["collect", "people", folder, "--forget", "ben"]) == 0
    assert re.search(r"warning: 0\.10 USD of p\w{7} was not exported for payment", capsys.readouterr().err)


def test_status_says_how_far_it_is(tmp_path: Path, opening, capsys: pytest.CaptureFixture[str]):
    enter, _ = opening("verify", 2)
    for name in ("ada", "ben"):
        enter(name).contribute("verify")
    assert main(["collect", "status", str(tmp_path / "campaign")]) == 0
    told = capsys.readouterr().out
    assert "2 items: 1 done, 1 open" in told
    assert "Verify: 1 wait" in told or "Verify: 0 wait" in told
    assert "agreement on verdict: AC1 1.00 (1 item)" in told


def test_the_agreement_on_one_item_has_no_interval(opening):
    enter, campaign = opening("verify", 1)
    enter("ada").contribute("verify")
    enter("ben").contribute("verify", right="unclear", words="it depends")
    page = enter("lea", "lead").get("/lead").text
    named = campaign.store.read(lambda c: campaign_figures(c, campaign.flow)).agreement[-1]
    assert ("0.00" in page, "0.00 to 0.00" in page) == (True, False)
    assert format_agreement(named.agreement)["raw agreement"] == "0.00 (no interval: one item)"


def test_a_test_opens_a_phase_within_its_tries_and_never_after(tmp_path: Path, opening):
    make_campaign(tmp_path / "campaign", "verify", 1)
    file = tmp_path / "campaign" / "campaign.toml"
    file.write_text(settings_text("verify", "With a test"), encoding="utf-8")
    enter, campaign = opening()
    ada, ben = enter("ada"), enter("ben")
    assert ada.post("/work/verify").headers["location"] == "/test/verify"
    assert ada.post("/test/verify", q0="2").status_code == 303
    assert ada.begin("verify")
    assert "try again" in ben.post("/test/verify", q0="1").text
    assert "no attempts left" in ben.post("/test/verify", q0="").text
    ben.post("/test/verify", q0="2")
    assert ben.post("/work/verify").headers["location"] == "/test/verify"
    lead = enter("lea", "lead")
    lead.post(f"/lead/people/{ben.id}/reset")
    ben.post("/test/verify", q0="2")
    assert ben.begin("verify")
    rows = campaign.store.read(lambda c: c.execute(text("SELECT passed FROM qualification ORDER BY id")).scalars())
    assert len(list(rows)) == 4  # passes and fails are all kept


def test_the_interface_speaks_other_languages(tmp_path: Path, opening):
    folder = make_campaign(tmp_path / "campaign", "verify", 1)
    setting(folder, 'languages = ["en"]', 'languages = ["en", "de", "nl"]')
    own = folder / "locale" / "nl" / "LC_MESSAGES"
    own.mkdir(parents=True)
    (own / "messages.po").write_text('msgid "Log in"\nmsgstr "Aanmelden"\n', encoding="utf-8")
    enter, _ = opening()
    visitor = enter("ada")
    for language, words in (
        ("de-AT,de;q=0.9", "Anmelden"),
        ("nl", "Aanmelden"),
        ("it", "Log in"),
    ):
        page = enter().client.get("/login", headers={"accept-language": language}).text
        assert f"<h1>{words}</h1>" in page
    mine = visitor.client.get("/mine", headers={"accept-language": "de"}).text
    assert ('<html lang="de">' in mine, "<dd>0,00 USD</dd>" in mine) == (True, True)
    task = visitor.begin("verify")
    sent = {"csrf": visitor.csrf, "related": "no"}
    assert (
        "Sagen Sie, warum es verworfen" in visitor.client.post(task, data=sent, headers={"accept-language": "de"}).text
    )


SAID = {"RefusedError": 1, "fail": 1, "say": 0, "Dispute": 1, "ModelCheck": 3}
"""Functions that are given a text for people, and the place of that argument."""
FIELDS = ("Text", "Choice", "answer_field", "replace")
"""Functions that make a field of a form: all their texts but the first, which is its name, are shown."""


def texts_of(*nodes: ast.AST) -> set[str]:
    """The texts in these parts of a program."""
    found = (each for node in nodes for each in ast.walk(node))
    return {each.value for each in found if isinstance(each, ast.Constant) and isinstance(each.value, str)}


def said_in(file: Path) -> set[str]:
    """The texts for people in a Python file."""
    program, texts = ast.parse(file.read_text("utf-8")), set()
    for call in (node for node in ast.walk(program) if isinstance(node, ast.Call)):
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if name in FIELDS:
            shown = [each.value for each in call.keywords if each.arg in ("label", "hint")]
            tables = [each.value for each in call.keywords if isinstance(each.value, ast.Dict)]
            texts |= texts_of(*call.args[1:], *shown, *(value for table in tables for value in table.values))
        elif len(call.args) > SAID.get(name, 99):
            texts |= texts_of(call.args[SAID[name]])
    if file.parent.name == "flows":  # texts that are named before they are used
        assigned = (node.value for node in program.body if isinstance(node, ast.Assign | ast.AnnAssign))
        texts |= {text for text in texts_of(*filter(None, assigned)) if text.endswith(".")}
    return {text for text in texts if text[:1].isupper() or "{" in text}


def declared_in(declared: Any) -> set[str]:
    """The texts for people in what a TOML file of forms declares; letters need no translation."""
    if isinstance(declared, str):  # the name of a field, or of a text from an earlier phase, which is shown
        return {declared} if declared[0].isupper() else set()
    if isinstance(declared, list):
        return {text for each in declared for text in declared_in(each)}
    shown = {declared[name] for name in ("title", "about", "label", "hint") if name in declared}
    shown |= {text for text in declared.get("options", {}).values() if len(text) > 1}
    return shown | {text for each in declared.values() if isinstance(each, list) for text in declared_in(each)}


def test_german_has_every_text_of_the_pages():
    pages = files("countersight.collect.web")
    with (pages / "locale/de/LC_MESSAGES/messages.po").open("rb") as opened_file:
        catalog = read_po(opened_file)
    assert [message.id for message in catalog if message.fuzzy and message.id] == []
    german = {message.id: message.string for message in catalog}
    placeholders = {text: re.findall(r"\{\w+\}", text) for text in (*german, *german.values())}
    assert {
        text for text, said in german.items() if text and sorted(placeholders[text]) != sorted(placeholders[said])
    } == set()
    texts = {*YES_NO.values(), *work.FOUND.values(), "Is the first answer right?", "Is the second answer right?"}
    texts |= {*ROLES, *KINDS, *ASPECTS, *STATES, NO_PAIR, NOT_TWO, ONE_LABEL, "A number.", "A few words."}
    for file in (*Path(str(files("countersight.collect.flows"))).glob("*.toml"), Path(str(pages)) / "forms.toml"):
        texts |= declared_in(tomllib.loads(file.read_text(encoding="utf-8")))
    for phase in (phase for flow in map(flow_named, FLOWS) for phase in flow.phases):
        texts |= {field.name.replace("_", " ") for field in msgspec.structs.fields(phase.content)}
    texts -= {"picture", "box"}  # which are drawn
    texts |= {
        page.handler.__name__.replace("_", " ") for page in PAGES if page.method == "POST" and page.role == "lead"
    }
    for file in Path(str(pages)).parent.rglob("*.py"):
        texts |= said_in(file)
    for template in Path(str(pages / "templates")).rglob("*.html"):
        with open(template, "rb") as opened_file:
            texts |= {found[2] for found in babel_extract(opened_file, ["_"], [], {}) if isinstance(found[2], str)}
    assert {text for text in texts if not german.get(text)} == set()


@pytest.mark.parametrize("flow", FLOWS)
def test_a_german_campaign_begins_with_german_guidelines_tests_and_consent(tmp_path: Path, flow: str):
    both = []
    for language in ("en", "de"):
        file = tmp_path / f"{language}.toml"
        file.write_text(settings_text(flow, 'A "quoted" \\ title', language), encoding="utf-8")
        both.append(read_settings(file))
    english, german = both
    assert (english.title, english.flow) == ('A "quoted" \\ title', flow)
    assert (german.language, german.languages) == ("de", ("de", "en"))
    assert not set(english.consent.text.strip().splitlines()) & set(german.consent.text.strip().splitlines())
    for name, phase in english.phases.items():
        other = german.phases[name]
        assert (phase.pay, phase.people) == (other.pay, other.people)
        assert not set(phase.guidelines.strip().splitlines()) & set(other.guidelines.strip().splitlines())
        for one, two in zip(phase.examples, other.examples, strict=True):
            assert (one.good, one.text != two.text, one.why != two.why) == (two.good, True, True)
        for one, two in zip(phase.test.questions, other.test.questions, strict=True):
            assert (one.answer, one.text != two.text, one.why != two.why) == (two.answer, True, True)
            assert not set(one.options) & set(two.options)


def test_the_writer_outlives_those_who_give_up_waiting(tmp_path: Path):
    make_campaign(tmp_path / "campaign", "verify", 1)
    campaign = Campaign.open(tmp_path / "campaign")
    begun, given_up = threading.Event(), threading.Event()

    def slow(connection):
        begun.set()
        given_up.wait()

    async def give_up():
        waiting = [asyncio.create_task(campaign.store.write(slow)) for _ in range(3)]
        await asyncio.to_thread(begun.wait)
        for task in waiting:
            task.cancel()
        given_up.set()
        await asyncio.gather(*waiting, return_exceptions=True)
        return await campaign.store.write(lambda c: "written")

    assert asyncio.run(give_up()) == "written"
    campaign.close()
