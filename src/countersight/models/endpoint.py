"""Models behind an OpenAI-compatible chat endpoint: hosted ones, vLLM, llama.cpp, Ollama, LM Studio and the like."""

import base64
import datetime
import email.utils
import os
import urllib.request
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import msgspec

from countersight import __version__
from countersight.models.protocol import (
    Answer,
    AskingFailed,
    ModelError,
    ModelSettings,
    Overloaded,
    Request,
    Turn,
    Unreachable,
)

OPENAI = "https://api.openai.com/v1"
MAX_RESPONSE = 4 * 1024 * 1024
"""More bytes than this are no answer; reading stops there."""


class _Message(msgspec.Struct):
    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    cost: float | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None
    model: str | None = None


_completion = msgspec.json.Decoder(_Completion)


class Endpoint:
    """Asks one model of one endpoint over kept-alive connections."""

    needs_picture = True

    def __init__(self, name: str, url: str, model: str, key: str | None, settings: ModelSettings) -> None:
        self.name = name
        self.settings = {
            "max_tokens": settings.max_tokens,
            "temperature": settings.temperature,
            "seed": settings.seed,
            "detail": settings.detail,
        }
        self._url = url.rstrip("/") + "/chat/completions"
        self._model = model
        self._key = key
        self._options = settings
        self._session: aiohttp.ClientSession | None = None
        self._encoded: tuple[bytes, str] = (b"", "")

    async def reply(self, request: Request) -> Answer:
        body = self._body(request)
        try:
            async with self._open().post(self._url, data=body, allow_redirects=False) as response:
                content = await _read(response)
        except TimeoutError:
            raise AskingFailed(f"no answer within {self._options.timeout:g} s", again=True) from None
        except aiohttp.ClientConnectorError as error:
            if isinstance(error.os_error, ConnectionResetError):
                raise AskingFailed("the connection was reset", again=True) from None
            raise Unreachable(f"cannot connect to {_host(self._url)} ({_why(error.os_error)})") from None
        except aiohttp.ClientError as error:
            raise AskingFailed(f"the connection broke ({type(error).__name__})", again=True) from None
        if response.status != 200:
            raise self._refused(response, content)
        return self._answer(content)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            headers = {"Content-Type": "application/json", "User-Agent": f"countersight/{__version__}"}
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
            self._session = aiohttp.ClientSession(
                # The run engine bounds how many requests are under way; a second bound here would only hide it.
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=600),
                timeout=aiohttp.ClientTimeout(total=self._options.timeout),
                headers=headers,
                # Only where a proxy is set: aiohttp would look for ~/.netrc in a thread at every request.
                trust_env=bool(urllib.request.getproxies()),
            )
        return self._session

    def _body(self, request: Request) -> bytes:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [self._message(turn) for turn in request.turns],
            "max_completion_tokens" if self._url.startswith(OPENAI) else "max_tokens": self._options.max_tokens,
            "seed": self._options.seed,
        }
        if self._options.temperature is not None:
            body["temperature"] = self._options.temperature
        return msgspec.json.encode(body)

    def _message(self, turn: Turn) -> dict[str, Any]:
        if turn.picture is None:
            return {"role": turn.role, "content": turn.text}
        data = turn.picture.data
        if self._encoded[0] is not data:  # the questions of a case share their picture: encode it once
            url = f"data:{turn.picture.mime};base64,{base64.b64encode(data).decode('ascii')}"
            self._encoded = (data, url)
        image = {"url": self._encoded[1], "detail": self._options.detail}
        return {
            "role": turn.role,
            "content": [{"type": "image_url", "image_url": image}, {"type": "text", "text": turn.text}],
        }

    def _answer(self, content: bytes) -> Answer:
        try:
            completion = _completion.decode(content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise AskingFailed(f"the server sent no chat completion: {_shorten(str(error))}", again=True) from None
        if not completion.choices:
            raise AskingFailed("the server sent no choices", again=True)
        choice = completion.choices[0]
        text = _text(choice.message.content)
        if not text and choice.message.refusal:
            # A refusal is what the model said: it is kept, read as no answer, and counted as unread.
            text = choice.message.refusal
        usage = completion.usage or _Usage()
        tokens_in, tokens_out = usage.prompt_tokens or 0, usage.completion_tokens or 0
        if not text and choice.finish_reason == "content_filter":
            raise AskingFailed("the server's content filter held the answer back", again=False)
        cost = usage.cost
        if cost is None:
            cost = (tokens_in * self._options.price_in + tokens_out * self._options.price_out) / 1e6
        return Answer(text, choice.finish_reason or "", tokens_in, tokens_out, cost, completion.model or "")

    def _refused(self, response: aiohttp.ClientResponse, content: bytes) -> Exception:
        status = response.status
        reason = f"HTTP {status}: {self._without_key(_error_text(content)) or response.reason}"
        if status in (429, 503):
            return Overloaded(reason, _retry_after(response.headers.get("Retry-After")))
        if status in (401, 403):
            return ModelError(f"{_host(self._url)} refused the key ({reason}); set the right one in the environment")
        if status == 404:
            return ModelError(f"{self._url} does not know the model {self._model!r} or the address ({reason})")
        return AskingFailed(reason, again=status >= 500 or status in (408, 409, 425))

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text


def parse_endpoint(name: str, address: str, settings: ModelSettings) -> Endpoint:
    """`endpoint:URL#MODEL`; the key, if the server wants one, is read from COUNTERSIGHT_API_KEY."""
    url, _, model = address.partition("#")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or not model:
        raise ModelError("an endpoint is named endpoint:URL#MODEL, as in endpoint:http://127.0.0.1:8000/v1#qwen2.5-vl")
    if parts.username or parts.password or parts.query:
        raise ModelError("keep keys out of the address: put the key into COUNTERSIGHT_API_KEY")
    return Endpoint(name, url, model, os.environ.get("COUNTERSIGHT_API_KEY"), settings)


def parse_openai(name: str, model: str, settings: ModelSettings) -> Endpoint:
    """`openai:MODEL`; key from OPENAI_API_KEY, another base address from OPENAI_BASE_URL."""
    key = os.environ.get("OPENAI_API_KEY")
    if not key:
        raise ModelError("openai: needs a key; set OPENAI_API_KEY in the environment")
    return Endpoint(name, os.environ.get("OPENAI_BASE_URL") or OPENAI, model, key, settings)


async def _read(response: aiohttp.ClientResponse) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in response.content.iter_any():
        size += len(part)
        if size > MAX_RESPONSE:
            response.close()
            raise AskingFailed(f"the answer is longer than {MAX_RESPONSE:,} bytes", again=False)
        parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _text(content: str | list[dict[str, Any]] | None) -> str:
    """The words of a message; some servers send them in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if part.get("type") == "text")
    return content or ""


def _error_text(content: bytes) -> str:
    """The server's own words about an error, short, whatever shape they came in."""
    try:
        error = msgspec.json.decode(content)
        while isinstance(error, dict):
            error = error.get("error") or error.get("message") or error.get("detail") or ""
        return _shorten(str(error))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _shorten(content[:2000].decode("utf-8", "replace"))


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 200 else text[:200] + "…"


def _retry_after(value: str | None) -> float | None:
    """Seconds to wait, from either form of the header (a number, or a date)."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            date = email.utils.parsedate_to_datetime(value)
        except ValueError:
            return None
        if date.tzinfo is None:
            date = date.replace(tzinfo=datetime.UTC)
        seconds = (date - datetime.datetime.now(datetime.UTC)).total_seconds()
    return max(0.0, seconds) if seconds < 1e9 else None


def _why(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error.strerror or error)


def _host(url: str) -> str:
    return urlsplit(url).netloc
