"""Verbs as people call them: with nouns of their own, twice, interrupted, and with what does not fit."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from chat_server import ChatServer

import countersight as cs
from countersight.audits.records import Actor
from countersight.suites import suites


@pytest.fixture(scope="module")
def flowers(tmp_path_factory):
    return cs.make("cvqa-synthetic", tmp_path_factory.mktemp("verbs") / "flowers", size=6, seed=3)


def test_a_model_that_was_opened_once_is_asked_twice(flowers, tmp_path):
    with ChatServer() as server:
        model = cs.open_model(server.name)
        scores = [cs.run(flowers, model, out=tmp_path / str(time)).scores() for time in range(2)]
    assert [(found.overall.factual.n, found.overall.failed) for found in scores] == [(6, 0), (6, 0)]


def test_whoever_interrupts_a_notebook_stops_the_work():
    """Not in a loop of asyncio.run, which has Ctrl-C for itself: a notebook's is run until something is complete."""
    script = """
        import asyncio, os, signal
        from countersight.engine import blocking

        async def work():
            try:
                asyncio.get_running_loop().call_later(0.1, os.kill, os.getpid(), signal.SIGINT)
                await asyncio.sleep(60)
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
        [sys.executable, "-c", dedent(script)], capture_output=True, text=True, timeout=50, check=True
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
    edited = cs.audit(flowers, "embedded", editor=Raising(), judges=["exact"], out=tmp_path / "edited", **options)
    assert any("KeyError" in str(step.output) for step in edited.steps())
    assert cs.report(judged, out=tmp_path / "tables").html.is_file()


def test_what_does_not_fit_is_told_in_a_sentence(flowers, tmp_path):
    run = cs.run(flowers, "chance", out=tmp_path / "run")
    assert cs.score(run, dataset=str(flowers.path), gold=flowers).overall.factual.n == 6
    assert cs.leaderboard(run, datasets=[str(flowers.path)], out=tmp_path / "board").html.is_file()
    for wrong in (
        lambda: cs.run(flowers, "chance", out=tmp_path / "x", settings={}),
        lambda: cs.run(flowers, "chance", out=tmp_path / "x", retry={}),
        lambda: cs.report(run, out=tmp_path / "x", groups="groups.csv"),
        lambda: cs.make("own", tmp_path / "x", source="nowhere.csv"),
    ):
        with pytest.raises(cs.CountersightError):
            wrong()


def test_a_suite_that_cannot_be_imported_breaks_no_other(monkeypatch, tmp_path):
    packaged = tmp_path / "broken-1.dist-info"
    packaged.mkdir()
    Path(packaged, "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    Path(packaged, "entry_points.txt").write_text("[countersight.suites]\nlost = no_such_module:SUITE\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "cvqa-synthetic" in suites()
    with pytest.raises(cs.CountersightError, match="no_such_module"):
        cs.make("lost", tmp_path / "x")
