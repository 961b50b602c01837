"""What speaks JSON: the campaign, one's own figures, and for leads progress and agreement; with its own description."""

from typing import Any

import msgspec
from starlette.responses import Response

from countersight import __version__
from countersight.collect.web.leading import latest_figures
from countersight.collect.web.progress import own_figures
from countersight.collect.web.visit import Visit


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")


async def campaign(visit: Visit) -> Response:
    """What the campaign is."""
    flow = visit.campaign.flow
    return _json(
        {
            "title": visit.settings.title,
            "flow": flow.name,
            "phases": [{"name": phase.name, "title": phase.title, "about": phase.about} for phase in flow.phases],
            "countersight": __version__,
        }
    )


async def me(visit: Visit) -> Response:
    """The person's own figures."""
    return _json({"pseudonym": visit.me.pseudonym, "role": visit.me.role, **msgspec.to_builtins(own_figures(visit))})


async def progress(visit: Visit) -> Response:
    """How far the campaign is."""
    figures = await latest_figures(visit)
    return _json({"items": figures.items, "states": figures.states, "phases": figures.phases, "flags": figures.flags})


async def agreement(visit: Visit) -> Response:
    """How far people agree."""
    return _json((await latest_figures(visit)).agreement)


async def openapi(visit: Visit) -> Response:
    """The description of all this in OpenAPI's form."""
    paths = {
        "/api/campaign": ("What the campaign is", "object", ()),
        "/api/me": ("The person's own figures", "object", ("303", "401", "403")),
        "/api/progress": ("How far the campaign is (leads)", "object", ("303", "401", "403")),
        "/api/agreement": ("How far people agree (leads)", "array", ("303", "401", "403")),
    }
    return _json(
        {
            "openapi": "3.1.0",
            "info": {"title": f"Countersight: {visit.settings.title}", "version": __version__},
            "paths": {path: {"get": _operation(*what)} for path, what in paths.items()},
        }
    )


def _operation(summary: str, kind: str, others: tuple[str, ...]) -> dict[str, Any]:
    content = {"application/json": {"schema": {"type": kind}}}
    answers: dict[str, Any] = {"200": {"description": summary, "content": content}}
    return {"summary": summary, "responses": answers | {status: {"description": "Not let in"} for status in others}}
