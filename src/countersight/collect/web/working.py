"""Pages for workers: tasks, guidelines, tests, past work and earnings."""

import random
from typing import Any

from sqlalchemy import Connection, Row, select
from starlette.responses import Response

from countersight.collect import pay, work
from countersight.collect.database import tables
from countersight.collect.flows import Phase, phase_of
from countersight.collect.prolific import done_for_submission
from countersight.collect.web.accounts import arrive
from countersight.collect.web.progress import MOST_COUNTED, just_sent, may_undo, own_figures, phases_of
from countersight.collect.web.visit import RefusedError, Visit

_chance = random.SystemRandom()
_SHOWN = 50


async def front(visit: Visit) -> Response:
    """Redirect from the first page: admit people from Prolific, send others to their work."""
    if "PROLIFIC_PID" in visit.request.query_params:
        return await arrive(visit)
    return visit.go("/work" if visit.person else "/login")


async def home(visit: Visit) -> Response:
    """Show the available work."""
    own = own_figures(visit)
    asked = visit.request.query_params
    return visit.page(
        "home.html",
        phases=phases_of(visit),
        most=MOST_COUNTED,
        bonus=visit.store.read(lambda c: pay.next_bonus(c, visit.settings.pay, visit.me.id)),
        own=own,
        complete=_is_complete(visit),
        sent=just_sent(visit),
        flagged="flagged" in asked,
        gone=asked.get("gone", "")[:40],
        empty=asked.get("empty", "")[:20],
    )


def _is_complete(visit: Visit) -> bool:
    """Whether somebody from Prolific has done what the submission asks for that they came with."""
    wanted = visit.settings.prolific.contributions
    if not (visit.me.participant and wanted):
        return False
    return visit.store.read(lambda c: done_for_submission(c, visit.me.id)) >= wanted


def _phase(visit: Visit) -> Phase:
    phase = phase_of(visit.campaign.flow, visit.request.path_params["phase"])
    if phase is None:
        raise RefusedError(404, "There is no such phase.")
    return phase


async def guidelines(visit: Visit) -> Response:
    """Show the guidelines of a phase, with examples."""
    phase = _phase(visit)
    return visit.page("guidelines.html", phase=phase, rules=visit.settings.phases[phase.name])


async def test_page(visit: Visit) -> Response:
    """Show the qualification test of a phase."""
    phase = _phase(visit)
    how = visit.store.read(lambda c: work.standing(c, visit.settings, visit.me.id, phase.name, visit.now))
    if how == "qualified":
        return visit.go("/work")
    left = visit.store.read(lambda c: work.tries_left(c, visit.settings, visit.me.id, phase.name))
    rules = visit.settings.phases[phase.name]
    return visit.page("test.html", phase=phase, rules=rules, standing=how, left=left, result=None, answers={})


async def take_test(visit: Visit) -> Response:
    """Mark a test."""
    phase = _phase(visit)
    rules = visit.settings.phases[phase.name]
    if rules.test is None:
        return visit.go("/work")
    given = [visit.form.get(f"q{number}", "") for number in range(len(rules.test.questions))]
    answers = [int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0 for text in given]
    result = await visit.store.write(
        lambda c: work.take_test(c, visit.settings, visit.me.id, phase.name, answers, visit.now)
    )
    if result is None or result.passed:
        return visit.go("/work")
    how = "failed" if not result.tries_left else "untested"
    return visit.page(
        "test.html", 422, phase=phase, rules=rules, standing=how, left=result.tries_left, result=result, answers=answers
    )


async def next_task(visit: Visit) -> Response:
    """Take the next item of a phase, or the one that is open."""
    phase = _phase(visit)
    standing = visit.store.read(lambda c: work.standing(c, visit.settings, visit.me.id, phase.name, visit.now))
    if standing != "qualified":
        return visit.go(f"/test/{phase.name}")
    lease = await visit.store.write(
        lambda c: work.claim(c, visit.settings, visit.me.id, phase.name, visit.now, _chance)
    )
    return visit.go(f"/task/{lease.token}" if lease else f"/work?empty={phase.name}")


async def mine(visit: Visit) -> Response:
    """List a person's contributions, the latest first, with those that can still be withdrawn."""
    rows = visit.store.read(lambda c: _contributions(c, visit.me.id))
    balances = visit.store.read(lambda c: pay.balances(c, visit.me.id))
    return visit.page("mine.html", rows=rows, balances=balances, may_undo=may_undo(visit, [row.id for row in rows]))


def _contributions(connection: Connection, person_id: int) -> list[Row[Any]]:
    made = tables.contribution
    return list(
        connection.execute(
            select(
                made,
                tables.item.c.key,
                tables.item.c.state.label("item_state"),
                tables.lease.c.contribution_id,
                tables.lease.c.state.label("seat"),
            )
            .join(tables.item, tables.item.c.id == made.c.item_id)
            .join(tables.lease, tables.lease.c.id == made.c.lease_id)
            .where(made.c.person_id == person_id)
            .order_by(made.c.at.desc())
            .limit(_SHOWN)
        )
    )


async def undo(visit: Visit) -> Response:
    """Withdraw a contribution and open it again."""
    number = int(visit.request.path_params["number"])
    taken = await visit.store.write(
        lambda c: work.undo(c, visit.settings, visit.campaign.flow, number, visit.me.id, visit.now)
    )
    if isinstance(taken, str):
        raise RefusedError(409, taken)
    return visit.go(f"/task/{taken.token}")


async def known(visit: Visit) -> Response:
    """Show whether the answer to an item with a known answer was right."""
    number = int(visit.request.path_params["number"])
    row = visit.store.read(lambda c: _known(c, number, visit.me.id))
    if row is None:
        raise RefusedError(404, "There is no such contribution of yours.")
    return visit.page("known.html", right=row.right, token=row.token, phase=phase_of(visit.campaign.flow, row.phase))


def _known(connection: Connection, number: int, person_id: int):  # type: ignore[no-untyped-def]
    made, lease = tables.contribution.c, tables.lease
    known = select(made.right, made.phase, lease.c.token).join(lease, lease.c.id == made.lease_id)
    own = (made.id == number, made.person_id == person_id, made.right.is_not(None))
    return connection.execute(known.where(*own)).first()
