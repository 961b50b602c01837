"""The audit log of leads' and reviewers' actions, written in the same transaction as the actions."""

import csv
import io
import time
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, insert, select, update

from countersight.collect import tables


class Action(msgspec.Struct, frozen=True):
    """One logged action."""

    id: int
    at: float
    who: str
    """A pseudonym, or the command line."""
    name: str
    subject: str
    details: dict[str, Any]
    who_name: str = ""
    """The name of the person who did it, while known."""
    about: str = ""
    """The person it concerns, by name and pseudonym; items and amounts are in the details."""


def record(
    connection: Connection, person_id: int | None, name: str, subject: object, details: Mapping[str, Any], now: float
) -> None:
    """Log an action; without a person it is from the command line."""
    text = msgspec.json.encode(details).decode()
    row = {"at": now, "person_id": person_id, "name": name, "subject": str(subject)[:200], "details": text}
    connection.execute(insert(tables.action).values(**row))


def forget_in_log(connection: Connection, name: str | None, pseudonym: str) -> None:
    """Replace the name of a deleted person by the pseudonym everywhere in the log."""
    made = tables.action.c
    for row in connection.execute(select(made.id, made.details)).all() if name else ():
        details = msgspec.json.decode(row.details)
        kept = {
            key: pseudonym if str(value).casefold() == str(name).casefold() else value for key, value in details.items()
        }
        if kept != details:
            text = msgspec.json.encode(kept).decode()
            connection.execute(update(tables.action).where(made.id == row.id).values(details=text))


def read_log(connection: Connection, after: int = 0, most: int | None = None, *, latest: bool = False) -> list[Action]:
    """Return the logged actions, oldest or newest first."""
    made, person = tables.action.c, tables.person.c
    everybody = {row.id: row for row in connection.execute(select(person.id, person.name, person.pseudonym))}
    question = select(tables.action).where(made.id > after).order_by(made.id.desc() if latest else made.id).limit(most)
    found = []
    for row in connection.execute(question):
        who = everybody.get(row.person_id)
        about = everybody.get(int(row.subject)) if row.name in _ABOUT_PEOPLE and row.subject.isdigit() else None
        found.append(
            Action(
                id=row.id,
                at=row.at,
                who=who.pseudonym if who else "command line",
                name=row.name,
                subject=row.subject,
                details=msgspec.json.decode(row.details),
                who_name=(who.name or "") if who else "",
                about=f"{about.name or '(deleted)'} ({about.pseudonym})" if about else "",
            )
        )
    return found


_ABOUT_PEOPLE = {
    "change_role",
    "set_access",
    "reset_tests",
    "retract",
    "approve",
    "link",
    "invite",
    "forget",
    "make_token",
}


def log_csv(rows: Iterable[Action]) -> str:
    """Return the log as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("id", "at", "who", "action", "subject", "about", "details"))
    for row in rows:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(row.at))
        details = msgspec.json.encode(row.details).decode()
        writer.writerow((row.id, at, row.who, row.name, row.subject, row.about, details))
    return text.getvalue()
