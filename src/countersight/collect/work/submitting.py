"""Submit contributions: exactly once, whatever the network does, and never overwritten."""

import msgspec
from sqlalchemy import Connection, bindparam, func, insert, select, update

from countersight.collect.database import tables
from countersight.collect.flows import Advance, Content, Dispute, Finish, Flow, Item, phase_of
from countersight.collect.pay import pay_contribution
from countersight.collect.settings import Settings
from countersight.collect.work.claiming import Lease, lease_by_token, take_up_again
from countersight.collect.work.items import held, load_item, load_past, put_item, standing_in


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
    if fresh.state == "done" and fresh.contribution_id is not None:
        return Submitted(fresh.contribution_id, again=True, same=_stands(connection, fresh.contribution_id, content))
    if fresh.state != "active" and not take_up_again(connection, settings, fresh, now):
        raise TakenError
    item = load_item(connection, fresh.item_id)
    right = _is_right(flow, item, fresh.phase, content)
    phase = phase_of(flow, fresh.phase)
    fooled = _fooled(connection, fresh, content) if phase and phase.checked else None
    number = append(connection, settings, fresh, content, evidence, right, fooled, now)
    base = settings.phases[fresh.phase].pay
    pay_contribution(connection, settings.pay, base, fresh.person_id, number, now)
    if item.state != "check":
        follow(connection, settings, flow, item, fresh.phase, number, now)
    return Submitted(number, right)


def _stands(connection: Connection, contribution_id: int, content: Content) -> bool:
    """Whether just this was sent before."""
    kept = connection.execute(select(tables.contribution.c.content).where(tables.contribution.c.id == contribution_id))
    return bool(kept.scalar_one() == msgspec.json.encode(content).decode())


def _is_right(flow: Flow, item: Item, phase: str, content: Content) -> bool | None:
    if item.state != "check" or item.gold is None:
        return None
    labels = flow.labels(phase, content)
    return all(labels.get(name) == wanted for name, wanted in item.gold.items())


def _fooled(connection: Connection, lease: Lease, content: Content) -> int | None:
    """How many distractors fooled the model, by the last check of just these texts; None where there was none."""
    texts = msgspec.json.encode(msgspec.to_builtins(content)).decode()
    return connection.execute(
        select(tables.check.c.fooled)
        .where(tables.check.c.lease_id == lease.id, tables.check.c.texts == texts)
        .order_by(tables.check.c.id.desc())
        .limit(1)
    ).scalar()


def append(
    connection: Connection,
    settings: Settings,
    lease: Lease,
    content: Content | None,
    evidence: WritingEvidence,
    right: bool | None,
    fooled: int | None,
    now: float,
    editor_id: int | None = None,
) -> int:
    """Append a version to the contributions of a lease; versions are never changed."""
    phase = settings.phases[lease.phase]
    row = {
        "lease_id": lease.id,
        "of_lease": lease.id,
        "item_id": lease.item_id,
        "person_id": lease.person_id,
        "phase": lease.phase,
        "content": None if content is None else msgspec.json.encode(content).decode(),
        "seconds": evidence.seconds,
        "pasted": evidence.pasted,
        "guideline_version": phase.version,
        "test_version": phase.test.version if phase.test else 0,
        "right": right,
        "fooled": fooled,
        "at": now,
        "editor_id": editor_id,
    }
    key = connection.execute(_INSERT, row).inserted_primary_key
    assert key is not None
    number = int(key[0])
    if content is not None:
        connection.execute(_SENT, {"number": number, "lease": lease.id})
    return number


_earlier = tables.contribution.alias()
_INSERT = insert(tables.contribution).values(
    version=select(func.count() + 1).where(_earlier.c.lease_id == bindparam("of_lease")).scalar_subquery()
)
_SENT = (
    update(tables.lease)
    .where(tables.lease.c.id == bindparam("lease"))
    .values(state="done", contribution_id=bindparam("number"), note=None)
)


def follow(
    connection: Connection, settings: Settings, flow: Flow, item: Item, phase: str, contribution_id: int, now: float
) -> None:
    """When all seats of a phase are done, advance as the flow says; until then no seat is freed."""
    people = settings.phases[phase].people
    if people > 1 and held(connection, item.id, phase, "done") < people:
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
