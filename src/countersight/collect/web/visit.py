"""A visit: one request of one person, with its form, permissions and response.

Each page is a table entry with a handler, which gets the visit and returns the response.
"""

import hashlib
import hmac
import logging
import secrets
import time
import tomllib
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl, quote

import msgspec
from sqlalchemy import Connection
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from countersight.collect.audit_log import record
from countersight.collect.campaign import Campaign
from countersight.collect.flows import Form
from countersight.collect.flows.forms import EXAMPLES, fields_in
from countersight.collect.people import Person, Role, session_person
from countersight.collect.settings import primary_language
from countersight.collect.store import is_unavailable
from countersight.collect.web.rendering import interface_texts, templates
from countersight.errors import CampaignError

_DECLARED: Final = tomllib.loads(Path(__file__).with_name("forms.toml").read_text(encoding="utf-8"))
FORMS: Final = {name: fields_in(fields) for name, fields in _DECLARED.items()}
"""The forms that are the same in every flow: their fields, by name."""
COOKIE: Final = "countersight"
MOST_DIGITS: Final = 9
"""The maximum number of digits of a row number; PostgreSQL's row numbers end at about two billion."""

_LARGEST_FORM = 256 * 1024
_MOST_FIELDS = 200
_FIGURE_SECONDS = 20.0
"""The number of seconds after which the figures of the whole campaign are recomputed, because computing them takes
time."""
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_SECURE: Final = {"Strict-Transport-Security": "max-age=31536000"}
_NOT_LOGGED: Final = ("csrf", "sure", "pasted", "seconds", "typed", "name")
"""Form fields that are not logged as details of an action; people are logged by number, not by name."""
_log = logging.getLogger("countersight.collect")

T = TypeVar("T")


class Site(msgspec.Struct, frozen=True):
    """The state shared by all requests of one server."""

    campaign: Campaign
    secure: bool = False
    """Whether pages are served over HTTPS; the cookie is then marked Secure."""
    public_url: str = ""
    """The public address of the server, if it differs from the one it listens on."""
    figures: dict[str, tuple[float, float, Any]] = {}
    """Figures of the whole campaign; for each, when it is computed again, when it was computed, and its value."""

    async def figure(self, name: str, question: Callable[[Connection], Any]) -> tuple[Any, float]:
        """Return a figure and when it was computed; while it is recomputed, other requests get the last value."""
        now = time.monotonic()
        due, at, value = self.figures.get(name, (0.0, 0.0, None))
        if value is None or now > due:
            self.figures[name] = now + _FIGURE_SECONDS, at, value
            at, value = time.time(), await self.campaign.store.read_slowly(question)
            self.figures[name] = now + _FIGURE_SECONDS, at, value
        return value, at


class RefusedError(Exception):
    """A refused request: the status, and a sentence for the person, with values for its placeholders."""

    def __init__(self, status: int, words: str, retry_after: int = 0, **values: object) -> None:
        super().__init__(words)
        self.status = status
        self.words = words
        self.values = values
        self.headers = {"Retry-After": str(retry_after)} if retry_after else {}


class Visit:
    """A request with its campaign, person and form."""

    def __init__(self, site: Site, request: Request, token: str, *, script: bool = False) -> None:
        self.site = site
        self.campaign = site.campaign
        self.store = site.campaign.store
        self.settings = site.campaign.settings
        self.request = request
        self.token = token
        """The value of the cookie; visitors who are not logged in have one too."""
        self.person: Person | None = None
        """The person who is logged in, or the owner of the token that a script sent."""
        self.form: dict[str, str] = {}
        self.script = script
        """Whether a script sent its own token."""
        self.now = time.time()
        self.noted: dict[str, str] = {}
        """Details for the audit log, added to the form's fields or replacing them."""
        self.subject: object = request.path_params.get("number", "")
        """The subject of an action in the audit log: the number of a person, an item, a flag or a batch."""
        self.language = self.settings.languages[0]
        """The language of the interface: the browser's, if the campaign offers it."""
        accepted = request.headers.get("accept-language", "")[:200].split(",")
        for wanted in (primary_language(each.partition(";")[0].strip()) for each in reversed(accepted)):
            if wanted in self.settings.languages:
                self.language = wanted
        self.texts = interface_texts(self.campaign.path / "locale", self.language)

    def note_amount(self, minor: int) -> None:
        """Add an amount of money to the audit log."""
        self.noted["amount"] = f"{minor / 100:.2f} {self.settings.pay.currency}"

    @property
    def me(self) -> Person:
        """The person, on pages that require a login."""
        assert self.person is not None
        return self.person

    @property
    def csrf(self) -> str:
        """The CSRF token in every form of this visitor; it stays the same when a person logs in again."""
        whose = f"person {self.person.id}" if self.person else self.token
        return hmac.new(self.campaign.secret, b"csrf" + whose.encode(), hashlib.sha256).hexdigest()

    @property
    def partial(self) -> bool:
        """Whether htmx made the request and expects a part of a page."""
        return self.request.headers.get("hx-request") == "true"

    @property
    def number(self) -> int:
        """The row number in the address."""
        return int(self.request.path_params["number"])

    @property
    def is_api(self) -> bool:
        """Whether the response is JSON."""
        return self.request.url.path.startswith("/api/")

    def say(self, text: str) -> str:
        """Return a text of the interface in the visitor's language."""
        return self.texts.get(text, text)

    def read(self) -> Form:
        """Return the submitted form for validation; error messages are in the visitor's language."""
        return Form(self.form, self.settings.grammar, self.say)

    def choose(self, name: str, allowed: Iterable[str], default: str | None = None) -> Any:
        """Return a value of the form or the address, or refuse the request and name the values that are allowed."""
        value = self.form.get(name) or self.request.query_params.get(name) or default
        if value is None or (value != default and value not in allowed):
            values = ", ".join(allowed)
            raise RefusedError(422, "“{field}” must be one of: {values}.", field=name, values=values)
        return value

    async def write(self, action: str, job: Callable[[Connection], T]) -> T:
        """Run a write of a lead or reviewer; the action is logged with it, unless the job returns False."""
        details = {name: value[:2000] for name, value in self.form.items() if name not in _NOT_LOGGED}

        def write_and_record(connection: Connection) -> T:
            done = job(connection)
            if done is not False:
                record(connection, self.me.id, action, self.subject, details | self.noted, self.now)
            return done

        return await self.store.write(write_and_record)

    def render(self, template: str, status: int = 200, **values: Any) -> Response:
        """Return a page, or a part of one, from a template."""
        common = {
            "settings": self.settings,
            "written": self.settings.language,
            "condition": EXAMPLES.get(self.settings.grammar, ""),
            "_": self.say,
            "language": self.language,
            "me": self.person,
            "csrf": self.csrf,
            "flow": self.campaign.flow,
            "now": self.now,
            "path": self.request.url.path,
            "titles": {phase.name: self.say(phase.title) for phase in self.campaign.flow.phases},
        }
        return HTMLResponse(templates().get_template(template).render(common | values), status)

    def json(self, value: Any, status: int = 200) -> Response:
        """Return a JSON response."""
        return Response(msgspec.json.encode(value), status, media_type="application/json")

    def csv(self, name: str, text: str) -> Response:
        """Return a table as a file to download."""
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(text, media_type="text/csv", headers=headers)

    def refused(self, error: RefusedError) -> Response:
        """Return the response that says why a request is refused."""
        words = self.say(error.words)
        words = words.format(**error.values) if error.values else words
        if self.is_api:
            response = self.json({"error": words}, error.status)
        elif self.partial:
            response = Response(words, error.status, media_type="text/plain")
        else:
            response = self.render("refused.html", error.status, words=words)
        response.headers.update(error.headers)
        return response

    def go(self, path: str) -> Response:
        """Redirect to another page, so that reloading does not submit a form twice."""
        return RedirectResponse(path, 303)


Handler = Callable[[Visit], Awaitable[Response]]


class Page(msgspec.Struct, frozen=True):
    """One address with its handler, and who may open it."""

    path: str
    handler: Handler
    role: Role | None = "worker"
    """The minimum role required; None admits anybody."""
    method: str = "GET"
    consented: bool = True
    """Whether people must have agreed to the consent text first; leads need not, for their own pages."""
    checked: bool = True
    """Whether a POST must have the visitor's CSRF token."""
    paused: bool = False
    """Whether paused people are admitted."""
    session: bool = True
    """Whether the page depends on who visits it; other pages are served even if the database cannot be used."""


async def respond(site: Site, page: Page, request: Request) -> Response:
    """Return the response of a page's handler, or one that says why the request is refused."""
    kind, _, bearer = request.headers.get("authorization", "").partition(" ")
    script = kind.lower() == "bearer" and page.path.startswith("/api/")
    token = (bearer if script else request.cookies.get(COOKIE, ""))[:100]
    visit = Visit(site, request, token or secrets.token_urlsafe(32), script=script)
    try:
        if token and page.session:
            visit.person = visit.store.read(lambda c: session_person(c, token, visit.now, script=script))
        response = await _checked_response(visit, page)
    except RefusedError as refused:
        response = visit.refused(refused)
    except CampaignError as error:
        response = visit.refused(RefusedError(422, str(error)))
    except Exception as error:  # the log gets the place of the error, without what was typed
        _log.exception("%s %s", page.method, page.path)
        response = visit.refused(_server_fault(error))
    for name, value in (_HEADERS | (_SECURE if site.secure else {})).items():
        response.headers.setdefault(name, value)
    if visit.token != token and not script:  # HttpOnly and SameSite
        fortnight = 14 * 24 * 3600
        response.set_cookie(COOKIE, visit.token, fortnight, secure=site.secure, httponly=True, samesite="lax")
    return response


def _server_fault(error: Exception) -> RefusedError:
    """Return the message shown to people for a server error."""
    if is_unavailable(error):
        return RefusedError(
            503, "The database cannot be used now, and your last input may not be stored. Try again in a minute.", 60
        )
    return RefusedError(
        500,
        "The server had an error, and your last input may not be stored. Go back and try again; if it fails again, "
        "tell the lead of the campaign.",
    )


async def _checked_response(visit: Visit, page: Page) -> Response:
    """Check the form and the permissions of a visit, then call the handler of the page."""
    if page.role and visit.person is None:
        if visit.is_api:
            raise RefusedError(401, "Send a valid token (Authorization: Bearer …). Leads make one on the page Tokens.")
        if page.method == "GET":
            return visit.go(f"/login?next={quote(visit.request.url.path)}")
        raise RefusedError(401, "You are logged out. Log in in another tab, then go back and send this again.")
    if page.method == "POST":
        visit.form = await read_form(visit.request, script=visit.script)
        csrf = visit.form.get("csrf", "").encode()
        if page.checked and not visit.script and not hmac.compare_digest(csrf, visit.csrf.encode()):
            raise RefusedError(403, "This form is out of date. Go back, reload the page, and send it again.")
    if page.role is None or visit.person is None:
        return await page.handler(visit)
    if not visit.person.is_at_least(page.role):
        raise RefusedError(403, "This page is for people with the role {role}.", role=visit.say(page.role))
    if visit.person.access == "paused" and not page.paused:
        raise RefusedError(403, "Your account is paused. The lead of the campaign can tell you why.")
    needs_consent = page.consented and page.role != "lead" and not visit.script
    if needs_consent and visit.person.consent != visit.settings.consent.version:
        if page.method == "GET":
            return visit.go("/consent")
        raise RefusedError(403, "Please read and accept the consent text first.")
    return await page.handler(visit)


async def read_form(request: Request, *, script: bool = False) -> dict[str, str]:
    """Return the fields of a posted form, or of a script's JSON; raises if it is too large or invalid."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    bare = script and not kind  # a script may send no body
    if not bare and kind != ("application/json" if script else "application/x-www-form-urlencoded"):
        raise RefusedError(415, "Send a plain form, or JSON from a script (Content-Type: application/json).")
    body = bytearray()
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > _LARGEST_FORM:
                raise RefusedError(413, "This form is too large.")
    except ClientDisconnect:
        raise RefusedError(400, "The form was not received completely.") from None
    try:
        if script:
            return msgspec.json.decode(bytes(body) or b"{}", type=dict[str, str])
        fields = parse_qsl(bytes(body).decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace")
    except (ValueError, msgspec.DecodeError):
        words = "Send one JSON object whose values are all strings." if script else "This form cannot be read."
        raise RefusedError(400, words) from None
    return {name: value.replace("\x00", "") for name, value in fields}
