"""A model whose reply could not be read is asked to state only its final answer: `--again unread`."""

import json
import shlex

import pytest
from chat_server import ChatServer, question_of
from making import case, dataset
from msgspec.structs import replace
from running import Ranking, ask, replies, run_command, start_command
from waiting import wait_until

import countersight as cs
from countersight.case import Question
from countersight.cli import main
from countersight.engine import RunFolder
from countersight.models import Answer
from countersight.reports import write_report
from countersight.scoring import score_run

RAMBLES = "There is a lot to see in this picture, and much could be said about all of it."
ASKED = "State only your final answer"


def rambling(server, number, body):
    """What a model says that rambles in four of five replies, and answers when it is told to."""
    return "say:B" if ASKED in question_of(body) or number % 5 == 0 else f"say:{RAMBLES}"


def restated(output):
    return [reply for reply in replies(output) if reply.restates]


def test_a_server_that_rambles_first_leaves_nothing_unread(tmp_path):
    folder, run = dataset(tmp_path / "d", 60), tmp_path / "r"
    with ChatServer(rambling) as server:
        ask(folder, run, server.name)
        before = score_run(run).overall
        assert before.unread > 80
        done = run_command(folder, run, server.name, "--again", "unread")
        assert f"{before.unread} answers restated, 0 of them still unread" in done.stderr
        after = score_run(run).overall
        assert (after.unread, after.restated, after.scored) == (0, before.unread, 120)
        turns = [request["messages"] for request in server.requests if ASKED in question_of(request)]
        assert {tuple(turn["role"] for turn in each) for each in turns} == {("user", "assistant", "user")}
        assert {each[1]["content"] for each in turns} == {RAMBLES}
        assert any("image_url" in json.dumps(each[0]) for each in turns)
        asked = len(server.requests)
        assert run_command(folder, run, server.name, "--again", "unread").returncode == 0
        assert len(server.requests) == asked  # nothing costs twice
    assert len(replies(run)) == 120 + before.unread  # both are kept
    assert {reply.restates for reply in restated(run)} == {RAMBLES}
    assert f"({before.unread} restated)" in str(score_run(run))


def test_the_report_offers_the_exact_command_and_it_works_for_a_run_asked_in_another_way(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder, run = dataset(tmp_path / "d", 12), tmp_path / "a run"
    with ChatServer(rambling) as server:
        how = ("--prompt", "cot", "--seed", "7", "--temperature", "0.5", "--max-tokens", "300", "--limit", "10")
        assert run_command(folder, run, server.name, *how).returncode == 0
        assert score_run(run).overall.unread > 5
        [told] = write_report([run], tmp_path / "report").data.runs[0].advice
        program, *words = shlex.split(told.partition("final answer: ")[2])
        assert program == "countersight"
        asked = len(server.requests)
        assert main(words) == 0
        sent = server.requests[asked:]
        assert {(one["seed"], one["temperature"], one["max_tokens"]) for one in sent} == {(7, 0.5, 300)}
        assert all(ASKED in question_of(one) for one in sent)  # and no case beyond the sample
    assert score_run(run).overall.unread == 0
    assert write_report([run], tmp_path / "report").data.runs[0].advice == ()


def test_a_reply_is_restated_once_and_remaining_unread_replies_are_reported(tmp_path):
    folder, run = dataset(tmp_path / "d", 30), tmp_path / "r"
    with ChatServer(lambda server, n, body: "say:A" if n == 3 else f"say:{RAMBLES}") as server:
        ask(folder, run, server.name)
        assert b"restates" not in (run / "replies.jsonl").read_bytes()  # the lines are those of earlier versions
        assert ask(folder, run, server.name).before == len(server.requests) == 60  # a plain call does not restate
        for _ in range(2):
            ask(folder, run, server.name, again="unread")
        assert len(server.requests) == 60 + 59
    overall = score_run(run).overall
    assert (overall.unread, overall.restated) == (59, 59)
    [advice] = write_report([run], tmp_path / "report").data.runs[0].advice
    assert "although the model was asked to restate its answers" in advice


def test_a_failed_restatement_is_no_failed_question_and_is_asked_for_again_and_kills_lose_nothing(tmp_path):
    folder, run = dataset(tmp_path / "d", 40), tmp_path / "r"
    with ChatServer(rambling) as server:
        ask(folder, run, server.name)
        unread = score_run(run).overall.unread
        server.behaviour = lambda server, n, body: "status:400" if n % 3 == 0 else rambling(server, n, body)
        done = run_command(folder, run, server.name, "--again", "unread")
        assert done.returncode == 1
        failed = [reply for reply in restated(run) if reply.state == "failed"]
        assert failed
        overall = score_run(run).overall
        assert overall.unread == len(failed)  # the first replies still count
        lines = done.stderr.splitlines()
        assert any(line.startswith("80 of 80 questions answered, 0 failed") for line in lines)
        assert f"{overall.restated} answers restated, 0 of them still unread" in lines
        assert f"{overall.unread} answers not restated, because the request failed" in lines
        server.behaviour, server.latency = rambling, 0.2
        process = start_command(folder, run, server.name, "--again", "unread", "--concurrency", "1")
        wait_until(lambda: len(restated(run)) >= unread + 2, process)
        process.kill()
        process.communicate()
        server.latency = 0.0
        with open(run / "replies.jsonl", "ab") as file:
            file.write(b'{"case":"case-9","row":9,"wor')
        assert run_command(folder, run, server.name, "--again", "unread").returncode == 0
    said = [(reply.row, reply.world) for reply in restated(run) if reply.state == "answered"]
    assert len(said) == len(set(said)) == unread
    assert score_run(run).overall.unread == 0


def test_an_answer_that_can_be_read_after_all_counts_before_its_restatement(tmp_path):
    """Both replies are in the journal: a better extractor may read the first, and then nothing was restated."""
    folder, run = dataset(tmp_path / "d", 4), tmp_path / "r"
    ask(folder, run, "always-first")
    with RunFolder.open(run).writing() as journal:
        for reply in replies(run):
            journal.append(replace(reply, text="B", restates=reply.text))
    assert score_run(run).overall.restated == 0
    assert set(cs.Run.open(run).frame()["answer"].to_pylist()) == {"A"}


@pytest.mark.parametrize("prompt", ["swapped", "given-fact", "compose", "1-shot", "cot"])
def test_restating_works_with_other_prompts(tmp_path, prompt):
    folder, run = dataset(tmp_path / "d", 12), tmp_path / "r"
    with ChatServer(rambling) as server:
        ask(folder, run, server.name, prompt=prompt)
        before = score_run(run).overall
        assert before.unread
        asked = len(server.requests)
        ask(folder, run, server.name, prompt=prompt, again="unread")
        assert all(ASKED in question_of(one) for one in server.requests[asked:])
        after = score_run(run).overall
        # In several orders, the same letter is another option each time: a tie is no answer.
        assert after.unread == 0 or prompt == "swapped"
        asked = len(server.requests)
        ask(folder, run, server.name, prompt=prompt, again="unread")
        assert len(server.requests) == asked


def test_a_function_receives_its_own_reply(tmp_path):
    folder, run = dataset(tmp_path / "d", 10), tmp_path / "r"
    heard = []

    def says(picture, question):
        if ASKED not in question:
            return RAMBLES if "if" in question else "B"
        heard.append(question)
        return "C"

    cs.run(folder, says, out=run)
    assert score_run(run).overall.unread == 10
    found = cs.run(folder, says, out=run, again="unread").scores().overall
    assert (found.unread, found.restated) == (0, 10)
    assert all(RAMBLES in each and "How many dots" in each for each in heard)


def test_a_ranking_model_ranks_the_options_after_its_own_reply(tmp_path):
    yes = Question("Are there dots?", "no", "boolean")
    folder = dataset(tmp_path / "d", [replace(case(number), factual=yes) for number in range(6)])
    model = Ranking(lambda request: Answer(RAMBLES), lambda option: 0.5 if option.text in ("no", "B") else 2.0)
    run = tmp_path / "r"
    ask(folder, run, model)
    model.requests.clear()
    ask(folder, run, model, again="unread")
    assert {(reply.world, reply.text) for reply in restated(run)} == {("factual", "no"), ("counterfactual", "B")}
    assert {request.turns[-2].text for request in model.requests} == {RAMBLES}
    assert {tuple(option.text for option in request.options) for request in model.requests} == {
        ("yes", "no"),
        tuple("ABCD"),
    }
    assert score_run(run).overall.restated == 12
