"""`countersight view`: live, page by page, and harmless whatever stands in a run."""

import asyncio

import pytest
from aiohttp.test_utils import TestClient, TestServer

import countersight as cs
from countersight.errors import CountersightError
from countersight.view import application


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
    assert b"<script>" not in first[2]
    assert b"default-src &#x27;none&#x27;" in first[2] or b"default-src 'none'" in first[2]


def test_pictures_are_those_of_the_dataset_and_nothing_else(run):
    answers = pages(
        run.path, "/run/0/picture/0/image", "/run/0/picture/99/image", "/run/0/picture/..%2f..%2f/image", "/run/7"
    )
    assert answers[0][1]["Content-Type"] == "image/png"
    assert answers[0][2][:4] == b"\x89PNG"
    assert [status for status, *_ in answers[1:]] == [404, 404, 404]


def test_what_has_come_since_is_shown(run, tmp_path):
    import shutil

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


def test_a_folder_without_runs_is_a_sentence(tmp_path):
    with pytest.raises(CountersightError, match="neither a run nor an audit"):
        application([tmp_path])
