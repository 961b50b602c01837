"""`countersight view`: live, page by page, and harmless whatever stands in a run."""

import asyncio
import json
import shutil

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from playwright.sync_api import expect

import countersight as cs
from countersight.case import Reply
from countersight.dataset import Dataset
from countersight.errors import CountersightError
from countersight.runs import RunFolder
from countersight.view import application
from countersight.view.watched import WatchedRun


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("view")
    flowers = cs.make("cvqa-synthetic", folder / "flowers", size=30, seed=3, workers=1)
    said = iter(["A", "<script>alert(1)</script>"] * 500)
    return cs.run(flowers, lambda picture, question: next(said), out=folder / "runs/one", name="<b>odd</b>")


def pages(folder, *paths):
    async def ask():
        async with TestClient(TestServer(application([folder]))) as client:
            answers = [await client.get(path) for path in paths]
            return [(answer.status, answer.headers, await answer.read()) for answer in answers]

    return asyncio.run(ask())


def test_runs_of_a_folder_are_listed_with_how_far_they_are(run):
    [(status, _, page)] = pages(run.path.parent, "/")
    assert status == 200
    assert b"60 of 60 questions scored" in page
    assert b"&lt;b&gt;odd&lt;/b&gt;" in page


def test_cases_come_page_by_page_and_hostile_text_is_text(run):
    first, second = pages(run.path, "/run/0", "/run/0?page=2")
    assert first[2].count(b'class="card"') == 24
    assert second[2].count(b'class="card"') == 6
    assert first[2].count(b"counterfactual picture, not shown to the model</figcaption>") == 24
    assert b"<script>alert" not in first[2]
    assert b"default-src &#x27;none&#x27;" in first[2] or b"default-src 'none'" in first[2]


def test_a_run_that_was_shown_no_picture_says_so_of_each(run, tmp_path):
    blind = cs.run(
        run.path.parent.parent / "flowers", lambda _, question: "A", prompt="text-only", out=tmp_path / "blind"
    )
    [(_, _, page)] = pages(blind.path, "/run/0")
    assert page.count(b"<figcaption>factual picture, not shown to the model</figcaption>") == 24


def test_pictures_are_those_of_the_dataset_and_nothing_else(run):
    answers = pages(
        run.path, "/run/0/picture/0/image", "/run/0/picture/99/image", "/run/0/picture/..%2f..%2f/image", "/run/7"
    )
    assert answers[0][1]["Content-Type"] == "image/png"
    assert answers[0][2][:4] == b"\x89PNG"
    assert [status for status, *_ in answers[1:]] == [404, 404, 404]


def test_what_has_come_since_is_shown(run, tmp_path):
    copy = shutil.copytree(run.path, tmp_path / "copy")
    journal = copy / "replies.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    manifest = (copy / "run.json").read_text()
    (copy / "run.json").write_text(manifest.replace("../../flowers", str(run.dataset().path)))
    journal.write_bytes(b"".join(lines[:10]))

    async def ask():
        async with TestClient(TestServer(application([copy]))) as client:
            before = await (await client.get("/")).text()
            journal.write_bytes(b"".join(lines))
            return before, await (await client.get("/")).text()

    before, after = asyncio.run(ask())
    assert "10 of 60 questions scored" in before
    assert "60 of 60 questions scored" in after


def test_a_reply_says_how_it_ended_and_what_it_took(run, tmp_path):
    copy = shutil.copytree(run.path, tmp_path / "copy")
    manifest = (copy / "run.json").read_text()
    (copy / "run.json").write_text(manifest.replace("../../flowers", str(run.dataset().path)))
    _, first = next(iter(run.dataset().cases()))
    journal = copy / "replies.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(line for line in lines if first.id.encode() not in line))
    told = {"text": "A", "finish": "stop", "tokens_in": 1200, "tokens_out": 3, "cost": 0.00031, "seconds": 0.5}
    with RunFolder.open(copy).writing() as written:
        written.append(Reply(first.id, 0, "factual", **told))
    [(_, _, page)] = pages(copy, "/run/0")
    assert "ended by stop · 1,200 + 3 tokens · $0.00031 · 0.50 s" in page.decode()


def test_a_folder_without_runs_is_a_sentence(tmp_path):
    with pytest.raises(CountersightError, match="neither a run nor an audit"):
        application([tmp_path])


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8642", 200),
        ("localhost", 200),
        ("[::1]:8642", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
    ],
)
def test_a_name_that_somebody_else_had_lead_here_is_refused(run, host, status):
    async def ask():
        async with TestClient(TestServer(application([run.path]))) as client:
            return (await client.get("/", headers={"Host": host})).status

    assert asyncio.run(ask()) == status


def test_the_state_changes_with_every_reply_and_costs_nothing_to_ask(run, monkeypatch):
    monkeypatch.setattr("countersight.view.watched.judge_run", lambda *_, **__: pytest.fail("nobody looks at it yet"))
    [(status, _, body)] = pages(run.path, "/state")
    assert (status, json.loads(body)) == (200, {"state": str((run.path / "replies.jsonl").stat().st_size)})


def test_a_page_says_of_how_much_it_was_made_so_that_nothing_that_came_meanwhile_is_missed(run):
    (_, _, page), (_, _, state), (_, _, index), (_, _, everything) = pages(
        run.path, "/run/0", "/state?run=0", "/", "/state"
    )
    assert f'data-look="/state?run=0" data-state="{json.loads(state)["state"]}"'.encode() in page
    assert f'data-look="/state" data-state="{json.loads(everything)["state"]}"'.encode() in index


def test_runs_and_audits_that_begin_later_are_found_and_told_while_they_are_made(run, tmp_path):
    runs = tmp_path / "live"
    shutil.copytree(run.path, runs / "b")
    manifest = runs / "b/run.json"
    manifest.write_text(manifest.read_text().replace("../../flowers", str(run.dataset().path)))
    flowers = run.dataset().path

    async def ask():
        async with TestClient(TestServer(application([runs]))) as client:
            before = await (await client.get("/")).text()
            shutil.copytree(runs / "b", runs / "a")
            made = await asyncio.to_thread(
                lambda: cs.audit(
                    flowers, "embedded", extractor="rules", editor="exact", judges=["exact"], cases=2, out=runs / "c"
                )
            )
            (made.path / "report.html").unlink()  # it is written at the end
            during = await (await client.get("/")).text()
            refused = (await client.get("/audit/0/report.html")).status
            return before, during, refused, await (await client.get("/run/0")).text()

    before, during, refused, first = asyncio.run(ask())
    assert (before.count('href="/run/'), during.count('href="/run/')) == (1, 2)
    assert "odd" in first  # what was known keeps its number
    assert "Audits" not in before
    assert "2 of 2 cases begun, " in during
    assert 'href="/audit/' not in during
    assert "PCS: whether the answer" in during
    assert refused == 404


def test_a_picture_and_a_page_read_only_what_they_show(run, monkeypatch):
    watched = WatchedRun(run.path)
    watched.judged()
    monkeypatch.setattr(Dataset, "cases", lambda *_: pytest.fail("the dataset is not gone through for one case"))
    monkeypatch.setattr("countersight.view.watched.read_placed", lambda *_: pytest.fail("nor is the journal"))
    [(place, case, said)] = watched.shown([29])
    assert (place, case.id) == (29, watched.case(29).id)
    assert {reply.case for reply in said.values()} == {case.id}
    assert watched.case(30) is None


@pytest.mark.browser
def test_what_comes_is_shown_without_a_reload(run, tmp_path, browser):
    import threading

    copy = shutil.copytree(run.path, tmp_path / "copy")
    manifest = (copy / "run.json").read_text()
    (copy / "run.json").write_text(manifest.replace("../../flowers", str(run.dataset().path)))
    journal = copy / "replies.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:10]))
    ready, over, port = threading.Event(), threading.Event(), []

    async def serve():
        runner = web.AppRunner(application([copy]))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port.append(runner.addresses[0][1])
        ready.set()
        await asyncio.to_thread(over.wait, 280)
        await runner.cleanup()

    server = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    server.start()
    assert ready.wait(60)
    page = browser.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    try:
        page.goto(f"http://127.0.0.1:{port[0]}/run/0")
        expect(page.locator("#news")).to_contain_text("As of")
        expect(page.locator("#live")).to_contain_text("10 of 60 questions scored")
        journal.write_bytes(b"".join(lines))
        expect(page.locator("#live")).to_contain_text("60 of 60 questions scored")
        assert complaints == []
    finally:
        page.close()
        over.set()
    server.join(60)
