"""Participants from Prolific."""

from sqlalchemy import Connection, exists, func, insert, select, update

from countersight.collect.database import tables
from countersight.collect.deletion import has_departed
from countersight.collect.people import Person, insert_person
from countersight.collect.settings import Settings

_person, _arrival = tables.person.c, tables.arrival.c


def admit(
    connection: Connection, secret: bytes, participant: str, study: str, submission: str, now: float
) -> int | None:
    """Return the account of a Prolific participant, created on the first visit; None if deleted or blocked."""
    if has_departed(connection, secret, participant):
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
