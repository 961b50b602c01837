"""Indexes for lists of items and totals of pay, which leads look at often."""

from alembic import op

from countersight.collect.database.tables import item_listed, payment_total

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the indexes; a database made today has them from its first tables on."""
    for index in (item_listed, payment_total):
        index.create(op.get_bind(), checkfirst=True)
