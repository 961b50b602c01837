"""HTTP services: persistent connections, limits on response size, and keys that are sent to no other host."""

import asyncio
import datetime
import email.utils
import os
import re
import ssl
import urllib.request
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from urllib.parse import quote, urlsplit

import aiohttp
import msgspec
from yarl import URL

from countersight import __version__
from countersight.errors import AskingFailed, ModelError, Overloaded, Refused, Unreachable
from countersight.models.http_post import Post, Posted

SHORTEST_SECRET = 8
"""The minimum length of a key that is removed from responses; shorter values ("none", "x") are not real keys."""


class ApiKey(NamedTuple):
    """An API key; empty if the server needs none or none is set."""

    text: str = ""
    variable: str = ""
    """The environment variable from which it is read."""


@dataclass(frozen=True, slots=True)
class Received:
    """The response of a server, with the key removed if the server repeated it."""

    status: int
    phrase: str
    headers: Mapping[str, str]
    content: bytes

    @property
    def succeeded(self) -> bool:
        """Whether the request succeeded."""
        return 200 <= self.status < 300


class Service:
    """An HTTP server and the API key for it."""

    def __init__(self, address: str, key: ApiKey, *, header: str = "Authorization", timeout: float, most: int) -> None:
        self.host = urlsplit(address).netloc
        self.key_variable = key.variable
        self._secrets = _key_encodings(key.text) if len(key.text) >= SHORTEST_SECRET else ()
        sent = f"Bearer {key.text}" if header == "Authorization" else key.text
        self.headers = {header: sent} if key.text else {}
        self._timeout = timeout
        self._most = most
        """The maximum size of a response in bytes; longer responses are an error."""
        self._session: aiohttp.ClientSession | None = None
        self._posts: dict[str, Post] = {}

    async def post(self, url: str, body: bytes | aiohttp.FormData, most: int | None = None) -> Received:
        """Send JSON or a form; raises AskingFailed if there is no response, or one of more than `most` bytes."""
        if isinstance(body, bytes):
            return await self._exchange(url, lambda: self._post(url, body, most))
        return await self._exchange(url, lambda: self._request("POST", url, self.headers, body))

    async def get(self, url: str | URL, *, known: bool = True, most: int | None = None) -> Received:
        """Fetch a URL; the key is sent only if `known` is true."""
        headers = self.headers if known else {}
        return await self._exchange(url, lambda: self._request("GET", url, headers, None, most))

    async def close(self) -> None:
        """Close the connections; a later request opens new ones, in any event loop."""
        session, self._session = self._session, None
        self._posts.clear()
        if session is not None:
            await session.close()

    async def _exchange(self, url: str | URL, ask: Callable[[], Awaitable[Posted]]) -> Received:
        """Await a response within the timeout; connection errors are raised as exceptions with our own messages."""
        try:
            async with asyncio.timeout(self._timeout):
                status, phrase, headers, content = await ask()
        except TimeoutError:
            raise AskingFailed(f"no answer within {self._timeout:g} s", again=True) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise _connection_error(error, URL(url).authority) from None
        phrase = self._without_key(phrase.encode("utf-8", "replace")).decode("utf-8", "replace")
        return Received(status, phrase, headers, self._without_key(content))

    async def _post(self, url: str, body: bytes, most: int | None) -> Posted:
        session = self._open()
        if session.trust_env:  # proxies are handled by the session
            return await self._request("POST", url, {**self.headers, "Content-Type": "application/json"}, body, most)
        if url not in self._posts:
            self._posts[url] = Post(session, url, self.headers)
        return await self._posts[url].send(body, partial(self._read, most=most))

    async def _request(
        self,
        method: str,
        url: str | URL,
        headers: dict[str, str],
        body: bytes | aiohttp.FormData | None,
        most: int | None = None,
    ) -> Posted:
        # Redirects are not followed, so that key and picture are not sent to another host.
        async with self._open().request(method, url, headers=headers, data=body, allow_redirects=False) as response:
            content = await self._read(response.content, most)
            return response.status, response.reason or "", response.headers, content

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                # Callers limit the number of concurrent requests; a second limit here would only hide that.
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=600),
                timeout=aiohttp.ClientTimeout(),  # we set the deadline ourselves
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": f"countersight/{__version__}"},
                # Only with a proxy: otherwise aiohttp would look for ~/.netrc in a thread at every request.
                trust_env=bool(urllib.request.getproxies()),
            )
        return self._session

    async def _read(self, content: aiohttp.StreamReader, most: int | None = None) -> bytes:
        parts: list[bytes] = []
        size, most = 0, most or self._most
        while part := await content.readany():
            size += len(part)
            if size > most:
                raise AskingFailed(f"the answer is longer than {most:,} bytes", again=False)
            parts.append(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _without_key(self, content: bytes) -> bytes:
        """Return the content without the key, which some servers repeat in error messages."""
        for form in self._secrets:
            content = content.replace(form, b"[key]")
        return content


def _key_encodings(key: str) -> tuple[bytes, ...]:
    """Return the encodings of a key in URLs and in the JSON of several languages."""
    quoted = quote(key, safe="")
    in_json = msgspec.json.encode(key)[1:-1].decode()
    small = re.sub("%..", lambda sign: sign[0].lower(), quoted)
    forms = (key, quoted, small, in_json, in_json.replace("/", r"\/"), in_json.replace("+", r"\u002B"))
    return tuple(form.encode() for form in dict.fromkeys(forms))


_UNKNOWN = (18, 19, 20)
"""OpenSSL's error numbers for self-signed certificates and unknown issuers."""
_NO_MONEY = (400, 401, 403)
_MONEY = re.compile(
    r"\bquota\b|\bbilling\b|credit balance|out of credits?\b|insufficient (?:funds|balance|credit)", re.IGNORECASE
)
"""Words that report a missing payment; not used for 429, where quota may mean a rate limit."""


def status_error(service: Service, received: Received) -> Exception:
    """Return the exception for an unsuccessful response; if the key is not accepted, it names the variable to set."""
    host, status = service.host, received.status
    reason = f"HTTP {status}: {error_text(received.content) or shorten(received.phrase)}"
    if status == 402 or b"insufficient_quota" in received.content or (status in _NO_MONEY and _MONEY.search(reason)):
        return ModelError(
            f"the quota at {host} is used up: {reason}; increase it, then run the same command to continue"
        )
    if status == 401:
        advice = f"; set {service.key_variable} to a valid key" if service.key_variable else ""
        return ModelError(f"{host} does not accept the key: {reason}{advice}")
    if status in (429, 503, 529):
        return Overloaded(reason, _retry_after(received.headers.get("Retry-After")))
    if status >= 500 or status in (408, 409, 425):
        return AskingFailed(reason, again=True)
    if status in (301, 302, 303, 307, 308):
        return Refused(f"{reason}; redirects are not followed, so use the final address")
    return Refused(reason)


def check_address(url: str) -> str:
    """Return a valid address that contains no key; error messages do not repeat the address."""
    try:
        parts = urlsplit(url)
        host, _ = (parts.hostname or "").encode("idna"), parts.port
    except ValueError:
        host = b""
    if not host or parts.scheme not in ("http", "https"):
        raise ModelError("the address of an endpoint must be a URL such as http://127.0.0.1:8000/v1")
    if parts.username or parts.password or parts.query:
        raise ModelError("do not write keys into the address: set COUNTERSIGHT_API_KEY (or OPENAI_API_KEY)")
    return url


def read_key(variable: str) -> ApiKey:
    """Return the key from an environment variable; its text is empty if the variable is not set."""
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable():
        raise ModelError(f"{variable} contains characters that are not allowed in a key; set it again")
    return ApiKey(key, variable)


def error_text(content: bytes) -> str:
    """Return the server's error message, shortened, whatever its format."""
    try:
        error = msgspec.json.decode(content)
        while isinstance(error, dict):
            error = error.get("error") or error.get("message") or error.get("detail") or ""
        return shorten(str(error))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return shorten(content[:2000].decode("utf-8", "replace"))


def shorten(text: str) -> str:
    """Return text as one line, cut off after 200 characters."""
    text = " ".join(text.split())
    return text if len(text) <= 200 else text[:200] + "…"


def _retry_after(value: str | None) -> float | None:
    """Return the seconds to wait according to a Retry-After header, which is a number or a date."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            date = email.utils.parsedate_to_datetime(value)
        except (ValueError, OverflowError, TypeError):
            return None
        if date.tzinfo is None:
            date = date.replace(tzinfo=datetime.UTC)
        seconds = (date - datetime.datetime.now(datetime.UTC)).total_seconds()
    return max(0.0, seconds) if seconds < 1e9 else None


def _connection_error(error: Exception, to: str) -> AskingFailed:
    """Return the exception for a failed connection."""
    match error:
        case aiohttp.ClientHttpProxyError():
            return Unreachable(
                f"the proxy refused the connection to {to} (HTTP {error.status}: {shorten(error.message)})"
            )
        case aiohttp.ClientProxyConnectionError():
            return Unreachable(
                f"cannot connect to the proxy {error.host}:{error.port} ({_describe_cause(error.os_error)})"
            )
        case aiohttp.ClientConnectorError() if isinstance(error.os_error, ConnectionResetError):
            return AskingFailed("the connection was reset", again=True)
        case aiohttp.ClientConnectorError():
            return Unreachable(f"cannot connect to {to} ({_describe_cause(error.os_error)})")
        case aiohttp.ClientPayloadError():
            return AskingFailed(
                "the connection was lost while the response was being received, or the response is not valid HTTP",
                again=True,
            )
    return AskingFailed(f"the connection was lost ({type(error).__name__})", again=True)


def _describe_cause(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError) and error.verify_code in _UNKNOWN:
        return f"{error.verify_message}; if the certificate is your own, set SSL_CERT_FILE to its file"
    if isinstance(error, ssl.SSLError):  # its error numbers are OpenSSL's, not the system's
        return (
            getattr(error, "verify_message", "") or f"TLS: {(error.reason or 'no handshake').replace('_', ' ').lower()}"
        )
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error.strerror or error)
