"""A run asks every question once, whatever the server, the disk, the clock or the user does."""

import json
import re
import signal
from collections import Counter
from itertools import pairwise
from urllib.parse import quote

import pytest
from chat_server import ChatServer, completion, letter, question_of
from making import case, dataset, picture
from running import QUICK, Ranking, Scripted, answers, ask, journal_size, replies, run_command, start_command
from waiting import wait_until

from countersight.case import Question
from countersight.engine import FIRST_LIMIT, PROMPTS, RetryPolicy, RunFolder
from countersight.errors import ModelError, RunError
from countersight.models import MODELS, open_model
from countersight.models.http_service import ApiKey, Received, Service, status_error
from countersight.models.protocol import Answer, ModelSettings


def test_ranking_takes_the_option_with_the_smallest_loss_and_keeps_all_losses(tmp_path):
    kinds = [
        case(0),
        case(1, factual=Question("Is it?", "no", "boolean")),
        case(2, factual=Question("?", "3", "number")),
    ]
    model = Ranking(None, lambda option: abs(float(option.text) - 5) if option.text.isdigit() else 1.0)
    tally = ask(dataset(tmp_path / "d", kinds), tmp_path / "r", model, answering="rank")
    said = {(r.row, r.world): (r.text, r.losses, r.reason) for r in replies(tmp_path / "r")}
    assert said[0, "factual"] == ("B", (2.0, 0.0, 2.0, 4.0), "")
    assert said[1, "factual"] == ("yes", (1.0, 1.0), "")
    assert (2, "factual") not in said
    assert (tally.answered, tally.failed, tally.total, tally.unasked.total()) == (5, 0, 5, 1)


class Plain(Scripted):
    def reply(self, request):
        return Answer("A")


@pytest.mark.parametrize(
    ("model", "answering", "sentence"),
    [
        ("chance", "rank", "chance reports no losses"),
        (Plain(None), "generate", r"scripted: reply must be an async function \(async def\)"),
        (Scripted(lambda request: Answer(None)), "generate", "scripted: the text of an Answer must be a str, not None"),
    ],
)
def test_a_model_that_cannot_do_what_is_asked_stops_the_run(tmp_path, model, answering, sentence):
    with pytest.raises(ModelError, match=sentence):
        ask(dataset(tmp_path / "d", 1), tmp_path / "r", model, answering=answering)


def test_every_question_of_both_worlds_is_asked_once_with_its_picture(tmp_path):
    folder = dataset(tmp_path / "d", 10)
    with ChatServer() as server:
        tally = ask(folder, tmp_path / "r", server.name)
    assert (tally.total, tally.answered, tally.failed) == (20, 20, 0)
    assert (tally.tokens_in, tally.tokens_out) == (2000, 40)
    assert len(answers(tmp_path / "r")) == len(server.requests) == 20
    for reply in replies(tmp_path / "r"):
        one = case(reply.row)
        assert reply.text == letter(PROMPTS["0-shot"].render(one.question(reply.world)))
        assert reply.model == "test-model-2026"
    [content] = [m["content"] for r in server.requests for m in r["messages"] if "picture 3 if" in question_of(r)]
    assert content[0]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert server.requests[0]["model"] == "test-model"
    assert server.headers[0]["path"].startswith("POST /v1/chat/completions ")


def test_shown_asks_the_counterfactual_picture_too(tmp_path):
    folder = dataset(tmp_path / "d", 4)
    with ChatServer() as server:
        tally = ask(folder, tmp_path / "r", server.name, shown=True)
    assert tally.answered == 12
    pictures = Counter(r["messages"][0]["content"][0]["image_url"]["url"] for r in server.requests)
    assert sorted(pictures.values()) == [1, 1, 1, 1, 2, 2, 2, 2]


@pytest.mark.parametrize("model", ["chance", "always-first"])
def test_a_baseline_answers_every_kind_of_question_the_same_each_time(tmp_path, model):
    kinds = [
        case(0),
        case(1, factual=Question("How many?", "3", "number")),
        case(2, factual=Question("Is it?", "yes", "boolean")),
    ]
    folder = dataset(tmp_path / "d", kinds)
    ask(folder, tmp_path / "r", model, seed=5)
    ask(folder, tmp_path / "again", model, seed=5, retry=RetryPolicy(concurrency=1))
    assert answers(tmp_path / "r") == answers(tmp_path / "again")
    said = {r.row: r.text for r in replies(tmp_path / "r") if r.world == "factual"}
    assert said[0] in "ABCD"
    assert said[1].isdigit()
    assert said[2] in ("yes", "no")


RETRIED = ["status:429:0", "status:429:Mon, 01 Jan 99999999999999999999 00-00-00 GMT", "status:503", "status:500"]
RETRIED += ["reset", "close", "half", "html", "empty choices", "not utf-8", "deep", "not http"]


def test_temporary_faults_end_in_an_answer(tmp_path):
    seen = set()

    def first_time_only(server, number, body):
        question = question_of(body)
        if question in seen:
            return "answer"
        seen.add(question)
        return RETRIED[int(re.search(r"picture (\d+)", question)[1])]

    folder = dataset(tmp_path / "d", len(RETRIED))
    with ChatServer(first_time_only) as server:
        tally = ask(folder, tmp_path / "r", server.name, retry=RetryPolicy(concurrency=4, attempts=4, backoff=0.01))
    assert (tally.answered, tally.failed) == (2 * len(RETRIED), 0)
    assert {(r.row, r.attempts) for r in replies(tmp_path / "r")} == {(row, 2) for row in range(len(RETRIED))}


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("status:429:0", "HTTP 429: no, 429"),
        ("status:503:0", "HTTP 503: no, 503"),
        ("status:500", "HTTP 500: no, 500"),
        ("status:400", "HTTP 400: no, 400"),
        ("reset", "connection"),
        ("close", "connection was lost"),
        ("half", "connection was lost"),
        ("html", "sent no answer"),
        ("empty choices", "no choices"),
        ("filtered", "content filter"),
        ("huge", "longer than 4,194,304 bytes"),
        ("not utf-8", "sent no answer"),
        ("deep", "sent no answer"),
        ("endless header", "connection was lost"),
        ("not http", "connection was lost"),
    ],
)
def test_permanent_faults_end_in_a_failed_case_with_the_reason(tmp_path, fault, reason):
    folder = dataset(tmp_path / "d", 2)
    with ChatServer(lambda s, n, body: fault if "picture 1" in question_of(body) else "answer") as server:
        tally = ask(folder, tmp_path / "r", server.name)
    assert (tally.answered, tally.failed) == (2, 2)
    failed = [r for r in replies(tmp_path / "r") if r.state == "failed"]
    assert {r.row for r in failed} == {1}
    for reply in failed:
        assert reason in reply.reason
        assert reply.text == ""


ODD = [
    {"usage": {"prompt_tokens": 12.0, "completion_tokens": "two"}},
    {"usage": {"prompt_tokens": 99999999999999999999, "completion_tokens": -5}},
    {"usage": [1]},
    {"model": 7},
    {"choices": [{"message": {"content": ["B"]}, "finish_reason": 1}]},
    {"choices": [{"message": {"content": [{"type": "text", "text": "B"}]}}]},
    {"choices": [{"message": {"content": "B\ud83d"}}]},
]


@pytest.mark.parametrize("odd", ODD)
def test_odd_side_fields_lose_no_answer(tmp_path, monkeypatch, odd):
    monkeypatch.setattr("chat_server.completion", lambda text, c=completion: c(text) | odd)
    with ChatServer("say:B") as server:
        tally = ask(dataset(tmp_path / "d", 1), tmp_path / "r", server.name)
    assert {r.text.rstrip("\ufffd") for r in replies(tmp_path / "r")} == {"B"}
    assert 0 <= tally.tokens_in <= 200
    assert 0 <= tally.tokens_out <= 4


def test_an_error_sent_with_status_200_keeps_the_servers_words(tmp_path, monkeypatch):
    monkeypatch.setattr("chat_server.completion", lambda text: {"error": {"message": "out of cheese", "code": 500}})
    with ChatServer() as server:
        ask(dataset(tmp_path / "d", 1), tmp_path / "r", server.name)
    assert {r.reason for r in replies(tmp_path / "r")} == {"the server sent an error: out of cheese"}


def test_the_question_of_a_damaged_line_is_asked_again_and_reported(tmp_path):
    folder = dataset(tmp_path / "d", 5)
    ask(folder, tmp_path / "r", "chance")
    lines = (tmp_path / "r/replies.jsonl").read_bytes().splitlines(keepends=True)
    lines[3] = lines[3].replace(b'"row"', b'"r0w"')
    (tmp_path / "r/replies.jsonl").write_bytes(b"".join(lines))
    tally = ask(folder, tmp_path / "r", "chance")
    assert (tally.before, tally.answered, tally.damaged) == (9, 1, 1)
    assert "1 damaged line in replies.jsonl" in tally.summary()


TEXTS = {"refusal": "I cannot help with that.", "null content": "", "say:\u202e<b>\x00": "\u202e<b>\x00"}


@pytest.mark.parametrize("what", [*TEXTS, "wrong type"])
def test_the_models_text_is_kept_whatever_it_is(tmp_path, what):
    with ChatServer(what) as server:
        ask(dataset(tmp_path / "d", 1), tmp_path / "r", server.name)
    found = replies(tmp_path / "r")
    assert [reply.state for reply in found] == ["answered"] * 2
    assert what not in TEXTS or {reply.text for reply in found} == {TEXTS[what]}


def test_retry_after_is_honoured_by_every_question(tmp_path):
    folder = dataset(tmp_path / "d", 10)
    with ChatServer(lambda s, n, body: "status:429:1" if n == 4 else "answer", latency=0.02) as server:
        ask(folder, tmp_path / "r", server.name, retry=RetryPolicy(concurrency=2, backoff=0.01))
    # However late it is heard of: from then on nothing is asked for a second, and most is still to be asked.
    pauses = [later - earlier for earlier, later in pairwise(server.times[4:14])]
    assert max(pauses) > 0.9
    assert len(answers(tmp_path / "r")) == 20


def test_an_overloaded_server_sees_fewer_questions_at_a_time_and_loses_none(tmp_path):
    def at_most_three(server, number, body):
        # The first are there together on any machine; later the client's own time is small beside the server's.
        server.latency = 1.0 if number < FIRST_LIMIT else 0.1
        return "status:429:0" if server.under_way > 3 else "answer"

    folder = dataset(tmp_path / "d", 60)
    with ChatServer(at_most_three) as server:
        tally = ask(folder, tmp_path / "r", server.name, retry=RetryPolicy(concurrency=64, backoff=0.01))
    assert (tally.answered, tally.failed) == (120, 0)
    assert server.most_under_way >= FIRST_LIMIT
    assert tally.limit <= 8


def test_concurrency_is_bounded_and_grows_to_its_bound(tmp_path):
    folder = dataset(tmp_path / "d", 150)
    with ChatServer(latency=0.02) as server:
        tally = ask(folder, tmp_path / "r", server.name, retry=RetryPolicy(concurrency=40))
    assert tally.limit == 40
    assert server.most_under_way <= 40


def test_bad_pictures_are_failed_cases_and_the_run_goes_on(tmp_path):
    folder = dataset(
        tmp_path / "d", [*(case(n) for n in range(6)), case(6, image="images/../../x.png"), case(7, image=None)]
    )
    (folder / "images/1.png").unlink()
    (folder / "images/2.png").write_bytes(picture()[:-9])
    (folder / "images/3.png").write_bytes(picture(kind="JPEG"))
    (tmp_path / "x.png").write_bytes(picture())
    with ChatServer() as server:
        tally = ask(folder, tmp_path / "r", server.name)
    assert (tally.answered, tally.failed, tally.bad_pictures, tally.unasked.total()) == (6, 8, 4, 2)
    reasons = {r.row: r.reason for r in replies(tmp_path / "r") if r.state == "failed"}
    assert reasons == {
        1: "picture images/1.png is not in the folder",
        2: "picture images/2.png is cut off",
        3: "picture images/3.png has changed since the dataset was made",
        6: "picture images/../../x.png is outside the dataset folder",
    }


def test_a_server_that_refuses_everything_gets_few_questions(tmp_path):
    folder = dataset(tmp_path / "d", 40)
    with ChatServer("status:400") as server, pytest.raises(ModelError, match="refuses every question"):
        ask(folder, tmp_path / "r", server.name)
    assert len(server.requests) == 8


@pytest.mark.parametrize(
    ("status", "message", "address", "advice"),
    [
        (404, "Not Found", "", "the address lacks /v1"),
        (404, "no model m", "/v1", "check the key, the address and the model name"),
        (400, "At most 0 image(s) may be provided in one request.", "/v1", "choose a model that accepts pictures"),
        (401, "invalid key", "/v1", "set COUNTERSIGHT_API_KEY to a valid key"),
    ],
)
def test_the_advice_fits_the_refusal(tmp_path, monkeypatch, status, message, address, advice):
    monkeypatch.setattr("chat_server.json.dumps", lambda x, d=json.dumps: d(x).replace(f"no, {status}", message))
    with ChatServer(f"status:{status}") as server, pytest.raises(ModelError, match=advice):
        ask(dataset(tmp_path / "d", 10), tmp_path / "r", server.name.replace("/v1", address))


def test_a_run_stops_if_the_server_starts_to_refuse_everything(tmp_path):
    folder = dataset(tmp_path / "d", 60)
    with ChatServer(lambda s, n, body: "answer" if n < 25 else "status:404") as server:
        with pytest.raises(ModelError, match="answered before and has now refused 20 questions in a row"):
            ask(folder, tmp_path / "r", server.name)
        assert len(server.requests) <= 25 + 20 + QUICK.concurrency
        failed = sum(reply.state == "failed" for reply in replies(tmp_path / "r"))
        with pytest.raises(ModelError, match=f"refused {20 + failed} questions"):  # these alone may be to blame
            ask(folder, tmp_path / "r", server.name)


def test_another_dataset_model_prompt_or_setting_on_the_same_folder_is_refused(tmp_path):
    folder, other = dataset(tmp_path / "d", 2), dataset(tmp_path / "e", 3)
    ask(folder, tmp_path / "r", "chance")
    before = (tmp_path / "r/replies.jsonl").read_bytes()
    for what, changed in (
        ("dataset", lambda: ask(other, tmp_path / "r", "chance")),
        ("model", lambda: ask(folder, tmp_path / "r", "always-first")),
        ("set of settings: seed 0, not seed 9", lambda: ask(folder, tmp_path / "r", "chance", seed=9)),
        ("setting of `shown`", lambda: ask(folder, tmp_path / "r", "chance", shown=True)),
    ):
        with pytest.raises(RunError, match=f"a different {what}.*choose a different folder .*or remove this one"):
            changed()
    again = dataset(tmp_path / "again" / "d", 3)
    with pytest.raises(RunError, match=r"a run with a different dataset: (.+) \(\w{8}\), not \1 \(\w{8}\);"):
        ask(again, tmp_path / "r", "chance")
    assert (tmp_path / "r/replies.jsonl").read_bytes() == before


def test_failed_questions_are_asked_again_and_a_model_replaced_meanwhile_is_reported(tmp_path, monkeypatch):
    folder = dataset(tmp_path / "d", 4)
    with ChatServer(lambda server, n, body: "answer" if n < 3 else "status:400") as server:
        before = ask(folder, tmp_path / "r", server.name)
        assert (before.answered, before.failed) == (3, 5)
        assert "changed the model" not in before.summary()
        server.behaviour = "answer"
        monkeypatch.setattr("chat_server.completion", lambda text: completion(text) | {"model": "test-model-2027"})
        tally = ask(folder, tmp_path / "r", server.name)
    assert (tally.before, tally.answered, tally.failed, len(answers(tmp_path / "r"))) == (3, 5, 0, 8)  # nothing twice
    names = "test-model-2027 (5), test-model-2026 (3)"
    assert f"the server changed the model during this run: {names}" in tally.summary()
    assert RunFolder.open(tmp_path / "r").manifest.observed["models"] == {"test-model-2026": 3, "test-model-2027": 5}


def test_another_version_of_a_plug_in_is_refused(tmp_path, monkeypatch):
    folder = dataset(tmp_path / "d", 2)
    monkeypatch.setattr(MODELS, "package", lambda name: "bright 0.1")
    ask(folder, tmp_path / "r", "chance")
    assert RunFolder.open(tmp_path / "r").manifest.package == "bright 0.1"
    monkeypatch.setattr(MODELS, "package", lambda name: "bright 0.2")
    with pytest.raises(RunError, match=r"a different version of the model's package: bright 0\.1, not bright 0\.2"):
        ask(folder, tmp_path / "r", "chance")


def test_a_run_without_answers_may_restart_with_other_options(tmp_path):
    folder = dataset(tmp_path / "d", 2)
    with pytest.raises(ModelError):
        ask(folder, tmp_path / "r", "endpoint:http://127.0.0.1:9/v1#m", retry=RetryPolicy(attempts=1))
    with ChatServer("status:404") as server:  # as of a misspelt name
        assert ask(folder, tmp_path / "r", server.name).failed == 4
    ask(folder, tmp_path / "r", "chance")
    assert RunFolder.open(tmp_path / "r").manifest.model == "chance"
    assert len(replies(tmp_path / "r")) == len(answers(tmp_path / "r")) == 4


def test_a_folder_that_is_not_a_run_or_is_written_by_another_process_is_refused(tmp_path):
    folder = dataset(tmp_path / "d", 1)
    (tmp_path / "work").mkdir()
    (tmp_path / "work/thesis.txt").write_text("years of work")
    with pytest.raises(RunError, match="is not a run"):
        ask(folder, tmp_path / "work", "chance")
    ask(folder, tmp_path / "r", "chance")
    with RunFolder.open(tmp_path / "r").writing(), pytest.raises(RunError, match="another process"):
        ask(folder, tmp_path / "r", "chance")


def test_an_unreachable_server_stops_the_run_with_a_message(tmp_path):
    with ChatServer() as server:
        name = server.name
    with pytest.raises(
        ModelError, match=r"cannot connect to 127\.0\.0\.1:.*Connection refused.*same command to continue"
    ):
        ask(dataset(tmp_path / "d", 100), tmp_path / "r", name)
    assert replies(tmp_path / "r") == []


def test_a_fatal_error_loses_no_answer_in_progress(tmp_path):
    folder = dataset(tmp_path / "d", 4)
    with (
        ChatServer(lambda s, n, body: "status:401" if n == 7 else "answer", latency=0.1) as server,
        pytest.raises(ModelError, match="401"),
    ):
        ask(folder, tmp_path / "r", server.name)
    assert len(answers(tmp_path / "r")) == 7


def test_missing_credit_is_not_reported_as_a_refused_key():
    service = Service("http://h", ApiKey(), timeout=1.0, most=1)
    for status, words, spent in (
        (403, "Quota exceeded for this billing account", True),
        (400, "Your credit balance is too low to access the API", True),
        (401, "You have run out of credits", True),
        (400, "no such model", False),
    ):
        answer = Received(status, "no", {}, json.dumps({"error": {"message": words}}).encode())
        assert ("the quota at h is used up" in str(status_error(service, answer))) == spent


def test_a_spent_quota_stops_the_run_even_with_status_429(tmp_path, monkeypatch):
    monkeypatch.setattr("chat_server.json.dumps", lambda x, d=json.dumps: d(x).replace("no, 429", "insufficient_quota"))
    with (
        ChatServer("status:429") as server,
        pytest.raises(ModelError, match=r"the quota at 127.* is used up: .*insufficient_quota"),
    ):
        ask(dataset(tmp_path / "d", 4), tmp_path / "r", server.name)


LEAKS = {
    "in an error": "status:400",
    "in an answer": "say:B. KEY",
    "far into an error": "status:422",
    "in an address": "status:409",
    "in the status line": "phrase",
}


@pytest.mark.parametrize("where", LEAKS)
def test_the_key_is_sent_and_appears_in_no_file_log_or_error(tmp_path, monkeypatch, where):
    key = "sk-very/secret+0123456789"
    monkeypatch.setenv("COUNTERSIGHT_API_KEY", key)

    def dumps(value, dump=json.dumps):
        return (
            dump(value)
            .replace("no, 400", f"bad key {key}")
            .replace("no, 422", "x" * 190 + key)
            .replace("KEY", key)
            .replace("no, 409", f"?key={quote(key, safe='')}")
        )

    monkeypatch.setattr("chat_server.json.dumps", dumps)
    monkeypatch.setattr("chat_server.PHRASE", f"Bad {key}")
    with ChatServer(LEAKS[where]) as server:
        done = run_command(dataset(tmp_path / "d", 2), tmp_path / "r", server.name, here=False)
    assert all(headers["authorization"] == f"bearer {key}" for headers in server.headers)
    written = "".join(file.read_text() for file in (tmp_path / "r").iterdir()) + done.stdout + done.stderr
    assert key not in written
    assert key[:7] not in written
    assert "[key]" in written


INVALID = ("nonsense", "http://[::1/v1", "http://a..b/v1", "http://h:99999/v1", "http://h:abc/v1", "ftp://h/v1")
WITH_KEY = ("http://user:secret@127.0.0.1/v1", "http://127.0.0.1/v1?key=secret")


@pytest.mark.parametrize("address", [*INVALID, "http:///v1", *WITH_KEY])
def test_an_invalid_address_or_a_key_in_it_is_refused_with_a_message(address, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    for model in (f"endpoint:{address}#m", "openai:m"):
        with pytest.raises(
            ModelError, match="COUNTERSIGHT_API_KEY" if address in WITH_KEY else "URL such as"
        ) as caught:
            open_model(model, ModelSettings())
        assert "secret" not in str(caught.value)


def test_a_line_end_is_removed_from_a_key_and_control_characters_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTERSIGHT_API_KEY", "sk-0123456789\n")
    with ChatServer() as server:
        ask(dataset(tmp_path / "d", 1), tmp_path / "r", server.name)
        assert server.headers[0]["authorization"] == "bearer sk-0123456789"
        monkeypatch.setenv("COUNTERSIGHT_API_KEY", "sk-\x1b[0m")
        with pytest.raises(ModelError, match="COUNTERSIGHT_API_KEY contains characters"):
            open_model(server.name, ModelSettings())


def test_ctrl_c_stops_cleanly_and_the_same_command_resumes(tmp_path):
    folder = dataset(tmp_path / "d", 100)
    with ChatServer(latency=0.7) as server:  # so slow that nobody is done with all of it before it is stopped
        process = start_command(folder, tmp_path / "r", server.name, "--concurrency", "8")
        wait_until(lambda: journal_size(tmp_path / "r"), process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        server.latency = 0.0
        assert process.returncode == 130
        assert "Run the same command again to continue" in errors
        assert "Traceback" not in errors
        # Ctrl-C waits for what is under way: every question the server saw has its answer in the journal.
        assert len(answers(tmp_path / "r")) == len(server.requests) < 200
        assert run_command(folder, tmp_path / "r", server.name).returncode == 0
    assert len(answers(tmp_path / "r")) == len(server.requests) == 200
