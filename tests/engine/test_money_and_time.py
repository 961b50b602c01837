"""Cost and waiting: samples, budgets, estimates, several endpoints, and servers that come back."""

import asyncio
import json
import re
from collections import Counter

import pytest
from chat_server import ChatServer
from making import case, dataset
from running import Scripted, ask, replies, run_command

from countersight.cli import main
from countersight.dataset import Dataset
from countersight.engine import RetryPolicy, Sample, Tally
from countersight.engine.retry import Client
from countersight.errors import ModelError, RunError, Unreachable
from countersight.models import Answer
from countersight.scoring import score_run


class Costly(Scripted):
    """A model that costs ten cents per reply."""

    def __init__(self, **answer) -> None:
        super().__init__(lambda request: Answer(**{"text": "B", "cost": 0.1} | answer))

    async def reply(self, request):
        await asyncio.sleep(0)
        return await super().reply(request)


def test_a_sample_is_stratified_and_contained_in_a_larger_one(tmp_path) -> None:
    cases = [case(number, group="many" if number % 4 else "few") for number in range(40)]
    opened = Dataset.open(dataset(tmp_path / "data", cases))
    chosen = Sample(12, 5).rows(opened)
    assert Counter(bool(row % 4) for row in chosen) == {True: 9, False: 3}
    assert chosen == Sample(12, 5).rows(opened)
    assert chosen < Sample(20, 5).rows(opened)
    assert chosen != Sample(12, 6).rows(opened)
    assert len(Sample(100).rows(opened)) == 40


def test_a_limited_run_can_be_extended(tmp_path) -> None:
    folder = dataset(tmp_path / "data", 8)
    for number in (2, 5):
        done = run_command(folder, tmp_path / "run", "chance", "--limit", str(number))
        assert done.returncode == 0, done.stderr
        assert f"{2 * number} of {2 * number} questions answered" in done.stderr
        progress = score_run(tmp_path / "run").progress
        assert progress == f"{2 * number} of {2 * number} questions scored"
    assert len({reply.row for reply in replies(tmp_path / "run")}) == 5
    assert json.loads((tmp_path / "run/run.json").read_text())["observed"]["sample"] == {"cases": 5, "seed": 0}
    ask(folder, tmp_path / "run", "chance")
    assert score_run(tmp_path / "run").progress == "16 of 16 questions scored"


def test_a_budget_is_kept_and_can_be_raised(tmp_path) -> None:
    folder = dataset(tmp_path / "data", 20)
    tally = ask(folder, tmp_path / "run", Costly(), budget=1.05)
    assert tally.spent
    assert 0.8 < tally.cost <= 1.05
    assert tally.failed == 0
    assert sum(reply.cost for reply in replies(tmp_path / "run")) == pytest.approx(tally.cost)
    tally = ask(folder, tmp_path / "run", Costly(), budget=100.0)
    assert not tally.spent
    assert tally.cost == pytest.approx(4.0)
    tally = ask(folder, tmp_path / "small", Costly(), budget=0.05, retry=RetryPolicy(concurrency=8))
    assert (tally.spent, tally.paid) == (True, 1)  # questions are asked one at a time until a cost is known


def test_the_command_says_that_the_budget_is_spent(tmp_path) -> None:
    folder = dataset(tmp_path / "data", 6)
    with ChatServer() as server:
        done = run_command(
            folder, tmp_path / "run", server.name, "--price", "1000,1000", "--budget", "0.3", "--concurrency", "1"
        )
    assert done.returncode == 130
    assert "budget of $0.30 is spent" in done.stderr
    assert len(server.requests) < 4


def test_a_budget_that_cannot_be_kept_is_refused(tmp_path, capsys) -> None:
    folder = dataset(tmp_path / "data", 6)
    with ChatServer() as server:
        command = ["run", str(folder), "--model", server.name, "-o", str(tmp_path / "run"), "--budget", "5"]
        assert main(command) == 2
        assert server.requests == []
    assert "set it with --price IN,OUT, or leave out --budget" in capsys.readouterr().err
    with pytest.raises(RunError, match="none of the first 5 answers reports its cost"):
        ask(folder, tmp_path / "silent", Costly(cost=0.0), budget=5.0, retry=RetryPolicy(concurrency=1))
    assert len(replies(tmp_path / "silent")) == 5


def test_replaced_replies_count_towards_the_cost(tmp_path) -> None:
    folder = dataset(tmp_path / "data", 4)
    assert ask(folder, tmp_path / "run", Costly(text="", finish="length")).cost == pytest.approx(0.8)
    for budget, cost in ((0.95, 0.9), (9.0, 1.6)):
        assert ask(folder, tmp_path / "run", Costly(), again="cut", budget=budget).cost == pytest.approx(cost)


def test_a_dry_run_sends_nothing_and_prints_an_estimate(tmp_path) -> None:
    folder = dataset(tmp_path / "data", 3)
    with ChatServer() as server:
        done = run_command(folder, tmp_path / "run", server.name, "--price", "2,8", "--dry-run")
        assert done.returncode == 0, done.stderr
        assert server.requests == []
        assert not (tmp_path / "run").exists()
        for words in ('"model": "test-model"', "How many dots are there in picture", "6 questions to ask", "$0.01 for"):
            assert words in done.stdout
        run_command(folder, tmp_path / "run", server.name, "--price", "2,8", "--limit", "1")
        done = run_command(folder, tmp_path / "run", server.name, "--price", "2,8", "--dry-run")
    assert "4 questions to ask" in done.stdout


def test_a_dry_run_estimates_batches(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no key of anybody")
    command = ["run", str(dataset(tmp_path / "data", 3)), "--model", "openai:gpt-4o", "-o", str(tmp_path / "run")]
    command += ["--price", "2000,8000", "--dry-run"]

    def price(*options):
        assert main([*command, *options]) == 0
        return float(re.search(r"\$([\d,.]+) for all", capsys.readouterr().out)[1].replace(",", ""))

    alone = price()
    assert price("--batch") == pytest.approx(alone / 2, abs=0.01)
    assert main([*command, "--batch", "--prompt", "swapped"]) == 2
    assert not (tmp_path / "run").exists()


def test_several_endpoints_share_the_work_and_a_dead_one_costs_nothing(tmp_path) -> None:
    folder = dataset(tmp_path / "data", 20)
    with ChatServer(latency=0.01) as one, ChatServer(latency=0.01) as two:
        name = (
            f"endpoint:http://127.0.0.1:{one.port}/v1,http://127.0.0.1:{two.port}/v1,http://127.0.0.1:9/v1#test-model"
        )
        tally = ask(folder, tmp_path / "run", name)
    assert (tally.answered, tally.failed) == (40, 0)
    assert min(len(one.requests), len(two.requests)) >= 10
    answered = json.loads((tmp_path / "run/run.json").read_text())["observed"]["answers"]
    assert answered == {f"127.0.0.1:{one.port}": len(one.requests), f"127.0.0.1:{two.port}": len(two.requests)} | {
        "127.0.0.1:9": 0
    }


def test_an_endpoint_that_fails_is_left_alone_for_a_while(tmp_path) -> None:
    folder = dataset(tmp_path / "data", 20)
    with ChatServer() as well, ChatServer("status:503") as ill:
        name = f"endpoint:http://127.0.0.1:{ill.port}/v1,http://127.0.0.1:{well.port}/v1#test-model"
        tally = ask(folder, tmp_path / "run", name)
    assert (tally.answered, tally.failed) == (40, 0)
    assert len(ill.requests) <= 16


def gone_for(requests: int) -> Scripted:
    """A model that cannot be reached for this many requests after the first four."""

    def say(request):
        if 4 < len(model.requests) <= 4 + requests:
            raise Unreachable("cannot connect")
        return Answer("B")

    model = Scripted(say)
    return model


def test_a_run_waits_for_a_server_that_answered_before(tmp_path) -> None:
    folder = dataset(tmp_path / "data", 6)
    retry = RetryPolicy(concurrency=2, attempts=3, backoff=0.001, gone=30)
    tally = ask(folder, tmp_path / "run", gone_for(40), retry=retry)
    assert (tally.answered, tally.failed) == (12, 0)
    with pytest.raises(ModelError, match="run the same command to continue"):
        ask(folder, tmp_path / "other", gone_for(10**9), retry=RetryPolicy(2, 3, 0.001, gone=0.05))


def test_the_status_says_how_long_a_run_waits_for_the_server() -> None:
    status = Tally()
    status.before = 1
    troubles: list[str] = []

    async def send(request: str) -> str:
        troubles.append(status.trouble)
        if len(troubles) == 1:
            raise Unreachable("cannot connect to HOST")
        return request

    async def work() -> None:
        await Client(send, RetryPolicy(backoff=0.001), asyncio.Event(), status).ask("question")

    asyncio.run(work())
    assert troubles == ["", "trying again for up to 10 minutes: cannot connect to HOST"]
    assert not status.trouble
