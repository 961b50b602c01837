"""A lead's pages: how the campaign goes, its items, its people, its pay."""

import time
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import Connection, select
from starlette.responses import Response

from countersight.collect import pay, people, work
from countersight.collect.database import tables
from countersight.collect.figures import Figures, campaign_figures, people_figures
from countersight.collect.flows import Flow
from countersight.collect.web.plots import bars, days_plot, interval_plot
from countersight.collect.web.reviewing import edit_of, history, item_pictures
from countersight.collect.web.visit import MOST_DIGITS, RefusedError, Visit
from countersight.errors import CampaignError

FIGURES: Final = "figures"
"""The name under which the figures of the campaign are kept."""
_ON_A_PAGE = 50
_STATES = ("open", "flagged", "done", "removed", "check")


async def dashboard(visit: Visit) -> Response:
    """The campaign at a glance, at once: figures that are not fresh say of when they are, and htmx asks again."""
    kept = await visit.keeper.recent(FIGURES, figures_of(visit.campaign.flow))
    template = "parts/dashboard.html" if visit.partial else "lead.html"
    plots: dict[str, Any] = {"bars": bars, "interval_plot": interval_plot, "days_plot": days_plot}
    return visit.page(template, figures=kept.value, at=kept.at, **plots)


async def latest_figures(visit: Visit) -> Figures:
    """The figures of the campaign, at most a little old."""
    figures: Figures = (await visit.keeper.latest(FIGURES, figures_of(visit.campaign.flow))).value
    return figures


def figures_of(flow: Flow) -> Callable[[Connection], Figures]:
    """What works the figures of a campaign out."""
    return lambda connection: campaign_figures(connection, flow, time.time())


async def items(visit: Visit) -> Response:
    """The items, by state, a page at a time."""
    state, after = visit.request.query_params.get("state", "open"), _after(visit)
    if state not in _STATES:
        raise RefusedError(404, "There is no such list.")
    rows = visit.store.read(lambda c: _items(c, state, after))
    return visit.page("items.html", rows=rows[:_ON_A_PAGE], state=state, states=_STATES, more=len(rows) > _ON_A_PAGE)


def _after(visit: Visit) -> int:
    """Where a page of a list begins: behind the row with this number."""
    number = visit.request.query_params.get("after", "0")
    if not number.isascii() or not number.isdigit() or len(number) > MOST_DIGITS:
        raise RefusedError(404, "There is no such list.")
    return int(number)


def _items(connection: Connection, state: str, after: int) -> list[object]:
    item = tables.item.c
    question = select(item.id, item.key, item.phase, item.split, item.state, item.phase_since)
    chosen = question.where(item.state == state, item.id > after).order_by(item.id).limit(_ON_A_PAGE + 1)
    return list(connection.execute(chosen))


async def item_page(visit: Visit) -> Response:
    """An item with everything that was ever done about it."""
    number = int(visit.request.path_params["number"])
    there = visit.store.read(lambda c: c.execute(select(tables.item.c.id).where(tables.item.c.id == number)).first())
    if there is None:
        raise RefusedError(404, "There is no such item.")
    if not await visit.store.write(lambda c: work.look(c, number, visit.me.id)):
        raise RefusedError(409, "You are working on this item yourself. Send it or give it back before you look at it.")
    item = visit.store.read(lambda c: work.load_item(c, number))
    entries = visit.store.read(lambda c: history(c, visit.campaign.flow, number))
    flags = visit.store.read(lambda c: work.flags_of(c, number))
    pictures, reasons, edit = item_pictures(item.source), work.REASONS | work.FOUND, edit_of(visit, number)
    shown: dict[str, Any] = {"entries": entries, "flags": flags, "reasons": reasons, "pictures": pictures, "edit": edit}
    return visit.page("item.html", item=item, **shown)


async def people_page(visit: Visit) -> Response:
    """Everybody, with their work."""
    return await _people(visit)


async def _people(visit: Visit, status: int = 200, link: str = "", fault: str = "") -> Response:
    after = _after(visit)
    rows = visit.store.read(lambda c: people_figures(c, after, _ON_A_PAGE + 1))
    shown = {"people": rows[:_ON_A_PAGE], "more": len(rows) > _ON_A_PAGE, "after": after, "roles": people.ROLES}
    return visit.page("people.html", status, **shown, link=link, fault=fault)


async def invite(visit: Visit) -> Response:
    """Make an account and show its one-time link, once."""
    name, role = visit.form.get("name", ""), visit.form.get("role", "")
    if role not in people.ROLES or not name.strip():
        return await _people(visit, 422, fault="An account needs a name and a role.")
    try:
        token = await visit.store.write(lambda c: people.invite(c, name, role, visit.now))
    except CampaignError as error:
        return await _people(visit, 422, fault=str(error))
    base = visit.place.public_url or str(visit.request.base_url).rstrip("/")
    return await _people(visit, link=f"{base}/join/{token}")


async def change_role(visit: Visit) -> Response:
    """Give somebody another role; nobody changes their own, so that a campaign never loses its last lead."""
    number, role = int(visit.request.path_params["number"]), visit.form.get("role", "")
    if role not in people.ROLES or number == visit.me.id:
        raise RefusedError(422, "Choose a role; your own is changed by another lead.")
    await visit.store.write(lambda c: people.set_role(c, number, role))
    return visit.go(f"/lead/people?after={_after(visit)}")


async def reset_tests(visit: Visit) -> Response:
    """Let somebody take their tests again."""
    number = int(visit.request.path_params["number"])
    await visit.store.write(lambda c: work.reset(c, number, visit.me.id))
    return visit.go(f"/lead/people?after={_after(visit)}")


async def pay_page(visit: Visit) -> Response:
    """What is owed, what was approved, what has left."""
    return await _pay(visit)


async def _pay(visit: Visit, status: int = 200, fault: str = "") -> Response:
    after = _after(visit)
    shown = visit.store.read(lambda c: _balances(c, after))
    return visit.page("pay.html", status, **shown, after=after, fault=fault)


def _balances(connection: Connection, after: int) -> dict[str, Any]:
    found = list(pay.balances_by_person(connection, after, _ON_A_PAGE + 1).items())
    return {
        "balances": dict(found[:_ON_A_PAGE]),
        "more": len(found) > _ON_A_PAGE,
        "names": people.names(connection, [person for person, _ in found]),
        "batches": _batches(connection),
        "for_removed": pay.left_for_removed(connection),
        "total": pay.balances(connection),
    }


def _batches(connection: Connection) -> list[object]:
    return list(connection.execute(select(tables.batch).order_by(tables.batch.c.id.desc()).limit(_ON_A_PAGE)))


async def approve(visit: Visit) -> Response:
    """Approve what somebody has earned."""
    number = int(visit.request.path_params["number"])
    try:
        await visit.store.write(lambda c: pay.approve(c, number, visit.me.id, visit.now))
    except CampaignError as error:
        return await _pay(visit, 422, str(error))
    return visit.go(f"/lead/pay?after={_after(visit)}")


async def export_pay(visit: Visit) -> Response:
    """Put what is approved into a batch."""
    batch = await visit.store.write(lambda c: pay.export_batch(c, visit.me.id, visit.now))
    return visit.go("/lead/pay") if batch else await _pay(visit, 422, "Nothing is approved that was not exported.")


async def batch_csv(visit: Visit) -> Response:
    """The CSV of a batch, as Prolific's bonus form takes it."""
    number = int(visit.request.path_params["number"])
    text = visit.store.read(lambda c: c.execute(select(tables.batch.c.csv).where(tables.batch.c.id == number)).scalar())
    if text is None:
        raise RefusedError(404, "There is no such batch.")
    headers = {"Content-Disposition": f'attachment; filename="bonuses-{number}.csv"'}
    return Response(text, media_type="text/csv", headers=headers)


async def close_batch(visit: Visit) -> Response:
    """Note what became of a batch."""
    number, outcome = int(visit.request.path_params["number"]), visit.form.get("outcome", "")
    if outcome not in ("settled", "voided"):
        raise RefusedError(422, "Say whether the batch was paid or not.")
    await visit.store.write(lambda c: pay.close_batch(c, number, outcome, visit.me.id, visit.now))  # type: ignore[arg-type]
    return visit.go("/lead/pay")
