"""Payments: a double-entry ledger in minor units.

A payment moves between accounts: somebody earns it (accrued), a lead approves it, it is exported in a batch, and it is
settled once it has been paid. Alternatively, it is voided. Every move is a posting that debits one account and credits
another, so the sum of all accounts is always zero. Countersight itself pays nobody.
"""

from typing import Literal

from sqlalchemy import ColumnElement, Connection, func, select, update

from countersight.collect import tables
from countersight.collect.settings import Pay
from countersight.collect.store import insert_row
from countersight.errors import CampaignError

Account = Literal["budget", "accrued", "approved", "exported", "settled", "voided"]
Kind = Literal["work", "fooling", "series"]
FOLLOWS: dict[str, tuple[Account, ...]] = {
    "accrued": ("approved", "voided"),
    "approved": ("exported", "voided"),
    "exported": ("settled", "voided"),
    "settled": (),
    "voided": (),
}
"""The accounts to which a payment may move next."""
LEFT: tuple[Account, ...] = ("exported", "settled")
"""Accounts of payments in an exported file: they change only with the whole batch."""
_paid = tables.payment.c


def accrue(connection: Connection, person_id: int, contribution_id: int, kind: Kind, amount: int, now: float) -> None:
    """Record that somebody has earned something."""
    if amount <= 0:
        return
    row = {"person_id": person_id, "contribution_id": contribution_id, "kind": kind, "amount": amount}
    number = insert_row(connection, tables.payment, **row, state="accrued", at=now)
    insert_row(connection, tables.posting, payment_id=number, debit="budget", credit="accrued", amount=amount, at=now)


def move(connection: Connection, which: ColumnElement[bool], to: Account, by: int | None, now: float) -> int:
    """Move payments to their next account, and return how many moved. Others stay where they are."""
    moved = 0
    before = [state for state, following in FOLLOWS.items() if to in following]
    for row in connection.execute(select(tables.payment).where(which, _paid.state.in_(before))).all():
        connection.execute(update(tables.payment).where(_paid.id == row.id).values(state=to))
        accounts = {"debit": row.state, "credit": to, "amount": row.amount}
        insert_row(connection, tables.posting, payment_id=row.id, by_id=by, at=now, **accounts)
        moved += 1
    return moved


def void_contribution(connection: Connection, contribution_id: int, by: int | None, now: float) -> None:
    """Void the earnings of all versions of a contribution, except exported ones, so exported files stay correct."""
    move(connection, _of_seat(contribution_id) & _paid.state.not_in(LEFT), "voided", by, now)


def void_person(connection: Connection, person_id: int, by: int, now: float) -> int:
    """Void all earnings of a person, except exported ones; return their amount."""
    theirs = (_paid.person_id == person_id) & _paid.state.in_(("accrued", "approved"))
    amount = int(connection.execute(select(func.coalesce(func.sum(_paid.amount), 0)).where(theirs)).scalar_one())
    move(connection, theirs, "voided", by, now)
    return amount


def _of_seat(contribution_id: int) -> ColumnElement[bool]:
    """Return the SQL condition for payments for any version of a contribution."""
    made = tables.contribution.c
    seat = select(made.lease_id).where(made.id == contribution_id).scalar_subquery()
    versions = select(made.id).where(made.lease_id == seat)
    return (_paid.contribution_id == contribution_id) | _paid.contribution_id.in_(versions)


def approve(connection: Connection, person_id: int, by: int, now: float) -> int:
    """Approve everything a person has accrued, and return the number of payments; nobody can approve their own."""
    if person_id == by:
        raise CampaignError("You cannot approve your own pay; ask another lead.")
    return move(connection, _paid.person_id == person_id, "approved", by, now)


def export_batch(connection: Connection, by: int, now: float) -> int | None:
    """Put everything approved into a batch; return the batch, or None if nothing is due.

    The payments are marked as exported in the same transaction, so no payment is ever in two batches.
    """
    due = _paid.state == "approved"
    if connection.execute(select(_paid.id).where(due)).first() is None:
        return None
    batch = insert_row(connection, tables.batch, by_id=by, at=now, csv="")
    connection.execute(update(tables.payment).where(due).values(batch_id=batch))
    move(connection, _paid.batch_id == batch, "exported", by, now)
    return batch


def batch_csv(connection: Connection, batch: int) -> str:
    """Return the CSV of a batch in Prolific's bulk bonus format: one `participant id,amount` per line."""
    person = tables.person.c
    name = func.coalesce(person.participant, person.pseudonym)
    totals = select(name, func.sum(_paid.amount)).join(tables.person, person.id == _paid.person_id)
    rows = connection.execute(totals.where(_paid.batch_id == batch).group_by(person.id, name).order_by(person.id))
    return "".join(f"{name},{amount // 100}.{amount % 100:02d}\n" for name, amount in rows)


def close_batch(connection: Connection, batch: int, outcome: Account, by: int, now: float) -> int:
    """Record that a batch was paid elsewhere (settled), or never will be (voided)."""
    return move(connection, _paid.batch_id == batch, outcome, by, now)


def balances(connection: Connection, person_id: int | None = None) -> dict[str, int]:
    """Return the amount in each account, for one person or for all."""
    question = select(_paid.state, func.sum(_paid.amount)).group_by(_paid.state)
    rows = connection.execute(question if person_id is None else question.where(_paid.person_id == person_id))
    return {state: int(amount) for state, amount in rows}


def balances_by_person(connection: Connection, after: int, most: int) -> dict[tuple[int, str], dict[str, int]]:
    """Return the balances of each person with earnings, by number and name, one page at a time."""
    person = tables.person.c
    earners = select(person.id, func.coalesce(person.name, "(deleted)")).where(person.id > after)
    earners = earners.where(person.id.in_(select(_paid.person_id))).order_by(person.id).limit(most)
    return {(number, name): balances(connection, number) for number, name in connection.execute(earners).all()}


def pay_contribution(
    connection: Connection, pay: Pay, base: int, person_id: int, contribution_id: int, now: float
) -> None:
    """Pay a contribution: its base and a bonus for the series. A correction earns nothing more."""
    if _earned_already(connection, contribution_id, "work"):
        return
    bonus = next_bonus(connection, pay, person_id)
    accrue(connection, person_id, contribution_id, "work", base, now)
    accrue(connection, person_id, contribution_id, "series", bonus, now)


def next_bonus(connection: Connection, pay: Pay, person_id: int) -> int:
    """Return the bonus for a person's next contribution (CoSIm A.2: 2 cents for the first 25, 3 for the next 25, …)."""
    stands = (_paid.person_id == person_id, _paid.kind == "work", _paid.state != "voided")
    before = int(connection.execute(select(func.count()).where(*stands)).scalar_one())
    return pay.series_first + before // pay.series * pay.series_step if pay.series else 0


def pay_fooling(connection: Connection, pay: Pay, item_id: int, now: float) -> None:
    """Pay the bonus for distractors that fooled the model, once a reviewer has accepted the item."""
    made, lease = tables.contribution.c, tables.lease.c
    question = select(made.id, made.person_id, made.fooled).join(tables.lease, lease.contribution_id == made.id)
    for row in connection.execute(question.where(lease.item_id == item_id, lease.state == "done", made.fooled > 0)):
        if not _earned_already(connection, row.id, "fooling"):
            accrue(connection, row.person_id, row.id, "fooling", row.fooled * pay.fooling, now)


def _earned_already(connection: Connection, contribution_id: int, kind: Kind) -> bool:
    earned = (_of_seat(contribution_id), _paid.kind == kind, _paid.state != "voided")
    return connection.execute(select(_paid.id).where(*earned)).first() is not None
