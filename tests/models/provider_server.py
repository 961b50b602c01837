"""A local server that speaks the dialect of every provider, as documented: paths, keys and refusals."""

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "sk-secret-0123456789"


class Providers:
    """A server that speaks every dialect; `refuses` maps the fields that it refuses to its messages."""

    def __init__(self, refuses=None, script=None) -> None:
        self.refuses = refuses or {}
        self.script = script or (lambda number, path: None)
        """Return the status and body for the n-th request; None for the usual answer."""
        self.requests = []
        providers = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                content = self.rfile.read(int(self.headers["Content-Length"]))
                providers.answer(self, json.loads(content) if "json" in self.headers["Content-Type"] else content)

            def do_GET(self):
                providers.answer(self, None)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, handler, body) -> None:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        number = len(self.requests)
        self.requests.append((handler.path, headers, body))
        status, sent = self.script(number, handler.path) or self._usual(handler.path, headers, body)
        content = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def _usual(self, path, headers, body):
        for dialect in (AnthropicDialect, GeminiDialect, BedrockDialect, ChatDialect):
            if dialect.path in path:
                if headers.get(dialect.header) not in (KEY, f"Bearer {KEY}"):
                    return 401, {"error": {"message": "no such key"}}
                for field, words in self.refuses.items():
                    if field in json.dumps(body):
                        return words if isinstance(words, tuple) else (400, {"error": {"message": words}})
                return 200, dialect.reply(body)
        return 404, {"error": {"message": f"no such path: {path}"}}


class AnthropicDialect:
    path, header = "/v1/messages", "x-api-key"

    @staticmethod
    def reply(body):
        image, *_, text = body["messages"][-1]["content"]
        assert image["source"]["type"] == "base64"
        _is_picture(image["source"]["media_type"], image["source"]["data"])
        assert text["type"] == "text"
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": f"{body['model']}-20260101",
            "content": [{"type": "thinking", "thinking": "I count.", "signature": "x"}, {"type": "text", "text": "B"}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 7},
        }


class GeminiDialect:
    path, header = ":generateContent", "x-goog-api-key"

    @staticmethod
    def reply(body):
        image, *_ = body["contents"][-1]["parts"]
        _is_picture(image["inlineData"]["mimeType"], image["inlineData"]["data"])
        assert set(body) == {"contents", "generationConfig"}
        return {
            "candidates": [
                {
                    "content": {"role": "model", "parts": [{"text": "I count.", "thought": True}, {"text": "B"}]},
                    "finishReason": "STOP",
                }
            ],
            "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 2, "thoughtsTokenCount": 5},
            "modelVersion": "gemini-2.5-flash-001",
        }


class BedrockDialect:
    path, header = "/converse", "authorization"

    @staticmethod
    def reply(body):
        image, *_ = body["messages"][-1]["content"]
        _is_picture(f"image/{image['image']['format']}", image["image"]["source"]["bytes"])
        thought = {"reasoningContent": {"reasoningText": {"text": "I count."}}}
        return {
            "output": {"message": {"role": "assistant", "content": [thought, {"text": "B"}]}},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 100, "outputTokens": 7, "totalTokens": 107},
            "metrics": {"latencyMs": 5},
        }


class ChatDialect:
    path = "/chat/completions"
    header = "authorization"

    @staticmethod
    def reply(body):
        image, *_ = body["messages"][-1]["content"]
        kind, _, data = image["image_url"]["url"].removeprefix("data:").partition(";base64,")
        _is_picture(kind, data)
        usage = {"prompt_tokens": 100, "completion_tokens": 7}
        if body.get("usage", {}).get("include"):
            usage["cost"] = 0.125
        message = {"role": "assistant", "content": "B", "reasoning_content": "I count."}
        return {"model": "m-1", "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}


def _is_picture(kind: str, data: str) -> None:
    assert kind == "image/png"
    assert base64.b64decode(data, validate=True).startswith(b"\x89PNG")
