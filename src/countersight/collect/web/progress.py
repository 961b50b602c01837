"""How far the campaign and a person are: figures that pages show often, worked out seldom."""

import time
from typing import Any

import msgspec
from sqlalchemy import Connection, bindparam, func, select

from countersight.collect import pay, work
from countersight.collect.database import tables
from countersight.collect.figures import group_counts
from countersight.collect.web.visit import Visit

_FRESH = 3.0
"""Seconds for which a figure about the whole campaign is good enough."""
_SERIES = 200
"""Contributions of a person that their pace is taken from."""


class PhaseWork(msgspec.Struct, frozen=True):
    """One phase on a person's first page."""

    name: str
    title: str
    about: str
    pay: int
    standing: work.Standing
    waiting: int
    """Items with a free seat; some may be the person's own."""
    token: str
    """What the person has open there, or nothing."""


class Own(msgspec.Struct, frozen=True):
    """A person's own figures."""

    done: int
    today: int
    pace: float | None
    """Median seconds for one contribution, of the last ones."""
    earned: int


def cached(visit: Visit, name: str, work_out: Any) -> Any:
    """A figure about the campaign, at most a few seconds old."""
    kept: dict[str, tuple[float, Any]] = visit.request.app.state.kept
    at, value = kept.get(name, (0.0, None))
    if time.monotonic() - at > _FRESH or name not in kept:
        value = visit.store.read(work_out)
        kept[name] = (time.monotonic(), value)
    return value


def phases_of(visit: Visit) -> list[PhaseWork]:
    """Every phase with what the person may do there."""
    waiting = cached(visit, "waiting", _waiting)
    if not all(waiting.get(phase.name) for phase in visit.campaign.flow.phases):
        waiting = visit.store.read(_waiting)  # that there is nothing to do is said only where it is so now
    return visit.store.read(lambda c: _phases(c, visit, waiting))


def _phases(connection: Connection, visit: Visit, waiting: dict[str, int]) -> list[PhaseWork]:
    open_now = work.open_leases(connection, visit.me.id)
    return [
        PhaseWork(
            phase.name,
            phase.title,
            phase.about,
            visit.settings.phases[phase.name].pay,
            work.standing(connection, visit.settings, visit.me.id, phase.name, visit.now),
            waiting.get(phase.name, 0),
            open_now.get(phase.name, ""),
        )
        for phase in visit.campaign.flow.phases
    ]


def _waiting(connection: Connection) -> dict[str, int]:
    question = (
        select(tables.item.c.phase, func.count())
        .where(tables.item.c.state == "open", tables.item.c.seats_left > 0)
        .group_by(tables.item.c.phase)
    )
    return {phase: int(number) for phase, number in connection.execute(question)}


_made = tables.contribution.c
_DONE = select(func.count()).where(tables.lease.c.person_id == bindparam("person"), tables.lease.c.state == "done")
_RECENT = (
    select(_made.at, _made.seconds)
    .where(_made.person_id == bindparam("person"), _made.content.is_not(None))
    .order_by(_made.at.desc())
    .limit(_SERIES)
)


def own_figures(visit: Visit) -> Own:
    """What a person has done and earned."""
    return visit.store.read(lambda c: _own(c, visit.me.id, visit.now))


def _own(connection: Connection, person_id: int, now: float) -> Own:
    done = connection.execute(_DONE, {"person": person_id}).scalar_one()
    recent = connection.execute(_RECENT, {"person": person_id}).all()
    midnight = now - now % 86_400
    seconds = sorted(row.seconds for row in recent)
    pace = seconds[len(seconds) // 2] if seconds else None
    return Own(int(done), sum(row.at >= midnight for row in recent), pace, pay.earned(connection, person_id))


def balance(visit: Visit) -> dict[str, int]:
    """How many items there are of each group that ought to be balanced."""
    counts: dict[str, int] = cached(visit, "balance", lambda c: group_counts(c, visit.campaign.flow))
    return counts
