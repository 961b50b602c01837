"""One visit of one page: who comes, what they sent, and what goes back."""

import hashlib
import hmac
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final
from urllib.parse import parse_qsl, quote

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from countersight.collect.campaign import Campaign
from countersight.collect.people import Person, Role, session_person
from countersight.collect.web.keeping import Keeper
from countersight.collect.web.rendering import Renderer

COOKIE: Final = "countersight"
MOST_DIGITS: Final = 9
"""Digits of a row's number: PostgreSQL counts rows to two thousand million."""
_LARGEST_FORM = 256 * 1024
_MOST_FIELDS = 200
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


_log = logging.getLogger("countersight.collect")


class Place(msgspec.Struct, frozen=True):
    """What all visits of one server share."""

    campaign: Campaign
    renderer: Renderer
    secure: bool = False
    """The pages are reached by HTTPS: the cookie says so."""
    public_url: str = ""
    """How people reach the server, where that is not the address it listens on."""


class RefusedError(Exception):
    """A visit that is not let through: the status, and a sentence for the person."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


class Visit:
    """A request with what we know of it."""

    def __init__(self, place: Place, request: Request, token: str, person: Person | None) -> None:
        self.place = place
        self.campaign = place.campaign
        self.store = place.campaign.store
        self.settings = place.campaign.settings
        self.request = request
        self.token = token
        """The value of the cookie; a visitor who is not logged in has one too."""
        self.person = person
        self.keeper: Keeper = request.app.state.keeper
        self.form: dict[str, str] = {}
        self.now = time.time()

    @property
    def me(self) -> Person:
        """The person, on pages that nobody reaches without logging in."""
        assert self.person is not None
        return self.person

    @property
    def csrf(self) -> str:
        """What every form of this visitor carries."""
        return hmac.new(self.campaign.secret, b"csrf" + self.token.encode(), hashlib.sha256).hexdigest()

    @property
    def partial(self) -> bool:
        """Whether htmx asks, which wants a piece of a page."""
        return self.request.headers.get("hx-request") == "true"

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page, or a piece of one."""
        renderer, headers = self.place.renderer, self.request.headers
        language = renderer.language(self.person.language if self.person else None, headers.get("accept-language", ""))
        common = {
            "me": self.person,
            "csrf": self.csrf,
            "flow": self.campaign.flow,
            "now": self.now,
            "path": self.request.url.path,
        }
        return HTMLResponse(renderer.render(template, language, common | values), status)

    def go(self, path: str) -> Response:
        """On to another page, which is fetched anew: sending a form twice by reloading is not possible."""
        return RedirectResponse(path, 303)


Handler = Callable[[Visit], Awaitable[Response]]


class Page(msgspec.Struct, frozen=True):
    """One address: who may come, and what happens."""

    path: str
    handler: Handler
    role: Role | None = "worker"
    """The least role that is let in; None lets anybody in."""
    method: str = "GET"
    consented: bool = True
    """Whether people must have agreed to the consent text first."""
    checked: bool = True
    """Whether a post must carry the token of its visitor."""


async def visited(place: Place, page: Page, request: Request) -> Response:
    """Let a visit through, or say why not."""
    token = request.cookies.get(COOKIE, "")[:100]
    person = place.campaign.store.read(lambda c: session_person(c, token, time.time())) if token else None
    visit = Visit(place, request, token or secrets.token_urlsafe(32), person)
    try:
        response = await _through(visit, page)
    except RefusedError as refused:
        response = visit.page("refused.html", refused.status, words=refused.words)
    except Exception:  # the person is told, the log has the place; what was typed is in neither
        _log.exception("%s %s", page.method, page.path)
        response = visit.page("refused.html", 500, words="Something went wrong here. What you typed before is saved.")
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    if visit.token != token:
        _set_cookie(response, visit)
    return response


async def _through(visit: Visit, page: Page) -> Response:
    if page.method == "POST":
        visit.form = await read_form(visit.request)
        if page.checked and not hmac.compare_digest(visit.form.get("csrf", "").encode(), visit.csrf.encode()):
            raise RefusedError(403, "This form is out of date. Go back, reload the page, and send it again.")
    if page.role is None:
        return await page.handler(visit)
    if visit.person is None:
        if page.method == "GET":
            return visit.go(f"/login?next={quote(visit.request.url.path)}")
        raise RefusedError(401, "You are logged out. Log in again: what you typed was saved as a draft.")
    if not visit.person.is_at_least(page.role):
        raise RefusedError(403, f"This page is for people with the role {page.role}.")
    if page.consented and visit.person.consent != visit.settings.consent.version:
        if page.method == "GET":
            return visit.go("/consent")
        raise RefusedError(403, "Please read and accept the consent text first.")
    return await page.handler(visit)


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a posted form; one that is too large, or is no form, is refused."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise RefusedError(415, "Only plain forms are read here.")
    body = bytearray()
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > _LARGEST_FORM:
                raise RefusedError(413, "This form is too large.")
    except ClientDisconnect:
        raise RefusedError(400, "The form did not arrive whole.") from None
    try:
        fields = parse_qsl(bytes(body).decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace")
    except ValueError:
        raise RefusedError(400, "This form cannot be read.") from None
    return {name: value.replace("\x00", "") for name, value in fields}


def _set_cookie(response: Response, visit: Visit) -> None:
    """Give the visitor's token to the browser: no script reads it, no other site sends it along with a post."""
    response.set_cookie(
        COOKIE, visit.token, max_age=14 * 24 * 3600, httponly=True, samesite="lax", secure=visit.place.secure, path="/"
    )
