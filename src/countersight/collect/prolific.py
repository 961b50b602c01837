"""Participants from Prolific, and deletion of people."""

import hashlib
import hmac

from sqlalchemy import Connection, delete, exists, func, insert, select, update

from countersight.collect.audit_log import forget_in_log
from countersight.collect.database import tables
from countersight.collect.people import Person, end_sessions, insert_person
from countersight.collect.settings import Settings

_person, _arrival = tables.person.c, tables.arrival.c


def admit(
    connection: Connection, secret: bytes, participant: str, study: str, submission: str, now: float
) -> int | None:
    """Return the account of a Prolific participant, created on the first visit; None if deleted or blocked."""
    mark = tables.departed.c.mark == _mark(secret, participant)
    if connection.execute(select(tables.departed.c.mark).where(mark)).first():
        return None
    row = connection.execute(select(tables.person).where(_person.participant == participant)).first()
    if row is None:
        ids = {"participant": participant, "study": study, "submission": submission}
        return insert_person(connection, f"prolific-{participant}"[:100], "worker", now, **ids)
    if row.access == "blocked":
        return None
    there = (_arrival.person_id == row.id) & (_arrival.submission == submission)
    if row.submission != submission and not connection.execute(select(_arrival.at).where(there)).first():
        # Earlier work does not count for a new submission.
        connection.execute(insert(tables.arrival).values(person_id=row.id, submission=submission, at=now))
    values = {"study": study, "submission": submission}
    connection.execute(update(tables.person).where(_person.id == row.id).values(**values))
    return int(row.id)


def has_completed(connection: Connection, settings: Settings, person: Person) -> bool:
    """Whether a participant has made all contributions of the current submission."""
    wanted = settings.prolific.contributions
    return bool(person.participant and wanted) and done_for_submission(connection, person.id) >= wanted


def done_for_submission(connection: Connection, person_id: int) -> int:
    """Return how many contributions a person has made since the start of the current submission."""
    since = (
        select(_arrival.at)
        .join(tables.person, (_person.id == _arrival.person_id) & (_person.submission == _arrival.submission))
        .where(_person.id == person_id)
        .scalar_subquery()
    )
    before = exists().where(
        tables.contribution.c.lease_id == tables.lease.c.id, tables.contribution.c.at < func.coalesce(since, 0.0)
    )
    question = select(func.count()).where(
        tables.lease.c.person_id == person_id, tables.lease.c.state == "done", ~before
    )
    return int(connection.execute(question).scalar_one())


def forget(connection: Connection, secret: bytes, person_id: int, now: float) -> None:
    """Delete a person's identity; their contributions stay under the pseudonym."""
    row = connection.execute(select(tables.person).where(_person.id == person_id)).one()
    if row.participant:
        connection.execute(insert(tables.departed).values(mark=_mark(secret, row.participant)))
        _rename_in_batches(connection, person_id, row.participant, row.pseudonym)
    forget_in_log(connection, row.name, row.pseudonym)
    end_sessions(connection, person_id)
    connection.execute(delete(tables.arrival).where(_arrival.person_id == person_id))
    kept = {"pseudonym", "role", "id", "created_at", "deleted_at", "access"}
    values: dict[str, object] = {column.name: None for column in _person if column.name not in kept}
    connection.execute(update(tables.person).where(_person.id == person_id).values(deleted_at=now, **values))
    connection.execute(update(tables.lease).where(tables.lease.c.person_id == person_id).values(draft=None))
    open_leases = (tables.lease.c.person_id == person_id) & (tables.lease.c.state == "active")
    connection.execute(update(tables.lease).where(open_leases).values(expires_at=now))


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
