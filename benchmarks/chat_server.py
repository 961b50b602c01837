"""A chat endpoint with a fixed answer and latency, for a separate process: `python -m benchmarks.chat_server SECONDS`.

It implements HTTP/1.1 on a raw asyncio protocol, so that it is never the bottleneck. It prints its port.
"""

import asyncio
import json
import sys

COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "nothing",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "B"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101},
}
BODY = json.dumps(COMPLETION).encode()
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


class Chat(asyncio.Protocol):
    """A connection with one request at a time."""

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._received = bytearray()
        self._missing = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._missing:
            self._missing -= len(data)
        else:
            self._received += data
            end = self._received.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self._received[:end]).lower()
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            self._missing = end + 4 + length - len(self._received)
            self._received.clear()
        if self._missing <= 0:
            self._missing = 0
            if self._latency:
                asyncio.get_running_loop().call_later(self._latency, self._transport.write, RESPONSE)
            else:
                self._transport.write(RESPONSE)


async def serve(latency: float) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: Chat(latency), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
