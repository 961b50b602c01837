"""What became of what a crowd was told: counted in the database itself, after the load."""

import time
from pathlib import Path

from crowd import Load
from sqlalchemy import Connection, func, select

from countersight.collect import tables
from countersight.collect.campaign import Campaign
from countersight.collect.work import free_expired

WRONG = (
    "lost", "flags lost", "decisions lost", "doubled", "without pay", "seats taken twice", "never released", "locked",
    "server errors",
)  # fmt: skip
"""What must be nothing."""


def faults(folder: Path, database: str | None, load: Load) -> dict[str, int]:
    """What went wrong, and how much there was that could have."""
    campaign = Campaign.open(folder / "campaign", database)
    try:
        campaign.store.write_now(lambda c: free_expired(c, campaign, time.time() + 86_400))
        found = campaign.store.read(lambda c: _faults(c, campaign, load))
    finally:
        campaign.close()
    log = (folder / "server.log").read_text(errors="replace")
    return found | {"locked": log.count("database is locked"), "server errors": log.count("Traceback")}


def _faults(connection: Connection, campaign: Campaign, load: Load) -> dict[str, int]:
    lease, item, flag = tables.lease.c, tables.item.c, tables.flag.c
    leases = {row.token: row for row in connection.execute(select(lease.token, lease.contribution_id, lease.state))}
    decided = {row.id: row.outcome for row in connection.execute(select(flag.id, flag.outcome))}
    done = select(func.count()).where(item.state.in_(("done", "removed")))
    return {
        "acknowledged": len(load.sent),
        "flagged": len(load.flagged),
        "decided": len(load.decided),
        "items done": connection.execute(done).scalar_one(),
        "lost": sum(leases[token].contribution_id != number for token, number in load.sent.items()),
        "flags lost": sum(leases[token].state != "flagged" for token in load.flagged),
        "decisions lost": sum(decided.get(number) != outcome for number, outcome in load.decided.items()),
        "doubled": _doubled(connection),
        "without pay": _unpaid(connection, campaign),
        "seats taken twice": _taken_twice(connection, campaign),
        "never released": connection.execute(select(func.count()).where(lease.state == "active")).scalar_one(),
    }


def _doubled(connection: Connection) -> int:
    made = tables.contribution.c
    twice = select(made.lease_id).group_by(made.lease_id).having(func.count() > 1).subquery()
    return int(connection.execute(select(func.count()).select_from(twice)).scalar_one())


def _unpaid(connection: Connection, campaign: Campaign) -> int:
    """Contributions that stand and earned nothing, in phases where something is earned."""
    made, paid = tables.contribution.c, tables.payment.c
    phases = [phase.name for phase in campaign.flow.phases if campaign.settings.phases[phase.name].pay]
    earned = select(paid.id).where(paid.contribution_id == made.id, paid.kind == "work").exists()
    unpaid = select(func.count()).where(made.content.is_not(None), made.phase.in_(phases), ~earned)
    return int(connection.execute(unpaid).scalar_one())


def _taken_twice(connection: Connection, campaign: Campaign) -> int:
    lease = tables.lease.c
    taken = connection.execute(
        select(lease.phase, func.count()).where(lease.state == "done").group_by(lease.item_id, lease.phase)
    )
    return sum(number > campaign.settings.phases[phase].people for phase, number in taken)
