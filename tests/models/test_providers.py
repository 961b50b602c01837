"""Every provider is named by one string; refused fields are learned once."""

import asyncio
import base64
import json

import pytest
from making import dataset, picture
from models.provider_server import KEY, ChatDialect, Providers
from running import ask, replies

from countersight.errors import AskingFailed, ModelError
from countersight.models import MODELS, ModelSettings, Request, Turn, open_model, without_keys
from countersight.models.hosted import split_reasoning
from countersight.models.prices import find_price
from countersight.picture import check_picture

PROVIDERS = {
    "openai": ("openai:gpt-4o", "/chat/completions"),
    "anthropic": ("anthropic:claude-sonnet-4-5", "/v1/messages"),
    "gemini": ("gemini:gemini-2.5-flash", "/models/gemini-2.5-flash:generateContent"),
    "azure": ("azure:my-gpt?api-version=2025-01", "/openai/deployments/my-gpt/chat/completions?api-version=2025-01"),
    "bedrock": ("bedrock:amazon.nova-v1:0?region=eu-west-1", "/model/amazon.nova-v1:0/converse"),
    "mistral": ("mistral:mistral-medium-latest", "/chat/completions"),
    "openrouter": ("openrouter:google/gemini-2.5-flash", "/chat/completions"),
    "ollama": ("ollama:qwen2.5vl:7b", "/v1/chat/completions"),
    "endpoint": ("endpoint:{url}/v1#qwen", "/v1/chat/completions"),
}
"""By kind: the name of a model, and the path of its requests."""
NAMES, PATHS = ({kind: both[place] for kind, both in PROVIDERS.items()} for place in (0, 1))
KEYS = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AZURE_OPENAI_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"]
KEYS += ["MISTRAL_API_KEY", "OPENROUTER_API_KEY", "COUNTERSIGHT_API_KEY"]
ADDRESSES = ["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GEMINI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "BEDROCK_BASE_URL"]
ADDRESSES += ["MISTRAL_BASE_URL", "OPENROUTER_BASE_URL", "OLLAMA_HOST"]
REQUEST = Request("case-1", (Turn("user", "How many?", check_picture(picture())),), "open")


@pytest.fixture
def known(monkeypatch):
    """Return a function that directs every provider to a server and sets a key for each."""

    def at(server):
        for name in KEYS:
            monkeypatch.setenv(name, KEY)
        for name in ADDRESSES:
            monkeypatch.setenv(name, server.url)
        monkeypatch.setattr(ChatDialect, "header", "authorization")

    return at


def name_of(kind, server):
    if kind in ("azure", "ollama"):
        ChatDialect.header = {"azure": "api-key", "ollama": "user-agent"}[kind]
    return NAMES[kind].format(url=server.url)


async def asked(name, times=1, **settings):
    model = open_model(name, ModelSettings(**settings))
    try:
        return [await model.reply(REQUEST) for _ in range(times)], model.observed
    finally:
        await model.close()


@pytest.mark.parametrize("kind", [kind for kind in NAMES if kind != "ollama"])
def test_a_provider_answers_in_its_own_dialect(kind, known) -> None:
    with Providers() as server:
        known(server)
        ((answer,), observed) = asyncio.run(asked(name_of(kind, server), seed=7))
    assert (answer.text, answer.reasoning) == ("B", "I count.")
    assert (answer.tokens_in, answer.tokens_out) == (100, 7)
    assert answer.finish.casefold() in ("stop", "end_turn")
    ((path, headers, body),) = server.requests
    assert path == PATHS[kind]
    assert KEY not in json.dumps(body) + path
    assert "refused" not in observed
    assert ("seed" in json.dumps(observed["sent"])) == (kind not in ("anthropic", "bedrock"))
    if kind == "anthropic":
        assert headers["anthropic-version"]


@pytest.mark.parametrize("kind", ["openai", "anthropic", "gemini", "bedrock"])
def test_several_pictures_are_sent_in_order_before_the_text(kind, known, monkeypatch) -> None:
    first, second = (check_picture(picture((red, 0, 0))) for red in (10, 200))
    monkeypatch.setitem(
        globals(), "REQUEST", Request("case-1", (Turn("user", "Which is redder?", first, (second,)),), "open")
    )
    with Providers() as server:
        known(server)
        asyncio.run(asked(name_of(kind, server)))
    body = json.dumps(server.requests[0][2])
    places = [body.index(base64.b64encode(each.data).decode()) for each in (first, second)]
    assert places == sorted(places)
    assert places[1] < body.index("Which is redder?")


def test_ollama_needs_no_key(known) -> None:
    with Providers() as server:
        known(server)
        ChatDialect.header = "accept"
        with pytest.raises(ModelError, match="does not accept the key"):  # the stand-in does, and there is none
            asyncio.run(asked(name_of("ollama", server)))
    assert server.requests[0][0] == PATHS["ollama"]
    assert "authorization" not in server.requests[0][1]


REFUSED = {
    "azure": ("max_completion_tokens", "Unrecognized request argument supplied: max_completion_tokens", "max_tokens"),
    "endpoint": (
        "max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "max_completion_tokens",
    ),
    "gemini": ("seed", "Invalid JSON payload received. Unknown name \"seed\" at 'generation_config'", None),
    "anthropic": ("temperature", "temperature is deprecated for this model", None),
    "openai": ("temperature", "Unsupported value: 'temperature' does not support 0 with this model.", None),
    "bedrock": ("temperature", "The model returned the following errors: temperature may not be set", None),
    "mistral": (
        "random_seed",
        (422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "random_seed"], "msg": "Extra inputs"}]}),
        None,
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_refused_field_is_learned_once_and_left_out(kind, known) -> None:
    field, words, instead = REFUSED[kind]
    with Providers({f'"{field}"': words}) as server:
        known(server)
        answers, observed = asyncio.run(asked(name_of(kind, server), times=3))
    assert [answer.text for answer in answers] == ["B"] * 3
    assert len(server.requests) == 4
    assert field in observed["refused"]
    assert field not in observed["sent"]
    if instead:
        assert observed["sent"][instead] == 256


def test_several_refused_fields_are_learned_also_by_concurrent_questions(known, tmp_path) -> None:
    refuses = {f'"{name}"': f"{name} is not supported" for name in ("seed", "temperature", "detail")}
    with Providers(refuses) as server:
        known(server)
        ask(dataset(tmp_path / "data", 8), tmp_path / "run", name_of("endpoint", server))
    assert {reply.state for reply in replies(tmp_path / "run")} == {"answered"}
    observed = json.loads((tmp_path / "run/run.json").read_text())["observed"]
    assert set(observed["refused"]) == {"seed", "temperature", "detail"}
    assert observed["sent"] == {"max_tokens": 256}
    assert {reply.reasoning for reply in replies(tmp_path / "run")} == {"I count."}


def test_a_value_that_is_too_large_does_not_mean_that_the_field_is_refused(known) -> None:
    words = "max_tokens: 256 is too large; this model writes at most 64 completion tokens"
    with Providers({"max_tokens": words}) as server:
        known(server)
        with pytest.raises(AskingFailed, match="is too large"):
            asyncio.run(asked(name_of("endpoint", server)))
    assert len(server.requests) == 1


def test_a_field_is_sent_again_if_it_was_not_the_cause_of_an_error(known) -> None:
    """If the same error comes without the field, the field was not the cause."""
    words = "a picture that shows a temperature is not permitted"
    model = None

    async def two() -> None:
        nonlocal model
        model = open_model(name_of("endpoint", server), ModelSettings())
        with pytest.raises(AskingFailed, match="is not permitted"):
            await model.reply(REQUEST)
        await model.reply(REQUEST)
        await model.close()

    with Providers(script=lambda number, path: (400, {"error": {"message": words}}) if number < 2 else None) as server:
        known(server)
        asyncio.run(two())
    assert ["temperature" in body for _, _, body in server.requests] == [True, False, True]
    assert model.remarks == ()


@pytest.mark.parametrize(
    ("kind", "cost"),
    [("openai", (100 * 2.5 + 7 * 10) / 1e6), ("anthropic", (100 * 3 + 7 * 15) / 1e6), ("openrouter", 0.125)],
)
def test_cost_is_reported_by_the_server_or_computed_from_the_price_table(kind, cost, known) -> None:
    with Providers() as server:
        known(server)
        ((answer,), observed) = asyncio.run(asked(name_of(kind, server)))
    assert answer.cost == pytest.approx(cost)
    assert kind == "openrouter" or " of 20" in observed["prices"]["source"]


@pytest.mark.parametrize(
    ("model", "read"),
    [
        ("gpt-4o-2024-11-20", 2.5),
        ("gpt-4o-2024-05-13", 5),
        ("gpt-5-pro", 15),
        ("gpt-5-something", 0),
        ("gpt-5.9", 0),
        ("claude-sonnet-4-5@20250929", 3),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", 15),
        ("gemini-2.5-flash-001", 0.3),
        ("gemini-2.5-flash-image", 0),
        ("anthropic/claude-3-5-haiku-latest", 0.8),
    ],
)
def test_a_price_applies_to_no_other_model_with_the_same_prefix_and_the_users_comes_first(model, read) -> None:
    assert find_price(model, ModelSettings()).read == read
    own = find_price(model, ModelSettings(price_in=10.0))
    assert (own.read, own.written, own.source) == (10.0, 0.0, "--price")


@pytest.mark.parametrize("kind", ["anthropic", "gemini", "bedrock", "mistral", "openrouter", "azure"])
def test_a_missing_key_is_reported_with_its_variable(kind, monkeypatch) -> None:
    for name in [*KEYS, "GOOGLE_API_KEY"]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://x.openai.azure.com")
    for _ in range(2):
        with pytest.raises(ModelError, match=r"needs a key; set [A-Z_]+") as refused:
            open_model(NAMES[kind], ModelSettings())
        with without_keys() as missing:
            open_model(NAMES[kind], ModelSettings())
        assert missing == [str(refused.value)]


def test_incomplete_names_are_reported(monkeypatch) -> None:
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.delenv("AZURE_OPENAI_ENDPOINT", raising=False)
    for name, words in (
        ("bedrock:amazon.nova-pro-v1:0", "needs a region"),
        ("azure:gpt", "AZURE_OPENAI_ENDPOINT"),
        ("azure:gpt?apiversion=1", "api-version"),
    ):
        with pytest.raises(ModelError, match=words):
            open_model(name, ModelSettings())
    assert {"anthropic", "gemini", "azure", "bedrock", "mistral", "openrouter", "ollama"} <= set(MODELS)


@pytest.mark.parametrize(
    ("text", "answer", "thoughts"),
    [
        ("<think>It is B.</think>\nA", "A", "It is B."),
        ("<think>It is B, or", "", "It is B, or"),
        ("A <think>no</think>", "A <think>no</think>", ""),
        ("\n<Thinking>x</Thinking>A", "A", "x"),
        ("A", "A", ""),
    ],
)
def test_tagged_reasoning_is_separated_from_the_answer(text, answer, thoughts) -> None:
    assert split_reasoning(text) == (answer, thoughts)
