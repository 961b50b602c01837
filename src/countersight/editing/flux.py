"""`flux:MODEL`: edit pictures with the API of Black Forest Labs: place an order, poll it, and download the result."""

import asyncio
import base64
import hashlib
import os
import re
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec.structs import replace
from yarl import URL

from countersight.detection import encode_mask
from countersight.editing.hosted import HostedEditor, failure, object_in, require_key
from countersight.editing.painting import Brief, Given
from countersight.editing.protocol import EditOrder, EditorSettings, OrderBook, refuse_doubtful
from countersight.editing.selecting import FINDING, Selector
from countersight.errors import AskingFailed, EditFailed, EditorError, OrderInDoubt, Overloaded, Unreachable
from countersight.models import ApiKey, Received, amount, check_address, short_text, shorten, value_at
from countersight.registry import with_options

BFL = "https://api.bfl.ai"
POLL = 1.5
"""The number of seconds between two polls of an order."""
FAULTS = 5
"""The number of failed polls in a row after which the edit fails."""
_EXPIRED = (400, 401, 403, 404, 410)


class Flux(HostedEditor):
    """An editor that uses one model of Black Forest Labs."""

    key_header = "x-key"

    def __init__(
        self, name: str, model: str, base: str, key: ApiKey, settings: EditorSettings, selector: Selector | None = None
    ) -> None:
        super().__init__(name, model, base, key, settings, selector)
        self.fills = self.described = selector is not None
        self._home = URL(base)
        self._order = f"{self._base}/v1/{model}"
        self._timeout = settings.timeout

    async def paint(self, brief: Brief) -> Given:
        """Order the edit, poll until it is ready, and download it; an earlier order for the request is reused."""
        body = msgspec.json.encode(self._body(brief))
        key = hashlib.sha256(self._order.encode() + b"\n" + body).hexdigest()
        order = brief.orders.find(key)
        if order is None or order.state == "over":
            order = await self._place_order(key, body, brief.orders)
        refuse_doubtful(order)
        # The picture is paid for from here on, so retries use this order and do not place another one.
        try:
            data = await self._result(self._polling_address(order.address))
        except _OrderOver:
            brief.orders.note(replace(order, state="over"))
            raise
        return Given(data, {"order": order.id}, order.cost)

    async def _place_order(self, key: str, body: bytes, orders: OrderBook) -> EditOrder:
        """Place an order, and record it before and after; if the response is lost, the order remains recorded as in
        doubt.
        """
        orders.note(EditOrder(key, "placing"))
        try:
            told = await self._send_order(key, body, orders)
            _check_state(told)
            address = str(self._polling_address(told.get("polling_url")))
        except OrderInDoubt:
            raise
        except Exception:
            orders.note(EditOrder(key, "over"))
            raise
        cost = amount(told.get("cost")) / 100  # the service reports cents
        placed = EditOrder(key, "placed", short_text(told.get("id")), address, cost)
        orders.note(placed)
        return placed

    async def _send_order(self, key: str, body: bytes, orders: OrderBook) -> dict[str, Any]:
        """Return the service's response to an order; raises OrderInDoubt if a recorded order got no readable
        response."""
        try:
            received = await self._service.post(self._order, body)
            if received.succeeded:
                return object_in(received)
        except Unreachable:
            raise
        except AskingFailed:
            if (noted := orders.find(key)) is not None:  # None without a durable order book
                refuse_doubtful(noted)
            raise
        raise failure(self._service, received)

    async def _result(self, address: URL) -> bytes:
        until = asyncio.get_running_loop().time() + self._timeout
        try:
            return await self._fetch(await self._ready(address, until), until)
        except _Expired:  # the order may have a fresh address
            return await self._fetch(await self._ready(address, until), until)

    def _body(self, brief: Brief) -> dict[str, Any]:
        picture = base64.b64encode(brief.picture.data).decode()
        told = {"prompt": brief.words, "seed": brief.seed, "output_format": "png", "prompt_upsampling": False}
        if brief.mask is None:
            return {"input_image": picture, **told}
        return {"image": picture, "mask": base64.b64encode(encode_mask(brief.mask)).decode(), **told}

    def _polling_address(self, address: Any) -> URL:
        """Return the polling address; raises an error if it does not belong to the service, because the key is sent
        there.
        """
        url = _parse_url(address)
        if url is None or not (_same_server(url, self._home) or _is_bfl(url)):
            raise EditFailed("the service gave an unexpected address for the result; the key was not sent there")
        return url

    async def _ready(self, address: URL, until: float) -> URL:
        """Poll until the result is ready, and return its address."""
        while True:
            await self._pause(POLL, until)
            received = await self._with_retries(lambda: self._service.get(address), _reports_state, until)
            order = object_in(received)
            _check_state(order)
            if order.get("status") == "Ready":
                sample = _parse_url(value_at(order, "result", "sample"))
                if sample is None or not (sample.scheme == "https" or _same_server(sample, self._home)):
                    raise EditFailed("the service reports that the result is ready, but gives no address")
                return sample

    async def _fetch(self, sample: URL, until: float) -> bytes:
        """Download the result; the key is not sent to the server that stores it."""
        received = await self._with_retries(
            lambda: self._service.get(sample, known=False), lambda received: received.status < 429, until
        )
        if received.status in _EXPIRED:
            raise _Expired("the address of the result expired before it was fetched", again=True)
        if not received.succeeded:
            raise EditFailed(f"the result cannot be fetched (HTTP {received.status})", again=True)
        return received.content

    async def _with_retries(
        self, ask: Callable[[], Awaitable[Received]], told: Callable[[Received], bool], until: float
    ) -> Received:
        """Repeat a request until its response is conclusive; raises after too many failures or at the deadline."""
        faults = 0
        while True:
            try:
                received = await ask()
                if told(received):
                    return received
                if received.succeeded:
                    raise EditFailed("the service does not report the state of the order", again=True)
                raise failure(self._service, received)
            except AskingFailed as error:
                faults += 1
                if not error.again or faults >= FAULTS:
                    raise
                wait = error.wait if isinstance(error, Overloaded) else None
            await self._pause(POLL if wait is None else wait, until)

    async def _pause(self, seconds: float, until: float) -> None:
        if asyncio.get_running_loop().time() + seconds > until:
            raise EditFailed(f"the result was not ready within {self._timeout:g} s", again=True)
        await asyncio.sleep(seconds)


class _OrderOver(EditFailed):
    """Raised if an order will never yield a picture."""


class _Expired(_OrderOver):
    """Raised if the address of the result has expired."""


def open_flux(name: str, rest: str, settings: EditorSettings) -> Flux:
    """Open `flux:MODEL`; the key is read from BFL_API_KEY, and an optional base address from BFL_BASE_URL.

    Fill models find masks as `classical` does: `flux:MODEL?detector=FILE.onnx&segmenter=FOLDER`.
    """
    model, options = with_options(rest, FINDING, EditorError)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", model):  # it becomes part of an address
        raise EditorError("the MODEL in flux:MODEL may contain only letters, digits, dots, dashes and underscores")
    if options and "fill" not in model:
        raise EditorError(f"{model} takes no options; only fill models do, to find masks")
    base = check_address(os.environ.get("BFL_BASE_URL") or BFL)
    key = require_key("BFL_API_KEY", "flux")
    return Flux(name, model, base, key, settings, Selector(**options) if "fill" in model else None)


def _reports_state(received: Received) -> bool:
    """Return whether a response reports the state of an order; for finished orders, any HTTP status is possible."""
    try:
        return isinstance(object_in(received).get("status"), str)
    except EditFailed:
        return False


def _check_state(order: dict[str, Any]) -> None:
    """Raise if an order failed."""
    status = order.get("status")
    if status in ("Request Moderated", "Content Moderated"):
        reasons = value_at(order, "details", "Moderation Reasons")
        why = ", ".join(map(str, reasons)) if isinstance(reasons, list) else ""
        raise _OrderOver(f"moderated: {status}{why and f' ({shorten(why)})'}")
    if status in ("Error", "Failed", "Task not found"):
        why = short_text(order.get("details")) or short_text(value_at(order, "details", "error"))
        raise _OrderOver(f"the service reports: {status}{why and f' ({why})'}", again=True)


def _parse_url(address: Any) -> URL | None:
    try:
        # Keep the encoding as it is: normalising a signed address would invalidate it.
        url = URL(address, encoded=True)
    except (ValueError, TypeError):
        return None
    is_plain = url.host and url.scheme in ("http", "https") and url.user is None and "\\" not in address
    return url if is_plain else None


def _same_server(url: URL, base: URL) -> bool:
    return (url.scheme, url.host, url.port) == (base.scheme, base.host, base.port)


def _is_bfl(url: URL) -> bool:
    return url.scheme == "https" and url.port == 443 and f".{url.host}".endswith(".bfl.ai")
