"""Pages for leads: progress, items, people, pay; and the JSON API for study scripts, under /api/.

A script sends the token of a lead (`Authorization: Bearer …`, created on the page Tokens). Lists are returned one page
at a time: `after` is the number of the last row that was read. Changes by scripts are recorded in the audit log.
"""

from typing import Any, get_args

import msgspec
from sqlalchemy import Connection, Select, func, select
from starlette.responses import Response

from countersight.collect import audit_log, pay, people, tables, work
from countersight.collect.figures import PersonFigures, campaign_figures, people_figures
from countersight.collect.web.reviewing import REASONS, describe_source, edit_of, history
from countersight.collect.web.visit import FORMS, MOST_DIGITS, RefusedError, Visit

_ON_A_PAGE = 50
_MOST = 500
"""The maximum number of rows in a JSON response."""
STATES = ("open", "flagged", "done", "removed", "check")


async def dashboard(visit: Visit) -> Response:
    """Show all figures of the campaign; htmx refreshes the page."""
    flow = visit.campaign.flow
    figures, at = await visit.site.figure("campaign", lambda c: campaign_figures(c, flow))
    if visit.is_api:
        return visit.json(figures)
    return visit.render(
        "parts/dashboard.html" if visit.partial else "lead.html", figures=figures, age=max(0.0, visit.now - at)
    )


async def _rows(visit: Visit, question: Select[Any], json: str = "") -> Response:
    """Return a page of rows as JSON, with one column decoded."""
    found = await visit.store.read_slowly(lambda c: c.execute(question.limit(_MOST)).mappings().all())
    return visit.json([{**row, **({json: msgspec.json.decode(row[json])} if json else {})} for row in found])


def _after(visit: Visit) -> int:
    """Return the number after which a page of a list begins."""
    number = visit.request.query_params.get("after", "0")
    if not number.isascii() or not number.isdigit() or len(number) > MOST_DIGITS:
        raise RefusedError(422, "“after” must be 0 or the id of the last row that was read.")
    return int(number)


async def items(visit: Visit) -> Response:
    """List the items in one state; a script gets all items unless it specifies a state."""
    item, state = tables.item.c, visit.choose("state", STATES, "" if visit.is_api else "open")
    question = select(item.id, item.key, item.split, item.phase, item.state, item.phase_since)
    question = question.where(item.id > _after(visit), *([item.state == state] if state else [])).order_by(item.id)
    if visit.is_api:
        return await _rows(visit, question.add_columns(item.source), "source")
    rows = visit.store.read(lambda c: c.execute(question.limit(_ON_A_PAGE + 1)).all())
    return visit.render("items.html", rows=rows[:_ON_A_PAGE], state=state, states=STATES, more=len(rows) > _ON_A_PAGE)


async def contributions(visit: Visit) -> Response:
    """Return contributions as JSON, with the pseudonym of their author; `stands` says whether a version counts."""
    flow, later = visit.campaign.flow, tables.contribution.c.id > _after(visit)
    return visit.json(await visit.store.read_slowly(lambda c: list(work.contributions(c, flow, later, most=_MOST))))


async def item(visit: Visit) -> Response:
    """Show one item with every version of every contribution and every flag."""
    number = visit.number
    if not visit.store.read(lambda c: c.execute(select(tables.item.c.id).where(tables.item.c.id == number)).first()):
        raise RefusedError(404, "There is no such item.")
    if not await visit.store.write(lambda c: work.record_view(c, number, visit.me.id)):
        raise RefusedError(
            409, "You are working on this item yourself. Send it or give it back before you open it here."
        )
    found = visit.store.read(lambda c: work.load_item(c, number))
    entries = history(visit, number)
    flags = visit.store.read(lambda c: work.flags_of(c, number))
    if visit.is_api:
        return visit.json({**msgspec.to_builtins(found), "contributions": entries, "flags": flags})
    shown = describe_source(found) | {"reasons": REASONS, "edit": edit_of(visit, number)}
    return visit.render("item.html", entries=entries, flags=flags, **shown)


async def people_page(visit: Visit, link: str = "") -> Response:
    """List people with their work."""
    most = _MOST if visit.is_api else _ON_A_PAGE + 1
    rows = visit.store.read(lambda c: people_figures(c, _after(visit), most))
    if visit.is_api:
        return visit.json(rows)
    shown, more = rows[:_ON_A_PAGE], len(rows) > _ON_A_PAGE
    return visit.render("people.html", people=shown, more=more, roles=people.ROLES, link=link)


async def invite(visit: Visit) -> Response:
    """Create an account and show its one-time link, or return it to a script."""
    name, role = visit.form.get("name", ""), visit.choose("role", people.ROLES, "worker")
    if not name.strip():
        raise RefusedError(422, "An account needs a name and a role.")
    if there := visit.store.read(lambda c: people.account_named(c, name)):
        raise RefusedError(
            409,
            "{name} already has an account ({role}). For a new password, open this person on the page People.",
            name=there.name,
            role=visit.say(there.role),
        )

    def make(connection: Connection) -> str:
        visit.subject, token = people.invite(connection, name, role, visit.now)
        return token

    token = await visit.write("invite", make)
    if visit.is_api:
        return visit.json({"id": visit.subject, "path": f"/join/{token}"})
    return await people_page(visit, _address(visit, token))


def _address(visit: Visit, token: str) -> str:
    return f"{visit.site.public_url or str(visit.request.base_url).rstrip('/')}/join/{token}"


async def link(visit: Visit) -> Response:
    """Create a new link for an existing account, and show it, once."""
    _person(visit)
    token = await visit.write("link", lambda c: people.new_link(c, visit.number, visit.now))
    return await person_page(visit, link=_address(visit, token))


def _person(visit: Visit) -> PersonFigures:
    rows = visit.store.read(lambda c: people_figures(c, visit.number - 1, 1))
    if not rows or rows[0].id != visit.number:
        raise RefusedError(404, "There is no such person.")
    return rows[0]


async def person_page(visit: Visit, link: str = "", deciding: dict[str, str] | None = None) -> Response:
    """Show one person: access, and decisions about their work."""
    balances = visit.store.read(lambda c: pay.balances(c, visit.number))
    shown: dict[str, Any] = {"link": link, "deciding": deciding, "balances": balances, "forms": FORMS}
    changed = "changed" in visit.request.query_params
    return visit.render("person.html", person=_person(visit), roles=people.ROLES, changed=changed, **shown)


def _somebody_else(visit: Visit) -> PersonFigures:
    """Return the person whose account is changed. Nobody can change their own, so at least one lead always remains."""
    if visit.number == visit.me.id:
        raise RefusedError(422, "You cannot change your own account here; ask another lead.")
    return _person(visit)


async def change_role(visit: Visit) -> Response:
    """Change the role of a person."""
    role = visit.choose("role", people.ROLES)
    _somebody_else(visit)
    await visit.write("change_role", lambda c: people.change_person(c, visit.number, role=role))
    return visit.go(f"/lead/people/{visit.number}?changed=1")


async def set_access(visit: Visit) -> Response:
    """Allow somebody to work, pause them or block them."""
    access = visit.choose("access", get_args(work.Access))
    _somebody_else(visit)
    await visit.write("set_access", lambda c: work.set_access(c, visit.campaign, visit.number, access))
    return visit.json({"access": access}) if visit.is_api else visit.go(f"/lead/people/{visit.number}?changed=1")


async def reset_tests(visit: Visit) -> Response:
    """Allow somebody to repeat their tests."""
    _person(visit)
    await visit.write("reset_tests", lambda c: work.reset_tests(c, visit.number, visit.me.id))
    return visit.go(f"/lead/people/{visit.number}?changed=1")


async def retract(visit: Visit) -> Response:
    """Redo or remove all work of a person, and decide whether it is paid."""
    person = _somebody_else(visit)
    fate = visit.choose("fate", get_args(work.Fate))
    paid = visit.choose("pay", ("yes", "no"))
    if visit.form.get("sure") != str(person.done):  # not confirmed, or for another number
        return await person_page(visit, deciding={"fate": fate, "pay": paid})
    number = visit.number

    def retract_and_note(connection: Connection) -> None:
        items, withdrawn = work.retract(connection, visit.campaign, number, fate, paid == "yes", visit.me.id, visit.now)
        visit.noted["items"] = ", ".join(map(str, items))
        if paid == "no":
            visit.note_amount(withdrawn)

    await visit.write("retract", retract_and_note)
    return visit.go(f"/lead/people/{number}?changed=1")


async def log_page(visit: Visit) -> Response:
    """Show actions of leads and reviewers, the latest first; a script gets them in the order of their numbers."""
    if visit.is_api:
        return visit.json(visit.store.read(lambda c: audit_log.read_log(c, _after(visit), _MOST)))
    return visit.render("log.html", rows=visit.store.read(lambda c: audit_log.read_log(c, most=200, latest=True)))


async def log_csv(visit: Visit) -> Response:
    """Download the whole log as CSV."""
    return visit.csv("actions.csv", audit_log.log_csv(visit.store.read(audit_log.read_log)))


async def tokens_page(visit: Visit, token: str = "") -> Response:
    """List a person's own tokens for scripts."""
    return visit.render(
        "tokens.html", tokens=visit.store.read(lambda c: people.script_tokens(c, visit.me.id)), token=token
    )


async def make_token(visit: Visit) -> Response:
    """Create a token and show it, once."""
    label = " ".join(visit.form.get("label", "").split())[:60]
    if not label:
        raise RefusedError(422, "A token needs a name.")
    return await tokens_page(
        visit, await visit.write("make_token", lambda c: people.begin_session(c, visit.me.id, visit.now, label))
    )


async def revoke_token(visit: Visit) -> Response:
    """Revoke every token of this name."""
    await visit.write("revoke_token", lambda c: people.revoke_tokens(c, visit.me.id, visit.form.get("label", "")))
    return visit.go("/lead/tokens")


async def pay_page(visit: Visit) -> Response:
    """Show what is owed, approved and exported, and the batches with their outcome."""
    begins, read = _after(visit), visit.store.read
    found = list(read(lambda c: pay.balances_by_person(c, begins, _ON_A_PAGE + 1)).items())
    batch, paid = tables.batch.c, tables.payment.c
    state = select(func.max(paid.state)).where(paid.batch_id == batch.id)  # a batch changes as a whole
    batches = select(batch.id, batch.at, state.scalar_subquery().label("state"))
    return visit.render(
        "pay.html",
        balances=dict(found[:_ON_A_PAGE]),
        more=len(found) > _ON_A_PAGE,
        batches=read(lambda c: c.execute(batches.order_by(batch.id.desc()).limit(_ON_A_PAGE)).all()),
        outcome=FORMS["batch"][0],
        total=read(pay.balances),
        after=begins,
    )


async def payments(visit: Visit) -> Response:
    """Return payments as JSON, in minor units."""
    paid, person = tables.payment.c, tables.person.c
    columns = (paid.id, paid.contribution_id, paid.kind, paid.amount, paid.state, paid.batch_id, paid.at)
    question = select(*columns, person.pseudonym).join(tables.person, person.id == paid.person_id)
    return await _rows(visit, question.where(paid.id > _after(visit)).order_by(paid.id))


async def approve(visit: Visit) -> Response:
    """Approve what somebody has accrued; a script gets the number of payments."""
    _person(visit)
    visit.note_amount(visit.store.read(lambda c: pay.balances(c, visit.number)).get("accrued", 0))
    moved = await visit.write("approve", lambda c: pay.approve(c, visit.number, visit.me.id, visit.now))
    return visit.json({"payments": moved}) if visit.is_api else visit.go(f"/lead/pay?after={_after(visit)}")


async def export_pay(visit: Visit) -> Response:
    """Put everything approved into a batch; a script gets its number and its CSV."""
    visit.note_amount(visit.store.read(pay.balances).get("approved", 0))
    batch = await visit.write("export_pay", lambda c: pay.export_batch(c, visit.me.id, visit.now) or False)
    if not batch:
        raise RefusedError(422, "There are no approved earnings to export.")
    if visit.is_api:
        return visit.json({"batch": batch, "csv": visit.store.read(lambda c: pay.batch_csv(c, batch))})
    return visit.go("/lead/pay")


async def batch_csv(visit: Visit) -> Response:
    """Download the CSV of a batch, for Prolific's bonus form."""
    text = visit.store.read(lambda c: pay.batch_csv(c, visit.number))
    if not text:
        raise RefusedError(404, "There is no such batch.")
    return visit.csv(f"bonuses-{visit.number}.csv", text)


async def close_batch(visit: Visit) -> Response:
    """Record the outcome of a batch."""
    outcome = visit.choose("outcome", ("settled", "voided"))
    batch = tables.batch.c.id
    if not visit.store.read(lambda c: c.execute(select(batch).where(batch == visit.number)).first()):
        raise RefusedError(404, "There is no such batch.")
    me, now = visit.me.id, visit.now
    if not await visit.write("close_batch", lambda c: pay.close_batch(c, visit.number, outcome, me, now) or False):
        raise RefusedError(409, "The outcome of this batch is already recorded and cannot be changed.")
    return visit.go("/lead/pay")
