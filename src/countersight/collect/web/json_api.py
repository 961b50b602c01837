"""The JSON API for study scripts: progress, items, contributions, people, pay and the log.

A script sends the token of a lead (`Authorization: Bearer …`, made on the page Tokens). Lists come a page at a time:
`after` is the number of the last row that was read. What a script changes goes into the audit log.
"""

from typing import Any, Final

import msgspec
from sqlalchemy import Select, select
from starlette.responses import Response

from countersight.collect import audit_log, tables, work
from countersight.collect.figures import people_figures
from countersight.collect.web import leading
from countersight.collect.web.leading import after
from countersight.collect.web.visit import Page, Visit

_MOST = 500
"""Rows of one answer."""


async def progress(visit: Visit) -> Response:
    """Return all figures of the campaign: items, phases, flags, agreement, groups, the model in the loop, pay."""
    return visit.json((await leading.figures_now(visit))[0])


async def _rows(visit: Visit, question: Select[Any], json: str = "") -> Response:
    """Return a page of rows, with one column decoded from JSON."""
    found = await visit.store.read_slowly(lambda c: c.execute(question.limit(_MOST)).mappings().all())
    return visit.json([{**row, **({json: msgspec.json.decode(row[json])} if json else {})} for row in found])


async def items(visit: Visit) -> Response:
    """Return items by number, all or those in one state."""
    item, state = tables.item.c, leading.state_asked(visit, "")
    question = select(item.id, item.key, item.split, item.phase, item.state, item.phase_since, item.source)
    question = question.where(item.id > after(visit), *([item.state == state] if state else []))
    return await _rows(visit, question.order_by(item.id), "source")


async def contributions(visit: Visit) -> Response:
    """Return contributions by number, with the pseudonym of their author; `stands` says whether a version counts."""
    flow, later = visit.campaign.flow, tables.contribution.c.id > after(visit)
    return visit.json(await visit.store.read_slowly(lambda c: list(work.contributions(c, flow, later, most=_MOST))))


async def everybody(visit: Visit) -> Response:
    """Return people with their work, by number."""
    return visit.json(visit.store.read(lambda c: people_figures(c, after(visit), _MOST)))


async def payments(visit: Visit) -> Response:
    """Return payments by number, in minor units."""
    paid, person = tables.payment.c, tables.person.c
    columns = (paid.id, paid.contribution_id, paid.kind, paid.amount, paid.state, paid.batch_id, paid.at)
    question = select(*columns, person.pseudonym).join(tables.person, person.id == paid.person_id)
    return await _rows(visit, question.where(paid.id > after(visit)).order_by(paid.id))


async def log(visit: Visit) -> Response:
    """Return actions of leads and reviewers, by number."""
    return visit.json(visit.store.read(lambda c: audit_log.read_log(c, after(visit), _MOST)))


PAGES: Final = (
    Page("/api/progress", progress, role="lead"),
    Page("/api/items", items, role="lead"),
    Page("/api/items/{number:row}", leading.item, role="lead"),
    Page("/api/contributions", contributions, role="lead"),
    Page("/api/people", everybody, role="lead"),
    Page("/api/people", leading.invite, role="lead", method="POST"),
    Page("/api/people/{number:row}/access", leading.set_access, role="lead", method="POST"),
    Page("/api/people/{number:row}/approve", leading.approve, role="lead", method="POST"),
    Page("/api/payments", payments, role="lead"),
    Page("/api/payments/export", leading.export_pay, role="lead", method="POST"),
    Page("/api/log", log, role="lead"),
)
"""Every address of the API."""
