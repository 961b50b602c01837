"""A real HTTP server on the loopback that speaks the OpenAI chat protocol, and misbehaves in every way on request.

It stands in for endpoints that cannot be had in a test. What it does with the n-th request is up to a script.
"""

import asyncio
import hashlib
import json
import threading
from collections.abc import Callable

PHRASE = "X"
"""What follows the status code."""
Behaviour = str | Callable[["ChatServer", int, dict], str]


class ChatServer:
    """Answers each question with a letter that depends on the question alone, so that runs can be compared."""

    def __init__(self, behaviour: Behaviour = "answer", latency: float = 0.0) -> None:
        self.behaviour = behaviour
        self.latency = latency
        self.requests: list[dict] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.released = threading.Event()
        """Answers wait until this is set; a test may clear it."""
        self.released.set()
        self.under_way = 0
        self.most_under_way = 0
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> "ChatServer":
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(60)

    @property
    def name(self) -> str:
        return f"endpoint:http://127.0.0.1:{self.port}/v1#test-model"

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._over.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
                body = json.loads(await reader.readexactly(int(headers["content-length"])))
                number = len(self.requests)
                self.requests.append(body)
                self.headers.append(headers | {"path": head[0]})
                self.times.append(self._loop.time())
                self.under_way += 1
                self.most_under_way = max(self.most_under_way, self.under_way)
                try:
                    what = self.behaviour if isinstance(self.behaviour, str) else self.behaviour(self, number, body)
                    while not self.released.is_set():
                        await asyncio.sleep(0.01)
                    if self.latency:
                        await asyncio.sleep(self.latency)
                    if not await self._answer(what, body, writer):
                        return
                finally:
                    self.under_way -= 1
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _answer(self, what: str, body: dict, writer: asyncio.StreamWriter) -> bool:
        """Do what the script says; False if the connection is over."""
        send = lambda *a, **k: writer.write(_response(*a, **k))  # noqa: E731
        if what == "answer":
            send(200, completion(letter(question_of(body))))
        elif what.startswith("rank"):
            send(*ranked(body, what.removeprefix("rank").removeprefix(":")))
        elif what.startswith("say:"):
            send(200, completion(what.removeprefix("say:")))
        elif what.startswith("status:"):
            _, status, *after = what.split(":")
            send(int(status), {"error": {"message": f"no, {status}"}}, **({"retry": after[0]} if after else {}))
        elif what == "phrase":
            send(418, b"")
        elif what == "hang":
            await asyncio.sleep(60)
        elif what == "reset":
            writer.transport.get_extra_info("socket").setsockopt(1, 13, b"\x01\0\0\0\0\0\0\0")  # SO_LINGER: send RST
            writer.transport.abort()
            return False
        elif what == "close":
            return False
        elif what == "half":
            writer.write(_response(200, completion("A"))[:-20])
            return False
        elif what == "html":
            send(200, "<html><body>Bad gateway</body></html>", kind="text/html")
        elif what == "wrong type":
            send(200, completion(letter(question_of(body))), kind="text/plain; charset=nonsense")
        elif what == "empty choices":
            send(200, completion("A") | {"choices": []})
        elif what == "null content":
            send(200, completion(None))
        elif what == "refusal":
            refused = completion(None)
            refused["choices"][0]["message"]["refusal"] = "I cannot help with that."
            send(200, refused)
        elif what == "filtered":
            filtered = completion(None)
            filtered["choices"][0]["finish_reason"] = "content_filter"
            send(200, filtered)
        elif what == "not utf-8":
            send(200, b'{"choices": [{"message": {"content": "\xff\xfe"}}]}')
        elif what == "deep":
            send(200, b"[" * 1_000_000)
        elif what == "huge":
            send(200, completion("x" * 10_000_000))
        elif what == "endless header":
            writer.write(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 1_000_000)
        elif what == "not http":
            writer.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
        else:
            raise ValueError(what)
        await writer.drain()
        return True


def completion(text: str | None) -> dict:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "test-model-2026",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 102},
    }


def prompt_tokens(body: dict, closes: bool = False) -> list[str]:
    """A prompt as a model's template would write it: marks around every turn, four places for a picture, and words.

    An answer that is to be continued is left open; a server that does not know of it closes it.
    """
    tokens = ["<begin>"]
    for message in body["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        tokens.append(f"<{message['role']}>")
        for part in parts:
            tokens += part["text"].split() if part["type"] == "text" else ["<image>"] * 4
        tokens.append("<end>")
    if body["continue_final_message"] and not closes:
        tokens.pop()
    if body["add_generation_prompt"]:
        tokens.append("<assistant>")
    return tokens


def logprob(tokens: list[str], place: int) -> float:
    """How likely the token at a place is after those before it: it depends on all of them."""
    return -(1 + hashlib.sha256(" ".join(tokens[: place + 1]).encode()).digest()[0] / 16)


def token_number(token: str) -> int:
    return int.from_bytes(hashlib.sha256(token.encode()).digest()[:3])


def ranked(body: dict, fault: str = "") -> tuple[int, dict]:
    """An answer as vLLM gives it to who asks for `prompt_logprobs`, with a fault if one is named."""
    if fault == "unknown field":
        return 400, {"error": {"message": "Unrecognized request argument supplied: prompt_logprobs"}}
    tokens = prompt_tokens(body, closes=fault == "closes")
    entries: list[dict | None] = [None]
    for place, token in list(enumerate(tokens))[1:]:
        told = {"logprob": logprob(tokens, place), "rank": 2, "decoded_token": f" {token}"}
        more_likely = {"7": {"logprob": -0.5, "rank": 1, "decoded_token": " x"}} if body["prompt_logprobs"] else {}
        entries.append({str(token_number(token)): told, **more_likely})
    sent = completion("x") | {"prompt_logprobs": entries, "prompt_token_ids": [token_number(token) for token in tokens]}
    if fault == "ignored":
        return 200, completion("x")
    if fault == "long":
        sent["padding"] = "x" * 5_000_000
    elif fault == "without texts":
        for entry in entries[1:]:
            next(iter(entry.values()))["decoded_token"] = None
    if fault == "no numbers":
        del sent["prompt_token_ids"]
    elif fault == "numbers of others":
        sent["prompt_token_ids"] = sent["prompt_token_ids"][::-1]
    elif fault == "in the choice":
        sent["choices"][0]["prompt_logprobs"] = sent.pop("prompt_logprobs")
    elif fault == "null":
        sent["prompt_logprobs"] = None
    elif fault == "short":
        sent["prompt_logprobs"] = entries[:3]
        del sent["prompt_token_ids"]
    elif fault == "empty":
        sent["prompt_logprobs"] = []
    elif fault == "text":
        sent["prompt_logprobs"] = "none"
    elif fault == "entries missing":
        sent["prompt_logprobs"] = [None] * len(tokens)
    elif fault == "lists":
        sent["prompt_logprobs"] = [None] + [[-1.0]] * (len(tokens) - 1)
    elif fault == "words":
        for entry in entries[1:]:
            next(iter(entry.values()))["logprob"] = "likely"
    elif fault == "endless":
        for entry in entries[1:]:
            next(iter(entry.values()))["logprob"] = -(10**400)
    return 200, sent


def question_of(body: dict) -> str:
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else next(part["text"] for part in content if part["type"] == "text")


def letter(question: str) -> str:
    return "ABCD"[hashlib.sha256(question.encode()).digest()[0] % 4]


def _response(status: int, body: dict | str | bytes, kind: str = "application/json", retry: str | None = None) -> bytes:
    content = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    head = f"HTTP/1.1 {status} {PHRASE}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n"
    if retry is not None:
        head += f"Retry-After: {retry}\r\n"
    return head.encode() + b"\r\n" + content
