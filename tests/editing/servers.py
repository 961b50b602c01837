"""A real HTTP server on the loopback that speaks the protocols of two image services, and their failures on request.

Its edit is the negative of the picture it was sent, so that a test sees that the right one came and went.
"""

import asyncio
import base64
import gzip
import io
import json
import threading
import zlib
from dataclasses import dataclass

import numpy as np
from aiohttp import web
from PIL import Image, ImageOps

COST = 4.0
WORDS = "I am sorry, I cannot edit pictures of dogs."


@dataclass
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict:
        return json.loads(self.body)


def negative(data: bytes, size: tuple[int, int] | None = None) -> bytes:
    """What the services make of a picture."""
    with Image.open(io.BytesIO(data)) as image:
        edited = ImageOps.invert(image.convert("RGB"))
    file = io.BytesIO()
    (edited if size is None else edited.resize(size)).save(file, "PNG")
    return file.getvalue()


class PictureServer:
    """Stands in for Black Forest Labs and OpenRouter; `faults` says what goes wrong, where, in order.

    A fault is a name below or a ready response; the places are `order`, `look` and `fetch` for the first, `ask` for the
    others. The last fault of a list stays, unless it is None.
    """

    def __init__(self, **faults: list | str) -> None:
        self.faults = {place: [what] if isinstance(what, str) else list(what) for place, what in faults.items()}
        self.asked: list[Asked] = []
        self.orders: dict[str, bytes] = {}
        self.size: tuple[int, int] | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> "PictureServer":
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(60)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def to(self, part: str) -> list[Asked]:
        """The requests whose path has this part."""
        return [one for one in self.asked if part in one.path]

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        app = web.Application(client_max_size=2**28)
        app.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._over.wait()
        await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        asked = Asked(request.method, request.path_qs, dict(request.headers), await request.read())
        self.asked.append(asked)
        if asked.path.endswith("/chat/completions"):
            return self._faulty("ask", _chat_fault) or self._chat(asked)
        if asked.path.startswith("/v1/get_result"):
            return self._faulty("look", _look_fault) or self._look(asked)
        if asked.path.startswith("/delivery/"):
            return self._faulty("fetch", _any_fault) or self._fetch(asked)
        return self._faulty("order", _order_fault) or self._order(asked)

    def _faulty(self, place: str, made) -> web.Response | None:
        faults = self.faults.get(place, [])
        what = (faults.pop(0) if len(faults) > 1 else faults[0]) if faults else None
        if what is None:
            return None
        if callable(what):
            return what(self)
        return _any_fault(what) or made(what)

    # Black Forest Labs

    def _order(self, asked: Asked) -> web.Response:
        if not asked.headers.get("x-key"):
            return as_json({"detail": "Not authenticated"}, 403)
        body = asked.json
        fill = "fill" in asked.path
        try:
            picture = base64.b64decode(body["image" if fill else "input_image"], validate=True)
            if fill:
                mask = base64.b64decode(body["mask"], validate=True)
                assert Image.open(io.BytesIO(mask)).size == Image.open(io.BytesIO(picture)).size
            assert isinstance(body["prompt"], str)
        except (KeyError, ValueError, AssertionError) as error:
            return as_json({"detail": [{"loc": ["body", str(error)], "msg": "field required"}]}, 422)
        number = f"order-{len(self.orders)}"
        self.orders[number] = negative(picture, self.size)
        return as_json({"id": number, "polling_url": f"{self.url}/v1/get_result?id={number}", "cost": COST})

    def _look(self, asked: Asked) -> web.Response:
        number = asked.path.partition("id=")[2]
        if not asked.headers.get("x-key"):
            return as_json({"detail": "Not authenticated"}, 403)
        # Signed addresses hold signs that must arrive as they were written.
        sample = f"{self.url}/delivery/{number}.png?sig=a%2Bb%2Fc%3D&se=2026-11-15T07%3A00%3A00Z"
        return as_json({"id": number, "status": "Ready", "result": {"sample": sample}, "progress": None})

    def _fetch(self, asked: Asked) -> web.Response:
        if "sig=a%2Bb%2Fc%3D" not in asked.path:
            return web.Response(status=403, text="Signature did not match")
        number = asked.path.removeprefix("/delivery/").partition(".")[0]
        return web.Response(body=self.orders[number], content_type="image/png")

    # OpenRouter

    def _chat(self, asked: Asked) -> web.Response:
        content = asked.json["messages"][0]["content"]
        head, _, data = next(part["image_url"]["url"] for part in content if part["type"] == "image_url").partition(",")
        assert head.startswith("data:image/")
        assert head.endswith(";base64")
        return as_json(chat(data_url(negative(base64.b64decode(data), self.size))))


def chat(*addresses: str, content: object = "Here it is.", finish: str = "stop", **more: object) -> dict:
    """A completion as OpenRouter sends it."""
    images = [{"type": "image_url", "image_url": {"url": address}} for address in addresses]
    message = {"role": "assistant", "content": content, **({"images": images} if images else {})}
    choice = {"index": 0, "message": message, "finish_reason": finish, **more}
    usage = {"prompt_tokens": 9, "completion_tokens": 1290, "cost": 0.039}
    return {"id": "gen-1", "model": "google/painter", "choices": [choice], "usage": usage}


def data_url(data: bytes, mime: str = "image/png") -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


def tiny() -> bytes:
    """A picture of a few pixels."""
    file = io.BytesIO()
    Image.fromarray(np.full((4, 4, 3), 77, np.uint8)).save(file, "PNG")
    return file.getvalue()


def huge() -> bytes:
    """A picture that says it has 900 million pixels; its file is small."""
    data = bytearray(tiny())
    data[16:24] = (30_000).to_bytes(4) * 2
    data[29:33] = zlib.crc32(bytes(data[12:29])).to_bytes(4)
    return bytes(data)


def as_json(value: object, status: int = 200, **headers: str) -> web.Response:
    return web.Response(status=status, text=json.dumps(value), content_type="application/json", headers=headers)


def _any_fault(what: str) -> web.Response | None:
    """Faults that every service has."""
    if what.startswith("status:"):
        status, _, retry = what.removeprefix("status:").partition(":")
        return as_json({"detail": f"no, {status}"}, int(status), **({"Retry-After": retry} if retry else {}))
    if what == "html":
        return web.Response(text="<html><body>Bad gateway</body></html>", content_type="text/html")
    if what == "deep":
        return web.Response(body=b"[" * 200_000, content_type="application/json")
    if what == "a list":
        return as_json([1])
    if what == "nothing":
        return web.Response(body=b"")
    if what.startswith("redirect:"):
        return web.Response(status=302, headers={"Location": what.removeprefix("redirect:")})
    if what == "bomb":
        packed = gzip.compress(b" " * 64_000_000, 1)
        return web.Response(body=packed, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})
    return None


def _order_fault(what: str) -> web.Response:
    if what == "moderated":
        return as_json(
            {"id": "order-0", "status": "Request Moderated", "details": {"Moderation Reasons": ["Violence"]}}
        )
    if what == "moderated, 422":
        return as_json({"detail": "Request Moderated: the prompt was flagged"}, 422)
    return as_json({"id": "order-0"})


def _look_fault(what: str) -> web.Response:
    status, _, http = what.partition(", HTTP ")
    body: dict = {"id": "order-0", "status": status, "result": None, "progress": None}
    if status in ("Content Moderated", "Error"):
        body["details"] = {"Moderation Reasons": ["Nudity", "Celebrity"], "error": "out of memory"}
    if status.startswith("Ready"):
        sample = {"sample": status.removeprefix("Ready at ")} if " at " in status else None
        body |= {"status": "Ready", "result": sample}
    return as_json(body, int(http or 200))


def _error(message: str, status: int, reason: str = "", **detail: object) -> tuple[dict, int]:
    """An error as OpenRouter sends it."""
    return {"error": {"code": status, "message": message, "details": [{"reason": reason, **detail}]}}, status


_CHAT: dict[str, object] = {
    "only images": _error("No endpoints found that support the requested output modalities: image, text", 404),
    "words": chat(content=WORDS),
    "words in parts": chat(content=[{"type": "text", "text": WORDS}]),
    "in the content": chat(content=[{"type": "image_url", "image_url": {"url": data_url(tiny())}}]),
    "two pictures": chat(data_url(negative(tiny(), (9, 9))), data_url(tiny())),
    "silence": chat(content=None),
    "no choices": {"id": "gen-1", "choices": []},
    "filtered": chat(content="", finish="content_filter"),
    "blocked behind": chat(content="", finish="stop", native_finish_reason="IMAGE_SAFETY"),
    "flagged": _error("Your input was flagged", 403),
    "error within:502": _error("the provider is down", 502)[0],
    "error within:429": _error("the provider is down", 429)[0],
}


def _told(known: dict[str, object], what: str, otherwise: object) -> web.Response:
    body = known.get(what, otherwise)
    return as_json(*body) if isinstance(body, tuple) else as_json(body)


def _chat_fault(what: str) -> web.Response:
    return _told(_CHAT, what, None if what in _CHAT else chat(_picture_fault(what)))


_PICTURES = {
    "huge": data_url(huge()),
    "no picture": data_url(b"<html>nothing here</html>"),
    "half a picture": data_url(negative(tiny())[:-20]),
    "no base64": "data:image/png;base64,@@@@",
    "wrong mime": data_url(tiny(), "text/html"),
    "plain data": "data:image/png,%89PNG",
}


def _picture_fault(what: str) -> str:
    """The address of a picture that is not what it should be."""
    return _PICTURES.get(what) or what.removeprefix("address:")
