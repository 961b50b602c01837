"""JSON posted over the kept connections of a session, without what a session does for requests of every kind.

For each request aiohttp's session makes a request, a payload, a task that writes it, and a response: half of what a
question costs the one who asks. Here the head is made once for an address. Connections, certificates, the parser and
its limits are the session's own.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import aiohttp
from yarl import URL

_NO_TIMEOUT: Final = aiohttp.ClientTimeout()  # whoever posts has a deadline
_LENGTH: Final = "Content-Length"

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
        connection = await self._connector.connect(self._request, traces=[], timeout=_NO_TIMEOUT)
        try:
            protocol, transport = connection.protocol, connection.transport
            assert protocol is not None
            assert transport is not None
            protocol.set_response_params(read_until_eof=True)
            transport.writelines((self._head, b"%d\r\n\r\n" % len(body), body))
            message, content = await protocol.read()
            while message.code < 200:  # it is not the answer yet
                message, content = await protocol.read()
            received = await read(content)
        except aiohttp.http.HttpProcessingError as error:
            connection.close()
            raise aiohttp.ClientPayloadError(str(error)) from error
        except BaseException:
            connection.close()
            raise
        connection.release()
        return message.code, message.reason, message.headers, received
