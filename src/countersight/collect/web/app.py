"""The web application: all addresses with their permissions, shared pages, the server, and its warnings."""

import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from countersight.collect import people
from countersight.collect.campaign import DATABASE, PICTURES, SECRET, Campaign
from countersight.collect.demo import ACCOUNTS, PASSWORD
from countersight.collect.hamlet import OwnRanker, open_loop
from countersight.collect.web import accounts, leading, reviewing, working
from countersight.collect.web.rendering import templates
from countersight.collect.web.visit import MOST_DIGITS, Page, RefusedError, Site, Visit, respond
from countersight.engine import lock_folder
from countersight.errors import CampaignError

_STATIC: Final = Path(__file__).with_name("static")


class RowConvertor(IntegerConvertor):
    """A row number in an address; numbers too large for a database do not match."""

    regex = f"[0-9]{{1,{MOST_DIGITS}}}"


register_url_convertor("row", RowConvertor())


async def picture(visit: Visit) -> Response:
    """Serve a picture of the campaign or of its guidelines."""
    file = visit.campaign.picture_file(visit.request.path_params["name"])
    if file is None:
        raise RefusedError(404, "There is no such picture.")
    # The name of a picture of the campaign is the digest of its bytes, so it never changes.
    unchanging = {"Cache-Control": "private, max-age=31536000, immutable"}
    return FileResponse(file, headers=unchanging if file.parent.name == PICTURES else None)


async def static(visit: Visit) -> Response:
    """Serve a static file."""
    name = visit.request.path_params["name"]
    if name not in ("style.css", "app.js", "htmx.min.js"):
        raise RefusedError(404, "There is no such file.")
    return FileResponse(_STATIC / name, headers={"Cache-Control": "public, max-age=3600"})


async def nowhere(visit: Visit) -> Response:
    """Respond to a request for an address that does not exist."""
    raise RefusedError(404, "There is no such page.")


async def wrong_method(visit: Visit) -> Response:
    """Respond to a method that an address does not support."""
    raise RefusedError(405, "This address does not accept the method {method}.", method=visit.request.method)


PAGES: Final = (
    Page("/", working.front, role=None),
    Page("/login", accounts.login_page, role=None),
    Page("/login", accounts.login, role=None, method="POST"),
    Page("/logout", accounts.logout, method="POST", consented=False, paused=True),
    Page("/join/{link}", accounts.join_page, role=None),
    Page("/join/{link}", accounts.join, role=None, method="POST"),
    Page("/consent", accounts.consent_page, consented=False),
    Page("/consent", accounts.consent, method="POST", consented=False),
    Page("/account", accounts.account_page, consented=False, paused=True),
    Page("/account/delete", accounts.delete_account, method="POST", consented=False, paused=True),
    Page("/work", working.home, paused=True),
    Page("/work/{phase}", working.next_task, method="POST"),
    Page("/guidelines/{phase}", working.guidelines),
    Page("/test/{phase}", working.qualification_page),
    Page("/test/{phase}", working.take_test, method="POST"),
    Page("/task/{token}", working.task_page),
    Page("/task/{token}", working.submit, method="POST"),
    Page("/task/{token}/draft", working.draft, method="POST"),
    Page("/task/{token}/release", working.release, method="POST"),
    Page("/task/{token}/flag", working.flag, method="POST"),
    Page("/task/{token}/check", working.check_distractors, method="POST"),
    Page("/task/{token}/leak", working.check_leak, method="POST"),
    Page("/mine", working.mine, paused=True),
    Page("/undo/{number:row}", working.undo, method="POST"),
    Page("/review", reviewing.queue, role="reviewer"),
    Page("/review/sample", reviewing.sample, role="reviewer", method="POST"),
    Page("/review/{number:row}", reviewing.flag_page, role="reviewer"),
    Page("/review/{number:row}/edit/{contribution:row}", reviewing.edit_page, role="reviewer"),
    Page("/review/{number:row}/edit/{contribution:row}", reviewing.edit, role="reviewer", method="POST"),
    Page("/review/{number:row}", reviewing.decide, role="reviewer", method="POST"),
    Page("/lead", leading.dashboard, role="lead"),
    Page("/lead/items", leading.items, role="lead"),
    Page("/lead/items/{number:row}", leading.item, role="lead"),
    Page("/lead/people", leading.people_page, role="lead"),
    Page("/lead/people", leading.invite, role="lead", method="POST"),
    Page("/lead/people/{number:row}", leading.person_page, role="lead"),
    Page("/lead/people/{number:row}/link", leading.link, role="lead", method="POST"),
    Page("/lead/people/{number:row}/access", leading.set_access, role="lead", method="POST"),
    Page("/lead/people/{number:row}/work", leading.retract, role="lead", method="POST"),
    Page("/lead/log", leading.log_page, role="lead"),
    Page("/lead/log.csv", leading.log_csv, role="lead"),
    Page("/lead/tokens", leading.tokens_page, role="lead"),
    Page("/lead/tokens", leading.make_token, role="lead", method="POST"),
    Page("/lead/tokens/revoke", leading.revoke_token, role="lead", method="POST"),
    Page("/lead/people/{number:row}/role", leading.change_role, role="lead", method="POST"),
    Page("/lead/people/{number:row}/reset", leading.reset_tests, role="lead", method="POST"),
    Page("/lead/pay", leading.pay_page, role="lead"),
    Page("/lead/pay/approve/{number:row}", leading.approve, role="lead", method="POST"),
    Page("/lead/pay/export", leading.export_pay, role="lead", method="POST"),
    Page("/lead/pay/batch/{number:row}.csv", leading.batch_csv, role="lead"),
    Page("/lead/pay/batch/{number:row}", leading.close_batch, role="lead", method="POST"),
    Page("/api/progress", leading.dashboard, role="lead"),
    Page("/api/items", leading.items, role="lead"),
    Page("/api/items/{number:row}", leading.item, role="lead"),
    Page("/api/contributions", leading.contributions, role="lead"),
    Page("/api/people", leading.people_page, role="lead"),
    Page("/api/people", leading.invite, role="lead", method="POST"),
    Page("/api/people/{number:row}/access", leading.set_access, role="lead", method="POST"),
    Page("/api/people/{number:row}/approve", leading.approve, role="lead", method="POST"),
    Page("/api/payments", leading.payments, role="lead"),
    Page("/api/payments/export", leading.export_pay, role="lead", method="POST"),
    Page("/api/log", leading.log_page, role="lead"),
    Page("/pictures/{name}", picture),
    Page("/static/{name}", static, role=None, session=False),
)
"""All pages. The tests open every page with every role."""


def application(campaign: Campaign, *, secure: bool = False, public_url: str = "") -> Starlette:
    """Return the web application of a campaign."""
    site = Site(campaign, secure, public_url)
    unknown = [Page("/{anything:path}", nowhere, None, method, checked=False) for method in ("GET", "POST")]

    async def refuse_method(request: Request, error: Exception) -> Response:
        response = await respond(site, Page("/", wrong_method, None, request.method), request)
        response.headers.update(getattr(error, "headers", None) or {})  # Allow
        return response

    app = Starlette(
        routes=[_route(site, page) for page in (*PAGES, *unknown)],
        lifespan=_closing(campaign),
        exception_handlers={405: refuse_method},
    )
    app.state.loop = open_loop(campaign)
    return app


def _route(site: Site, page: Page) -> Route:
    async def endpoint(request: Request) -> Response:
        return await respond(site, page, request)

    return Route(page.path, endpoint, methods=[page.method])


def _closing(campaign: Campaign) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        if isinstance(app.state.loop, OwnRanker):
            app.state.loop.refresh()  # starts training, so that the first check need not wait
        yield
        campaign.close()

    return lifespan


_TURN: Final = 0.0005
"""Python's thread switch interval in seconds; short, because pages and the writer wait for each other."""


def serve(
    campaign: Campaign,
    *,
    host: str = "127.0.0.1",
    port: int = 8400,
    public_url: str = "",
    trusted_proxies: str = "",
    started: Callable[[], None] = lambda: None,
) -> None:
    """Serve until stopped; `started` is called first if the address is free and the campaign has no other server.

    Behind a proxy, `public_url` is the public address and `trusted_proxies` has the proxy's addresses.
    """
    _refuse_taken(host, port)
    app = application(campaign, secure=public_url.startswith("https://"), public_url=public_url.rstrip("/"))
    templates()
    settings = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=trusted_proxies or None,
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=64 * 1024,
    )
    server = uvicorn.Server(settings)
    with closing(lock_folder(campaign.path, CampaignError)):  # a campaign has one server: writes go through it in order
        started()
        sys.setswitchinterval(_TURN)
        if threading.current_thread() is threading.main_thread():
            # Uvicorn installs its handlers late; a signal that arrives earlier must stop the server too.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, server.handle_exit)
        server.run()
    if server.should_exit:
        raise KeyboardInterrupt


def _refuse_taken(host: str, port: int) -> None:
    """Raise a clear error if an address is already in use."""
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            pass
    except (OSError, OverflowError) as error:  # a port above 65535 overflows
        words = getattr(error, "strerror", None) or str(error)
        raise CampaignError(f"cannot listen on {host} port {port} ({words}); choose another `port`") from None


def configuration_faults(
    campaign: Campaign, host: str = "127.0.0.1", public_url: str = "", trusted_proxies: str = ""
) -> list[str]:
    """Return warnings about an unsafe or incomplete configuration, one sentence each."""
    found = []
    inside = host in ("127.0.0.1", "::1", "localhost")
    if not public_url.startswith("https://") and not (inside and not public_url):
        found.append("passwords and cookies are sent unencrypted: use a proxy with TLS (--public-url https://…)")
    if public_url and not trusted_proxies:
        found.append(
            "all visitors seem to come from the proxy, so failed logins by one of them lock out everybody: pass "
            "the proxy's address with --trust-proxy"
        )
    if trusted_proxies == "*":
        found.append("any visitor can fake their IP address: pass the proxy's own address with --trust-proxy")
    for name in (SECRET, DATABASE):
        file = campaign.path / name
        if file.is_file() and file.stat().st_mode & 0o077:
            found.append(f"others on this machine can read {name}: chmod 600 {file}")
    everybody = campaign.store.read(people.everybody)
    if not any(person.role == "lead" and person.access == "open" for person in everybody):
        found.append("the campaign has no lead: countersight collect people CAMPAIGN --invite NAME --role lead")
    for name, _ in ACCOUNTS:
        stored = campaign.store.read(lambda c, name=name: people.stored_password(c, name))  # type: ignore[misc]
        if stored and people.is_password(PASSWORD, stored[1]):
            found.append(f"{name} still has the public password of the demo; change it")
    settings = campaign.settings
    if not settings.contact:
        found.append("people have no contact for questions: set `contact` in campaign.toml")
    if settings.prolific.completion_code and not settings.prolific.contributions:
        found.append("people from Prolific never get their completion code: set [prolific] contributions")
    return found
