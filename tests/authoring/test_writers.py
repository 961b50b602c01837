"""Models as writers: drafts are checked, replies are stored, and every rejection has a reason."""

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from chat_server import ChatServer, question_of
from pairing import NOUNS, build, rejected, write_csv
from waiting import wait_until

from countersight.authoring import REJECTED, BuiltPairs, read_funnel
from countersight.dataset import Dataset
from countersight.errors import CountersightError

COUNTS = [(f"How many {noun} are there?", str(2 + place)) for place, noun in enumerate(NOUNS[:8])]
Said = Callable[[str, int], str]


def asked(body: dict) -> tuple[str, int]:
    """Return the noun and the count in a request for a draft."""
    found = re.findall(r"Question: How many (\w+) are there\?\nAnswer: (\d+)", question_of(body))
    return found[-1][0], int(found[-1][1])


def writing(said: Said, polished: str | None = None) -> Callable[[ChatServer, int, dict], str]:
    """Return a server with scripted drafts and, if given, one scripted correction."""

    def behave(server: ChatServer, number: int, body: dict) -> str:
        text = question_of(body)
        if text.startswith("Correct the grammar"):
            question = text.rpartition("Question: ")[2]
            return "say:" + json.dumps({"question": polished or question})
        return "say:7" if "unknown" in text else "say:" + said(*asked(body))

    return behave


def good(noun: str, count: int) -> str:
    question = f"How many {noun} would there be if 3 more {noun} were added?"
    return json.dumps({"operation": "add", "new_answer": str(count + 3), "question": question})


def build_pairs(
    folder: Path, server: ChatServer, rows: list[tuple[str, str]] = COUNTS, **options: object
) -> BuiltPairs:
    source = write_csv(folder / "questions.csv", rows)
    given = {"writer": server.name, "size": len(rows), "groups": ("direct",), "blind": "none"}
    return build(source, folder / "pairs", **given | options)


def reasons(folder: Path) -> Counter[str]:
    return Counter(each["reason"] for each in rejected(folder / "pairs"))


def test_good_drafts_become_pairs_and_their_cost_is_recorded(tmp_path: Path) -> None:
    with ChatServer(writing(good)) as server:
        built = build_pairs(tmp_path, server)
    assert built.cases == 5  # of one operation there are never more
    funnel = read_funnel(tmp_path / "pairs")
    assert funnel is not None
    assert funnel.cost > 0
    assert (tmp_path / "pairs/answers.jsonl").exists()
    assert not (tmp_path / "pairs.building").exists()
    assert reasons(tmp_path) == {"the quota for the operation add has been reached": 3}


def test_every_request_begins_with_the_same_examples(tmp_path: Path) -> None:
    with ChatServer(writing(good)) as server:
        build_pairs(tmp_path, server)
    told = [question_of(body) for body in server.requests if "You change questions" in question_of(body)]
    before = {text.partition("Now this one.")[0] for text in told}
    assert len(told) == len(COUNTS)
    assert len(before) == 1  # a server that keeps what it has read reads it once
    assert before.pop().count("Question: ") == 20
    assert '"new_answer"' in told[0]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (lambda noun, count: "How many would there be?", "a reply that is not valid JSON"),
        (lambda noun, count: '{"question": ', "a reply that is not valid JSON"),
        (lambda noun, count: "I'm sorry, I cannot help with that.", "a reply that is not valid JSON"),
        (lambda noun, count: '{"new_answer": "5", "question": "I cannot write that."}', "not a question"),
        (lambda noun, count: good(noun, count + 1), "arithmetic disagrees"),
        (lambda noun, count: good(noun, count).replace("3 more", "some more"), "nothing checks its arithmetic"),
        (lambda noun, count: good("ghosts", count), "it asks about something else"),
        (lambda noun, count: good(noun, count).replace("?", "? Really?"), "not a question"),
        (
            lambda noun, count: json.dumps(
                {"operation": "add", "new_answer": "5", "question": f"Wie viele {noun} waren da, wenn drei kamen?"}
            ),
            "not a question",
        ),
        (
            lambda noun, count: json.dumps(
                {"operation": "remove", "new_answer": "0", "question": f"How many {noun} would there be if all left?"}
            ),
            "the text alone gives the answer",
        ),
        (
            lambda noun, count: json.dumps(
                {
                    "operation": "remove",
                    "new_answer": str(count - 1),
                    "question": f"How many {noun} would there be if one of the {noun} was killed?",
                }
            ),
            "sensitive",
        ),
        (lambda noun, count: good(noun, count).replace(str(count + 3), "plenty"), "a reply without an answer"),
    ],
)
def test_bad_drafts_are_counted_by_reason_and_stored(tmp_path: Path, said: Said, reason: str) -> None:
    def mixed(noun: str, count: int) -> str:
        return good(noun, count) if noun == NOUNS[0] else said(noun, count)

    with ChatServer(writing(mixed)) as server:
        assert build_pairs(tmp_path, server).cases == 1
    assert reasons(tmp_path) == {reason: len(COUNTS) - 1}


def test_failed_requests_are_counted_as_a_reason(tmp_path: Path) -> None:
    def behave(server: ChatServer, number: int, body: dict) -> str:
        noun = asked(body)[0] if "You change questions" in question_of(body) else ""
        return "status:400" if noun in NOUNS[:2] else writing(good)(server, number, body)

    with ChatServer(behave) as server:
        assert build_pairs(tmp_path, server).cases == 5
    assert reasons(tmp_path)["the model did not answer"] == 2


def test_a_correction_that_changes_the_meaning_is_ignored(tmp_path: Path) -> None:
    rows = [("How many dogs are there?", "4")]
    better = "How many dogs would there be if three more dogs were added?"
    for name, polished in (("a", better), ("b", "How many dogs would there be if four more dogs were added?")):
        (tmp_path / name).mkdir()
        with ChatServer(writing(good, polished)) as server:
            build_pairs(tmp_path / name, server, rows)
    texts = [next(iter(Dataset.open(tmp_path / name / "pairs").cases()))[1] for name in "ab"]
    assert texts[0].counterfactual and texts[0].counterfactual.text == better  # noqa: PT018
    assert texts[0].provenance["unpolished"].startswith("How many dogs would there be if 3")  # type: ignore[union-attr]
    assert texts[1].counterfactual and "3 more" in texts[1].counterfactual.text  # noqa: PT018


def test_a_build_without_any_answer_leaves_no_files(tmp_path: Path) -> None:
    with pytest.raises(CountersightError, match="no pair could be built"):
        build(write_csv(tmp_path / "q.csv", [("How many?", "3")]), tmp_path / "pairs")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["q.csv"]


MANY = [(f"How many {noun} are there?", "4") for noun in NOUNS] * 2


@pytest.mark.parametrize(
    "said", ["I'm sorry, I cannot help with that.", '{"question": "Wie viele?", "new_answer": "3"}']
)
def test_a_writer_without_any_pair_is_stopped_and_not_paid_twice(tmp_path: Path, said: str) -> None:
    with ChatServer(writing(lambda noun, count: said)) as server:
        for _ in range(2):
            stopped = r"the last 40 direct drafts gave no pair.*\$0\.\d+.*pairs\.building"
            with pytest.raises(CountersightError, match=stopped) as stop:
                build_pairs(tmp_path, server, MANY, size=5)
            assert len(server.requests) == 40
    kept = tmp_path / "pairs.building"
    assert len((kept / REJECTED).read_text().splitlines()) == 40
    funnel = read_funnel(kept)
    assert funnel is not None
    assert funnel.spent in str(stop.value)


def one_habit(noun: str, count: int) -> str:
    """Return a draft that doubles the count, always in the same wording."""
    question = f"How many {noun} would there be if the number of {noun} doubled?"
    return json.dumps({"operation": "double", "new_answer": str(2 * count), "question": question})


def test_a_wording_that_predicts_its_answer_is_rejected(tmp_path: Path) -> None:
    rows = [(f"How many {noun} are there?", "2") for noun in NOUNS[:8]]
    with ChatServer(writing(one_habit)) as server:
        assert build_pairs(tmp_path, server, rows, size=20).cases == 2
    assert reasons(tmp_path) == {"the quota of this wording with that answer is reached": 6}


def test_a_writer_that_repeats_itself_is_stopped(tmp_path: Path) -> None:
    rows = [(f"How many {noun} are there?", str(count)) for count in range(2, 14) for noun in NOUNS]
    with ChatServer(writing(one_habit)) as server:
        built = build_pairs(tmp_path, server, rows, size=20)
        written = sum("You change questions" in question_of(body) for body in server.requests)
    assert built.cases == 6  # of one operation there are never more
    assert written < 150 < len(rows)
    assert re.search("the last [0-9]+ direct drafts gave no pair", built.stopped)
    assert "the quota for the operation double" in built.stopped
    assert dict(built.funnel.steps[2].reasons) == {"the writer was stopped": len(rows) - written}


@pytest.mark.slow
def test_a_kill_loses_no_paid_answer(tmp_path: Path) -> None:
    rows = [(f"How many {noun} are there?", str(2 + place)) for place, noun in enumerate(NOUNS[:12])]
    source = write_csv(tmp_path / "questions.csv", rows)
    command = [sys.executable, "-m", "countersight", "build", "cvqa", "--questions", str(source), "--groups", "direct"]
    written = writing(good)

    def halting(server: ChatServer, number: int, body: dict) -> str:
        """Nobody gets further than half of it before the kill."""
        if number == 6:
            server.released.clear()
        return written(server, number, body)

    with ChatServer(halting) as server:
        command += ["--writer", server.name, "--size", "12", "--concurrency", "2", "-o", str(tmp_path / "pairs")]
        process = subprocess.Popen(command, env=os.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        kept_so_far = tmp_path / "pairs.building/answers.jsonl"
        wait_until(lambda: kept_so_far.exists() and kept_so_far.stat().st_size, process)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        server.behaviour = written
        server.released.set()
        kept = kept_so_far.read_bytes().count(b"\n")
        assert 0 < kept < 12
        paid = [json.loads(line)["case"] for line in kept_so_far.read_text().splitlines()]
        del server.requests[:]
        assert subprocess.run(command, env=os.environ, capture_output=True, check=False).returncode == 0
        answers = (tmp_path / "pairs/answers.jsonl").read_text().splitlines()
    assert len(server.requests) == len(answers) - kept
    assert len({json.loads(line)["case"] for line in answers}) == len(answers)
    assert set(paid) <= {json.loads(line)["case"] for line in answers}


@pytest.mark.parametrize("signals", [1, 2])
def test_ctrl_c_waits_for_requests_in_flight_and_a_second_one_abandons_them(tmp_path: Path, signals: int) -> None:
    rows = [(f"How many {noun} are there?", str(2 + place)) for place, noun in enumerate(NOUNS[:12])]
    source = write_csv(tmp_path / "questions.csv", rows)
    command = [sys.executable, "-m", "countersight", "build", "cvqa", "--questions", str(source), "--groups", "direct"]
    with ChatServer(writing(good)) as server:
        server.released.clear()
        command += ["--writer", server.name, "--size", "12", "--concurrency", "4", "-o", str(tmp_path / "pairs")]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        wait_until(lambda: server.under_way == 4, process)
        process.send_signal(signal.SIGINT)
        assert "waiting for requests in progress" in process.stderr.readline()
        if signals == 1:
            server.released.set()
        else:
            process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
        assert (process.returncode, len(server.requests)) == (130, 4), errors
        assert "Traceback" not in errors
        server.released.set()
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0
        distinct = {json.dumps(body, sort_keys=True) for body in server.requests}
    assert len(server.requests) - len(distinct) == (0 if signals == 1 else 4)
