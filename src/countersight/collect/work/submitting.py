"""Submit contributions: exactly once, whatever the network does, and never overwritten."""

from typing import Any

import msgspec
from sqlalchemy import Connection, func, insert, select

from countersight.collect.database import tables
from countersight.collect.flows import Advance, Content, Dispute, Finish, Flow, Item, phase_of
from countersight.collect.pay import pay_contribution
from countersight.collect.settings import Settings
from countersight.collect.work.claiming import Lease, change_lease, lease_by_token, take_up_again
from countersight.collect.work.items import count_seats, load_item, load_past, put_item, standing_in


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
    if phase and phase.checked:  # by the last check of just these texts
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
    key = connection.execute(insert(made).values(**row, **more)).inserted_primary_key
    assert key is not None
    if content is not None:
        change_lease(connection, lease.id, state="done", contribution_id=int(key[0]), note=None)
    return int(key[0])


def _follow(connection: Connection, settings: Settings, flow: Flow, item: Item, phase: str, now: float) -> None:
    """When all seats of a phase are done, advance as the flow says; until then no seat is freed."""
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
            connection.execute(insert(tables.flag).values(**row))
