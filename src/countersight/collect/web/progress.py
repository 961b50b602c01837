"""Progress of the campaign and of a person: figures that are shown often and cached."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, bindparam, func, select

from countersight.collect import pay, work
from countersight.collect.database import tables
from countersight.collect.figures import group_counts
from countersight.collect.web.visit import MOST_DIGITS, Visit

_SERIES = 200
"""Contributions of a person that their pace is taken from."""
MOST_COUNTED = 200
"""Limit up to which waiting items are counted."""


class PhaseWork(msgspec.Struct, frozen=True):
    """One phase on a person's first page."""

    name: str
    title: str
    about: str
    pay: int
    standing: work.Qualification
    waiting: int
    """Items that the person could take, counted up to a limit."""
    token: str
    """The token of the person's open task there, or ""."""
    note: bool
    """Whether a reviewer returned it."""
    full: bool
    """Whether the person has reached the limit there."""


class Own(msgspec.Struct, frozen=True):
    """A person's own figures."""

    done: int
    today: int
    pace: float | None
    """Median seconds for one contribution, over the last ones."""
    earned: int


def phases_of(visit: Visit) -> list[PhaseWork]:
    """Return every phase with what the person may do there."""
    return visit.store.read(lambda c: _phases(c, visit))


def _phases(connection: Connection, visit: Visit) -> list[PhaseWork]:
    me, settings = visit.me.id, visit.settings
    open_now = {phase.name: work.current_lease(connection, me, phase.name) for phase in visit.campaign.flow.phases}
    return [
        PhaseWork(
            phase.name,
            phase.title,
            phase.about,
            settings.phases[phase.name].pay,
            work.standing(connection, settings, me, phase.name, visit.now),
            work.count_free(connection, me, phase.name, MOST_COUNTED),
            lease.token if (lease := open_now[phase.name]) else "",
            bool(lease and lease.note),
            work.is_full(connection, settings, me, phase.name),
        )
        for phase in visit.campaign.flow.phases
    ]


_item = tables.item.c
_made = tables.contribution.c
_DONE = select(func.count()).where(tables.lease.c.person_id == bindparam("person"), tables.lease.c.state == "done")
_TOKEN = (
    select(tables.lease.c.token)
    .join(tables.contribution, _made.lease_id == tables.lease.c.id)
    .where(_made.id == bindparam("number"), _made.person_id == bindparam("person"))
)
_RECENT = (
    select(_made.at, _made.seconds)
    .join(tables.lease, (tables.lease.c.id == _made.lease_id) & (tables.lease.c.contribution_id == _made.id))
    .join(tables.item, _item.id == _made.item_id)
    .where(_made.person_id == bindparam("person"), tables.lease.c.state == "done", _item.state != "removed")
    .order_by(_made.at.desc())
    .limit(_SERIES)
)


def own_figures(visit: Visit) -> Own:
    """Return what a person has done and earned."""
    return visit.store.read(lambda c: _own(c, visit.me.id, visit.now))


def _own(connection: Connection, person_id: int, now: float) -> Own:
    done = connection.execute(_DONE, {"person": person_id}).scalar_one()
    recent = connection.execute(_RECENT, {"person": person_id}).all()
    midnight = now - now % 86_400
    seconds = sorted(row.seconds for row in recent)
    pace = seconds[len(seconds) // 2] if seconds else None
    return Own(int(done), sum(row.at >= midnight for row in recent), pace, pay.earned(connection, person_id))


class JustSent(msgspec.Struct, frozen=True):
    """A contribution that was just submitted."""

    number: int
    token: str
    """The token of its task: the browser deletes its copy of the draft."""
    may_undo: bool


def just_sent(visit: Visit) -> JustSent | None:
    """Return what the visitor has just submitted, or None."""
    sent = visit.request.query_params.get("sent", "")
    if not (sent.isascii() and sent.isdigit() and len(sent) <= MOST_DIGITS):
        return None
    own = {"number": int(sent), "person": visit.me.id}
    token = visit.store.read(lambda c: c.execute(_TOKEN, own).scalar())
    return JustSent(int(sent), token, bool(may_undo(visit, [int(sent)]))) if token else None


def may_undo(visit: Visit, contributions: Sequence[int]) -> set[int]:
    """Return which of these contributions the visitor may withdraw now."""
    return visit.store.read(
        lambda c: work.undoable(c, visit.settings, visit.campaign.flow, contributions, visit.me.id, visit.now)
    )


async def balance(visit: Visit) -> dict[str, int]:
    """Return how many items each group that should be balanced has."""
    flow = visit.campaign.flow
    counts: dict[str, int] = (await visit.figures.get("balance", lambda c: group_counts(c, flow)))[0]
    return counts
