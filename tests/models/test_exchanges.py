"""HTTP exchanges: forms of responses, proxies, errors and timeouts."""

import asyncio
import gzip
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from chat_server import ChatServer, completion
from making import picture

from countersight.errors import AskingFailed, Refused, Unreachable
from countersight.models import Model, ModelSettings, Request, Turn, open_model
from countersight.picture import check_picture

REQUEST = Request("case-1", (Turn("user", "How many?", check_picture(picture())),), "open")
BODY = json.dumps(completion("B")).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def whole(said: str) -> bytes:
    body = json.dumps(completion(said)).encode()
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


WHOLE = whole("B")
PACKED = gzip.compress(BODY)
IN_CHUNKS = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (BODY[:7], BODY[7:])) + b"0\r\n\r\n"


Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def heard(reader: asyncio.StreamReader) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))


@asynccontextmanager
async def served(serve: Callable[[int, Ends], Awaitable[None]]) -> AsyncIterator[Model]:
    """Context manager for a model whose server handles each connection with `serve`; connections count from 1."""
    connections = 0

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        try:
            await serve(connections, (reader, writer))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    model = open_model(f"endpoint:http://127.0.0.1:{port}/v1#m", ModelSettings(timeout=300))
    try:
        yield model
    finally:
        await model.close()
        server.close()


def answered(wire: bytes, times: int = 2) -> tuple[list[str], int]:
    """Return the model's answers if the server sends these bytes, and the number of connections."""
    connections = 0

    async def serve(number: int, ends: Ends) -> None:
        nonlocal connections
        connections, (reader, writer) = number, ends
        while True:
            await heard(reader)
            writer.write(wire)
            if b"length" not in wire.lower() and b"chunked" not in wire:
                return

    async def ask() -> list[str]:
        async with served(serve) as model:
            return [(await model.reply(REQUEST)).text for _ in range(times)]

    return asyncio.run(ask()), connections


@pytest.mark.parametrize(
    ("wire", "connections"),
    [
        (WHOLE, 1),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + IN_CHUNKS, 1),
        (HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(PACKED) + PACKED, 1),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + WHOLE, 1),
        (HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY, 2),
        (HEAD + b"\r\n" + BODY, 2),
    ],
    ids=["whole", "in chunks", "packed", "after hints", "once", "until the end"],
)
def test_every_form_of_http_response_is_read_and_connections_are_reused(wire, connections):
    assert answered(wire) == (["B", "B"], connections)


@pytest.mark.parametrize(
    "unasked",
    [lambda writer: writer.write(whole("of nobody")), lambda writer: writer.write_eof()],
    ids=["another answer", "the end"],
)
def test_unrequested_data_is_not_mistaken_for_a_response(unasked):
    """A kept connection is not used again if it received data or was closed."""

    async def ask() -> list[str]:
        last: list[asyncio.StreamWriter] = []

        async def serve(number: int, ends: Ends) -> None:
            while True:
                await heard(ends[0])
                ends[1].write(whole(f"over connection {number}"))
                last.append(ends[1])

        async with served(serve) as model:
            replies = []
            for _ in range(3):
                replies.append((await model.reply(REQUEST)).text)
                unasked(last[-1])
            return replies

    assert asyncio.run(ask()) == [f"over connection {number}" for number in (1, 2, 3)]


def test_a_response_before_the_end_of_the_request_is_accepted():
    """The server refuses a large picture before reading it; the rest is not sent, and the connection is closed."""
    large = Request("case-1", (Turn("user", "?" * 12_000_000, REQUEST.turns[0].picture),), "open")
    refusal = b"HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\n\r\nlarge"

    async def ask() -> list[object]:
        done = asyncio.Event()

        async def serve(number: int, ends: Ends) -> None:
            await ends[0].readuntil(b"\r\n\r\n")
            ends[1].write(refusal)
            await done.wait()

        async with served(serve) as model:
            failures = [*(await asyncio.gather(model.reply(large), return_exceptions=True))]
            failures += await asyncio.gather(model.reply(large), return_exceptions=True)
            await model.close()
            done.set()
        return failures

    assert [repr(failure) for failure in asyncio.run(ask())] == [repr(Refused("HTTP 413: large"))] * 2


@pytest.mark.parametrize(
    ("wire", "said"),
    [
        (
            b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n",
            "redirects are not followed",
        ),
        (b"HTTP/1.1 405 Not So\r\nContent-Length: 0\r\n\r\n", "HTTP 405: Not So"),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade, length\r\n\r\n", "HTTP 101: Switching"),
    ],
    ids=["elsewhere", "otherwise", "another protocol"],
)
def test_an_unexpected_status_is_a_refusal(wire, said):
    """A run stops after a few refusals, but not after other failures."""
    with pytest.raises(Refused, match=said):
        answered(wire, times=1)


WRITTEN = {
    "as it is": "sk-or/v1+abc/defghi",
    "by PHP": r"sk-or\/v1+abc\/defghi",
    "by .NET": r"sk-or/v1\u002Babc/defghi",
    "in an address": "sk-or%2Fv1%2Babc%2Fdefghi",
    "in small letters": "sk-or%2fv1%2babc%2fdefghi",
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_a_key_repeated_by_the_server_is_removed(written, monkeypatch):
    monkeypatch.setenv("COUNTERSIGHT_API_KEY", "sk-or/v1+abc/defghi")
    error = b'{"error": "no such key: %s"}' % written.encode()
    with pytest.raises(Refused, match=r"^HTTP 400: no such key: \[key\]$"):
        answered(b"HTTP/1.1 400 No\r\nContent-Length: %d\r\n\r\n" % len(error) + error, times=1)


def test_a_proxy_from_the_environment_is_used(monkeypatch):
    async def ask() -> str:
        model = open_model("endpoint:http://model.invalid/v1#m", ModelSettings())
        try:
            return (await model.reply(REQUEST)).text
        finally:
            await model.close()

    with ChatServer("say:B") as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        assert asyncio.run(ask()) == "B"
    assert proxy.headers[0]["path"] == "POST http://model.invalid/v1/chat/completions HTTP/1.1"


def test_errors_of_a_proxy_are_distinguished_from_errors_of_the_server(monkeypatch):
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 407 Who Are You\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async def failure() -> BaseException:
        model = open_model("endpoint:https://model.invalid/v1#m", ModelSettings())
        [failed] = await asyncio.gather(model.reply(REQUEST), return_exceptions=True)
        await model.close()
        assert isinstance(failed, Unreachable)
        return failed

    async def failures() -> tuple[str, str]:
        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
            monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
            refused = await failure()
        with socket.socket() as deaf:  # it has a port and does not listen there
            deaf.bind(("127.0.0.1", 0))
            monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{deaf.getsockname()[1]}")
            return str(refused), str(await failure())

    refused, gone = asyncio.run(failures())
    assert refused == "the proxy refused the connection to model.invalid:443 (HTTP 407: Who Are You)"
    assert gone.startswith("cannot connect to the proxy 127.0.0.1:")


def test_a_server_without_tls_is_distinguished_from_a_missing_server():
    async def speak_plainly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()

    async def ask() -> None:
        async with await asyncio.start_server(speak_plainly, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            model = open_model(f"endpoint:https://127.0.0.1:{port}/v1#m", ModelSettings())
            try:
                await model.reply(REQUEST)
            finally:
                await model.close()

    with pytest.raises(Unreachable, match=r"cannot connect to 127\.0\.0\.1:\d+ \(TLS: wrong version number\)"):
        asyncio.run(ask())


def test_a_timeout_ends_only_the_slow_question():
    asked = []

    def first_hangs(server, number, body):
        asked.append(number)
        return "hang" if number == 0 else "say:B"

    async def ask() -> list[object]:
        with ChatServer(first_hangs) as server:
            model = open_model(server.name, ModelSettings(timeout=8))
            slow = asyncio.create_task(model.reply(REQUEST))
            while not asked:
                await asyncio.sleep(0.005)
            quick = [await model.reply(REQUEST) for _ in range(3)]
            [late] = await asyncio.gather(slow, return_exceptions=True)
            await model.close()
        return [late, *(one.text for one in quick)]

    late, *quick = asyncio.run(ask())
    assert isinstance(late, AskingFailed)
    assert str(late) == "no answer within 8 s"
    assert quick == ["B"] * 3
