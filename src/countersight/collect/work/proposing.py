"""A first try, and what a model proposes after it: nobody sees a proposal before they wrote something themselves."""

import msgspec
from sqlalchemy import Connection, insert, select, update

from countersight.collect.database import tables
from countersight.collect.flows import Content
from countersight.collect.work.claiming import Lease


class Proposal(msgspec.Struct, frozen=True):
    """A first try that is kept, and the model's proposal."""

    first: str
    """The question of the first try."""
    seconds: float
    text: str
    """What the model wrote; nothing where it did not answer."""


def commit_first_try(
    connection: Connection, lease: Lease, content: Content, seconds: float, model: str, now: float
) -> bool:
    """Keep a first try, once; whether it was kept now. It is never changed."""
    if proposal_of(connection, lease.id) is not None:
        return False
    first = msgspec.json.encode(content).decode()
    row = {"lease_id": lease.id, "first": first, "seconds": seconds, "model": model, "at": now}
    connection.execute(insert(tables.proposal).values(**row))
    return True


def keep_proposal(connection: Connection, lease: Lease, text: str) -> None:
    """Keep what the model proposed."""
    connection.execute(update(tables.proposal).where(tables.proposal.c.lease_id == lease.id).values(text=text))


def proposal_of(connection: Connection, lease_id: int) -> Proposal | None:
    """The first try somebody committed to, with what was proposed after it."""
    row = connection.execute(select(tables.proposal).where(tables.proposal.c.lease_id == lease_id)).first()
    if row is None:
        return None
    return Proposal(msgspec.json.decode(row.first)["question"], row.seconds, row.text or "")
