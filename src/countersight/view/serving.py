"""The web server of `countersight view`. It listens on localhost and never modifies the folders that it shows."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import quote

from aiohttp import web
from yarl import URL

from countersight.errors import BadPicture, CountersightError
from countersight.files import missing_folder
from countersight.html import Grid, Live, document, json_block, name
from countersight.reports import LoadedReport, PageData, cases_from, render
from countersight.view.watching import (
    CASES_PER_PAGE,
    Damaged,
    Folders,
    WatchedRun,
    runs_grid,
)

PATIENCE = 2.0
"""How many seconds a page waits for replies to be read; if it takes longer, the page says so and reloads later."""
_SAFE = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"}
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def application(folders: Sequence[Path], host: str = "127.0.0.1") -> web.Application:
    """Return a server for folders of runs; `host` is the server's host name."""
    if missing := [folder for folder in folders if not folder.is_dir()]:
        raise CountersightError(missing_folder(missing[0]))
    found = Folders(folders)
    if not found.runs:
        raise CountersightError(f"there is no run in {', '.join(map(str, folders))}")
    return _Site(found).application(host)


class _Site:
    def __init__(self, folders: Folders) -> None:
        self._folders = folders

    def application(self, host: str) -> web.Application:
        site = web.Application(middlewares=[_check_host(host), _add_security_headers])
        site.add_routes(
            [
                web.get("/", self._index),
                web.get("/state", self._state),
                web.get("/run/{key}", self._report),
                web.get("/dataset/{key}", self._report),
                web.get("/run/{key}/picture/{file:.+}", self._picture),
                web.get("/dataset/{key}/picture/{file:.+}", self._picture),
            ]
        )
        return site

    async def _index(self, _: web.Request) -> web.Response:
        return await self._respond(self._index_page)

    def _index_page(self) -> tuple[str, int]:
        runs, state = self._folders.read(PATIENCE)
        links = []
        for fingerprint, same in self._folders.by_dataset().items():
            if len(same) > 1 and (manifest := same[0].manifest()):
                words = f"Compare the {len(same)} runs on {name(manifest.dataset.name)}"
                links.append((words, f"/dataset/{fingerprint[:16]}"))
        grids = [runs_grid(runs)] if runs else []
        problem = "" if grids else "There is no run here at the moment."
        return _page("Runs", Live("/state", state), problem, links, grids), 200

    async def _state(self, request: web.Request) -> web.Response:
        """Return a value that changes when the displayed data changes; pages poll it every few seconds."""
        return web.json_response({"state": await asyncio.to_thread(self._state_of, request.query.get("page", ""))})

    def _state_of(self, page: str) -> str:
        if not page:
            return self._folders.state()
        self._folders.refresh()
        runs = self._runs(page)
        return self._folders.loaded(runs).state() if runs else "gone"

    async def _report(self, request: web.Request) -> web.Response:
        page = request.path.strip("/")
        start = request.query.get("from", "")
        first = int(start) if start.isdecimal() and len(start) < 9 else None
        return await self._respond(self._report_page, page, first)

    def _report_page(self, page: str, start: int | None) -> tuple[str, int]:
        self._folders.refresh()
        runs = self._runs(page)
        state_url = f"/state?page={page}"
        if not runs:
            is_run = page.startswith("run/")
            words = "There is no such run here." if is_run else "None of the runs of this dataset can be read."
            return _error_page(words, Live(state_url, "gone")), 404
        loaded, state = self._folders.loaded(runs).get(PATIENCE)
        live = Live(state_url, state, "/" + page)
        if isinstance(loaded, Damaged):
            return _error_page(f"{runs[0].path} {loaded.what}: {loaded.reason}.", live), 200
        return _rendered(loaded, live, start), 200

    def _runs(self, page: str) -> list[WatchedRun]:
        """Return the runs of a page: one run, or all runs of a dataset."""
        kind, _, key = page.partition("/")
        if kind == "run":
            return [self._folders.runs[key]] if key in self._folders.runs else []
        found = self._folders.by_dataset().items()
        return next((runs for fingerprint, runs in found if fingerprint.startswith(key)), [])

    async def _picture(self, request: web.Request) -> web.Response:
        page = request.path.partition("/picture/")[0].strip("/")
        body = await asyncio.to_thread(self._picture_of, page, request.match_info["file"])
        if body is None:
            raise web.HTTPNotFound
        return web.Response(body=body[0], content_type=body[1], headers={"Cache-Control": "private, max-age=3600"})

    def _picture_of(self, page: str, file: str) -> tuple[bytes, str] | None:
        runs = self._runs(page)
        loaded = self._folders.loaded(runs).get(PATIENCE)[0] if runs else None
        if loaded is None or isinstance(loaded, Damaged):
            return None
        try:
            picture = loaded.dataset.picture(file)
        except (BadPicture, CountersightError, OSError, ValueError):
            return None
        return picture.data, picture.mime

    async def _respond(self, page: Callable[..., tuple[str, int]], *arguments: object) -> web.Response:
        made, status = await asyncio.to_thread(page, *arguments)
        return web.Response(text=made, status=status, content_type="text/html", headers={"Cache-Control": "no-store"})


def _rendered(loaded: LoadedReport, live: Live, start: int | None) -> str:
    cases, pictures = loaded.cases, loaded.pictures
    total = loaded.report.cases
    if start is not None:
        start = max(1, min(start, total))
        cases, pictures = cases_from([run.judged for run in loaded.runs], start - 1, CASES_PER_PAGE)
    addresses = tuple(f"{live.page}/picture/{quote(file)}" for file in pictures)
    blocks = [] if total <= CASES_PER_PAGE else _blocks(total, start)
    return render(PageData(loaded.report, cases, (), pictures), live=live, addresses=addresses, blocks=blocks)


def _blocks(total: int, start: int | None) -> list[tuple[str, str]]:
    """Return links to blocks of cases, for datasets that are too large for one page."""
    if start is None:
        return [("All cases in order", "?from=1#cases")]
    links = [("A sample of all cases", "?#cases")]
    if start > 1:
        links.append(("← Earlier cases", f"?from={max(1, start - CASES_PER_PAGE)}#cases"))
    if start + CASES_PER_PAGE <= total:
        links.append(("Later cases →", f"?from={start + CASES_PER_PAGE}#cases"))
    return links


def _error_page(problem: str, live: Live) -> str:
    """Return a page that says why nothing can be shown; it reloads when that changes."""
    return _page("Nothing to show", live, problem, [("All runs", "/")])


def _page(title: str, live: Live, problem: str, links: Sequence[tuple[str, str]], grids: Sequence[Grid] = ()) -> str:
    return document(
        __package__,
        "index.html",
        title="Countersight" if grids else title,
        style="index.css",
        script="live.js",
        connect_sources="'self'",
        heading=title,
        problem=name(problem),
        links=links,
        grids=grids,
        live=json_block("live", live),
    )


def _check_host(host: str) -> Callable[..., Awaitable[web.StreamResponse]]:
    """Return middleware that refuses requests for other host names than this machine's, to prevent DNS rebinding."""
    names = {host.casefold(), "localhost", socket.gethostname().casefold()}

    @web.middleware
    async def checked(request: web.Request, handler: _Handler) -> web.StreamResponse:
        asked = _host(request.host)
        if asked not in names and not _is_address(asked):
            raise web.HTTPForbidden(
                text=f"This server does not answer requests for {asked[:80]}; open the address that it printed."
            )
        return await handler(request)

    return checked


def _host(header: str) -> str:
    try:
        return (URL(f"http://{header}").host or "").casefold()
    except ValueError:
        return ""


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


@web.middleware
async def _add_security_headers(request: web.Request, handler: _Handler) -> web.StreamResponse:
    """Add headers that prevent displayed content from running code."""
    response = await handler(request)
    response.headers.update(_SAFE)
    return response
