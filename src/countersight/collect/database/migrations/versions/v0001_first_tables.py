"""The first tables, as `tables.py` has them.

The migration that first changes one of them writes the tables of this one out here, so that both stay what they were.
"""

from alembic import op

from countersight.collect.database.tables import metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table."""
    metadata.create_all(op.get_bind())
