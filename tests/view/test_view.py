"""`countersight view`: live report pages, which stay up whatever happens to the folders."""

import asyncio
import json
import re
import shutil
import threading

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from playwright.sync_api import expect

import countersight as cs
from countersight.errors import CountersightError
from countersight.view import application
from countersight.view.watching import _BEING_READ, Cached, Damaged


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Pages wait for scores, however slow the machine is."""
    monkeypatch.setattr("countersight.view.serving.PATIENCE", 300.0)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("view")
    flowers = cs.make("cvqa-synthetic", folder / "flowers", size=30, seed=3, workers=1)
    said = {False: "A", True: "<script>alert(1)</script> B"}
    return cs.run(flowers, lambda _, question: said["If " in question], out=folder / "runs/one", name="<b>odd</b>")


@pytest.fixture
def folder(run, tmp_path):
    """Two runs of one dataset, which a test may damage."""
    shutil.copytree(run.dataset().path, tmp_path / "flowers")
    for name in ("one", "two"):
        shutil.copytree(run.path, tmp_path / "runs" / name)
    return tmp_path / "runs"


def asked(folder, *steps):
    """Statuses and texts of pages; a step is an address or something that is done in between."""

    async def ask():
        async with TestClient(TestServer(application([folder]))) as client:
            found = []
            for step in steps:
                if callable(step):
                    step()
                else:
                    answer = await client.get(step)
                    found.append((answer.status, await answer.text()))
            return found

    return asyncio.run(ask())


def address(page, number=0):
    """Where the n-th run of an index page leads to."""
    return re.findall(r'href="(/run/[0-9a-f]+)"', page)[number]


def test_runs_of_a_folder_are_listed_with_their_progress(run):
    [(status, page)] = asked(run.path.parent, "/")
    assert status == 200
    assert '<td data-label="progress">60 of 60 questions scored' in page
    assert "&lt;b&gt;odd&lt;/b&gt;" in page


def test_an_unfinished_run_says_that_its_cases_are_too_few_and_which_lines_are_damaged(folder):
    journal = folder / "one/replies.jsonl"
    lines = sorted(journal.read_bytes().splitlines(keepends=True), key=lambda line: json.loads(line)["row"])
    journal.write_bytes(b"".join(lines[:6]) + lines[6][:-40])
    [(_, index)] = asked(folder, "/")
    row = index[index.index("<tbody>") : index.index("</tr>", index.index("<tbody>"))]
    drop, factual, counterfactual = (float(each.replace("−", "-")) for each in re.findall(r"<td[^>]*>(−?[\d.]+)<", row))
    assert drop == pytest.approx(factual - counterfactual, abs=0.11)
    assert row.count("n = 3") == 3
    assert "too few cases" in row
    assert "1 line of replies.jsonl is damaged" in row
    [(_, page)] = asked(folder, address(index))
    assert "n = 3; too few cases" in page
    assert "has too few cases to tell" in page


def test_runs_are_found_where_run_writes_them_by_default(run, tmp_path):
    cs.run(run.dataset().path, lambda picture, question: "A", out=tmp_path / "runs" / "flowers" / "model")
    [(status, page)] = asked(tmp_path / "runs", "/")
    assert status == 200
    assert address(page)


def test_a_run_is_shown_on_the_page_of_the_report(folder):
    [(_, index)] = asked(folder, "/")
    (status, page), (_, state), (_, compared) = asked(
        folder, address(index), f"/state?page={address(index)[1:]}", re.search(r'"(/dataset/\w+)"', index)[1]
    )
    assert status == 200
    assert page.count('id="case-') == 30
    assert 'class="tiles-rows"' in page
    assert "<script>alert" not in page
    assert f'"state":"{json.loads(state)["state"]}"' in page
    assert compared[: compared.index("</figure>")].count('class="plot-name"') == 2


def test_pictures_are_those_of_the_dataset_and_nothing_else(folder):
    [(_, index)] = asked(folder, "/")
    run = address(index)
    [(_, page)] = asked(folder, run)
    picture = json.loads(re.search(r'id="index">(.*?)</script>', page)[1])["addresses"][0]

    async def ask():
        async with TestClient(TestServer(application([folder]))) as client:
            good = await client.get(picture)
            others = [f"{run}/picture/..%2f..%2fruns%2fone%2frun.json", f"{run}/picture/none.png", "/run/0/picture/x"]
            return good.status, good.content_type, [(await client.get(other)).status for other in others]

    assert asyncio.run(ask()) == (200, "image/png", [404, 404, 404])


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda folder: (folder / "one/run.json").write_text('{"model": "torn'), "run.json"),
        (lambda folder: (folder / "one/run.json").write_text(""), "run.json"),
        (
            lambda folder: (folder / "one/run.json").write_text(
                (folder / "two/run.json").read_text().replace("../../flowers", "../../elsewhere")
            ),
            "is not at",
        ),
    ],
)
def test_a_damaged_run_is_listed_with_the_reason_while_the_others_work(folder, damage, reason):
    whole = (folder / "one/run.json").read_text()
    [(_, index)] = asked(folder, "/")
    one, two = address(index, 0), address(index, 1)
    found = asked(
        folder,
        one,
        lambda: damage(folder),
        "/",
        one,
        two,
        lambda: (folder / "one/run.json").write_text(whole),
        "/",
        one,
    )
    assert [status for status, _ in found] == [200] * 6
    _, listed, damaged, other, mended, again = (text for _, text in found)
    assert "cannot be shown" in listed
    assert reason in listed
    assert listed.count('href="/run/') == 1
    assert "cannot be shown" in damaged
    assert other.count('id="case-') == 30
    assert "cannot be shown" not in mended
    assert again.count('id="case-') == 30


def test_runs_and_datasets_may_come_go_and_move(folder):
    [(_, index)] = asked(folder, "/")
    one, two = address(index, 0), address(index, 1)
    found = asked(
        folder,
        *("/", lambda: shutil.rmtree(folder / "one"), "/", one, f"/state?page={one[1:]}", two),
        *(lambda: shutil.copytree(folder / "two", folder / "three"), "/"),
        *(lambda: (folder / "../flowers").rename(folder / "../moved"), "/", two),
        *(lambda: (folder / "../moved").rename(folder / "../flowers"), "/", two),
        *(lambda: [shutil.rmtree(folder / name) for name in ("two", "three")], "/", two),
    )
    assert [status for status, _ in found] == [200, 200, 404, *[200] * 8, 404]
    texts = [text for _, text in found]
    assert [text.count('href="/run/') for text in (texts[0], texts[1], texts[5], texts[6], texts[8])] == [2, 1, 2, 0, 2]
    assert "There is no such run here." in texts[2]
    assert json.loads(texts[3]) == {"state": "gone"}
    assert "is not at" in texts[6]
    assert "&lt;b&gt;odd&lt;/b&gt;" in texts[6]  # the model and the dataset are still named
    assert texts[6].count('<td data-label="dataset">flowers</td>') == 2
    assert texts[9].count('id="case-') == 30
    assert "There is no run here" in texts[10]


@pytest.mark.parametrize("error", [CountersightError("the dataset is not there"), IndexError("array index")])
def test_files_that_change_only_while_they_are_read_do_not_stay_unreadable(error):
    """A page of several runs said for good that the dataset was not there, although it had come back."""
    states = iter(["here", "away", "here", "here"])  # before and after the first reading, then before the second
    readings = iter([error, "the scores"])

    def read():
        found = next(readings)
        if isinstance(found, Exception):
            raise found
        return found

    cached = Cached(lambda: next(states), read)
    assert isinstance(cached.get()[0], Damaged)
    assert cached.get() == ("the scores", "here")


def test_a_folder_without_runs_is_an_error(tmp_path):
    (tmp_path / "runs").mkdir()
    with pytest.raises(CountersightError, match="there is no run in"):
        application([tmp_path])
    with pytest.raises(CountersightError, match=r"there is no folder .*/rusn; did you mean .*/runs\?"):
        application([tmp_path / "rusn"])


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
def test_requests_for_other_host_names_are_refused(run, host, status):
    async def ask():
        async with TestClient(TestServer(application([run.path]))) as client:
            return (await client.get("/state", headers={"Host": host})).status

    assert asyncio.run(ask()) == status


def test_many_cases_are_shown_in_blocks(run, monkeypatch):
    for module in ("serving", "watching"):
        monkeypatch.setattr(f"countersight.view.{module}.CASES_PER_PAGE", 20)
    [(_, index)] = asked(run.path, "/")
    first = address(index)
    sample, one, two = (text for _, text in asked(run.path, first, f"{first}?from=1", f"{first}?from=21"))
    assert [text.count('id="case-') for text in (sample, one, two)] == [20, 20, 10]
    assert 'href="?from=1#cases"' in sample
    assert 'href="?from=21#cases"' in one
    assert 'href="?from=1#cases"' in two


def test_what_is_slow_to_read_is_read_again_later_and_pages_then_reload(monkeypatch):
    """A page that shows an older state is told so as soon as the latest one would be shown, and never misses it."""
    clock, files = [0.0], ["old"]
    monkeypatch.setattr("countersight.view.watching.monotonic", lambda: clock[0])

    def read():
        clock[0] += 10
        return f"the {files[0]} scores"

    cached = Cached(lambda: files[0], read)
    assert cached.get() == ("the old scores", "old")
    files[0] = "new"
    assert (cached.get(), cached.state()) == (("the old scores", "old"), "old")
    clock[0] += 60
    assert cached.state() == "new"
    assert cached.get() == ("the new scores", "new")


def test_a_page_that_would_take_long_says_so_and_is_never_labelled_with_a_newer_state_than_it_shows():
    """The files change while they are read."""
    files, change = ["old"], threading.Event()

    def read():
        seen = files[0]
        assert change.wait(60)
        return seen

    cached = Cached(lambda: files[0], read)
    assert cached.get(patience=0.01) == (_BEING_READ, "is being read")
    assert cached.state() == "is being read"  # the state that the page shows, until the reading ends
    change.set()
    assert cached.get() == ("old", "old")
    change.clear()
    files[0] = "new"
    assert cached.state() == "new"  # the page reloads, and the reading begins
    assert cached.get(patience=0.01) == ("old", "old")
    assert cached.state() == "old"
    change.set()
    assert cached.get() == ("new", "new")


@pytest.mark.browser
def test_pages_stay_alive_in_a_browser_while_runs_come_change_break_and_go(folder, browser):
    journal = folder / "one/replies.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:10]))
    whole = (folder / "one/run.json").read_text()
    ready, over, port = threading.Event(), threading.Event(), []

    async def serve():
        runner = web.AppRunner(application([folder]))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port.append(runner.addresses[0][1])
        ready.set()
        await asyncio.to_thread(over.wait)
        await runner.cleanup()

    server = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    server.start()
    assert ready.wait(60)
    page, index = browser.new_page(), browser.new_page()
    complaints = []
    for each in (page, index):
        each.set_default_timeout(120_000)
        each.on("console", lambda message: complaints.append(message.text))
    try:
        index.goto(f"http://127.0.0.1:{port[0]}/")
        page.goto(f"http://127.0.0.1:{port[0]}{index.locator('tbody a').first.get_attribute('href')}")
        expect(page.locator(".tiles-run")).to_contain_text("10 of 60 questions scored")
        expect(page.locator(".card img").first).to_have_js_property("complete", True)
        journal.write_bytes(b"".join(lines))
        expect(page.locator(".tiles-run")).to_contain_text("60 of 60 questions scored")
        expect(index.locator("tbody")).not_to_contain_text("10 of 60")
        (folder / "one/run.json").write_text(whole[:40])
        expect(page.locator("body")).to_contain_text("cannot be shown")
        expect(index.locator("tbody")).to_contain_text("cannot be shown")
        (folder / "one/run.json").write_text(whole)
        expect(page.locator("#cards")).to_be_visible()
        (folder / "../flowers").rename(folder / "../moved")
        expect(index.locator("tbody")).to_contain_text("is not at")
        expect(page.locator("body")).to_contain_text("is not at")
        (folder / "../moved").rename(folder / "../flowers")
        expect(page.locator("#cards")).to_be_visible()
        shutil.copytree(folder / "two", folder / "three")
        expect(index.locator("tbody tr")).to_have_count(3)
        (folder / "three").rename(folder / "elsewhere")
        expect(index.locator("tbody")).to_contain_text("elsewhere")
        shutil.rmtree(folder / "one")
        expect(page.locator("body")).to_contain_text("There is no such run here")
        expect(index.locator("tbody tr")).to_have_count(2)
        shutil.copytree(folder / "two", folder / "one")
        expect(page.locator("#cards")).to_be_visible()
        for width in (1280, 390):
            index.set_viewport_size({"width": width, "height": 800})
            # The index may be reloading, which would end a single evaluation.
            index.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)
        assert [words for words in complaints if "404" not in words] == []
    finally:
        page.close()
        index.close()
        over.set()
    server.join(60)
