"""What a handler works with: the visit of a person (request, form, responses), and the table entry of a page."""

import asyncio
import hashlib
import hmac
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import msgspec
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from countersight.collect.audit_log import record
from countersight.collect.campaign import Campaign
from countersight.collect.database import Store
from countersight.collect.flows import Choice, Form
from countersight.collect.people import Person, Role
from countersight.collect.web.rendering import Renderer

COOKIE: Final = "countersight"
MOST_DIGITS: Final = 9
"""Most digits of a row number: PostgreSQL counts rows to two thousand million."""

T = TypeVar("T")


class FigureCache:
    """Cached figures about the whole campaign, at most a minute old."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[str, tuple[Any, float, float]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def get(self, name: str, question: Callable[[Connection], Any]) -> tuple[Any, float]:
        """Return the figure and when it was computed; slow figures are computed less often."""
        async with self._locks[name]:
            if name not in self._kept or time.monotonic() > self._kept[name][2]:
                begun = time.monotonic()
                value = await self._store.read_slowly(question)
                ended = time.monotonic()
                self._kept[name] = (value, time.time(), ended + min(60, max(5, 20 * (ended - begun))))
        return self._kept[name][:2]


class Site(msgspec.Struct, frozen=True):
    """The state shared by all requests of one server."""

    campaign: Campaign
    renderer: Renderer
    figures: FigureCache
    secure: bool = False
    """Whether pages are served over HTTPS; the cookie is then marked Secure."""
    public_url: str = ""
    """The public address of the server, if it differs from the one it listens on."""


_NOT_LOGGED: Final = ("csrf", "sure", "pasted", "seconds", "typed")
"""Form fields that are not logged as details of an action."""


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
        """Who is logged in, or whose token a script sent."""
        self.form: dict[str, str] = {}
        self.script = script
        """Whether a script sent its own token."""
        self.now = time.time()
        self.noted: dict[str, str] = {}
        """Details for the audit log, in addition to those of the form or instead of them."""
        self.subject: object = request.path_params.get("number", "")
        """What an action is about in the audit log: the number of a person, an item, a flag or a batch."""

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
        """The CSRF token in every form of this visitor."""
        return hmac.new(self.campaign.secret, b"csrf" + self.token.encode(), hashlib.sha256).hexdigest()

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

    @property
    def language(self) -> str:
        """The language of the interface for this visitor."""
        return self.site.renderer.language(self.request.headers.get("accept-language", ""))

    def say(self, text: str) -> str:
        """Return a text of the interface in the visitor's language."""
        return self.site.renderer.translation(self.language)(text)

    def read(self) -> Form:
        """Return the submitted form for validation; error messages are in the visitor's language."""
        return Form(self.form, self.settings.grammar, self.say)

    def choose(self, field: Choice) -> Any:
        """Return the value of a field, or refuse the request and name the values that are allowed."""
        if (value := self.form.get(field.name, "")) not in field.options:
            values = ", ".join(field.options)
            raise RefusedError(422, "“{field}” must be one of: {values}.", field=field.name, values=values)
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
            "me": self.person,
            "csrf": self.csrf,
            "flow": self.campaign.flow,
            "now": self.now,
            "path": self.request.url.path,
            "titles": {phase.name: self.say(phase.title) for phase in self.campaign.flow.phases},
        }
        return HTMLResponse(self.site.renderer.render(template, self.language, common | values), status)

    def json(self, value: Any, status: int = 200) -> Response:
        """Return a JSON response."""
        return Response(msgspec.json.encode(value), status, media_type="application/json")

    def csv(self, name: str, text: str) -> Response:
        """Return a table as a file to download."""
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(text, media_type="text/csv", headers=headers)

    def refused(self, status: int, words: str, **values: Any) -> Response:
        """Return the response that says why a request is refused."""
        if self.is_api:
            return self.json({"error": words}, status)
        if self.partial:
            return Response(words, status, media_type="text/plain")
        return self.render("refused.html", status, words=words, **values)

    def go(self, path: str) -> Response:
        """Redirect to another page, so that reloading does not submit a form twice."""
        return RedirectResponse(path, 303)


Handler = Callable[[Visit], Awaitable[Response]]


class Page(msgspec.Struct, frozen=True):
    """One address with its handler, and who may open it."""

    path: str
    handler: Handler
    role: Role | None = "worker"
    """The least role required; None admits anybody."""
    method: str = "GET"
    consented: bool = True
    """Whether people must have agreed to the consent text first."""
    checked: bool = True
    """Whether a POST must have the visitor's CSRF token."""
    paused: bool = False
    """Whether paused people are admitted."""
