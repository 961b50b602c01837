"""Later visits from Prolific, people who asked to be deleted, and what leads have looked at."""

from alembic import op

from countersight.collect.database.tables import arrival, departed, sight

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables."""
    for table in (arrival, departed, sight):
        table.create(op.get_bind())
