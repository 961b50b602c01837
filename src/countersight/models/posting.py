"""JSON posted over the kept connections of a session, without what a session does for requests of every kind.

For each request aiohttp's session makes a request, a payload, a task that writes it, and a response: half of what a
question costs the one who asks. Here the head is made once for an address. Connections, certificates, the parser and
its limits are the session's own.
"""

import asyncio
import select
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from weakref import WeakSet

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from yarl import URL

_NO_TIMEOUT: Final = aiohttp.ClientTimeout()  # whoever posts has a deadline
_LENGTH: Final = "Content-Length"
_SWITCHED: Final = 101
"""Status of a server that speaks another protocol from here on, which nobody asked it to."""
_kept: Final[WeakSet[ResponseHandler]] = WeakSet()
"""Our ends of the connections that were answered over and are kept for more, whatever address is next."""

Posted = tuple[int, str, Mapping[str, str], bytes]
"""Status, its phrase, headers and body of an answer."""


class Post:
    """One address that JSON is posted to."""

    def __init__(self, session: aiohttp.ClientSession, url: str, headers: Mapping[str, str]) -> None:
        assert session.connector is not None
        self._connector = session.connector
        together = {**session.headers, **headers, "Content-Type": "application/json"}
        self._request = aiohttp.ClientRequest("POST", URL(url), headers=together, loop=asyncio.get_running_loop())
        said = [f"{name}: {value}" for name, value in self._request.headers.items() if name != _LENGTH]
        first = f"POST {self._request.url.raw_path_qs} HTTP/1.1"
        self._head = "\r\n".join([first, *said, f"{_LENGTH}: "]).encode()

    async def send(self, body: bytes, read: Callable[[aiohttp.StreamReader], Awaitable[bytes]]) -> Posted:
        """What comes back, its body as `read` reads it; redirects are not followed. Fails as the session would."""
        connection, protocol, transport = await self._connect()
        try:
            protocol.set_response_params(read_until_eof=True)
            transport.writelines((self._head, b"%d\r\n\r\n" % len(body), body))
            message, content = await protocol.read()
            while message.code < 200 and message.code != _SWITCHED:  # it is not the answer yet
                message, content = await protocol.read()
            received = await read(content) if message.code != _SWITCHED else b""
        except aiohttp.http.HttpProcessingError as error:
            _drop(connection)
            raise aiohttp.ClientPayloadError(str(error)) from error
        except BaseException:
            _drop(connection)
            raise
        if transport.get_write_buffer_size():  # whoever answers without listening may never listen again
            _drop(connection)
        else:
            _kept.add(protocol)
            connection.release()
        return message.code, message.reason, message.headers, received

    async def _connect(self) -> tuple[Connection, ResponseHandler, asyncio.Transport]:
        """A connection over which nothing came that nobody asked for: it would be taken for the answer."""
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
    """Whether all was taken that was sent, and nothing came, nor the end, that the loop has not looked at yet."""
    end = transport.get_extra_info("socket")
    if sys.platform == "win32":
        came, free, _ = select.select([end], [end], [], 0)
        return bool(free) and not came
    looking = select.poll()  # `select` takes no more than 1,024 files there
    looking.register(end, select.POLLIN | select.POLLOUT)
    return [event for _, event in looking.poll(0)] == [select.POLLOUT]


def _drop(connection: Connection) -> None:
    """Close it at once: what is still to be sent would keep it open for as long as nobody reads it."""
    if connection.transport is not None:
        connection.transport.abort()
    connection.close()
