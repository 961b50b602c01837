"""Submit contributions (exactly once, never overwritten), review them, and withdraw them."""

from collections.abc import Sequence
from random import Random
from typing import Any, Final, Literal

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, Select, and_, exists, func, or_, select, update

from countersight.collect.database import insert_row, tables
from countersight.collect.flows import Advance, Content, Dispute, Finish, Flow, Item, phase_of
from countersight.collect.pay import LEFT, pay_contribution, pay_fooling, void_contribution
from countersight.collect.people import end_sessions
from countersight.collect.settings import Settings
from countersight.collect.work.claiming import (
    HELD,
    Lease,
    as_lease,
    change_lease,
    count_seats,
    lease_by_token,
    put_item,
    release,
    standing_in,
    take_up_again,
)
from countersight.collect.work.stored import load_item, load_past


class WritingEvidence(msgspec.Struct, frozen=True):
    """How a contribution was written; shown to reviewers with the worker's knowledge, never used automatically."""

    seconds: float
    pasted: float = 0.0
    """Share of the text that was pasted."""


class Submitted(msgspec.Struct, frozen=True):
    """The result of a submission."""

    contribution_id: int
    right: bool | None = None
    """Whether the known answer was given, for an item with one."""
    again: bool = False
    """Whether the form had been submitted before."""
    same: bool = True
    """Whether a repeated submission is equal to the first one."""


class TakenError(Exception):
    """Raised if the seat was given to somebody else in the meantime; the draft is kept."""


def submit(
    connection: Connection,
    settings: Settings,
    flow: Flow,
    lease: Lease,
    content: Content,
    evidence: WritingEvidence,
    now: float,
) -> Submitted:
    """Store a contribution and carry out what follows. Repeating it for the same lease changes nothing."""
    fresh = lease_by_token(connection, lease.token, lease.person_id)
    assert fresh is not None  # leases are never deleted
    text = msgspec.json.encode(content).decode()
    if fresh.state == "done" and fresh.contribution_id is not None:
        kept = select(tables.contribution.c.content).where(tables.contribution.c.id == fresh.contribution_id)
        return Submitted(fresh.contribution_id, again=True, same=connection.execute(kept).scalar_one() == text)
    if fresh.state != "active" and not take_up_again(connection, settings, fresh, now):
        raise TakenError
    item, right, fooled = load_item(connection, fresh.item_id), None, None
    if item.state == "check" and item.gold is not None:
        labels = flow.labels(fresh.phase, content)
        right = all(labels.get(name) == wanted for name, wanted in item.gold.items())
    phase = phase_of(flow, fresh.phase)
    if phase and phase.checked:  # from the last check of exactly these texts
        check = tables.check.c
        texts = msgspec.json.encode(msgspec.to_builtins(content)).decode()
        checks = select(check.fooled).where(check.lease_id == lease.id, check.texts == texts)
        fooled = connection.execute(checks.order_by(check.id.desc()).limit(1)).scalar()
    number = append(connection, settings, fresh, content, now, evidence, right=right, fooled=fooled)
    base = settings.phases[fresh.phase].pay
    pay_contribution(connection, settings.pay, base, fresh.person_id, number, now)
    if item.state != "check":
        _follow(connection, settings, flow, item, fresh.phase, now)
    return Submitted(number, right)


def append(
    connection: Connection,
    settings: Settings,
    lease: Lease,
    content: Content | None,
    now: float,
    evidence: WritingEvidence | None = None,
    **more: Any,
) -> int:
    """Append a version to the contributions of a lease; versions are never changed."""
    phase, made, evidence = settings.phases[lease.phase], tables.contribution, evidence or WritingEvidence(0.0)
    earlier = select(func.count()).where(made.c.lease_id == lease.id)
    row = {
        "lease_id": lease.id,
        "version": connection.execute(earlier).scalar_one() + 1,
        "item_id": lease.item_id,
        "person_id": lease.person_id,
        "phase": lease.phase,
        "content": None if content is None else msgspec.json.encode(content).decode(),
        "seconds": evidence.seconds,
        "pasted": evidence.pasted,
        "guideline_version": phase.version,
        "test_version": phase.test.version if phase.test else 0,
        "at": now,
    }
    number = insert_row(connection, made, **row, **more)
    if content is not None:
        change_lease(connection, lease.id, state="done", contribution_id=number, note=None)
    return number


def _follow(connection: Connection, settings: Settings, flow: Flow, item: Item, phase: str, now: float) -> None:
    """Once all seats of a phase are done, move the item to the state that the flow decides."""
    people = settings.phases[phase].people
    if people > 1 and count_seats(connection, item.id, phase, "done") < people:
        return
    past = load_past(connection, flow, item.id, [each.name for each in flow.phases])
    match flow.settle(item, phase, past):
        case Advance(following):
            put_item(connection, settings, item.id, following, "open", now)
        case Finish(kept):
            put_item(connection, settings, item.id, phase, "done" if kept else "removed", now)
        case Dispute(reason, words, about):
            put_item(connection, settings, item.id, phase, "flagged", now)
            disputed = standing_in(connection, item.id, about)
            row = {"item_id": item.id, "contribution_id": disputed, "reason": reason, "words": words, "at": now}
            insert_row(connection, tables.flag, **row)


REASONS: Final = {
    "unclear": "It cannot be understood",
    "wrong": "It is wrong",
    "unrelated": "It is not about the picture",
    "guidelines": "It does not follow the guidelines",
    "offensive": "It is offensive or personal",
    "machine": "It seems to be written by a machine",
    "other": "Something else",
}
"""The reasons for a flag."""
EDITED: Final = "edited"
FOUND: Final = {
    "ambiguous": "Two people disagree",
    "leak": "It may give its answer away",
    EDITED: "The right response was edited",
    "sample": "A sample of finished work",
}
"""The reasons for which the program itself asks for a reviewer."""
Outcome = Literal["fair", "unfair", "edited", "returned"]
OUTCOMES: Final[tuple[Outcome, ...]] = ("fair", "unfair", "edited", "returned")
"""Removed, kept, kept as edited by the reviewer, returned to its author."""

WITHDRAWN: Final = "withdrawn"
"""The outcome of a flag that needed no decision, because the author withdrew the work."""


class Flag(msgspec.Struct, frozen=True):
    """A flag as shown to a reviewer; `note` is that of the reviewer who decided."""

    id: int
    item_id: int
    contribution_id: int | None
    by_person: bool
    """Whether a person flagged it; otherwise two people disagreed."""
    reason: str
    words: str
    at: float
    outcome: str | None
    note: str | None


def flag(
    connection: Connection, settings: Settings, lease: Lease, verified: str, reason: str, words: str, now: float
) -> None:
    """Flag the work of the phase before, and send the item to the reviewers; repeating this changes nothing."""
    fresh = lease_by_token(connection, lease.token, lease.person_id)
    if fresh is None or fresh.state != "active":
        return
    before = standing_in(connection, lease.item_id, verified)
    row = {"item_id": lease.item_id, "contribution_id": before, "lease_id": lease.id, "person_id": lease.person_id}
    insert_row(connection, tables.flag, reason=reason, words=words, at=now, **row)
    change_lease(connection, lease.id, state="flagged")
    put_item(connection, settings, lease.item_id, lease.phase, "flagged", now)


def open_flags(connection: Connection, reviewer_id: int, flag_id: int | None = None, most: int = 50) -> list[Flag]:
    """Return undecided flags, the oldest first, or one of them; none of items that the reviewer contributed to."""
    row, lease = tables.flag.c, tables.lease.c
    part = exists().where(lease.item_id == row.item_id, lease.person_id == reviewer_id, lease.state.in_(HELD))
    chosen = () if flag_id is None else (row.id == flag_id,)
    return _flags(connection, row.outcome.is_(None), ~part, *chosen, most=most)


def flags_of(connection: Connection, item_id: int) -> list[Flag]:
    """Return every flag of an item, decided or not."""
    return _flags(connection, tables.flag.c.item_id == item_id)


def _flags(connection: Connection, *conditions: ColumnElement[bool], most: int | None = None) -> list[Flag]:
    row = tables.flag.c
    columns = (row.id, row.item_id, row.contribution_id, row.person_id.is_not(None), row.reason, row.words, row.at)
    question = select(*columns, row.outcome, row.note).where(*conditions).order_by(row.id).limit(most)
    return [Flag(*found) for found in connection.execute(question)]


def decide(
    connection: Connection,
    settings: Settings,
    flow: Flow,
    found: Flag,
    reviewer_id: int,
    outcome: Outcome,
    note: str,
    now: float,
    contribution_id: int | None = None,
    content: Content | None = None,
) -> bool:
    """Carry out a reviewer's decision; False if another was quicker, or the author withdrew the work.

    `fair` removes the item and the pay of one of its contributions, or of none. `unfair` keeps it: a flag that was not
    fair returns the item, and what the program asked about is complete as it is. An edit of the right
    response that says something else costs only its phase, which somebody else does again. `edited` keeps it with
    another `content` of one of its contributions, `returned` sends one back to its author.
    """
    item = load_item(connection, found.item_id)
    about = found.contribution_id if found.reason == EDITED else contribution_id or None
    values: dict[str, Any] = {"outcome": outcome, "reviewer_id": reviewer_id, "note": note, "decided_at": now}
    if outcome == "fair":
        values["contribution_id"] = about
    waiting = (tables.flag.c.id == found.id) & tables.flag.c.outcome.is_(None)
    if item.state not in ("flagged", "done"):
        return False
    if not connection.execute(update(tables.flag).where(waiting).values(**values)).rowcount:
        return False
    if outcome == "fair":
        if about is not None:
            void_contribution(connection, about, reviewer_id, now)
        if found.reason == EDITED:
            vacate(connection, tables.lease.c.contribution_id == found.contribution_id)
        put_item(connection, settings, item.id, item.phase, "open" if found.reason == EDITED else "removed", now)
        return True
    if outcome == "returned":  # later phases must be repeated
        lease, until = _lease_of(connection, contribution_id), now + settings.return_days * 86_400
        change_lease(connection, lease.id, state="active", contribution_id=None, note=note, expires_at=until)
        reopen(connection, settings, flow, lease.item_id, lease.phase, now)
        return True
    if outcome == "edited":  # the author keeps the seat and the pay
        made, lease = tables.contribution.c, _lease_of(connection, contribution_id)
        before = connection.execute(select(made.fooled).where(made.id == contribution_id)).scalar()
        append(connection, settings, lease, content, now, fooled=before, editor_id=reviewer_id)
    put_item(connection, settings, item.id, item.phase, "open" if found.by_person else "done", now)
    pay_fooling(connection, settings.pay, item.id, now)
    return True


def _lease_of(connection: Connection, contribution_id: int | None) -> Lease:
    own = select(tables.lease).where(tables.lease.c.contribution_id == contribution_id)
    return as_lease(connection.execute(own).one())


def reopen(connection: Connection, settings: Settings, flow: Flow, item_id: int, phase: str, now: float) -> None:
    """Return an item to a phase: later phases are repeated (their pay stays), and open flags are withdrawn."""
    names = [each.name for each in flow.phases]
    later = tables.lease.c.phase.in_(names[names.index(phase) + 1 :])
    vacate(connection, (tables.lease.c.item_id == item_id) & later & tables.lease.c.state.in_(HELD))
    withdraw(connection, item_id)
    put_item(connection, settings, item_id, phase, "open", now)


def vacate(connection: Connection, seats: ColumnElement[bool]) -> None:
    """Free seats whose contributions no longer count; their holders cannot take them again."""
    connection.execute(update(tables.lease).where(seats).values(state="flagged", contribution_id=None))


def withdraw(connection: Connection, item_id: int) -> None:
    """Withdraw undecided flags of an item, because their subject no longer exists."""
    waiting = (tables.flag.c.item_id == item_id) & tables.flag.c.outcome.is_(None)
    connection.execute(update(tables.flag).where(waiting).values(outcome=WITHDRAWN))


def author_of(connection: Connection, found: Flag, contribution_id: int) -> str | None:
    """Return the access of the author of a valid contribution to a flag's item; None if there is none."""
    lease, person = tables.lease.c, tables.person.c
    stands = (lease.contribution_id == contribution_id) & (lease.item_id == found.item_id) & (lease.state == "done")
    question = select(person.access, person.deleted_at).join(tables.lease, lease.person_id == person.id).where(stands)
    row = connection.execute(question).first()
    return None if row is None else "deleted" if row.deleted_at else str(row.access)


def sample(
    connection: Connection, settings: Settings, flow: Flow, reviewer_id: int, now: float, chance: Random
) -> int | None:
    """Draw a finished item for a reviewer, and return the number of its flag; None if no item is left.

    Items with a bonus that waits for a reviewer come first. The flag refers to the writer's contribution if there is
    exactly one writer.
    """
    item, made, lease = tables.item.c, tables.contribution.c, tables.lease.c
    seen = exists().where(tables.flag.c.item_id == item.id, tables.flag.c.reason == "sample")
    part = exists().where(lease.item_id == item.id, lease.person_id == reviewer_id, lease.state.in_(HELD))
    left = select(item.id).where(item.state == "done", ~seen, ~part).order_by(item.id)
    bonus = exists().where(lease.item_id == item.id, lease.contribution_id == made.id, made.fooled > 0)
    drawn = list(connection.execute(left.where(bonus)).scalars()) or list(connection.execute(left).scalars())
    if not drawn:
        return None
    number = chance.choice(drawn)
    first = flow.phases[0].name
    written = standing_in(connection, number, first) if settings.phases[first].people == 1 else None
    row = {"item_id": number, "contribution_id": written, "reason": "sample", "words": ""}
    return insert_row(connection, tables.flag, at=now, **row)


def undo(
    connection: Connection, settings: Settings, flow: Flow, contribution_id: int, person_id: int, now: float
) -> Lease | str:
    """Withdraw a contribution, as a new version; return the lease to edit it in, or why it cannot be withdrawn."""
    rows = _standing(settings, flow, person_id, now).where(tables.contribution.c.id == contribution_id)
    row = connection.execute(rows).first()
    lease = lease_by_token(connection, row.token, person_id) if row else None
    if row is None or lease is None:
        return "There is nothing to take back."
    refusal = _refusal(row)
    if refusal:
        return refusal
    append(connection, settings, lease, None, now)
    void_contribution(connection, contribution_id, person_id, now)
    withdraw(connection, lease.item_id)
    until = now + settings.lease_minutes * 60
    change_lease(connection, lease.id, state="active", contribution_id=None, expires_at=until)
    put_item(connection, settings, lease.item_id, lease.phase, "open", now)
    return lease


Access = Literal["open", "paused", "blocked"]
Fate = Literal["keep", "redo", "remove"]


def set_access(connection: Connection, settings: Settings, person_id: int, access: Access) -> None:
    """Allow somebody to work, pause them (they see only their account), or block them (they cannot log in)."""
    connection.execute(update(tables.person).where(tables.person.c.id == person_id).values(access=access))
    if access != "open":
        held = (tables.lease.c.person_id == person_id) & (tables.lease.c.state == "active")
        for row in connection.execute(select(tables.lease).where(held)).all():
            release(connection, settings, as_lease(row))
    if access == "blocked":
        end_sessions(connection, person_id)


def retract(
    connection: Connection, settings: Settings, flow: Flow, person_id: int, fate: Fate, paid: bool, by: int, now: float
) -> int:
    """Have all work of a person repeated by others or removed, paid or not; return the number of contributions.

    What others built on work that is done again has to be done again too; they are paid for both. Pay that has left in
    a batch stays there.
    """
    item, lease = tables.item.c, tables.lease.c
    question = select(tables.lease, item.state.label("item_state"), item.phase.label("item_phase"))
    done = (lease.person_id == person_id) & (lease.state == "done")
    rows = connection.execute(question.join(tables.item, item.id == lease.item_id).where(done)).all()
    for row in rows:
        if not paid:
            void_contribution(connection, row.contribution_id, by, now)
        if row.item_state in ("check", "removed"):
            continue
        if fate == "redo":
            vacate(connection, lease.id == row.id)
            reopen(connection, settings, flow, row.item_id, row.phase, now)
        elif fate == "remove":
            withdraw(connection, row.item_id)
            put_item(connection, settings, row.item_id, row.item_phase, "removed", now)
    return len(rows)


def undoable(
    connection: Connection, settings: Settings, flow: Flow, contributions: Sequence[int], person_id: int, now: float
) -> set[int]:
    """Return which of these contributions their author may withdraw now."""
    rows = _standing(settings, flow, person_id, now).where(tables.contribution.c.id.in_(contributions))
    return {row.id for row in connection.execute(rows) if not _refusal(row)}


REFUSALS: Final = {
    "late": "The time in which it could be taken back is over.",
    "decided": "A reviewer has decided about this item, so it cannot be changed.",
    "went_on": "Somebody is working on it already.",
    "seen": "You have opened the complete item since, so it cannot be changed.",
    "is_paid": "It is already being paid, so it cannot be changed.",
}
"""Why a contribution cannot be withdrawn, by the column of `_standing` that says so."""


def _refusal(row: Row[Any]) -> str:
    """Return the reason why a contribution cannot be withdrawn; empty if it can."""
    return next((words for name, words in REFUSALS.items() if getattr(row, name)), "")


def _standing(settings: Settings, flow: Flow, person_id: int, now: float) -> Select[Any]:
    """Return a person's valid contributions, with what decides whether they can be withdrawn."""
    made, lease, flag, payment = tables.contribution.c, tables.lease.c, tables.flag.c, tables.payment.c
    item, sight, part = tables.item.c, tables.sight.c, tables.lease.alias().c
    names = [phase.name for phase in flow.phases]
    later = or_(*(and_(lease.phase == name, part.phase.in_(names[at + 1 :])) for at, name in enumerate(names)))
    in_doubt = exists().where(flag.contribution_id == made.id, flag.reason == EDITED, flag.outcome.is_(None))
    held = exists().where(part.item_id == lease.item_id, part.state.in_(HELD), later)
    reasons = {
        "late": made.at < now - settings.undo_minutes * 60,
        "decided": exists().where(flag.item_id == lease.item_id, flag.decided_at >= made.at),
        "is_paid": exists().where(payment.contribution_id == made.id, payment.state.in_(LEFT)),
        "seen": exists().where(sight.item_id == lease.item_id, sight.person_id == person_id),
        "went_on": (item.state == "check") | ((item.state == "flagged") & ~in_doubt) | held,
    }
    return (
        select(made.id, lease.token, *(reason.label(name) for name, reason in reasons.items()))
        .join(tables.lease, (lease.id == made.lease_id) & (lease.contribution_id == made.id))
        .join(tables.item, item.id == lease.item_id)
        .where(made.person_id == person_id, lease.state == "done")
    )
