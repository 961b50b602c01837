"""The JSON API for study scripts: items, contributions, people and pay, with an OpenAPI description.

A script sends the token of a lead (`Authorization: Bearer …`, made on the page Tokens). Lists come a page at a time:
`after` is the number of the last row that was read. What it changes goes into the audit log.
"""

from typing import Any, Final

import msgspec
from sqlalchemy import Select, select
from starlette.responses import Response

from countersight import __version__
from countersight.collect import audit_log, tables, work
from countersight.collect.figures import own_figures, people_figures
from countersight.collect.web import leading
from countersight.collect.web.leading import after
from countersight.collect.web.visit import Handler, Page, Visit

_MOST = 500
"""Rows of one answer."""


async def campaign(visit: Visit) -> Response:
    """The title, flow, language and phases of the campaign."""
    flow = visit.campaign.flow
    phases = [{"name": phase.name, "title": phase.title, "about": phase.about} for phase in flow.phases]
    told = {"title": visit.settings.title, "flow": flow.name, "language": visit.settings.language, "phases": phases}
    return visit.json(told | {"countersight": __version__})


async def me(visit: Visit) -> Response:
    """The person's own figures."""
    own = visit.store.read(lambda c: own_figures(c, visit.me.id))
    return visit.json({"pseudonym": visit.me.pseudonym, "role": visit.me.role, **msgspec.to_builtins(own)})


async def progress(visit: Visit) -> Response:
    """The progress of the campaign."""
    figures, _ = await leading.figures_now(visit)
    return visit.json({name: getattr(figures, name) for name in ("items", "states", "phases", "flags", "disputed")})


async def agreement(visit: Visit) -> Response:
    """The agreement of people."""
    return visit.json((await leading.figures_now(visit))[0].agreement)


async def _rows(visit: Visit, question: Select[Any], json: str = "") -> Response:
    """Return a page of rows as JSON, with one column decoded."""
    found = await visit.store.read_slowly(lambda c: c.execute(question.limit(_MOST)).mappings().all())
    return visit.json([{**row, **({json: msgspec.json.decode(row[json] or "null")} if json else {})} for row in found])


async def items(visit: Visit) -> Response:
    """Items, by number."""
    item, state = tables.item.c, leading.state_asked(visit, "")
    question = select(item.id, item.key, item.split, item.phase, item.state, item.phase_since, item.source)
    question = question.where(item.id > after(visit), *([item.state == state] if state else []))
    return await _rows(visit, question.order_by(item.id), "source")


async def contributions(visit: Visit) -> Response:
    """Contributions, by number, with the pseudonym of their author; `stands` says whether a version counts."""
    flow, later = visit.campaign.flow, tables.contribution.c.id > after(visit)
    return visit.json(await visit.store.read_slowly(lambda c: list(work.contributions(c, flow, later, most=_MOST))))


async def everybody(visit: Visit) -> Response:
    """People with their work, by number."""
    return visit.json(visit.store.read(lambda c: people_figures(c, after(visit), _MOST)))


async def payments(visit: Visit) -> Response:
    """Payments, by number, in minor units."""
    paid, person = tables.payment.c, tables.person.c
    columns = (paid.id, paid.contribution_id, paid.kind, paid.amount, paid.state, paid.batch_id, paid.at)
    question = select(*columns, person.pseudonym).join(tables.person, person.id == paid.person_id)
    return await _rows(visit, question.where(paid.id > after(visit)).order_by(paid.id))


async def log(visit: Visit) -> Response:
    """Actions of leads and reviewers, by number."""
    return visit.json(visit.store.read(lambda c: audit_log.read_log(c, after(visit), _MOST)))


async def openapi(visit: Visit) -> Response:
    """This description, in OpenAPI format."""
    paths: dict[str, dict[str, Any]] = {}
    for page in PAGES:
        path = page.path.replace(":row", "")
        paths.setdefault(path, {})[page.method.lower()] = _operation(page, path)
    schemes = {"token": {"type": "http", "scheme": "bearer"}}
    info = {"title": f"Countersight: {visit.settings.title}", "version": __version__}
    return visit.json({"openapi": "3.1.0", "info": info, "paths": paths, "components": {"securitySchemes": schemes}})


_LISTS = (agreement, items, contributions, everybody, payments, log)
_FIELDS: Final[dict[Handler, tuple[str, ...]]] = {
    leading.invite: ("name", "role", "existing"),
    leading.set_access: ("access",),
}


def _operation(page: Page, path: str) -> dict[str, Any]:
    kind = "array" if page.handler in _LISTS else "object"
    about = (page.handler.__doc__ or "").strip()
    answers: dict[str, Any] = {
        "200": {"description": about, "content": {"application/json": {"schema": {"type": kind}}}}
    }
    for status in ("400", "401", "403", "404", "409", "413", "415", "422") if page.role else ():
        answers[status] = {"description": "Refused: `error` says why"}
    number = {"type": "integer", "minimum": 0, "maximum": 999_999_999}
    parameters = [{"name": "number", "in": "path", "required": True, "schema": number}] if "{number}" in path else []
    if kind == "array" and page.handler != agreement:
        parameters.append({"name": "after", "in": "query", "schema": number})
    if page.handler == items:
        parameters.append({"name": "state", "in": "query", "schema": {"enum": list(leading.STATES)}})
    found: dict[str, Any] = {"summary": about, "responses": answers, "parameters": parameters}
    if page.role:
        found["security"] = [{"token": []}]
    if page.method == "POST":
        fields = {name: {"type": "string"} for name in _FIELDS.get(page.handler, ())}
        schema = {"type": "object", "properties": fields, "additionalProperties": {"type": "string"}}
        found["requestBody"] = {"content": {"application/json": {"schema": schema}}}
    return found


PAGES: Final = (
    Page("/api/openapi.json", openapi, role=None),
    Page("/api/campaign", campaign, role=None),
    Page("/api/me", me),
    Page("/api/progress", progress, role="lead"),
    Page("/api/agreement", agreement, role="lead"),
    Page("/api/items", items, role="lead"),
    Page("/api/items/{number:row}", leading.item, role="lead"),
    Page("/api/contributions", contributions, role="lead"),
    Page("/api/people", everybody, role="lead"),
    Page("/api/people", leading.invite, role="lead", method="POST"),
    Page("/api/people/{number:row}/access", leading.set_access, role="lead", method="POST"),
    Page("/api/payments", payments, role="lead"),
    Page("/api/people/{number:row}/approve", leading.approve, role="lead", method="POST"),
    Page("/api/payments/export", leading.export_pay, role="lead", method="POST"),
    Page("/api/log", log, role="lead"),
)
"""Every address of the API."""
