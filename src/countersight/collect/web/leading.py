"""Pages for leads: progress, items, people, pay."""

import time
from typing import Any, get_args

from sqlalchemy import Connection, func, select
from starlette.responses import Response

from countersight.collect import audit_log, pay, people, work
from countersight.collect.database import tables
from countersight.collect.figures import Figures, PersonFigures, campaign_figures, people_figures
from countersight.collect.web.reviewing import edit_of, history, shown_of
from countersight.collect.web.visit import MOST_DIGITS, RefusedError, Visit
from countersight.errors import CampaignError

_ON_A_PAGE = 50
_STATES = ("open", "flagged", "done", "removed", "check")
FATES = {
    "keep": "It stays",
    "redo": "Others repeat it and the work based on it",
    "remove": "Its items are removed",
}
"""The possible decisions about all work of a person."""


async def dashboard(visit: Visit) -> Response:
    """Show the campaign at a glance; htmx refreshes it."""
    figures, at = await campaign_at(visit)
    template = "parts/dashboard.html" if visit.partial else "lead.html"
    return visit.page(template, figures=figures, at=at)


async def campaign_at(visit: Visit) -> tuple[Figures, float]:
    """Return the figures of the campaign and when they were computed."""
    flow = visit.campaign.flow
    return await visit.figures.get("campaign", lambda c: campaign_figures(c, flow, time.time()))


async def items(visit: Visit) -> Response:
    """List the items by state, a page at a time."""
    state, begins = visit.request.query_params.get("state", "open"), after(visit)
    if state not in _STATES:
        raise RefusedError(404, "There is no such list.")
    rows = visit.store.read(lambda c: _items(c, state, begins))
    return visit.page("items.html", rows=rows[:_ON_A_PAGE], state=state, states=_STATES, more=len(rows) > _ON_A_PAGE)


def after(visit: Visit) -> int:
    """Return the number after which a page of a list begins."""
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
    """Show an item with its whole history."""
    number = visit.number
    there = visit.store.read(lambda c: c.execute(select(tables.item.c.id).where(tables.item.c.id == number)).first())
    if there is None:
        raise RefusedError(404, "There is no such item.")
    if not await visit.store.write(lambda c: work.look(c, number, visit.me.id)):
        raise RefusedError(
            409, "You are working on this item yourself. Send it or give it back before you open it here."
        )
    item = visit.store.read(lambda c: work.load_item(c, number))
    entries = visit.store.read(lambda c: history(c, visit.campaign.flow, number))
    flags = visit.store.read(lambda c: work.flags_of(c, number))
    shown: dict[str, Any] = {
        "entries": entries,
        "flags": flags,
        "reasons": work.REASONS | work.FOUND,
        "edit": edit_of(visit, number),
    }
    return visit.page("item.html", **shown, **shown_of(item))


async def people_page(visit: Visit) -> Response:
    """List all people with their work."""
    return await _people(visit)


async def _people(
    visit: Visit, status: int = 200, link: str = "", fault: str = "", existing: people.Person | None = None
) -> Response:
    begins = after(visit)
    rows = visit.store.read(lambda c: people_figures(c, begins, _ON_A_PAGE + 1))
    shown = {"people": rows[:_ON_A_PAGE], "more": len(rows) > _ON_A_PAGE, "after": begins, "roles": people.ROLES}
    return visit.page("people.html", status, **shown, link=link, fault=fault, existing=existing)


async def invite(visit: Visit) -> Response:
    """Create an account and show its one-time link, once. Existing names never get a link here."""
    name, role = visit.form.get("name", ""), visit.form.get("role", "")
    if role not in people.ROLES or not name.strip():
        return await _people(visit, 422, fault=visit.say("An account needs a name and a role."))
    existing = visit.store.read(lambda c: people.account_named(c, name))
    if existing:
        return await _people(visit, 409, existing=existing)
    try:
        token = await visit.write(lambda c: people.invite(c, name, role, visit.now))
    except CampaignError as error:
        return await _people(visit, 422, fault=str(error))
    return await _people(visit, link=_join_address(visit, token))


def _join_address(visit: Visit, token: str) -> str:
    return f"{visit.place.public_url or str(visit.request.base_url).rstrip('/')}/join/{token}"


async def link(visit: Visit) -> Response:
    """Create a new link for an existing account, and show it, once."""
    _person_figures(visit)
    token = await visit.write(lambda c: people.new_link(c, visit.number, visit.now))
    return _person(visit, link=_join_address(visit, token))


async def change_role(visit: Visit) -> Response:
    """Change the role of a person."""
    number, role = _other(visit), visit.form.get("role", "")
    if role not in people.ROLES:
        raise RefusedError(422, "Choose a role.")
    await visit.write(lambda c: people.set_role(c, number, role))
    return visit.go(f"/lead/people/{number}")


async def person_page(visit: Visit) -> Response:
    """Show one person: access, and decisions about their work."""
    return _person(visit)


def _person_figures(visit: Visit) -> PersonFigures:
    rows = visit.store.read(lambda c: people_figures(c, visit.number - 1, 1))
    if not rows or rows[0].id != visit.number:
        raise RefusedError(404, "There is no such person.")
    return rows[0]


def _person(visit: Visit, link: str = "", deciding: dict[str, str] | None = None) -> Response:
    balances = visit.store.read(lambda c: pay.balances(c, visit.number))
    fates = {fate: visit.say(words) for fate, words in FATES.items()}
    shown: dict[str, Any] = {"balances": balances, "roles": people.ROLES, "fates": fates}
    return visit.page("person.html", person=_person_figures(visit), link=link, deciding=deciding, **shown)


def _other(visit: Visit) -> int:
    """The person a lead decides about; nobody decides about themselves: a campaign never loses its last lead."""
    if visit.number == visit.me.id:
        raise RefusedError(422, "Another lead decides about you.")
    return visit.number


async def set_access(visit: Visit) -> Response:
    """Allow somebody to work, pause them or block them."""
    person, access = _other(visit), visit.form.get("access", "")
    if access not in get_args(work.Access):
        raise RefusedError(422, "Choose open, paused or blocked.")
    await visit.write(lambda c: work.set_access(c, visit.settings, person, access))  # type: ignore[arg-type]
    return visit.go(f"/lead/people/{person}")


async def retract(visit: Visit) -> Response:
    """Redo or remove all work of a person, and decide whether it is paid."""
    person, fate, paid = _other(visit), visit.form.get("fate", ""), visit.form.get("pay", "")
    if fate not in get_args(work.Fate) or paid not in ("yes", "no"):
        raise RefusedError(422, "Choose what happens to the work, and whether it is paid.")
    settings, flow = visit.settings, visit.campaign.flow
    if visit.form.get("sure") != str(_person_figures(visit).done):  # not confirmed, or for another number
        return _person(visit, deciding={"fate": fate, "pay": paid})
    await visit.write(
        lambda c: work.retract(c, settings, flow, person, fate, paid == "yes", visit.me.id, visit.now)  # type: ignore[arg-type]
    )
    return visit.go(f"/lead/people/{person}")


async def log_page(visit: Visit) -> Response:
    """Show actions of leads and reviewers, the latest first."""
    rows = visit.store.read(lambda c: audit_log.read_log(c, most=200, latest=True))
    return visit.page("log.html", rows=rows)


async def log_csv(visit: Visit) -> Response:
    """Download the whole log as CSV."""
    text = audit_log.log_csv(visit.store.read(audit_log.read_log))
    headers = {"Content-Disposition": 'attachment; filename="actions.csv"'}
    return Response(text, media_type="text/csv", headers=headers)


async def tokens_page(visit: Visit) -> Response:
    """List a person's own tokens for scripts."""
    return _tokens(visit)


def _tokens(visit: Visit, token: str = "") -> Response:
    mine = visit.store.read(lambda c: people.script_tokens(c, visit.me.id))
    return visit.page("tokens.html", tokens=mine, token=token)


async def make_token(visit: Visit) -> Response:
    """Create a token and show it, once."""
    label = " ".join(visit.form.get("label", "").split())[:60]
    if not label:
        raise RefusedError(422, "A token needs a name.")
    token = await visit.write(lambda c: people.begin_session(c, visit.me.id, visit.now, label))
    return _tokens(visit, token)


async def revoke_token(visit: Visit) -> Response:
    """Revoke every token of this name."""
    await visit.write(lambda c: people.revoke_tokens(c, visit.me.id, visit.form.get("label", "")))
    return visit.go("/lead/tokens")


async def reset_tests(visit: Visit) -> Response:
    """Allow somebody to repeat their tests."""
    number = visit.number
    await visit.write(lambda c: work.reset(c, number, visit.me.id))
    return visit.go(f"/lead/people/{number}")


async def pay_page(visit: Visit) -> Response:
    """Show what is owed, approved and exported."""
    return await _pay(visit)


async def _pay(visit: Visit, status: int = 200, fault: str = "") -> Response:
    begins = after(visit)
    shown = visit.store.read(lambda c: _balances(c, begins))
    return visit.page("pay.html", status, **shown, after=begins, fault=fault)


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
    """The latest batches, each with how many of its payments wait, and how many were settled."""
    batch, paid = tables.batch.c, tables.payment.c
    of_batch = select(func.count()).where(paid.batch_id == batch.id)
    waiting, settled = (of_batch.where(paid.state == state).scalar_subquery() for state in ("exported", "settled"))
    question = select(batch.id, batch.at, waiting.label("waiting"), settled.label("settled"))
    return list(connection.execute(question.order_by(batch.id.desc()).limit(_ON_A_PAGE)))


async def approve(visit: Visit) -> Response:
    """Approve the earnings of a person."""
    number = visit.number
    visit.note_amount(visit.store.read(lambda c: pay.balances(c, number)).get("accrued", 0))
    try:
        await visit.write(lambda c: pay.approve(c, number, visit.me.id, visit.now))
    except CampaignError as error:
        return await _pay(visit, 422, str(error))
    return visit.go(f"/lead/pay?after={after(visit)}")


async def export_pay(visit: Visit) -> Response:
    """Put everything approved into a batch."""
    visit.note_amount(visit.store.read(pay.balances).get("approved", 0))
    batch = await visit.write(lambda c: pay.export_batch(c, visit.me.id, visit.now))
    return visit.go("/lead/pay") if batch else await _pay(visit, 422, "There are no approved earnings to export.")


async def batch_csv(visit: Visit) -> Response:
    """Download the CSV of a batch, for Prolific's bonus form."""
    number = visit.number
    text = visit.store.read(lambda c: c.execute(select(tables.batch.c.csv).where(tables.batch.c.id == number)).scalar())
    if text is None:
        raise RefusedError(404, "There is no such batch.")
    headers = {"Content-Disposition": f'attachment; filename="bonuses-{number}.csv"'}
    return Response(text, media_type="text/csv", headers=headers)


async def close_batch(visit: Visit) -> Response:
    """Record the outcome of a batch."""
    number, outcome = visit.number, visit.form.get("outcome", "")
    if outcome not in ("settled", "voided"):
        raise RefusedError(422, "Say whether the batch was paid or not.")
    await visit.write(lambda c: pay.close_batch(c, number, outcome, visit.me.id, visit.now))  # type: ignore[arg-type]
    return visit.go("/lead/pay")
