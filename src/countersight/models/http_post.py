"""Posts JSON over a session's connections without the overhead of general requests.

For each request, aiohttp's session creates objects for the request, payload, writer task and response, which takes half
of the caller's time per question. Here the request head is built only once per URL. The session provides connections,
certificates and the response parser.
"""

import asyncio
import select
from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from weakref import WeakSet

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from yarl import URL

_NO_TIMEOUT: Final = aiohttp.ClientTimeout()  # callers set a deadline
_LENGTH: Final = "Content-Length"
_SWITCHED: Final = 101
"""The status of a response that switches to another protocol; no request asks for it."""
_kept: Final[WeakSet[ResponseHandler]] = WeakSet()
"""Connections that are kept open and reused for further requests."""

Posted = tuple[int, str, Mapping[str, str], bytes]
"""Status, reason phrase, headers and body of a response."""


class Post:
    """An address to which JSON is posted."""

    def __init__(self, session: aiohttp.ClientSession, url: str, headers: Mapping[str, str]) -> None:
        assert session.connector is not None
        self._connector = session.connector
        together = {**session.headers, **headers, "Content-Type": "application/json"}
        self._request = aiohttp.ClientRequest("POST", URL(url), headers=together, loop=asyncio.get_running_loop())
        said = [f"{name}: {value}" for name, value in self._request.headers.items() if name != _LENGTH]
        first = f"POST {self._request.url.raw_path_qs} HTTP/1.1"
        self._head = "\r\n".join([first, *said, f"{_LENGTH}: "]).encode()

    async def send(self, body: bytes, read: Callable[[aiohttp.StreamReader], Awaitable[bytes]]) -> Posted:
        """Send a body and return the response, read with `read`; redirects are not followed. Raises the same
        errors as the session."""
        connection, protocol, transport = await self._connect()
        try:
            protocol.set_response_params(read_until_eof=True)
            transport.writelines((self._head, b"%d\r\n\r\n" % len(body), body))
            message, content = await protocol.read()
            while message.code < 200 and message.code != _SWITCHED:  # an interim response
                message, content = await protocol.read()
            received = await read(content) if message.code != _SWITCHED else b""
        except aiohttp.http.HttpProcessingError as error:
            _drop(connection)
            raise aiohttp.ClientPayloadError(str(error)) from error
        except BaseException:
            _drop(connection)
            raise
        if transport.get_write_buffer_size():  # the server answered without reading the whole body
            _drop(connection)
        else:
            _kept.add(protocol)
            connection.release()
        return message.code, message.reason, message.headers, received

    async def _connect(self) -> tuple[Connection, ResponseHandler, asyncio.Transport]:
        """Return a connection without unrequested data, because such data would be mistaken for the response."""
        while True:
            connection = await self._connector.connect(self._request, traces=[], timeout=_NO_TIMEOUT)
            protocol, transport = connection.protocol, connection.transport
            assert protocol is not None
            kept = protocol in _kept
            if transport is not None and not protocol.should_close and (not kept or _is_quiet(transport)):
                return connection, protocol, transport
            _drop(connection)
            if not kept:
                raise aiohttp.ServerDisconnectedError


def _is_quiet(transport: asyncio.Transport) -> bool:
    """Whether all data was sent, and the event loop has processed everything that was received."""
    end = transport.get_extra_info("socket")
    looking = select.poll()  # `select` is limited to 1,024 files on these systems
    looking.register(end, select.POLLIN | select.POLLOUT)
    return [event for _, event in looking.poll(0)] == [select.POLLOUT]


def _drop(connection: Connection) -> None:
    """Close a connection at once, since unsent data would keep it open."""
    if connection.transport is not None:
        connection.transport.abort()
    connection.close()
