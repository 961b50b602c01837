"""Proposals of a model, shown once somebody has committed to a first try."""

from alembic import op

from countersight.collect.database.tables import proposal

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    proposal.create(op.get_bind())
