"""Pages for workers beside the task itself: available work, guidelines, tests, past contributions."""

import random
from typing import Any

from sqlalchemy import Connection, select
from starlette.responses import Response

from countersight.collect import pay, tables, work
from countersight.collect.figures import people_figures
from countersight.collect.flows import Phase, phase_of
from countersight.collect.people import has_completed
from countersight.collect.web.accounts import arrive
from countersight.collect.web.tasks import just_sent, undoable
from countersight.collect.web.visit import RefusedError, Visit

_SHOWN = 50
_MOST_COUNTED = 200
"""Limit up to which waiting items are counted."""
_chance = random.SystemRandom()


async def front(visit: Visit) -> Response:
    """Redirect from the first page: admit people from Prolific, send others to their work."""
    if "PROLIFIC_PID" in visit.request.query_params:
        return await arrive(visit)
    return visit.go("/work" if visit.person else "/login")


async def home(visit: Visit) -> Response:
    """Show the available work."""
    me, settings, asked = visit.me, visit.settings, visit.request.query_params
    return visit.render(
        "home.html",
        phases=visit.store.read(lambda c: [_phase_work(c, visit, phase) for phase in visit.campaign.flow.phases]),
        most=_MOST_COUNTED,
        bonus=visit.store.read(lambda c: pay.next_bonus(c, settings.pay, me.id)),
        own=visit.store.read(lambda c: people_figures(c, me.id - 1, 1))[0],
        complete=visit.store.read(lambda c: has_completed(c, settings, me)),
        sent=just_sent(visit),
        flagged="flagged" in asked,
        gone=asked.get("gone", "")[:40],
        empty=asked.get("empty", "")[:20],
    )


def _phase_work(connection: Connection, visit: Visit, phase: Phase) -> dict[str, Any]:
    """Return what a person's first page shows of a phase."""
    me, campaign = visit.me.id, visit.campaign
    lease = work.current_lease(connection, me, phase.name)
    return {
        "phase": phase,
        "pay": campaign.settings.phases[phase.name].pay,
        "standing": work.standing(connection, campaign, me, phase.name)[0],
        "waiting": work.count_free(connection, me, phase.name, _MOST_COUNTED),
        "token": lease.token if lease else "",
        "returned": bool(lease and lease.note),
        "full": work.is_full(connection, campaign, me, phase.name),
    }


def _phase(visit: Visit) -> Phase:
    phase = phase_of(visit.campaign.flow, visit.request.path_params["phase"])
    if phase is None:
        raise RefusedError(404, "There is no such phase.")
    return phase


async def guidelines(visit: Visit) -> Response:
    """Show the guidelines of a phase, with examples."""
    phase = _phase(visit)
    return visit.render("guidelines.html", phase=phase, rules=visit.settings.phases[phase.name])


async def qualification_page(visit: Visit, right: tuple[bool, ...] = ()) -> Response:
    """Show the qualification test of a phase, with the result of the last try: which answers were right."""
    phase = _phase(visit)
    how, left = visit.store.read(lambda c: work.standing(c, visit.campaign, visit.me.id, phase.name))
    if how == "qualified":
        return visit.go("/work")
    shown = {"phase": phase, "rules": visit.settings.phases[phase.name], "standing": how, "left": left}
    return visit.render("test.html", 422 if right else 200, **shown, right=right)


async def take_test(visit: Visit) -> Response:
    """Mark a test."""
    name, form = _phase(visit).name, visit.read()
    test = visit.settings.phases[name].test
    if test is None:
        return visit.go("/work")
    answers = [int(form.number(f"q{number}", 0, 0, 999)) for number in range(len(test.questions))]
    right = await visit.store.write(lambda c: work.take_test(c, visit.campaign, visit.me.id, name, answers, visit.now))
    return await qualification_page(visit, right)


async def next_task(visit: Visit) -> Response:
    """Take the next item of a phase, or the one that is open."""
    phase = _phase(visit)
    standing, _ = visit.store.read(lambda c: work.standing(c, visit.campaign, visit.me.id, phase.name))
    if standing != "qualified":
        return visit.go(f"/test/{phase.name}")
    lease = await visit.store.write(
        lambda c: work.claim(c, visit.campaign, visit.me.id, phase.name, visit.now, _chance)
    )
    return visit.go(f"/task/{lease.token}" if lease else f"/work?empty={phase.name}")


async def mine(visit: Visit) -> Response:
    """List a person's contributions, the latest first, with those that can still be withdrawn."""
    made, lease, item = tables.contribution, tables.lease.c, tables.item.c
    columns = (item.key, item.state.label("item_state"), lease.contribution_id, lease.state.label("seat"))
    question = (
        select(made, *columns)
        .join(tables.item, item.id == made.c.item_id)
        .join(tables.lease, lease.id == made.c.lease_id)
        .where(made.c.person_id == visit.me.id)
        .order_by(made.c.at.desc())
        .limit(_SHOWN)
    )
    rows = visit.store.read(lambda c: c.execute(question).all())
    balances = visit.store.read(lambda c: pay.balances(c, visit.me.id))
    return visit.render("mine.html", rows=rows, balances=balances, may_undo=undoable(visit, [row.id for row in rows]))


async def undo(visit: Visit) -> Response:
    """Withdraw a contribution and open it again."""
    taken = await visit.store.write(lambda c: work.undo(c, visit.campaign, visit.number, visit.me.id, visit.now))
    if taken is None:
        raise RefusedError(409, "It is too late to take this back, or others have gone on with the item.")
    return visit.go(f"/task/{taken.token}")
