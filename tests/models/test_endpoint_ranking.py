"""Ranking with servers that report log-probabilities of prompts, as vLLM does, and errors of servers that do not."""

import asyncio

import pytest
from chat_server import ChatServer, logprob, prompt_tokens
from hypothesis import given
from hypothesis import strategies as st
from making import dataset, picture
from running import ask, replies

from countersight.case import Option
from countersight.engine import RetryPolicy, RunFolder
from countersight.errors import AskingFailed, ModelError
from countersight.models import open_model
from countersight.models.prompt_logprobs import PromptLogprobs, answer_starts, find_answer_start, read_prompt
from countersight.models.protocol import ModelSettings, Request, Turn
from countersight.picture.checking import check_picture

OPTIONS = ("It is red", "It is red and very large", "no")
SENTENCE = "so it cannot rank options; leave out `answering` and choose the prompt swapped"


def request(options: tuple[str, ...] = OPTIONS, question: str = "And if it were painted?") -> Request:
    turns = (Turn("user", "Is it red?", check_picture(picture(0))), Turn("assistant", "yes"), Turn("user", question))
    return Request("0/factual/told", turns, "choice", tuple(map(Option, options)))


def with_model(server: ChatServer, work):
    """Return the result of some work with the server's model."""

    async def done():
        model = open_model(server.name, ModelSettings(timeout=300))
        try:
            return await work(model)
        finally:
            await model.close()

    return asyncio.run(done())


def losses(server: ChatServer, options: tuple[str, ...] = OPTIONS) -> tuple[float, ...]:
    return with_model(server, lambda model: model.losses(request(options)))


def expected(server: ChatServer) -> list[list[float]]:
    """Return the loss of each word of each option, computed as the server does."""
    costs = []
    for option in OPTIONS:
        body = next(body for body in server.requests if body["messages"][-1]["content"] == option)
        tokens = prompt_tokens(body)
        size = len(option.split())
        assert tokens[-size:] == option.split()
        costs.append([-logprob(tokens, place) for place in range(len(tokens) - size, len(tokens))])
    return costs


@pytest.mark.parametrize("behaviour", ["rank", "rank:no numbers", "rank:in the choice", "rank:without texts"])
def test_the_loss_of_an_option_is_that_of_its_own_tokens(behaviour: str) -> None:
    with ChatServer(behaviour) as server:
        found = losses(server)
    assert found == pytest.approx([sum(each) / len(each) for each in expected(server)])


def test_options_are_sent_as_unfinished_answers() -> None:
    with ChatServer("rank") as server:
        losses(server)
    first, *answered, asked = server.requests
    assert [len(body["messages"]) for body in server.requests] == [2, 4, 4, 4, 3]
    said = sorted(body["messages"][-1]["content"] for body in answered)
    assert said == sorted(OPTIONS)
    for body in server.requests:
        open_ended = body is not asked
        assert (body["continue_final_message"], body["add_generation_prompt"]) == (open_ended, not open_ended)
        assert (body["prompt_logprobs"], body["max_tokens"]) == (0, 1)
    assert "image_url" not in str(first)
    assert all("image_url" in str(body) for body in (asked, *answered))


@pytest.mark.parametrize(("behaviour", "requests"), [("rank", 1 + 4 + 3 + 3), ("rank:without texts", 1 + 4 + 4 + 4)])
def test_the_question_is_sent_alone_only_once_if_token_texts_are_reported(behaviour, requests) -> None:
    async def thrice(model):
        return [await model.losses(request()) for _ in range(3)]

    with ChatServer(behaviour) as server:
        first, second, third = with_model(server, thrice)
    assert first == second == third
    assert len(server.requests) == requests


def test_the_size_limit_of_a_response_grows_with_the_prompt() -> None:
    with ChatServer(lambda _, number, __: "rank" if number == 0 else "rank:long") as server:
        long = request(question="Why " + "?" * 6_000)
        assert len(with_model(server, lambda model: model.losses(long))) == 3
        with pytest.raises(AskingFailed, match="longer than"):
            losses(server)


def test_a_server_that_cannot_rank_is_probed_once() -> None:
    async def eight(model):
        return await asyncio.gather(*(model.losses(request()) for _ in range(8)), return_exceptions=True)

    with ChatServer("rank:ignored") as server:
        failures = with_model(server, eight)
    assert {type(failure) for failure in failures} == {ModelError}
    assert len(server.requests) == 1


def test_a_run_can_rank_and_records_that_one_token_was_sent(tmp_path) -> None:
    with ChatServer("rank") as server:
        alone = RetryPolicy(concurrency=1)
        ask(dataset(tmp_path / "d", 3), tmp_path / "r", server.name, answering="rank", retry=alone)
    assert RunFolder.open(tmp_path / "r").manifest.observed["sent"]["max_tokens"] == 1
    found = replies(tmp_path / "r")
    assert [reply.state for reply in found] == ["answered"] * 6
    for reply in found:
        assert reply.text == "ABCD"[reply.losses.index(min(reply.losses))]
    # one look whether it can, then for each question its four options; the first is asked alone too
    assert len(server.requests) == 1 + 6 * 4 + 1


CANNOT = {
    "answer": "it does not support prompt_logprobs",
    "rank:ignored": "it does not support prompt_logprobs",
    "rank:unknown field": "HTTP 400: Unrecognized request argument supplied: prompt_logprobs",
    "status:422": "HTTP 422: no, 422",
    "status:501": "HTTP 501: no, 501",
    "rank:closes": "it does not support continue_final_message",
    "rank:numbers of others": "a token is missing from its entry",
    "rank:text": "some tokens have no entry",
    "rank:lists": "an entry is missing",
    "rank:endless": "a token has no probability",
}


@pytest.mark.parametrize(("behaviour", "why"), CANNOT.items())
def test_a_server_that_cannot_rank_stops_the_run_with_a_message(behaviour: str, why: str) -> None:
    with ChatServer(behaviour) as server, pytest.raises(ModelError) as caught:
        losses(server)
    assert why in str(caught.value)
    assert str(caught.value).endswith(SENTENCE)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("later", "again", "why"),
    [
        ("rank:null", True, "sent no prompt_logprobs for this request"),
        ("rank:short", True, "they do not contain the answer"),
        ("status:400", False, "HTTP 400"),
        ("status:429", True, "HTTP 429"),
        ("html", True, "sent no answer"),
        ("empty choices", True, "no choices"),
    ],
)
def test_a_later_error_fails_only_one_question(later: str, again: bool, why: str) -> None:
    with (
        ChatServer(lambda _, number, __: "rank" if number == 0 else later) as server,
        pytest.raises(AskingFailed, match=why) as caught,
    ):
        losses(server)
    assert caught.value.again == again


def test_missing_or_empty_options_are_refused() -> None:
    with ChatServer("rank") as server:
        with pytest.raises(AskingFailed, match="an option without text cannot be ranked"):
            losses(server, options=("yes", " "))
        with pytest.raises(AskingFailed, match="no options to rank"):
            losses(server, options=())
    assert server.requests == []


def told(*tokens: str) -> PromptLogprobs:
    return PromptLogprobs(tokens, (-1.0,) * len(tokens), tuple(f" {token}" for token in tokens))


def test_a_token_merged_with_the_answer_belongs_to_the_answer() -> None:
    assert find_answer_start(told("a", "b", ":"), told("a", "b", ":yes", "sir")) == 2
    assert find_answer_start(told("a", "b"), told("a", "b", "yes")) == 2


@pytest.mark.parametrize(
    ("prompts", "answers", "places"),
    [
        ([told("a", "it", "is"), told("a", "it", "was", "so")], ["it is", "It was so".lower()], [1, 1]),
        ([told("a:", "yes"), told("a:", "no")], ["yes", "no"], [1, 1]),
        ([told("a:yes"), told("a:", "no")], ["yes", "no"], None),  # one melts
        ([told("a", "yes"), told("b", "no")], ["yes", "no"], None),  # not the same question
        ([told("a", "yes", "sir"), told("a", "no")], ["yes", "no"], None),  # something follows
        ([PromptLogprobs(("1", "2"), (-1.0, -1.0), ("", ""))], ["yes"], None),  # nothing is told
    ],
)
def test_the_start_of_options_is_found_from_token_texts(prompts, answers, places) -> None:
    assert answer_starts(prompts, answers) == places


json = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
)


@given(json, json)
def test_any_response_is_parsed_or_refused(entries: object, numbers: object) -> None:
    try:
        prompt = read_prompt(entries, numbers)
    except AskingFailed:
        return
    assert len(prompt.tokens) == len(prompt.logprobs) == len(entries) - 1
