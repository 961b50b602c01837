"""The first tables."""

from alembic import op

from countersight.collect.database.tables import metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table."""
    metadata.create_all(op.get_bind())
