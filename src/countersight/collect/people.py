"""People: accounts, invitations, roles, passwords, sessions, participants from Prolific, deletion of personal data."""

import hashlib
import hmac
import secrets
from typing import Any, Literal

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from countersight.collect import tables
from countersight.collect.settings import Settings
from countersight.collect.store import insert_row
from countersight.errors import CampaignError
from countersight.text import printable

Role = Literal["worker", "reviewer", "lead"]
ROLES: tuple[Role, ...] = ("worker", "reviewer", "lead")
SESSION_SECONDS = 14 * 24 * 3600
TOKEN_SECONDS = 365 * 24 * 3600
INVITATION_SECONDS = 14 * 24 * 3600
SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 200
_LONGEST_NAME = 60
_row, _session, _arrival = tables.person.c, tables.session.c, tables.arrival.c

_hasher = PasswordHasher()


class Person(msgspec.Struct, frozen=True):
    """An account."""

    id: int
    name: str
    pseudonym: str
    role: Role
    consent: int | None
    participant: str | None
    access: str = "open"
    """The access of the person: open, paused (can log in, but cannot work) or blocked (cannot log in)."""

    def is_at_least(self, role: Role) -> bool:
        """Whether the person has the permissions of this role; each role includes the one before."""
        return ROLES.index(self.role) >= ROLES.index(role)


def digest(token: str) -> str:
    """Return the stored form of a token, which cannot be used in place of the token."""
    return hashlib.sha256(token.encode()).hexdigest()


def add_person(connection: Connection, name: str, role: Role, now: float, *, password: str | None = None) -> int:
    """Create an account, and return its id."""
    name = printable(name)[:_LONGEST_NAME].strip()
    if not name:
        raise CampaignError("an account needs a name")
    if account_named(connection, name):
        raise CampaignError(f"the account {name!r} already exists; choose another name")
    return insert_person(connection, name, role, now, password=hash_password(password) if password else None)


def insert_person(connection: Connection, name: str | None, role: Role, now: float, **more: str | None) -> int:
    """Insert an account with a new random pseudonym; return its id."""
    pseudonym = "p" + "".join(secrets.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(7))
    return insert_row(connection, tables.person, name=name, role=role, pseudonym=pseudonym, created_at=now, **more)


def change_person(connection: Connection, person_id: int, **values: object) -> None:
    """Change an account."""
    connection.execute(update(tables.person).where(_row.id == person_id).values(**values))


def account_named(connection: Connection, name: str) -> Person | None:
    """Return the account with a name, ignoring case."""
    name = printable(name).strip().casefold()
    return next((each for each in everybody(connection) if each.name.casefold() == name), None)


def invite(connection: Connection, name: str, role: Role, now: float) -> tuple[int, str]:
    """Create an account; return its id, and the token of its one-time link."""
    person = add_person(connection, name, role, now)
    return person, new_link(connection, person, now)


def new_link(connection: Connection, person_id: int, now: float) -> str:
    """Return the token of a new one-time link for choosing the password of an account."""
    token = secrets.token_urlsafe(24)
    change_person(connection, person_id, invitation=digest(token), invitation_until=now + INVITATION_SECONDS)
    return token


def find_invited(connection: Connection, token: str, now: float) -> Person | None:
    """Return the invited person, while the invitation is valid."""
    valid = (_row.invitation == digest(token), _row.invitation_until > now, _row.deleted_at.is_(None))
    row = connection.execute(select(tables.person).where(*valid)).first()
    return _person(row) if row else None


def accept_invitation(connection: Connection, token: str, hashed: str, now: float) -> Person | None:
    """Set the password of the invited account; the link is invalid afterwards."""
    person = find_invited(connection, token, now)
    if person is None:
        return None
    change_person(connection, person.id, password=hashed, invitation=None, invitation_until=None)
    end_sessions(connection, person.id)
    return person


def password_fault(password: str) -> str | None:
    """Return a sentence that says what is wrong with a password; None if it is valid."""
    if len(password) < SHORTEST_PASSWORD:
        return "A password needs at least 10 characters."
    return "A password may have at most 200 characters." if len(password) > LONGEST_PASSWORD else None


def hash_password(password: str) -> str:
    """Hash a password (Argon2id)."""
    return _hasher.hash(password)


def stored_password(connection: Connection, name: str) -> tuple[Person, str] | None:
    """Return an account and its hashed password, by name."""
    person = account_named(connection, name)
    stored = select(_row.password).where(_row.id == (person.id if person else 0))
    password = connection.execute(stored).scalar()
    return (person, password) if person and password else None


def is_password(password: str, stored: str | None) -> bool:
    """Return whether a password is correct. The check takes the same time if the account does not exist."""
    if stored is None:
        _hasher.hash(password[:LONGEST_PASSWORD])
        return False
    try:
        return _hasher.verify(stored, password[:LONGEST_PASSWORD])
    except (VerificationError, InvalidHashError):
        return False


def begin_session(connection: Connection, person_id: int, now: float, label: str | None = None) -> str:
    """Start a session and return its token: for a cookie, or with a label for a script."""
    token = secrets.token_urlsafe(32)
    until = now + (TOKEN_SECONDS if label else SESSION_SECONDS)
    row = {"token": digest(token), "person_id": person_id, "created_at": now, "expires_at": until, "label": label}
    connection.execute(delete(tables.session).where(_session.expires_at < now))
    connection.execute(insert(tables.session).values(**row))
    return token


def session_person(connection: Connection, token: str, now: float, *, script: bool = False) -> Person | None:
    """Return the person of a valid cookie or script token."""
    valid = (_session.token == digest(token), _session.expires_at > now, _session.label.is_not(None) == script)
    allowed = (_row.deleted_at.is_(None), _row.access != "blocked")
    question = select(tables.person).join(tables.session, _session.person_id == _row.id)
    row = connection.execute(question.where(*valid, *allowed)).first()
    return _person(row) if row else None


def end_session(connection: Connection, token: str) -> None:
    """Log out."""
    connection.execute(delete(tables.session).where(_session.token == digest(token)))


def end_sessions(connection: Connection, person_id: int) -> None:
    """Log a person out everywhere."""
    connection.execute(delete(tables.session).where(_session.person_id == person_id))


def script_tokens(connection: Connection, person_id: int) -> list[Row[Any]]:
    """Return a person's tokens for scripts: label and expiry."""
    mine = (_session.person_id == person_id) & _session.label.is_not(None)
    return list(connection.execute(select(_session.label, _session.expires_at).where(mine)))


def revoke_tokens(connection: Connection, person_id: int, label: str) -> None:
    """Revoke a person's tokens with this label."""
    named = (_session.person_id == person_id) & (_session.label == label)
    connection.execute(delete(tables.session).where(named))


def find_person(connection: Connection, name: str) -> Person:
    """Return an account by its name or pseudonym."""
    person = account_named(connection, name)
    person = person or next((each for each in everybody(connection) if each.pseudonym == name), None)
    if person is None:
        raise CampaignError(f"there is no account {name!r}; `countersight collect people CAMPAIGN` lists them")
    return person


def agree(connection: Connection, person_id: int, version: int, now: float) -> None:
    """Record that a person agreed to a version of the consent text."""
    change_person(connection, person_id, consent=version, consent_at=now)


def everybody(connection: Connection) -> list[Person]:
    """Return all accounts that were not deleted."""
    there = select(tables.person).where(_row.deleted_at.is_(None)).order_by(_row.id)
    return [_person(row) for row in connection.execute(there)]


def _person(row: Row[tuple[object, ...]]) -> Person:
    return Person(row.id, row.name, row.pseudonym, row.role, row.consent, row.participant, row.access)


def forget(connection: Connection, secret: bytes, person_id: int, now: float) -> None:
    """Delete a person's identity; their contributions stay under the pseudonym."""
    row = connection.execute(select(tables.person).where(_row.id == person_id)).one()
    if row.participant:
        connection.execute(insert(tables.departed).values(mark=_mark(secret, row.participant)))
        own = select(tables.payment.c.batch_id).where(tables.payment.c.person_id == person_id)
        connection.execute(update(tables.batch).where(tables.batch.c.id.in_(own)).values(csv=""))
    end_sessions(connection, person_id)
    connection.execute(delete(tables.arrival).where(tables.arrival.c.person_id == person_id))
    kept = {"pseudonym", "role", "id", "created_at", "deleted_at", "access"}
    values: dict[str, object] = {column.name: None for column in _row if column.name not in kept}
    connection.execute(update(tables.person).where(_row.id == person_id).values(deleted_at=now, **values))
    connection.execute(update(tables.lease).where(tables.lease.c.person_id == person_id).values(draft=None))
    open_leases = (tables.lease.c.person_id == person_id) & (tables.lease.c.state == "active")
    connection.execute(update(tables.lease).where(open_leases).values(expires_at=now))


def _mark(secret: bytes, participant: str) -> str:
    """Return a keyed digest of a deleted participant's id, which cannot be linked to a person without the secret."""
    return hmac.new(secret, b"departed" + participant.encode(), hashlib.sha256).hexdigest()


def admit(connection: Connection, secret: bytes, participant: str, submission: str, now: float) -> int | None:
    """Return the account of a Prolific participant, created on the first visit; None if deleted or blocked."""
    departed = select(tables.departed).where(tables.departed.c.mark == _mark(secret, participant))
    if connection.execute(departed).first():
        return None
    row = connection.execute(select(tables.person).where(_row.participant == participant)).first()
    if row is None:
        ids = {"participant": participant, "submission": submission}
        return insert_person(connection, f"prolific-{participant}"[:100], "worker", now, **ids)
    if row.access == "blocked":
        return None
    there = (_arrival.person_id == row.id) & (_arrival.submission == submission)
    if row.submission != submission and not connection.execute(select(_arrival.at).where(there)).first():
        # Earlier work does not count for a new submission.
        connection.execute(insert(tables.arrival).values(person_id=row.id, submission=submission, at=now))
    change_person(connection, row.id, submission=submission)
    return int(row.id)


def has_completed(connection: Connection, settings: Settings, person: Person) -> bool:
    """Whether a participant has made all contributions of the current submission."""
    wanted = settings.prolific.contributions
    if not (person.participant and wanted):
        return False
    since = (
        select(_arrival.at)
        .join(tables.person, (_row.id == _arrival.person_id) & (_row.submission == _arrival.submission))
        .where(_row.id == person.id)
        .scalar_subquery()
    )
    made, lease = tables.contribution.c, tables.lease.c
    done = (
        lease.person_id == person.id,
        lease.state == "done",
        made.version == 1,
        made.at >= func.coalesce(since, 0.0),
    )
    question = select(func.count()).join_from(tables.lease, tables.contribution, made.lease_id == lease.id).where(*done)
    return bool(connection.execute(question).scalar_one() >= wanted)
