"""The public functions: repeated calls, interruptions, faulty plug-ins and full disks."""

import errno
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from chat_server import ChatServer

import countersight as cs
from countersight.audits.manifest import Actor
from countersight.suites import suites


@pytest.fixture(scope="module")
def flowers(tmp_path_factory):
    return cs.make("cvqa-synthetic", tmp_path_factory.mktemp("verbs") / "flowers", size=6, seed=3)


def test_an_opened_model_can_be_used_twice(flowers, tmp_path):
    with ChatServer() as server:
        model = cs.open_model(server.name)
        scores = [cs.run(flowers, model, out=tmp_path / str(time)).scores() for time in range(2)]
    assert [(found.overall.factual.n, found.overall.failed) for found in scores] == [(6, 0), (6, 0)]


def test_interrupting_a_notebook_stops_the_work():
    """Not in a loop of asyncio.run, which has Ctrl-C for itself: a notebook's is run until something is complete."""
    script = """
        import asyncio, os, signal
        from countersight.engine import blocking

        async def work():
            try:
                asyncio.get_running_loop().call_later(0.1, os.kill, os.getpid(), signal.SIGINT)
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                print("told to stop")
                raise

        async def cell():
            try:
                blocking(work)
            except KeyboardInterrupt:
                print("stopped")

        asyncio.new_event_loop().run_until_complete(cell())
    """
    done = subprocess.run(
        [sys.executable, "-c", dedent(script)], capture_output=True, text=True, timeout=280, check=True
    )
    assert done.stdout.split("\n")[:2] == ["told to stop", "stopped"]


class Raising:
    """An editor and a judge of somebody else's, with a fault in it."""

    name, settings, several, party = "theirs", {}, False, Actor("theirs")

    async def edit(self, request):
        raise KeyError("nobody thought of that")

    async def judge(self, evidence, vote, key):
        raise ValueError("nor of that")

    async def close(self):
        pass


def test_an_editor_or_a_judge_that_raises_fails_its_own_step(flowers, tmp_path):
    options = {"extractor": "rules", "cases": 2}
    judged = cs.audit(
        flowers, "embedded", editor="exact", judges=["exact", Raising()], out=tmp_path / "judged", **options
    )
    assert judged.scores().kept.ccs.concepts == 2
    assert judged.scores().failed == 2
    with pytest.raises(cs.AuditError, match=r"every edit by theirs failed .*KeyError"):
        cs.audit(flowers, "embedded", editor=Raising(), judges=["exact"], out=tmp_path / "edited", **options)
    assert cs.report(judged, out=tmp_path / "tables").html.is_file()


def test_judges_that_vote_more_than_once_have_a_temperature(flowers, tmp_path):
    with ChatServer("say:{}") as server:
        options = {"extractor": "rules", "editor": "exact", "cases": 1, "settings": cs.ModelSettings(seed=5)}
        cs.audit(flowers, "embedded", judges=[server.name], votes=2, out=tmp_path / "audit", **options)
    assert {(request["temperature"], request["seed"]) for request in server.requests} == {(0.7, 5), (0.7, 6)}


def test_datasets_are_named_by_objects_and_paths(flowers, tmp_path):
    run = cs.run(flowers, "chance", out=tmp_path / "run")
    assert cs.score(run, dataset=str(flowers.path), gold=flowers).overall.factual.n == 6
    assert cs.leaderboard(run, datasets=[str(flowers.path)], out=tmp_path / "board").html.is_file()


def test_a_suite_that_cannot_be_imported_breaks_no_other(monkeypatch, tmp_path):
    packaged = tmp_path / "broken-1.dist-info"
    packaged.mkdir()
    Path(packaged, "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    Path(packaged, "entry_points.txt").write_text("[countersight.suites]\nlost = no_such_module:SUITE\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "cvqa-synthetic" in suites()
    with pytest.raises(cs.CountersightError, match="no_such_module"):
        cs.make("lost", tmp_path / "x")


def test_a_dataset_is_a_sequence_of_cases_and_is_made_once(flowers, tmp_path):
    opened = cs.open_dataset(flowers.path)
    assert len(opened) == 6
    assert [case.id for case in opened] == [opened[place].id for place in range(6)]
    again = cs.make("cvqa-synthetic", flowers.path, size=6, seed=3, exist_ok=True)
    assert again.fingerprint == flowers.fingerprint
    for words, other in (
        ("seed: 3, not 4", {"seed": 4}),
        ("size: 6, not 60", {"size": 60}),
        ("suite: cvqa-synthetic, not discs", {"suite": "discs"}),
        ("controls: none, not True", {"controls": True}),
        ("wording: none, not one", {"wording": "one"}),
        ("answers: none, not hidden", {"hidden": tmp_path / "key"}),
    ):
        with pytest.raises(cs.CountersightError, match=rf"different settings \({words}\); choose a different folder"):
            cs.make(**{"suite": "cvqa-synthetic", "size": 6, "seed": 3} | other, out=flowers.path, exist_ok=True)
    run = cs.run(flowers, "chance", out=tmp_path / "run")
    assert len(run.to_pandas()) == 12


def test_a_changed_table_is_not_taken_for_its_dataset(tmp_path):
    table, text = (
        tmp_path / "own.csv",
        "image,counterfactual_question,counterfactual_answer\nnone,How many if one left?,2\n",
    )
    table.write_text(text)
    for _ in range(2):
        assert cs.make("own", tmp_path / "d", source=table, exist_ok=True)[0].counterfactual.answer == "2"
    table.write_text(text.replace("2", "3"))
    with pytest.raises(
        cs.CountersightError,
        match=r"own\.csv, or the second file that it was imported with, has changed since; choose a different",
    ):
        cs.make("own", tmp_path / "d", source=table, exist_ok=True)
    card = tmp_path / "d/README.md"  # a folder of an earlier version does not record the content
    card.write_text(re.sub("- sha256: .*\n", "", card.read_text()))
    assert len(cs.make("own", tmp_path / "d", source=table, exist_ok=True)) == 1


def test_a_full_disk_is_named_and_leaves_no_folder(tmp_path):
    with (
        pytest.raises(OSError, match="No space left") as full,
        cs.DatasetWriter(tmp_path / "d", name="d", description="", license="", provenance={}),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert full.value.filename == str(tmp_path.resolve())
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_when_a_report_is_written_is_named(flowers, tmp_path, monkeypatch):
    run = cs.run(flowers, "chance", out=tmp_path / "run")

    def full(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as failed:
        cs.report([run], out=tmp_path / "report")
    assert failed.value.filename == str((tmp_path / "report").resolve())
    assert list((tmp_path / "report").iterdir()) == []
