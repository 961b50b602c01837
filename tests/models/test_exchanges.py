"""Exchanges with a server: every shape an answer comes in, proxies, and the time there is."""

import asyncio
import gzip
import json

import pytest
from chat_server import ChatServer, completion
from making import picture

from countersight.errors import AskingFailed, Unreachable
from countersight.models import ModelSettings, Request, Turn, open_model
from countersight.models.deadline import Deadline
from countersight.picture import check_picture

REQUEST = Request("case-1", (Turn("user", "How many?", check_picture(picture())),), "open")
BODY = json.dumps(completion("B")).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
PACKED = gzip.compress(BODY)
IN_CHUNKS = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (BODY[:7], BODY[7:])) + b"0\r\n\r\n"


def answered(wire: bytes, times: int = 2) -> tuple[list[str], int]:
    """What a model said, so many times, through these bytes; and over how many connections."""
    connections = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).lower():
                await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
                writer.write(wire)
                if b"length" not in wire.lower() and b"chunked" not in wire:
                    return
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()

    async def ask() -> list[str]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        model = open_model(f"endpoint:http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1#m", ModelSettings())
        try:
            return [(await model.reply(REQUEST)).text for _ in range(times)]
        finally:
            await model.close()
            server.close()

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
def test_an_answer_is_read_in_every_shape_and_connections_are_kept(wire, connections):
    assert answered(wire) == (["B", "B"], connections)


def test_a_proxy_of_the_environment_is_gone_through(monkeypatch):
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


def test_a_server_without_tls_is_told_apart_from_one_that_is_gone():
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


def test_a_slow_question_ends_alone():
    asked = []

    def first_hangs(server, number, body):
        asked.append(number)
        return "hang" if number == 0 else "say:B"

    async def ask() -> list[object]:
        with ChatServer(first_hangs) as server:
            model = open_model(server.name, ModelSettings(timeout=1.5))
            slow = asyncio.create_task(model.reply(REQUEST))
            while not asked:
                await asyncio.sleep(0.001)
            quick = [await model.reply(REQUEST) for _ in range(3)]
            [late] = await asyncio.gather(slow, return_exceptions=True)
            await model.close()
        return [late, *(one.text for one in quick)]

    late, *quick = asyncio.run(ask())
    assert isinstance(late, AskingFailed)
    assert str(late) == "no answer within 1.5 s"
    assert quick == ["B"] * 3


def test_whoever_is_told_to_stop_meanwhile_stops():
    """That the time is up as well does not keep a task alive that somebody else ended."""

    async def ask() -> list[object]:
        deadline = Deadline(0.01)

        async def wait() -> None:
            with deadline:
                try:
                    await asyncio.sleep(60)
                except asyncio.CancelledError:
                    task.cancel()
                    raise

        task = asyncio.create_task(wait())
        return await asyncio.gather(task, return_exceptions=True)

    [ended] = asyncio.run(ask())
    assert isinstance(ended, asyncio.CancelledError)
