"""Hosted providers: their addresses, the environment variables for their keys, and their dialects."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final
from urllib.parse import quote

from countersight.errors import ModelError
from countersight.models.dialects import (
    ANTHROPIC_VERSION,
    NEWER,
    OLDER,
    AnthropicDialect,
    BedrockDialect,
    ChatDialect,
    GeminiDialect,
)
from countersight.models.endpoint import COMPLETIONS, Endpoint, open_service
from countersight.models.hosted import Hosted
from countersight.models.http_service import ApiKey, check_address, read_key
from countersight.models.load_balancing import LoadBalancedModel
from countersight.models.protocol import ModelSettings
from countersight.registry import with_options

OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com"
GEMINI = "https://generativelanguage.googleapis.com/v1beta"
_COMPATIBLE: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "openai": (OPENAI, {}),
    "mistral": ("https://api.mistral.ai/v1", {"seed": "random_seed"}),
    "openrouter": ("https://openrouter.ai/api/v1", {"further": {"usage": {"include": True}}}),
}
"""The address of each provider with chat completions, and how its requests differ from OpenAI's."""
OLLAMA = "http://127.0.0.1:11434"
AZURE_VERSION = "2024-10-21"
_MISSING: ContextVar[list[str] | None] = ContextVar("missing keys", default=None)


def open_endpoint(name: str, address: str, settings: ModelSettings) -> Endpoint | LoadBalancedModel:
    """Open `endpoint:URL[,URL…]#MODEL`; the key, if the server needs one, is read from COUNTERSIGHT_API_KEY."""
    urls, _, model = address.partition("#")
    if not model:
        raise ModelError("an endpoint is named endpoint:URL#MODEL, as in endpoint:http://127.0.0.1:8000/v1#qwen2.5-vl")
    addresses = [check_address(url).rstrip("/") for url in urls.split(",")]
    endpoints = [_chat(name, url, model, read_key("COUNTERSIGHT_API_KEY"), settings) for url in addresses]
    return endpoints[0] if len(endpoints) == 1 else LoadBalancedModel(name, endpoints)


def _chat(name: str, url: str, model: str, key: ApiKey, settings: ModelSettings, **differences: Any) -> Endpoint:
    """Open a model of a service with chat completions.

    Only OpenAI's own server is certain to accept the newer name of the token limit; other servers get the older name.
    """
    chat = ChatDialect(model, **({"limit": NEWER if url == OPENAI else OLDER} | differences))
    return Endpoint(name, url + COMPLETIONS, model, open_service(url, key, settings), settings, chat)


def open_compatible(name: str, model: str, settings: ModelSettings) -> Endpoint:
    """Open `openai:MODEL`, `mistral:MODEL` or `openrouter:MAKER/MODEL`.

    The key comes from OPENAI_API_KEY and so on, another base address from OPENAI_BASE_URL and so on.
    """
    kind = name.partition(":")[0]
    usual, differences = _COMPATIBLE[kind]
    url, key = _base_address(f"{kind.upper()}_BASE_URL", usual), _read_provider_key(kind, f"{kind.upper()}_API_KEY")
    endpoint = _chat(name, url, model, key, settings, **differences)
    endpoint.tells_cost = kind == "openrouter"
    return endpoint


def open_azure(name: str, target: str, settings: ModelSettings) -> Endpoint:
    """Open `azure:DEPLOYMENT[?api-version=V]`; address from AZURE_OPENAI_ENDPOINT, key from AZURE_OPENAI_API_KEY."""
    deployment, options = _parse_options("azure", target, "api-version")
    if not os.environ.get("AZURE_OPENAI_ENDPOINT"):
        raise ModelError("azure: needs an address; set AZURE_OPENAI_ENDPOINT, as in https://NAME.openai.azure.com")
    url = _base_address("AZURE_OPENAI_ENDPOINT", "")
    version = options.get("api-version") or os.environ.get("AZURE_OPENAI_API_VERSION") or AZURE_VERSION
    way = f"{url}/openai/deployments/{quote(deployment, safe='')}{COMPLETIONS}?api-version={quote(version, safe='')}"
    service = open_service(url, _read_provider_key("azure", "AZURE_OPENAI_API_KEY"), settings, "api-key")
    return Endpoint(name, way, deployment, service, settings, ChatDialect(deployment, limit=NEWER))


def open_ollama(name: str, model: str, settings: ModelSettings) -> Endpoint:
    """Open `ollama:MODEL`, on this machine or at OLLAMA_HOST; it needs no key."""
    host = os.environ.get("OLLAMA_HOST") or OLLAMA
    url = check_address(host if "://" in host else f"http://{host}").rstrip("/") + "/v1"
    return _chat(name, url, model, ApiKey(), settings)


def open_anthropic(name: str, model: str, settings: ModelSettings) -> Hosted:
    """Open `anthropic:MODEL`; key from ANTHROPIC_API_KEY, another base address from ANTHROPIC_BASE_URL."""
    url = _base_address("ANTHROPIC_BASE_URL", ANTHROPIC)
    service = open_service(url, _read_provider_key("anthropic", "ANTHROPIC_API_KEY"), settings, "x-api-key")
    service.headers["anthropic-version"] = ANTHROPIC_VERSION
    return Hosted(name, model, f"{url}/v1/messages", service, AnthropicDialect(model), settings)


def open_gemini(name: str, model: str, settings: ModelSettings) -> Hosted:
    """Open `gemini:MODEL`; key from GEMINI_API_KEY or GOOGLE_API_KEY, another base address from GEMINI_BASE_URL."""
    url = _base_address("GEMINI_BASE_URL", GEMINI)
    service = open_service(
        url, _read_provider_key("gemini", "GEMINI_API_KEY", "GOOGLE_API_KEY"), settings, "x-goog-api-key"
    )
    return Hosted(
        name, model, f"{url}/models/{quote(model, safe='')}:generateContent", service, GeminiDialect(), settings
    )


def open_bedrock(name: str, target: str, settings: ModelSettings) -> Hosted:
    """Open `bedrock:MODEL_ID[?region=R]`; key from AWS_BEARER_TOKEN_BEDROCK, default region from AWS_REGION."""
    model, options = _parse_options("bedrock", target, "region")
    region = options.get("region") or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or ""
    if not region.replace("-", "").isalnum():
        raise ModelError(
            f"bedrock: needs a region; add it as in bedrock:{model[:60]}?region=us-east-1, or set AWS_REGION"
        )
    url = _base_address("BEDROCK_BASE_URL", f"https://bedrock-runtime.{region}.amazonaws.com")
    service = open_service(url, _read_provider_key("bedrock", "AWS_BEARER_TOKEN_BEDROCK"), settings)
    return Hosted(name, model, f"{url}/model/{quote(model, safe='')}/converse", service, BedrockDialect(), settings)


def _base_address(variable: str, usual: str) -> str:
    """Return the base address of a provider, without a trailing slash."""
    return check_address(os.environ.get(variable) or usual).rstrip("/")


@contextmanager
def without_keys() -> Iterator[list[str]]:
    """Context manager in which models open without keys, for cost estimates; it yields messages about missing keys."""
    missing: list[str] = []
    before = _MISSING.set(missing)
    try:
        yield missing
    finally:
        _MISSING.reset(before)


def _read_provider_key(kind: str, *variables: str) -> ApiKey:
    keys, missing = [read_key(variable) for variable in variables], _MISSING.get()
    key = next((each for each in keys if each.text), keys[0])
    sentence = f"{kind}: needs a key; set {' or '.join(variables)} in the environment"
    if not key.text and missing is None:
        raise ModelError(sentence)
    if not key.text and missing is not None:
        missing.append(sentence)
    return key


def _parse_options(kind: str, target: str, *known: str) -> tuple[str, dict[str, str]]:
    """Split a target into the name of a model and its options."""
    model, options = with_options(target, known, ModelError)
    if not model:
        raise ModelError(f"{kind}: needs the name of a model; write {kind}:MODEL?{known[0]}=…")
    return model, options
