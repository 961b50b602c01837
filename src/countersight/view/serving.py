"""The small server behind `countersight view`. It binds to this machine and shows folders; it changes nothing."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from pathlib import Path

from aiohttp import web
from yarl import URL

from countersight.case import ASKINGS, Asking
from countersight.errors import BadPicture, CountersightError
from countersight.view.rendering import index_page, run_page, state_of
from countersight.view.watched import WatchedRun
from countersight.view.watched_audit import PAGE, WatchedAudit

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_SAFE = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"}


def application(folders: Sequence[Path], host: str = "127.0.0.1") -> web.Application:
    """A server of these folders: runs, audits, or folders of them; `host` is the name it is to be asked by."""
    site = _Site(folders)
    if not site.runs and not site.audits:
        raise CountersightError(f"there is neither a run nor an audit in {', '.join(map(str, folders))}")
    return site.application(host)


class _Site:
    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self.runs: dict[str, WatchedRun] = {}
        self.audits: dict[str, WatchedAudit] = {}
        self._reading = asyncio.Lock()
        """Judging holds much memory: one page is made at a time."""
        self._look_round()

    def _look_round(self) -> None:
        """Find what was begun since; what is known keeps its number."""
        inside = [each for folder in self._folders for each in (folder, *sorted(folder.glob("*"))) if each.is_dir()]
        runs, audits = ({each.path for each in known.values()} for known in (self.runs, self.audits))
        for each in dict.fromkeys(inside):
            if each not in runs and (each / "run.json").is_file():
                self.runs[str(len(self.runs))] = WatchedRun(each)
            if each not in audits and (each / "audit.json").is_file():
                self.audits[str(len(self.audits))] = WatchedAudit(each)

    def application(self, host: str) -> web.Application:
        site = web.Application(middlewares=[_only_for(host), _careful])
        site.add_routes(
            [
                web.get("/", self._index),
                web.get("/state", self._state),
                web.get("/run/{key}", self._run),
                web.get("/run/{key}/picture/{place}/{side}", self._picture),
                web.get("/audit/{key}/report.html", self._audit),
            ]
        )
        return site

    async def _index(self, request: web.Request) -> web.Response:
        self._look_round()
        async with self._reading:
            return _html(await asyncio.to_thread(index_page, list(self.runs.items()), list(self.audits.items())))

    async def _state(self, request: web.Request) -> web.Response:
        """What changes when there is something new: the page asks for it, and for nothing else while it is the same."""
        if (run := self.runs.get(request.query.get("run", ""))) is not None:
            return web.json_response({"state": str(run.size)})
        self._look_round()
        return web.json_response({"state": await asyncio.to_thread(self._state_of_all)})

    def _state_of_all(self) -> str:
        return state_of([run.size for run in self.runs.values()], [audit.state for audit in self.audits.values()])

    async def _run(self, request: web.Request) -> web.Response:
        run, query = self._known(request), request.query
        asking: Asking = next((each for each in ASKINGS if each == query.get("asking")), ASKINGS[0])
        page = int(query["page"]) if query.get("page", "").isdecimal() and len(query["page"]) < 9 else 1
        key = request.match_info["key"]
        async with self._reading:
            return _html(await asyncio.to_thread(run_page, key, run, query.get("outcome", ""), asking, page))

    async def _picture(self, request: web.Request) -> web.Response:
        run, place = self._known(request), request.match_info["place"]
        if not (place.isdecimal() and len(place) < 9):
            raise web.HTTPNotFound
        case = await asyncio.to_thread(run.case, int(place))
        side = request.match_info["side"]
        file = case and (case.counterfactual_image if side == "counterfactual" else case.image)
        if not file:
            raise web.HTTPNotFound
        try:
            picture = await asyncio.to_thread(run.judged().dataset.picture, file)
        except BadPicture:
            raise web.HTTPNotFound from None
        kept = {"Cache-Control": "private, max-age=3600"}
        return web.Response(body=picture.data, content_type=picture.mime, headers=kept)

    async def _audit(self, request: web.Request) -> web.StreamResponse:
        audit = self.audits.get(request.match_info["key"])
        if audit is None or not audit.has_page:
            raise web.HTTPNotFound(text="This audit has no page yet; it is written when the audit is finished.")
        return web.FileResponse(audit.path / PAGE)

    def _known(self, request: web.Request) -> WatchedRun:
        run = self.runs.get(request.match_info["key"])
        if run is None:
            raise web.HTTPNotFound
        return run


def _only_for(host: str) -> Callable[..., Awaitable[web.StreamResponse]]:
    """Refuses requests under a name that is not this machine's: a page elsewhere could have its own name lead here."""
    names = {host.casefold(), "localhost", socket.gethostname().casefold()}

    @web.middleware
    async def checked(request: web.Request, handler: _Handler) -> web.StreamResponse:
        asked = _host(request.host)
        if asked not in names and not _is_address(asked):
            raise web.HTTPForbidden(text=f"This server is not {asked[:80]}; open it by the address that it printed.")
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
async def _careful(request: web.Request, handler: _Handler) -> web.StreamResponse:
    """What is wrong with a folder is said on the page; nothing that is shown may act."""
    try:
        response = await handler(request)
    except CountersightError as error:
        response = web.Response(status=503, text=str(error))
    response.headers.update(_SAFE)
    return response


def _html(page: str) -> web.Response:
    return web.Response(text=page, content_type="text/html")
