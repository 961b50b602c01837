"""Deletion of people: their identity goes, their contributions stay."""

import hashlib
import hmac

from sqlalchemy import Connection, delete, insert, select, update

from countersight.collect.audit_log import forget_in_log
from countersight.collect.database import tables
from countersight.collect.people import end_sessions

_person = tables.person.c


def forget(connection: Connection, secret: bytes, person_id: int, now: float) -> None:
    """Delete a person's identity; their contributions stay under the pseudonym."""
    row = connection.execute(select(tables.person).where(_person.id == person_id)).one()
    if row.participant:
        connection.execute(insert(tables.departed).values(mark=_mark(secret, row.participant)))
        _rename_in_batches(connection, person_id, row.participant, row.pseudonym)
    forget_in_log(connection, row.name, row.pseudonym)
    end_sessions(connection, person_id)
    connection.execute(delete(tables.arrival).where(tables.arrival.c.person_id == person_id))
    kept = {"pseudonym", "role", "id", "created_at", "deleted_at", "access"}
    values: dict[str, object] = {column.name: None for column in _person if column.name not in kept}
    connection.execute(update(tables.person).where(_person.id == person_id).values(deleted_at=now, **values))
    connection.execute(update(tables.lease).where(tables.lease.c.person_id == person_id).values(draft=None))
    open_leases = (tables.lease.c.person_id == person_id) & (tables.lease.c.state == "active")
    connection.execute(update(tables.lease).where(open_leases).values(expires_at=now))


def has_departed(connection: Connection, secret: bytes, participant: str) -> bool:
    """Whether the account of this Prolific participant was deleted."""
    mark = tables.departed.c.mark == _mark(secret, participant)
    return connection.execute(select(tables.departed.c.mark).where(mark)).first() is not None


def _mark(secret: bytes, participant: str) -> str:
    """Return a keyed digest of a deleted participant's id, which cannot be linked to a person without the secret."""
    return hmac.new(secret, b"departed" + participant.encode(), hashlib.sha256).hexdigest()


def _rename_in_batches(connection: Connection, person_id: int, participant: str, pseudonym: str) -> None:
    """Replace the Prolific id with the pseudonym in exported pay files."""
    own = select(tables.payment.c.batch_id).where(tables.payment.c.person_id == person_id)
    for batch in connection.execute(select(tables.batch).where(tables.batch.c.id.in_(own))).all():
        lines = (line.partition(",") for line in batch.csv.splitlines())
        text = "".join(f"{pseudonym if name == participant else name},{amount}\n" for name, _, amount in lines)
        connection.execute(update(tables.batch).where(tables.batch.c.id == batch.id).values(csv=text))
