"""A kill loses nothing: each long verb is ended by SIGKILL in the middle of its work, and the same command goes on.

Servers hold back an answer until the kill has come, so that nobody gets further than planned, however slow the machine.
"""

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from campaigns import Annotator, Served, collect, new_campaign
from chat_server import ChatServer, completion, question_of
from inputs import NOUNS
from making import dataset
from models.provider_server import Providers
from waiting import wait_until

import countersight as cs
from countersight.cli import main


def kill(command: list[str], reached: Callable[[], object]) -> None:
    """Start a command, and end it with SIGKILL once it has come that far."""
    process = subprocess.Popen(
        [sys.executable, "-m", "countersight", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_until(reached, process)
    finally:
        process.kill()
        process.wait()


class Halting(ChatServer):
    """A server that answers so many requests at first, and all others after the kill."""

    def __init__(self, before: int, say: Callable[[dict], str]) -> None:
        self.killed = threading.Event()
        super().__init__(lambda _, number, body: "hang" if number >= before and not self.killed.is_set() else say(body))


def lines_of(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def kept_of(journal: Path) -> bytes:
    """The whole lines of a journal after a kill; one that the kill cut off is added, as happens with real disks."""
    whole = journal.read_bytes()
    whole = whole[: whole.rindex(b"\n") + 1]
    journal.write_bytes(whole + b'{"case":"case-9","row":9,"wor')
    return whole


def test_run(tmp_path: Path) -> None:
    folder, journal = dataset(tmp_path / "data", 8), tmp_path / "run/replies.jsonl"
    with Halting(6, lambda body: "answer") as server:
        command = ["run", str(folder), "--model", server.name, "--concurrency", "2", "-o", str(tmp_path / "run")]
        # Both requests under way hang in the server when the process is killed, so that neither arrives later.
        kill(command, lambda: lines_of(journal) >= 6 and len(server.requests) >= 8)
        kept = kept_of(journal)
        server.killed.set()
        del server.requests[:]
        assert main(command) == 0
        assert len(server.requests) == 16 - kept.count(b"\n")
        undisturbed = cs.run(folder, server.name, out=tmp_path / "undisturbed")
    assert journal.read_bytes().startswith(kept)
    said = [
        sorted((one.row, one.world, one.text) for one in run.replies())
        for run in (cs.Run(tmp_path / "run"), undisturbed)
    ]
    assert said[0] == said[1]
    assert len(said[0]) == 16


def test_audit(old: Path, tmp_path: Path) -> None:
    verdict = json.dumps({"pcs_reason": "so it is", "pcs": 1, "ncc_reason": "so it is", "ncc": 0})
    steps = tmp_path / "audit/steps.jsonl"
    with Halting(2, lambda body: f"say:{verdict}") as server:
        command = ["audit", str(old / "dataset"), "--model", "embedded", "--extractor", "rules", "--editor", "exact"]
        command += ["--judge", server.name, "--limit", "4", "--concurrency", "1", "-o", str(tmp_path / "audit")]
        kill(
            command,
            lambda: (
                steps.exists() and steps.read_bytes().count(b'"stage":"verdict"') >= 2 and len(server.requests) >= 3
            ),
        )
        kept = kept_of(steps)
        server.killed.set()
        del server.requests[:]
        assert main(command) == 0
        judged = kept.count(b'"stage":"verdict"')
        assert len(server.requests) == 4 - judged < 4
    assert steps.read_bytes().startswith(kept)
    done = Counter(json.loads(line)["inputs"] for line in steps.read_text().splitlines())
    assert set(done.values()) == {1}, "no step is done twice"
    audit = cs.Audit.open(tmp_path / "audit")
    assert (audit.scores().cases, audit.scores().failed) == (4, 0)
    assert cs.verify(audit).sound


def test_build_with_a_writer_model(tmp_path: Path) -> None:
    rows = "".join(f"{n}.png,How many {noun} are there?,{2 + n},,,direct\n" for n, noun in enumerate(NOUNS))
    (tmp_path / "questions.csv").write_text(f"img_path,query,answer,new query,new answer,type\n{rows}")
    answers = tmp_path / "pairs.building/answers.jsonl"

    def write(body: dict) -> str:
        """Three more of whatever is asked about last; what is only to be corrected stays as it is."""
        text = question_of(body)
        if text.startswith("Correct the grammar"):
            return "say:" + json.dumps({"question": text.rpartition("Question: ")[2]})
        if text.startswith("There is a photograph"):  # the blind check
            return "say:unknown"
        noun, count = text.rpartition("How many ")[2].split(" are there?\nAnswer: ")
        more = int(count.split()[0]) + 3
        question = f"How many {noun} would there be if 3 more {noun} were added?"
        return "say:" + json.dumps({"operation": "add", "new_answer": str(more), "question": question})

    with Halting(6, write) as server:
        command = ["build", "cvqa", "--questions", str(tmp_path / "questions.csv"), "--groups", "direct"]
        command += ["--writer", server.name, "--size", "12", "--concurrency", "2", "-o", str(tmp_path / "pairs")]
        kill(command, lambda: lines_of(answers) >= 3 and len(server.requests) >= 8)  # two hang: none arrives later
        paid = kept_of(answers)
        server.killed.set()
        del server.requests[:]
        assert main(command) == 0
    kept = (tmp_path / "pairs/answers.jsonl").read_bytes()
    assert kept.startswith(paid)
    cases = Counter(json.loads(line)["case"] for line in kept.splitlines())
    assert set(cases.values()) == {1}, "nothing is paid for twice"
    assert len(server.requests) == len(cases) - paid.count(b"\n")


def test_collect(tmp_path: Path) -> None:
    campaign = new_campaign(tmp_path / "campaign", dataset(tmp_path / "data", 4))
    link = collect("people", campaign, "--invite", "ann")
    with Served(campaign) as server:
        ann = Annotator(server.address).join(link)
        assert [ann.send(ann.take()) for _ in range(2)] == [1, 2]
        held = ann.take().partition("?")[0]
        server.kill()
    with Served(campaign) as server:
        assert Annotator(server.address).login("ann").send(held) == 3, "a task that was held is held after the kill"
    assert "3 done" in collect("status", campaign)


class BatchServer(Providers):
    """OpenAI's batch API. It takes a batch, and says so only once whoever sent it was killed."""

    def __init__(self) -> None:
        super().__init__()
        self.killed, self.done = threading.Event(), False
        self.file: list[dict] = []
        self.batches: list[tuple[str, list[dict]]] = []
        self.alone = 0

    def _usual(self, path: str, headers: dict, body: object) -> tuple[int, object]:
        if path.endswith("/content"):
            replies = [
                {"custom_id": one["custom_id"], "response": {"status_code": 200, "body": completion("B")}}
                for one in self.batches[0][1]
            ]
            return 200, "\n".join(map(json.dumps, replies)).encode()
        if path.endswith("/files"):
            content = body.split(b"\r\n\r\n")[2].rpartition(b"\r\n--")[0]
            self.file = [json.loads(line) for line in content.splitlines()]
            return 200, {"id": "file-1"}
        if path.endswith("/batches"):
            self.batches.append((body["metadata"]["label"], self.file))
            self.killed.wait()
            return 200, {"id": f"b{len(self.batches)}", "status": "validating"}
        if "/batches?" in path:
            listed = [{"id": f"b{n}", "metadata": {"label": label}} for n, (label, _) in enumerate(self.batches, 1)]
            return 200, {"data": listed, "has_more": False}
        if "/batches/" in path:
            return 200, {"status": "completed" if self.done else "in_progress", "output_file_id": "out-1"}
        self.alone += 1
        return 200, completion("B")


def test_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = dataset(tmp_path / "data", 4)
    command = ["run", str(folder), "--model", "openai:gpt-4o", "--batch", "-o", str(tmp_path / "run")]
    with BatchServer() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        kill(command, lambda: server.batches)
        server.killed.set()
        assert main(command) == 3, "the batch is out, and is found by its label"
        server.done = True
        assert main(command) == 0
    assert [len(requests) for _, requests in server.batches] == [8 - server.alone]
    assert sorted((one.row, one.world, one.text) for one in cs.Run(tmp_path / "run").replies()) == [
        (row, world, "B") for row in range(4) for world in ("counterfactual", "factual")
    ]
