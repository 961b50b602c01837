"""The order of a run, runs that stop because no reply is readable, and cut replies that are requested again."""

import json
import os
import re
import subprocess
import sys

import pytest
from chat_server import ChatServer
from making import dataset
from running import QUICK, answers, ask, replies, run_command

from countersight.case import Case, Question
from countersight.cli import main
from countersight.dataset import Dataset, DatasetWriter
from countersight.engine import PROMPTS, QuestionPlan, RunFolder, RunOptions, Tally
from countersight.errors import RunError
from countersight.models import ModelSettings, open_model
from countersight.scoring import score_run


def test_cases_are_asked_in_a_random_order_that_is_the_same_for_every_run(tmp_path):
    folder = dataset(tmp_path / "d", 60)
    for name in ("a", "b"):
        ask(folder, tmp_path / name, "chance")
    first, second = ([reply.row for reply in replies(tmp_path / name) if reply.world == "factual"] for name in "ab")
    assert sorted(first) == list(range(60))
    assert first == second != sorted(first)
    groups = [row % 2 for row in first[:20]]
    assert 4 < sum(groups) < 16  # both groups of the dataset are among the first


def test_shuffling_keeps_all_cases_and_reports_bad_rows(tmp_path):
    folder = dataset(tmp_path / "d", 30)
    lines = (folder / "metadata.jsonl").read_text(encoding="utf-8").splitlines()
    lines[7] = "no row at all"
    lines.insert(12, "")
    (folder / "metadata.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    opened, bad = Dataset.open(folder), []
    assert sorted(opened.shuffled(bad.append), key=lambda each: each[0]) == list(opened.cases())
    assert [row.line for row in bad] == [8]


def test_the_number_of_questions_is_known_before_the_first_is_asked(tmp_path):
    folder = dataset(tmp_path / "d", 30)
    rows = [json.loads(line) for line in (folder / "metadata.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows[:20]:  # two of three cases ask of the picture as it is only
        row.pop("counterfactual_question")
    (folder / "metadata.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    ask(folder, tmp_path / "r", "chance")
    (tmp_path / "r" / "replies.jsonl").write_bytes(b"")
    tally = Tally()
    run, model = RunFolder.open(tmp_path / "r"), open_model("chance", ModelSettings())
    asks = QuestionPlan(run, Dataset.open(folder), tally, RunOptions(PROMPTS["0-shot"]), model)
    next(asks.chains())
    assert tally.total == 40


def test_a_run_of_a_newer_format_is_refused_with_its_version(tmp_path):
    ask(dataset(tmp_path / "d", 2), tmp_path / "r", "chance")
    file = tmp_path / "r" / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"format": 2, "countersight": "9.0"}))
    with pytest.raises(RunError, match=r"written by a newer version \(9.0\)"):
        RunFolder.open(tmp_path / "r")


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ("say:", "20 empty; increase `max_tokens`"),
        ("say:I see a picture.", "20 unread (the last: 'I see a picture.'); read the replies"),
    ],
)
def test_a_run_stops_with_advice_if_no_first_reply_is_readable(tmp_path, says, words):
    folder = dataset(tmp_path / "d", 40)
    with ChatServer(says) as server, pytest.raises(RunError) as stopped:
        ask(folder, tmp_path / "r", server.name)
    assert str(stopped.value).startswith("none of the first 20 replies has a readable answer: ")
    assert words in str(stopped.value)
    assert len(replies(tmp_path / "r")) < 40  # those under way are kept


def test_one_readable_first_reply_is_enough_and_a_second_call_continues(tmp_path):
    folder = dataset(tmp_path / "d", 30)
    with ChatServer(lambda server, n, body: "answer" if n == 5 else "say:hm") as server:
        assert ask(folder, tmp_path / "one", server.name).answered == 60
        server.behaviour = "say:hm"
        with pytest.raises(RunError):
            ask(folder, tmp_path / "none", server.name)
        ask(folder, tmp_path / "none", server.name)
        assert ask(dataset(tmp_path / "small", 10), tmp_path / "all", server.name).answered == 20  # nothing is left
    assert len(answers(tmp_path / "none")) == 60


def completion(text, finish):
    return {"choices": [{"message": {"content": text}, "finish_reason": finish}], "usage": {}}


def test_again_cut_repeats_only_cut_replies_with_a_larger_limit(tmp_path, monkeypatch):
    folder = dataset(tmp_path / "d", 8)
    monkeypatch.setattr("chat_server.completion", lambda text: completion("Let me look at the", "length"))
    with ChatServer(lambda server, n, body: "answer" if n % 4 == 0 else "say:B") as server:
        monkeypatch.setattr(
            "chat_server.completion",
            lambda text: completion("Let me look at the", "length") if text != "B" else completion("B", "stop"),
        )
        first = ask(folder, tmp_path / "r", server.name, max_tokens=8)
        before = score_run(tmp_path / "r").overall
        assert first.cut_or_empty["cut"] == before.cut > 0
        assert f"{before.cut} answers cut: repeat them with `again`=cut and a larger `max_tokens`" in first.summary()
        monkeypatch.setattr("chat_server.completion", lambda text: completion("B", "stop"))
        asked = len(server.requests)
        done = run_command(folder, tmp_path / "r", server.name, "--again", "cut", "--max-tokens", "64")
        assert done.returncode == 0, done.stderr
        assert len(server.requests) - asked == before.cut
        assert {request["max_tokens"] for request in server.requests[asked:]} == {64}
    after = score_run(tmp_path / "r").overall
    assert (after.cut, after.scored) == (0, 16)
    [again] = RunFolder.open(tmp_path / "r").manifest.again
    assert (again.what, again.max_tokens) == ("cut", 64)


def test_again_needs_a_run_with_the_same_options(tmp_path):
    folder = dataset(tmp_path / "d", 4)
    assert "contains no answers yet" in run_command(folder, tmp_path / "r", "chance", "--again", "cut").stderr
    ask(folder, tmp_path / "r", "chance", retry=QUICK)
    other = run_command(folder, tmp_path / "r", "chance", "--again", "cut", "--prompt", "cot")
    assert "a different prompt" in other.stderr


@pytest.mark.slow
def test_a_terminal_without_dashes_causes_no_traceback(tmp_path):
    folder = dataset(tmp_path / "d", 4)
    ask(folder, tmp_path / "r", "chance")
    for encoding in ("ascii", "latin-1"):
        done = subprocess.run(
            [sys.executable, "-m", "countersight", "report", tmp_path / "r", "-o", tmp_path / f"out-{encoding}"],
            capture_output=True,
            env=os.environ | {"PYTHONIOENCODING": encoding},
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr
        assert re.search(rb"[ |(][-?]\d+\.\d", done.stdout), "a minus that is lost changes a figure"


def test_a_run_without_questions_says_why(tmp_path, capsys):
    with DatasetWriter(tmp_path / "d", name="d", description="", license="", provenance={}) as writer:
        writer.add(Case(id="c", group="AR", factual=Question("Does it stay?", "yes", "boolean")))
    assert main(["run", str(tmp_path / "d"), "--model", "embedded", "-o", str(tmp_path / "r")]) == 1
    assert "No question was asked" in capsys.readouterr().err
