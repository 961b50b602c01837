"""Contributions: read them from the database, submit them (exactly once, never overwritten), and withdraw them."""

import datetime
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, or_, select, update

from countersight.collect import tables
from countersight.collect.campaign import Campaign
from countersight.collect.flows import Advance, Content, Dispute, Finish, Flow, Item, Past
from countersight.collect.pay import LEFT, pay_contribution, void_contribution
from countersight.collect.store import insert_row
from countersight.collect.work.leases import (
    HELD,
    Lease,
    change_lease,
    count_seats,
    lease_by_token,
    put_item,
    take_up_again,
    valid_contribution,
)

EDITED: Final = "edited"
"""The reason for a flag about an edited right response."""
WITHDRAWN: Final = "withdrawn"
"""The outcome of a flag that needs no decision, because the flagged work no longer exists."""
_item, _lease, _made = tables.item.c, tables.lease.c, tables.contribution.c
STANDS: Final = func.coalesce((_lease.contribution_id == _made.id) & (_lease.state == "done"), False)
"""The SQL condition for a version of a contribution that counts: it is neither replaced nor withdrawn nor removed."""


class Contribution(msgspec.Struct, frozen=True):
    """One version of one contribution."""

    id: int
    item_id: int
    phase: str
    version: int
    content: Content
    """The content; None if it was withdrawn."""
    seconds: float
    pasted: float
    at: float
    guideline_version: int
    fooled: int | None
    pseudonym: str
    editor: str | None
    """The pseudonym of the reviewer, if a reviewer wrote this version."""
    stands: bool

    @property
    def when(self) -> str:
        """The time in UTC, to the second."""
        return datetime.datetime.fromtimestamp(self.at, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class ItemWork(msgspec.Struct, frozen=True):
    """An item and the contributions to it that count, in order."""

    item: Item
    given: tuple[Contribution, ...]

    @property
    def past(self) -> Past:
        """The contents by phase."""
        return _by_phase(self.given)


def contributions(
    connection: Connection, flow: Flow, *conditions: ColumnElement[bool], most: int | None = None
) -> Iterator[Contribution]:
    """Yield contributions in the order of their ids; conditions may use the tables contribution, lease and item."""
    author, editor = tables.person.c, tables.person.alias()
    columns = (_made[name] for name in Contribution.__struct_fields__ if name in _made)
    question = (
        select(*columns, author.pseudonym, editor.c.pseudonym.label("editor"), STANDS.label("stands"))
        .join(tables.lease, _lease.id == _made.lease_id)
        .join(tables.item, _item.id == _made.item_id)
        .join(tables.person, author.id == _made.person_id)
        .outerjoin(editor, editor.c.id == _made.editor_id)
        .where(*conditions)
        .order_by(_made.id)
        .limit(most)
    )
    for row in connection.execute(question).mappings():
        content = row["content"] and msgspec.json.decode(row["content"], type=flow.phase(row["phase"]).content)
        yield Contribution(**{**row, "content": content})


def load_item(connection: Connection, item_id: int) -> Item:
    """Return an item by its number."""
    return next(_items(connection, _item.id == item_id))


def _items(connection: Connection, *conditions: ColumnElement[bool]) -> Iterator[Item]:
    for row in connection.execute(select(tables.item).where(*conditions).order_by(_item.id)):
        gold = msgspec.json.decode(row.gold) if row.gold else None
        yield Item(row.id, row.key, row.split, msgspec.json.decode(row.source), row.phase, row.state, gold)


def load_past(connection: Connection, flow: Flow, item_id: int, phase: str = "", seed: str = "") -> Past:
    """Return the contributions to an item in the phases before this one, or in all phases.

    People never see those of their own phase. With a seed, the contributions of a phase are shuffled, so that their
    order does not show who was first.
    """
    phases = flow.names[: flow.names.index(phase)] if phase else flow.names
    if not phases:
        return {}
    past = _by_phase(contributions(connection, flow, STANDS, _made.item_id == item_id, _made.phase.in_(phases)))
    if seed:
        for name in sorted(past):
            Random(f"{seed}/{name}").shuffle(past[name])
    return past


def _by_phase(given: Iterable[Contribution]) -> dict[str, list[Content]]:
    past: dict[str, list[Content]] = {}
    for each in given:
        past.setdefault(each.phase, []).append(each.content)
    return past


def items_in(connection: Connection, flow: Flow, *states: str) -> list[ItemWork]:
    """Return the items in one of these states with their contributions, in order."""
    given: dict[int, list[Contribution]] = defaultdict(list)
    for each in contributions(connection, flow, STANDS, _item.state.in_(states)):
        given[each.item_id].append(each)
    return [ItemWork(item, tuple(given[item.id])) for item in _items(connection, _item.state.in_(states))]


class Submitted(msgspec.Struct, frozen=True):
    """The result of a submission."""

    contribution_id: int
    same: bool = True
    """Whether a repeated submission is equal to the first one."""


class TakenError(Exception):
    """Raised if the seat was given to somebody else in the meantime; the draft is kept."""


def submit(
    connection: Connection,
    campaign: Campaign,
    lease: Lease,
    content: Content,
    now: float,
    seconds: float,
    pasted: float = 0.0,
) -> Submitted:
    """Store a contribution, and advance the item if its phase is complete; a repeated call changes nothing.

    `seconds` is the time it took, `pasted` the share of the text that was pasted. Reviewers see both.
    """
    fresh = lease_by_token(connection, lease.token, lease.person_id)
    assert fresh is not None  # leases are never deleted
    text = msgspec.json.encode(content).decode()
    if fresh.state == "done" and fresh.contribution_id is not None:
        kept = select(tables.contribution.c.content).where(tables.contribution.c.id == fresh.contribution_id)
        return Submitted(fresh.contribution_id, same=connection.execute(kept).scalar_one() == text)
    if fresh.state != "active" and not take_up_again(connection, campaign, fresh, now):
        raise TakenError
    item, right, fooled = load_item(connection, fresh.item_id), None, None
    if item.state == "check" and item.gold is not None:
        given = msgspec.to_builtins(content)
        right = all(given.get(name, "").casefold() == wanted.casefold() for name, wanted in item.gold.items())
    if campaign.flow.phase(fresh.phase).checked:  # from the last check of exactly these texts
        check = tables.check.c
        texts = msgspec.json.encode(msgspec.to_builtins(content)).decode()
        checks = select(check.fooled).where(check.lease_id == lease.id, check.texts == texts)
        fooled = connection.execute(checks.order_by(check.id.desc()).limit(1)).scalar()
    found = {"seconds": seconds, "pasted": pasted, "right": right, "fooled": fooled}
    number = append(connection, campaign, fresh, content, now, **found)
    base = campaign.settings.phases[fresh.phase].pay
    pay_contribution(connection, campaign.settings.pay, base, fresh.person_id, number, now)
    if item.state != "check":
        _follow(connection, campaign, item, fresh.phase, now)
    return Submitted(number)


def append(
    connection: Connection,
    campaign: Campaign,
    lease: Lease,
    content: Content | None,
    now: float,
    **more: Any,
) -> int:
    """Append a version to the contributions of a lease; versions are never changed."""
    phase, made = campaign.settings.phases[lease.phase], tables.contribution
    earlier = select(func.count()).where(made.c.lease_id == lease.id)
    row = {
        "lease_id": lease.id,
        "version": connection.execute(earlier).scalar_one() + 1,
        "item_id": lease.item_id,
        "person_id": lease.person_id,
        "phase": lease.phase,
        "content": None if content is None else msgspec.json.encode(content).decode(),
        "seconds": 0.0,
        "guideline_version": phase.version,
        "test_version": phase.test.version if phase.test else 0,
        "at": now,
    }
    number = insert_row(connection, made, **row | more)
    if content is not None:
        change_lease(connection, lease.id, state="done", contribution_id=number, note=None)
    return number


def _follow(connection: Connection, campaign: Campaign, item: Item, phase: str, now: float) -> None:
    """Once everyone assigned to a phase has finished, move the item to the state that the flow decides."""
    people = campaign.settings.phases[phase].people
    if people > 1 and count_seats(connection, item.id, phase, "done") < people:
        return
    past = load_past(connection, campaign.flow, item.id)
    match campaign.flow.settle(item, phase, past):
        case Advance(following):
            put_item(connection, campaign, item.id, following, "open", now)
        case Finish(kept):
            put_item(connection, campaign, item.id, phase, "done" if kept else "removed", now)
        case Dispute(reason, words, about):
            disputed = valid_contribution(connection, item.id, about)
            if reason == "leak" and _is_accepted(connection, disputed, reason):
                put_item(connection, campaign, item.id, phase, "done", now)
                return
            put_item(connection, campaign, item.id, phase, "flagged", now)
            row = {"item_id": item.id, "contribution_id": disputed, "reason": reason, "words": words, "at": now}
            insert_row(connection, tables.flag, **row)


def _is_accepted(connection: Connection, contribution_id: int | None, reason: str) -> bool:
    """Whether a reviewer wrote this version of a contribution, or kept it despite a flag with this reason."""
    flag = tables.flag.c
    kept = exists().where(flag.contribution_id == _made.id, flag.reason == reason, flag.outcome == "unfair")
    accepted = (_made.id == contribution_id) & (kept | _made.editor_id.is_not(None))
    return connection.execute(select(_made.id).where(accepted)).first() is not None


def undo(connection: Connection, campaign: Campaign, contribution_id: int, person_id: int, now: float) -> Lease | None:
    """Withdraw a contribution, as a new version; return the lease to edit it in, or None if it cannot be withdrawn."""
    rows = _withdrawable(campaign, person_id, now).where(tables.contribution.c.id == contribution_id)
    row = connection.execute(rows).first()
    lease = lease_by_token(connection, row.token, person_id) if row else None
    if lease is None:
        return None
    append(connection, campaign, lease, None, now)
    void_contribution(connection, contribution_id, person_id, now)
    withdraw(connection, lease.item_id)
    until = now + campaign.settings.lease_minutes * 60
    change_lease(connection, lease.id, state="active", contribution_id=None, expires_at=until)
    state = "check" if load_item(connection, lease.item_id).state == "check" else "open"
    put_item(connection, campaign, lease.item_id, lease.phase, state, now)
    return lease


def withdraw(connection: Connection, item_id: int) -> None:
    """Withdraw undecided flags of an item, because the flagged work no longer exists."""
    waiting = (tables.flag.c.item_id == item_id) & tables.flag.c.outcome.is_(None)
    connection.execute(update(tables.flag).where(waiting).values(outcome=WITHDRAWN))


def undoable(
    connection: Connection, campaign: Campaign, contributions: Sequence[int], person_id: int, now: float
) -> set[int]:
    """Return which of these contributions their author may withdraw now."""
    rows = _withdrawable(campaign, person_id, now).where(tables.contribution.c.id.in_(contributions))
    return {row.id for row in connection.execute(rows)}


def _withdrawable(campaign: Campaign, person_id: int, now: float) -> Select[Any]:
    """Return a query for the contributions that a person may withdraw.

    It is too late if the time limit has passed, a reviewer has decided about the item, the pay was exported, the author
    has seen the whole item, or somebody has continued with it.
    """
    made, lease, flag, payment = tables.contribution.c, tables.lease.c, tables.flag.c, tables.payment.c
    item, sight, part = tables.item.c, tables.sight.c, tables.lease.alias().c
    names = campaign.flow.names
    later = or_(*(and_(lease.phase == name, part.phase.in_(names[at + 1 :])) for at, name in enumerate(names)))
    in_doubt = exists().where(flag.contribution_id == made.id, flag.reason == EDITED, flag.outcome.is_(None))
    held = exists().where(part.item_id == lease.item_id, part.state.in_(HELD), later)
    too_late = or_(
        made.at < now - campaign.settings.undo_minutes * 60,
        exists().where(flag.item_id == lease.item_id, flag.decided_at >= made.at),
        exists().where(payment.contribution_id == made.id, payment.state.in_(LEFT)),
        exists().where(sight.item_id == lease.item_id, sight.person_id == person_id),
        ((item.state == "flagged") & ~in_doubt) | held,
    )
    return (
        select(made.id, lease.token)
        .join(tables.lease, (lease.id == made.lease_id) & (lease.contribution_id == made.id))
        .join(tables.item, item.id == lease.item_id)
        .where(made.person_id == person_id, lease.state == "done", ~too_late)
    )
