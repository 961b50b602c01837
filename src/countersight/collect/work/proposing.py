"""A first try, and a model's proposal after it: nobody sees a proposal before their own first try."""

import msgspec
from sqlalchemy import Connection, insert, select, update

from countersight.collect.database import tables
from countersight.collect.flows import Content
from countersight.collect.work.claiming import Lease


class Proposal(msgspec.Struct, frozen=True):
    """A stored first try, and the model's proposal."""

    first: str
    """The question of the first try."""
    seconds: float
    text: str
    """The model's text; empty if it did not answer."""


def commit_first_try(
    connection: Connection, lease: Lease, content: Content, seconds: float, model: str, now: float
) -> bool:
    """Store a first try, once and for all; return whether it was stored now."""
    if proposal_of(connection, lease.id) is not None:
        return False
    first = msgspec.json.encode(content).decode()
    row = {"lease_id": lease.id, "first": first, "seconds": seconds, "model": model, "at": now}
    connection.execute(insert(tables.proposal).values(**row))
    return True


def keep_proposal(connection: Connection, lease: Lease, text: str) -> None:
    """Store the model's proposal."""
    connection.execute(update(tables.proposal).where(tables.proposal.c.lease_id == lease.id).values(text=text))


def proposal_of(connection: Connection, lease_id: int) -> Proposal | None:
    """Return the stored first try, with the proposal made after it."""
    row = connection.execute(select(tables.proposal).where(tables.proposal.c.lease_id == lease_id)).first()
    if row is None:
        return None
    return Proposal(msgspec.json.decode(row.first)["question"], row.seconds, row.text or "")
