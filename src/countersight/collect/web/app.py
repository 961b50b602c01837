"""The web application: all addresses with their permissions, and shared pages."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from importlib.resources import files
from mimetypes import guess_type
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from countersight.collect.campaign import Campaign
from countersight.collect.loop import open_loop
from countersight.collect.web import accounts, json_api, leading, reviewing, tasks, working
from countersight.collect.web.rendering import Renderer
from countersight.collect.web.visit import MOST_DIGITS, FigureCache, Page, RefusedError, Site, Visit, visited

_STATIC: Final = ("style.css", "app.js", "htmx.min.js")


class RowConvertor(IntegerConvertor):
    """A row number in an address; numbers too large for a database do not match."""

    regex = f"[0-9]{{1,{MOST_DIGITS}}}"


register_url_convertor("row", RowConvertor())


async def picture(visit: Visit) -> Response:
    """Serve a picture of the campaign. Its name is the digest of its bytes, so it never changes."""
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return _send(visit.campaign.picture_file(visit.request.path_params["name"]), headers)


async def guideline_picture(visit: Visit) -> Response:
    """Serve a picture of the guidelines."""
    return _send(visit.campaign.guideline_picture(visit.request.path_params["name"]))


def _send(file: Path | None, headers: dict[str, str] | None = None) -> Response:
    if file is None:
        raise RefusedError(404, "There is no such picture.")
    return FileResponse(file, headers=headers)


@cache
def _file(name: str) -> bytes:
    return (files(__package__) / "static" / name).read_bytes()


async def static(visit: Visit) -> Response:
    """Serve a static file."""
    name = visit.request.path_params["name"]
    if name not in _STATIC:
        raise RefusedError(404, "There is no such file.")
    data = _file(name)
    kind = guess_type(name)[0] or "text/plain"
    return Response(data, media_type=kind, headers={"Cache-Control": "public, max-age=3600"})


async def nowhere(visit: Visit) -> Response:
    """Answer an address that does not exist."""
    raise RefusedError(404, "There is no such page.")


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
    Page("/guidelines/pictures/{name}", guideline_picture),
    Page("/guidelines/{phase}", working.guidelines),
    Page("/test/{phase}", working.test_page),
    Page("/test/{phase}", working.take_test, method="POST"),
    Page("/task/{token}", tasks.task_page),
    Page("/task/{token}", tasks.submit, method="POST"),
    Page("/task/{token}/draft", tasks.draft, method="POST"),
    Page("/task/{token}/release", tasks.release, method="POST"),
    Page("/task/{token}/flag", tasks.flag, method="POST"),
    Page("/task/{token}/check", tasks.check_distractors, method="POST"),
    Page("/task/{token}/leak", tasks.check_leak, method="POST"),
    Page("/task/{token}/kinds", tasks.propose_kinds, method="POST"),
    Page("/mine", working.mine, paused=True),
    Page("/undo/{number:row}", working.undo, method="POST"),
    Page("/known/{number:row}", working.known),
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
    *json_api.PAGES,
    Page("/pictures/{name}", picture),
    Page("/static/{name}", static, role=None),
)
"""All pages. The tests visit each with every role."""


def application(campaign: Campaign, *, secure: bool = False, public_url: str = "") -> Starlette:
    """Return the web application of a campaign."""
    renderer = Renderer(campaign.settings, campaign.path / "locale")
    place = Site(campaign, renderer, FigureCache(campaign.store), secure, public_url)
    unknown = [Page("/{anything:path}", nowhere, None, method, checked=False) for method in ("GET", "POST")]
    app = Starlette(routes=[_route(place, page) for page in (*PAGES, *unknown)], lifespan=_closing(campaign))
    app.state.loop = open_loop(campaign)
    return app


def _route(place: Site, page: Page) -> Route:
    async def endpoint(request: Request) -> Response:
        return await visited(place, page, request)

    return Route(page.path, endpoint, methods=[page.method])


def _closing(campaign: Campaign) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        if any(phase.checked for phase in campaign.flow.phases):
            app.state.loop.refresh()  # it learns before the first who asks has to wait for it
        yield
        campaign.close()

    return lifespan
