"""Batch APIs: batches are recorded before they are sent, collected by a later call, and never paid for twice."""

import asyncio
import json
import threading
from urllib.parse import parse_qs, urlsplit

import pytest
from making import dataset
from models.provider_server import KEY, AnthropicDialect, ChatDialect, GeminiDialect, Providers
from running import replies, run_command, start_command
from waiting import wait_until

from countersight.dataset import Dataset
from countersight.engine import RunOptions, ask_in_batches, find_prompt, outstanding
from countersight.errors import BatchRefused, CountersightError, ModelError
from countersight.models import ModelSettings, open_model
from countersight.models import batch_apis as batches_module


class BatchServer(Providers):
    """The batch APIs of three providers: what is handed in is done when `done` is set, but for what is `lost`.

    A batch is taken at once, and acknowledged as soon as `speaks` is set.
    """

    def __init__(self) -> None:
        super().__init__()
        self.done = False
        self.lost = 0
        self.batches = {}
        self.files = {}
        self.labels = {}
        self.speaks = threading.Event()
        self.speaks.set()

    def sizes(self):
        return [len(requests) for requests in self.batches.values()]

    def _usual(self, path, headers, body):
        for part, answer in (
            ("/files", self._openai_file),
            (":batchGenerateContent", self._gemini),
            ("/v1/messages/batches", self._anthropic),
            ("/batches", self._listed),
        ):
            if part in path:
                return 200, answer(path, body)
        return super()._usual(path, headers, body)

    def _take(self, requests, label):
        name = f"batches/b{len(self.batches)}"
        self.batches[name], self.labels[name] = requests, label
        self.speaks.wait()
        return name

    def _openai_file(self, path, body):
        if body is None:
            requests = self.batches[path.split("/files/")[1].removesuffix("/content").replace("out-", "batches/")]
            return _lines(
                {
                    "custom_id": one["custom_id"],
                    "response": {"status_code": 200, "body": ChatDialect.reply(one["body"])},
                }
                for one in requests[self.lost :]
            )
        content = body.split(b"\r\n\r\n")[2].rpartition(b"\r\n--")[0]
        self.files["file-1"] = [json.loads(line) for line in content.splitlines()]
        return {"id": "file-1"}

    def _gemini(self, path, body):
        batch = body["batch"]
        return {"name": self._take(batch["input_config"]["requests"]["requests"], batch["display_name"])}

    def _anthropic(self, path, body):
        if body is not None:
            return {"id": self._take(body["requests"], "").removeprefix("batches/")}
        status = "ended" if self.done else "in_progress"
        if "?limit=" in path:
            data = [{"id": one.removeprefix("batches/"), "processing_status": status} for one in self.batches]
            return self._page(path, data, "after_id")
        name = "batches/" + path.split("/batches/")[1].removesuffix("/results")
        if not path.endswith("/results"):
            return {"id": name, "processing_status": status, "results_url": "http://elsewhere.example/"}
        results = [
            {"type": "succeeded", "message": AnthropicDialect.reply(one["params"])}
            if number >= self.lost
            else {"type": "expired"}
            for number, one in enumerate(self.batches[name])
        ]
        return _lines(
            {"custom_id": one["custom_id"], "result": result}
            for one, result in zip(self.batches[name], results, strict=True)
        )

    def _page(self, path, data, after):
        """One batch a page: whoever looks for another has to go on."""
        names = [one["id"] for one in data]
        first = names.index(_asked(path, after)) + 1 if _asked(path, after) else 0
        page = data[first : first + 1]
        return {"data": page, "has_more": first + 1 < len(data), "last_id": page[-1]["id"] if page else None}

    def _listed(self, path, body):
        if body is not None:  # OpenAI makes a batch of a file
            name = self._take(self.files[body["input_file_id"]], body["metadata"]["label"])
            return {"id": name.removeprefix("batches/"), "status": "validating"}
        if "limit=" in path or "pageSize=" in path:
            labels = self.labels.items()
            if "pageSize=" in path:
                named = [{"name": name, "metadata": {"displayName": label}} for name, label in labels]
                first = int(_asked(path, "pageToken") or 0)
                further = {"nextPageToken": str(first + 1)} if first + 1 < len(named) else {}
                return {"operations": named[first : first + 1], **further}
            data = [{"id": name.removeprefix("batches/"), "metadata": {"label": label}} for name, label in labels]
            return self._page(path, data, "after")
        name = "batches/" + path.split("/batches/")[1]
        responses = [
            {"metadata": one["metadata"], "response": GeminiDialect.reply(one["request"])}
            for one in self.batches[name][self.lost :]
            if "metadata" in one
        ]
        return {
            "status": "expired" if self.done and self.lost else "completed" if self.done else "in_progress",
            "output_file_id": name.replace("batches/", "out-"),
            "done": self.done,
            "response": {"inlinedResponses": {"inlinedResponses": responses}},
        }


def _lines(entries):
    return "\n".join(map(json.dumps, entries)).encode()


def _asked(path, name):
    return (parse_qs(urlsplit(path).query).get(name) or [""])[0]


NAMES = {"openai": "openai:gpt-4o", "anthropic": "anthropic:claude-sonnet-4-5", "gemini": "gemini:gemini-2.5-flash"}


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(ChatDialect, "header", "authorization")
    with BatchServer() as server:
        for kind in NAMES:
            monkeypatch.setenv(f"{kind.upper()}_API_KEY", KEY)
            monkeypatch.setenv(f"{kind.upper()}_BASE_URL", server.url)
        yield server


def call(folder, output, name, **options):
    """One call of the command, in this process."""
    chosen = RunOptions(find_prompt(options.pop("prompt", "0-shot")), **options)
    return asyncio.run(ask_in_batches(Dataset.open(folder), output, open_model(name, ModelSettings()), chosen))


@pytest.mark.parametrize("kind", NAMES)
def test_a_later_call_collects_the_answers_of_a_batch_at_half_the_price(kind, server, tmp_path) -> None:
    folder = dataset(tmp_path / "data", 4)
    out = call(folder, tmp_path / "run", NAMES[kind])
    assert (out.out, out.questions, out.sent, out.collected) == (1, 7, 7, 0)  # one was asked first, alone
    out = call(folder, tmp_path / "run", NAMES[kind])
    assert (out.out, out.sent, out.collected) == (1, 0, 0)
    server.done = True
    out = call(folder, tmp_path / "run", NAMES[kind])
    assert (out.out, out.sent, out.collected) == (0, 0, 7)
    assert server.sizes() == [7]
    found = replies(tmp_path / "run")
    assert {(reply.state, reply.text) for reply in found} == {("answered", "B")}
    price = {"openai": (2.5, 10), "anthropic": (3, 15), "gemini": (0.3, 2.5)}[kind]
    alone, in_batch = found[0].cost, found[-1].cost
    assert in_batch == pytest.approx(alone / 2) == pytest.approx((100 * price[0] + 7 * price[1]) / 2e6)
    assert call(folder, tmp_path / "run", NAMES[kind]).sent == 0


@pytest.mark.parametrize("kind", NAMES)
def test_a_call_killed_while_sending_does_not_pay_twice(kind, server, tmp_path) -> None:
    """Its batch is found behind others, on the last page of the provider's list."""
    folder = dataset(tmp_path / "data", 3)
    for _ in range(2):
        server._take([], "somebody else's")
    server.speaks.clear()
    process = start_command(folder, tmp_path / "run", NAMES[kind], "--batch")
    wait_until(lambda: len(server.batches) == 3, process)
    process.kill()
    process.communicate()
    server.speaks.set()
    assert [event.batch for event in outstanding(tmp_path / "run").values()] == [""]
    assert call(folder, tmp_path / "run", NAMES[kind]).sent == 0
    server.done = True
    assert call(folder, tmp_path / "run", NAMES[kind]).collected == 5
    assert server.sizes() == [0, 0, 5]


@pytest.mark.slow
@pytest.mark.parametrize("kind", NAMES)
def test_questions_that_a_batch_left_unanswered_are_sent_as_normal_requests(kind, server, tmp_path) -> None:
    folder = dataset(tmp_path / "data", 3)
    assert run_command(folder, tmp_path / "run", NAMES[kind], "--batch").returncode == 3
    server.done, server.lost = True, 2
    done = run_command(folder, tmp_path / "run", NAMES[kind], "--batch")
    assert done.returncode == 0, done.stderr
    assert "3 answers collected" in done.stderr
    assert "6 of 6 questions answered" in done.stderr
    assert server.sizes() == [5]


def test_batches_are_split_by_number_and_by_bytes(server, tmp_path, monkeypatch) -> None:
    folder = dataset(tmp_path / "data", 5)
    monkeypatch.setattr(batches_module.AnthropicBatches, "most_requests", 4)
    assert call(folder, tmp_path / "run", NAMES["anthropic"]).out == 3
    assert server.sizes() == [4, 4, 1]
    monkeypatch.setattr(batches_module.GeminiBatches, "most_bytes", 2000)
    assert call(folder, tmp_path / "other", NAMES["gemini"]).out > 3


def test_a_batch_that_never_arrived_is_sent_again_later(server, tmp_path, monkeypatch) -> None:
    folder = dataset(tmp_path / "data", 2)

    async def lost(self, label, requests):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(batches_module.OpenAIBatches, "send", lost)
        with pytest.raises(KeyboardInterrupt):
            call(folder, tmp_path / "run", NAMES["openai"])
    assert call(folder, tmp_path / "run", NAMES["openai"]).sent == 0
    monkeypatch.setattr(batches_module.OpenAIBatches, "lost_after", -1)
    assert call(folder, tmp_path / "run", NAMES["openai"]).sent == 2  # of three, one is asked first once more


def test_status_lists_outstanding_batches(server, tmp_path, capsys) -> None:
    from countersight.cli import main

    call(dataset(tmp_path / "data", 2), tmp_path / "run", NAMES["gemini"])
    assert main(["status", str(tmp_path / "run")]) == 0
    printed = capsys.readouterr().out
    assert "1 of 4 questions scored; 3 not asked yet" in printed
    assert "batches/b0: 3 questions, sent 0.0 h ago" in printed


def test_a_test_request_finds_refused_settings_before_the_batch_is_sent(server, tmp_path) -> None:
    server.refuses = {'"temperature"': "temperature is deprecated for this model"}
    call(dataset(tmp_path / "data", 2), tmp_path / "run", NAMES["anthropic"])
    [sent] = server.batches.values()
    assert [("max_tokens" in one["params"], "temperature" in one["params"]) for one in sent] == [(True, False)] * 3


@pytest.mark.parametrize("kind", NAMES)
def test_a_refused_batch_is_not_outstanding(kind, server, tmp_path) -> None:
    server.script = lambda number, path: (400, {"error": {"message": "no batches today"}}) if "atch" in path else None
    folder = dataset(tmp_path / "data", 2)
    with pytest.raises(BatchRefused, match="no batches today"):
        call(folder, tmp_path / "run", NAMES[kind])
    assert outstanding(tmp_path / "run") == {}
    server.script = lambda number, path: None
    out = call(folder, tmp_path / "run", NAMES[kind])
    assert (out.out, out.sent) == (1, 2)
    server.script = lambda number, path: (401, {"error": {"message": "no such key"}}) if "atch" in path else None
    with pytest.raises(ModelError, match="no such key"):  # of the key of today; the batch is out as ever
        call(folder, tmp_path / "run", NAMES[kind])
    assert len(outstanding(tmp_path / "run")) == 1


def test_a_failed_batch_gives_the_reason_and_is_not_asked_at_full_price(server, tmp_path) -> None:
    folder = dataset(tmp_path / "data", 2)
    call(folder, tmp_path / "run", NAMES["openai"])
    failed = {"status": "failed", "errors": {"data": [{"message": "line 1: no such model"}]}}
    server.script = lambda number, path: (200, failed) if "/batches/" in path else None
    asked = len(server.requests)
    done = run_command(folder, tmp_path / "run", NAMES["openai"], "--batch")
    assert (done.returncode, len(server.requests)) == (2, asked + 1)
    assert "line 1: no such model" in done.stderr
    assert outstanding(tmp_path / "run") == {}


def test_questions_in_an_outstanding_batch_are_not_asked_again(server, tmp_path, capsys) -> None:
    from countersight.cli import main

    command = ["run", str(dataset(tmp_path / "data", 2)), "--model", NAMES["gemini"], "-o", str(tmp_path / "run")]
    assert main([*command, "--batch"]) == 3
    asked = len(server.requests)
    assert main(command) == 2
    assert "in outstanding batches (batches/b0) and would be paid for twice" in capsys.readouterr().err
    assert len(server.requests) == asked
    server.done = True
    assert main([*command, "--batch"]) == 0
    assert main([*command, "--batch", "--budget", "5"]) == 2
    assert "a batch is sent as a whole" in capsys.readouterr().err


def test_models_and_options_without_batches_are_refused(server, tmp_path) -> None:
    folder = dataset(tmp_path / "data", 2)
    with pytest.raises(ModelError, match="has no batch API"):
        call(folder, tmp_path / "run", "chance")
    for options in ({"prompt": "swapped"}, {"again": "unread"}):
        with pytest.raises(CountersightError, match="each question once, on its own"):
            call(folder, tmp_path / "run", NAMES["openai"], **options)
