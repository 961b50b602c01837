"""What leads and reviewers do: whose database it is, the audit log, pausing, notes, edits, tokens of scripts."""

import sqlalchemy
from alembic import op
from sqlalchemy.schema import CreateColumn

from countersight.collect.database.tables import action, campaign, contribution, lease, person, session

revision = "0005"
down_revision = "0004"

_COLUMNS = (person.c.access, session.c.label, lease.c.note, contribution.c.editor_id)


def upgrade() -> None:
    """Make the tables and columns; a database made today has the columns from its first tables on."""
    for table in (campaign, action):
        table.create(op.get_bind())
    for column in _COLUMNS:
        there = sqlalchemy.inspect(op.get_bind()).get_columns(column.table.name)
        if column.name not in {each["name"] for each in there}:
            told = CreateColumn(column).compile(dialect=op.get_bind().dialect)
            op.execute(f"ALTER TABLE {column.table.name} ADD COLUMN {told}")
