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
from countersight.view.rendering import index_page, run_page
from countersight.view.watched import WatchedRun

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_SAFE = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"}


def application(folders: Sequence[Path], host: str = "127.0.0.1") -> web.Application:
    """A server of these folders: runs, audits, or folders of them; `host` is the name it is to be asked by."""
    runs, audits = _found(folders)
    if not runs and not audits:
        raise CountersightError(f"there is neither a run nor an audit in {', '.join(map(str, folders))}")
    return _Site(runs, audits).application(host)


def _found(folders: Sequence[Path]) -> tuple[dict[str, WatchedRun], dict[str, Path]]:
    inside = [each for folder in folders for each in (folder, *sorted(folder.glob("*"))) if each.is_dir()]
    runs = [each for each in dict.fromkeys(inside) if (each / "run.json").is_file()]
    audits = [each for each in dict.fromkeys(inside) if (each / "audit.json").is_file()]
    return {str(nth): WatchedRun(path) for nth, path in enumerate(runs)}, {str(n): p for n, p in enumerate(audits)}


class _Site:
    def __init__(self, runs: dict[str, WatchedRun], audits: dict[str, Path]) -> None:
        self._runs, self._audits = runs, audits
        self._reading = asyncio.Lock()
        """Judging holds much memory: one page is made at a time."""

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
        audits = [(key, path.name) for key, path in self._audits.items()]
        async with self._reading:
            return _html(await asyncio.to_thread(index_page, list(self._runs.items()), audits))

    async def _state(self, request: web.Request) -> web.Response:
        """What changes when there is something new: the page asks for it, and for nothing else while it is the same."""
        sizes = await asyncio.to_thread(lambda: [run.size for run in self._runs.values()])
        return web.json_response({"state": ".".join(map(str, sizes))})

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
        path = self._audits.get(request.match_info["key"])
        if path is None or not (path / "report.html").is_file():
            raise web.HTTPNotFound(text="This audit has no page yet; it is written when the audit is finished.")
        return web.FileResponse(path / "report.html")

    def _known(self, request: web.Request) -> WatchedRun:
        run = self._runs.get(request.match_info["key"])
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
