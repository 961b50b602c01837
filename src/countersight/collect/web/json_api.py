"""The JSON API for study scripts: items, contributions, people and pay, with an OpenAPI description.

A script sends the token of a lead (`Authorization: Bearer …`, made on the page Tokens). Lists come a page at a time:
`after` is the number of the last row that was read. What it changes goes into the audit log.
"""

from collections.abc import Sequence
from typing import Any, Final, get_args

import msgspec
from sqlalchemy import Connection, Select, select
from starlette.responses import Response

from countersight import __version__
from countersight.collect import audit_log, pay, people, work
from countersight.collect.database import tables
from countersight.collect.figures import people_figures
from countersight.collect.web.leading import after, campaign_at
from countersight.collect.web.progress import own_figures
from countersight.collect.web.reviewing import history
from countersight.collect.web.visit import Handler, Page, RefusedError, Visit
from countersight.errors import CampaignError

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
    mine = {"pseudonym": visit.me.pseudonym, "role": visit.me.role}
    return visit.json({**mine, **msgspec.to_builtins(own_figures(visit))})


async def progress(visit: Visit) -> Response:
    """The progress of the campaign."""
    figures, _ = await campaign_at(visit)
    told = {"items": figures.items, "states": figures.states, "phases": figures.phases}
    return visit.json(told | {"flags": figures.flags, "disputed": figures.disputed})


async def agreement(visit: Visit) -> Response:
    """The agreement of people."""
    return visit.json((await campaign_at(visit))[0].agreement)


def _rows(connection: Connection, question: Select[Any], json: Sequence[str] = ()) -> list[dict[str, Any]]:
    rows = [dict(row) for row in connection.execute(question.limit(_MOST)).mappings()]
    return [row | {name: msgspec.json.decode(row[name] or "null") for name in json} for row in rows]


async def items(visit: Visit) -> Response:
    """Items, by number."""
    item, state = tables.item.c, visit.request.query_params.get("state", "")
    question = select(item.id, item.key, item.split, item.phase, item.state, item.phase_since, item.source)
    question = question.where(item.id > after(visit), *([item.state == state] if state else []))
    return visit.json(visit.store.read(lambda c: _rows(c, question.order_by(item.id), ["source"])))


async def item(visit: Visit) -> Response:
    """One item with every version of every contribution and every flag."""
    number = visit.number
    if not visit.store.read(lambda c: c.execute(select(tables.item.c.id).where(tables.item.c.id == number)).first()):
        raise RefusedError(404, "There is no such item.")
    if not await visit.store.write(lambda c: work.look(c, number, visit.me.id)):
        raise RefusedError(
            409, "The owner of this token is working on this item; it can be read after they have finished."
        )
    entries = visit.store.read(lambda c: history(c, visit.campaign.flow, number))
    flags = visit.store.read(lambda c: work.flags_of(c, number))
    found = visit.store.read(lambda c: work.load_item(c, number))
    return visit.json({**msgspec.to_builtins(found), "contributions": entries, "flags": flags})


async def contributions(visit: Visit) -> Response:
    """Contributions, by number, with the pseudonym of their author; `stands` says whether a version counts."""
    made, lease, person = tables.contribution.c, tables.lease.c, tables.person.c
    columns = (made.id, made.item_id, made.phase, made.version, made.content, made.seconds, made.pasted, made.at)
    stands = ((lease.contribution_id == made.id) & (lease.state == "done")).label("stands")
    question = (
        select(*columns, made.guideline_version, made.fooled, person.pseudonym, stands)
        .select_from(tables.contribution)
        .join(tables.lease, lease.id == made.lease_id)
        .join(tables.person, person.id == made.person_id)
        .where(made.id > after(visit))
        .order_by(made.id)
    )
    rows = await visit.store.read_slowly(lambda c: _rows(c, question, ["content"]))
    return visit.json([row | {"stands": bool(row["stands"])} for row in rows])


async def everybody(visit: Visit) -> Response:
    """People with their work, by number."""
    return visit.json(visit.store.read(lambda c: people_figures(c, after(visit), _MOST)))


async def invite(visit: Visit) -> Response:
    """Create an account and return the path of its one-time link; `existing` gives an existing account a new link."""
    name, role = visit.form.get("name", ""), visit.form.get("role") or "worker"
    if not name.strip() or role not in people.ROLES:
        raise RefusedError(422, "An account needs a name, and a role if it is not a worker's.")
    there = visit.store.read(lambda c: people.account_named(c, name))
    if there and visit.form.get("existing") != "yes":
        raise RefusedError(409, f"{there.name} has an account: send existing=yes for a link that sets a new password.")
    try:
        if there:
            token = await visit.write(lambda c: people.new_link(c, there.id, visit.now))
        else:
            token = await visit.write(lambda c: people.invite(c, name, role, visit.now))
    except CampaignError as error:
        raise RefusedError(422, str(error)) from None
    return visit.json({"path": f"/join/{token}"})


async def access(visit: Visit) -> Response:
    """Allow somebody to work, pause them or block them."""
    wanted = visit.form.get("access", "")
    if wanted not in get_args(work.Access) or visit.number == visit.me.id:
        raise RefusedError(422, "Choose open, paused or blocked, for a person other than yourself.")
    await visit.write(lambda c: work.set_access(c, visit.settings, visit.number, wanted))  # type: ignore[arg-type]
    return visit.json({"access": wanted})


async def payments(visit: Visit) -> Response:
    """Payments, by number, in minor units."""
    paid, person = tables.payment.c, tables.person.c
    columns = (paid.id, paid.contribution_id, paid.kind, paid.amount, paid.state, paid.batch_id, paid.at)
    question = select(*columns, person.pseudonym).join(tables.person, person.id == paid.person_id)
    return visit.json(visit.store.read(lambda c: _rows(c, question.where(paid.id > after(visit)).order_by(paid.id))))


async def approve(visit: Visit) -> Response:
    """Approve what somebody has accrued; returns the number of payments."""
    visit.note_amount(visit.store.read(lambda c: pay.balances(c, visit.number)).get("accrued", 0))
    try:
        moved = await visit.write(lambda c: pay.approve(c, visit.number, visit.me.id, visit.now))
    except CampaignError as error:
        raise RefusedError(422, str(error)) from None
    return visit.json({"payments": moved})


async def export(visit: Visit) -> Response:
    """Put everything approved into a batch: its number and its CSV, or null if nothing is approved."""
    visit.note_amount(visit.store.read(pay.balances).get("approved", 0))
    batch = await visit.write(lambda c: pay.export_batch(c, visit.me.id, visit.now))
    csv = visit.store.read(lambda c: c.execute(select(tables.batch.c.csv).where(tables.batch.c.id == batch)).scalar())
    return visit.json({"batch": batch, "csv": csv})


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
_FIELDS: Final[dict[Handler, tuple[str, ...]]] = {invite: ("name", "role", "existing"), access: ("access",)}


def _operation(page: Page, path: str) -> dict[str, Any]:
    kind = "array" if page.handler in _LISTS else "object"
    content = {"application/json": {"schema": {"type": kind}}}
    about = (page.handler.__doc__ or "").strip()
    answers: dict[str, Any] = {"200": {"description": about, "content": content}}
    for status in ("400", "401", "403", "404", "409", "413", "415", "422") if page.role else ():
        answers[status] = {"description": "Refused: `error` says why"}
    number = {"type": "integer", "minimum": 0, "maximum": 999_999_999}
    named = [{"name": "number", "in": "path", "required": True, "schema": number}] if "{number}" in path else []
    asked = (
        [{"name": "after", "in": "query", "schema": number}] if kind == "array" and page.handler != agreement else []
    )
    found: dict[str, Any] = {"summary": about, "responses": answers, "parameters": named + asked}
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
    Page("/api/items/{number:row}", item, role="lead"),
    Page("/api/contributions", contributions, role="lead"),
    Page("/api/people", everybody, role="lead"),
    Page("/api/people", invite, role="lead", method="POST"),
    Page("/api/people/{number:row}/access", access, role="lead", method="POST"),
    Page("/api/payments", payments, role="lead"),
    Page("/api/people/{number:row}/approve", approve, role="lead", method="POST"),
    Page("/api/payments/export", export, role="lead", method="POST"),
    Page("/api/log", log, role="lead"),
)
"""Every address of the API."""
