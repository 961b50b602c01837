"""The first tables, as `tables.py` has them.

The migration that first changes one of them writes the tables of this one out here, so that both stay what they were.
"""

from alembic import op

from countersight.collect.database.tables import metadata

_LATER = ("proposal", "arrival", "departed", "sight", "campaign", "action")
"""Tables that later migrations make."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table there was at first."""
    metadata.create_all(op.get_bind(), [table for table in metadata.sorted_tables if table.name not in _LATER])
