"""The ledger: nothing is earned twice, paid twice or lost on the way."""

import re

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sqlalchemy import create_engine, select

from countersight.collect import pay, people, tables
from countersight.collect.settings import Pay

PAYMENTS = st.integers(0, 30)


class Ledger(RuleBasedStateMachine):
    """Anybody may do anything in any order: the books stay balanced, and money only moves forward."""

    @initialize()
    def open_books(self):
        self.connection = create_engine("sqlite://").connect()
        tables.metadata.create_all(self.connection)
        self.lead, self.worker = (people.add_person(self.connection, name, "lead", 0.0) for name in ("lea", "ada"))
        self.earned, self.next = 0, 1

    @rule(amount=st.integers(-3, 500))
    def earn(self, amount):
        pay.accrue(self.connection, self.worker, self.next, "work", amount, 1.0)
        self.next += 1
        self.earned += max(0, amount)

    @rule()
    def approve(self):
        pay.approve(self.connection, self.worker, self.lead, 2.0)

    @rule()
    def export(self):
        pay.export_batch(self.connection, self.lead, 3.0)

    @rule(batch=st.integers(1, 4), outcome=st.sampled_from(["settled", "voided"]))
    def close(self, batch, outcome):
        pay.close_batch(self.connection, batch, outcome, self.lead, 4.0)

    @rule(contribution=PAYMENTS)
    def void(self, contribution):
        pay.void_contribution(self.connection, contribution, self.lead, 5.0)

    @rule(payment=PAYMENTS, to=st.sampled_from(["accrued", "approved", "exported", "settled", "voided"]))
    def push(self, payment, to):
        before = self.state_of(payment)
        pay.move(self.connection, tables.payment.c.id == payment, to, self.lead, 6.0)
        assert self.state_of(payment) in (before, *(pay.FOLLOWS[before] if before else ()))

    def state_of(self, payment):
        return self.connection.execute(select(tables.payment.c.state).where(tables.payment.c.id == payment)).scalar()

    @invariant()
    def books_balance(self):
        if not hasattr(self, "connection"):
            return
        accounts: dict[str, int] = {}
        for row in self.connection.execute(select(tables.posting)):
            accounts[row.debit] = accounts.get(row.debit, 0) - row.amount
            accounts[row.credit] = accounts.get(row.credit, 0) + row.amount
        assert sum(accounts.values()) == 0
        assert -accounts.get("budget", 0) == self.earned
        stand = {state: amount for state, amount in accounts.items() if state != "budget" and amount}
        assert stand == pay.balances(self.connection, self.worker)

    @invariant()
    def no_payment_is_in_two_batches(self):
        if not hasattr(self, "connection"):
            return
        batches = self.connection.execute(select(tables.batch.c.id)).scalars().all()
        texts = [pay.batch_csv(self.connection, batch) for batch in batches]
        exported = sum(round(float(line.rpartition(",")[2]) * 100) for text in texts for line in text.splitlines())
        left = self.connection.execute(select(tables.posting.c.amount).where(tables.posting.c.credit == "exported"))
        assert exported == sum(left.scalars())


TestLedger = Ledger.TestCase
TestLedger.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)


@pytest.mark.parametrize(("before", "bonus"), [(0, 2), (24, 2), (25, 3), (49, 3), (50, 4)])
def test_the_bonus_of_a_series_is_that_of_the_paper(before, bonus):
    """CoSIm A.2: 2 cents each for the first 25, 3 for the next 25, 4 for the next."""
    with create_engine("sqlite://").connect() as connection:
        tables.metadata.create_all(connection)
        for number in range(before):
            pay.accrue(connection, 1, number, "work", 10, 1.0)
        assert pay.next_bonus(connection, Pay(series=25, series_first=2, series_step=1), 1) == bonus


def test_long_lists_of_people_and_pay_go_on_where_they_were_left(opening):
    enter, campaign = opening("verify", 1)
    lead = enter("lead", "lead")
    numbers = campaign.store.write_now(
        lambda c: [people.add_person(c, f"worker {place:02d}", "worker", 1.0) for place in range(60)]
    )
    campaign.store.write_now(lambda c: [pay.accrue(c, number, None, "work", 5, 1.0) for number in numbers])
    for path, first, last in (("/lead/people", "worker 00", "worker 59"), ("/lead/pay", "worker 00", "worker 59")):
        page = lead.get(path).text
        assert first in page
        assert last not in page
        more = re.search(rf'href="({path}\?after=\d+)"', page).group(1)
        assert last in lead.get(more).text
    after = more.partition("?")[2]
    assert lead.post(f"/lead/pay/approve/{numbers[-1]}?{after}").headers["location"] == more
