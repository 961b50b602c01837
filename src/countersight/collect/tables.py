"""The tables of a campaign. Times are seconds since 1970; contents written by a flow are JSON text.

When a database of an older version is opened, missing tables, columns and indexes are created, so a change that only
adds some of these needs no migration; new columns need a default. Raise VERSION when older programs must not open it.
"""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, String, Text

VERSION = 6
metadata = sa.MetaData()


def _table(name: str, *columns: Column[Any] | sa.CheckConstraint) -> sa.Table:
    """Return a table; its rows are numbered unless it has a key of its own."""
    has_key = any(isinstance(column, Column) and column.primary_key for column in columns)
    return sa.Table(name, metadata, *(() if has_key else [Column("id", Integer, primary_key=True)]), *columns)


def _index_where(condition: str, name: str, *columns: Column[Any], unique: bool = False) -> None:
    """Add an index of the rows that meet a condition."""
    where = sa.text(condition)
    Index(name, *columns, unique=unique, sqlite_where=where, postgresql_where=where)


campaign = _table(
    "campaign",
    Column("mark", String(64), primary_key=True),  # digest of the secret of the folder that the database belongs to
    Column("title", Text, nullable=False),
    Column("version", Integer, nullable=False, server_default=str(VERSION)),  # of the tables
)

action = _table(
    "action",  # what leads and reviewers did
    Column("at", Float, nullable=False),
    Column("person_id", ForeignKey("person.id"), nullable=True),  # none: from the command line
    Column("name", String(40), nullable=False),
    Column("subject", String(200), nullable=False),  # a person, an item, a flag or a batch, by number
    Column("details", Text, nullable=False),  # JSON
)

person = _table(
    "person",
    Column("name", String(100), unique=True, nullable=True),  # removed when the person's data is deleted
    Column("pseudonym", String(20), unique=True, nullable=False),
    Column("role", String(10), nullable=False),
    Column("password", Text, nullable=True),
    Column("invitation", String(64), unique=True, nullable=True),  # SHA-256 of the one-time link
    Column("invitation_until", Float, nullable=True),
    Column("participant", String(100), unique=True, nullable=True),  # PROLIFIC_PID
    Column("submission", String(100), nullable=True),  # SESSION_ID
    Column("consent", Integer, nullable=True),  # version of the text that was agreed to
    Column("consent_at", Float, nullable=True),
    Column("created_at", Float, nullable=False),
    Column("deleted_at", Float, nullable=True),
    Column("access", String(10), nullable=False, server_default="open"),  # open, paused or blocked
)

session = _table(
    "session",
    Column("token", String(64), primary_key=True),  # SHA-256 of the cookie
    Column("person_id", ForeignKey("person.id"), nullable=False, index=True),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False, index=True),
    Column("label", String(60), nullable=True),  # of a script's token; a browser's session has none
)

arrival = _table(
    "arrival",
    Column("person_id", ForeignKey("person.id"), primary_key=True),
    Column("submission", String(100), primary_key=True),  # SESSION_ID of a later visit; the first needs no row
    Column("at", Float, nullable=False),
)

departed = _table(
    "departed",
    Column("mark", String(64), primary_key=True),  # keyed digest of the PROLIFIC_PID of somebody who was deleted
)

item = _table(
    "item",
    Column("key", String(200), unique=True, nullable=False),
    Column("split", String(20), nullable=False, server_default=""),
    Column("source", Text, nullable=False),
    Column("gold", Text, nullable=True),
    Column("phase", String(20), nullable=False),
    Column("state", String(10), nullable=False),  # open, disputed, flagged, done, removed, check
    Column("seats_left", Integer, nullable=False),
    Column("phase_since", Float, nullable=False),
)
# Finds a worker's next item: the index holds only items with a free seat, so it stays small.
_index_where("state = 'open' AND seats_left > 0", "item_free", item.c.phase, item.c.id)
Index("item_state", item.c.state, item.c.phase)
Index("item_listed", item.c.state, item.c.id)

lease = _table(
    "lease",
    Column("token", String(40), unique=True, nullable=False),
    Column("item_id", ForeignKey("item.id"), nullable=False),
    Column("person_id", ForeignKey("person.id"), nullable=False),
    Column("phase", String(20), nullable=False),
    Column("state", String(10), nullable=False),  # active, done, flagged, released, expired
    Column("claimed_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
    Column("contribution_id", Integer, nullable=True),  # the version that counts
    Column("draft", Text, nullable=True),
    Column("draft_at", Float, nullable=True),
    Column("note", Text, nullable=True),  # a reviewer's reason for returning it
)
# One person has at most one seat of an item, so nobody verifies their own work. The database enforces this.
_HELD = "state IN ('active', 'done', 'flagged')"
_index_where(_HELD, "lease_one_part", lease.c.item_id, lease.c.person_id, unique=True)
Index("lease_item", lease.c.item_id, lease.c.phase, lease.c.state)
Index("lease_person", lease.c.person_id, lease.c.phase, lease.c.id)
_index_where("state = 'active'", "lease_expiry", lease.c.expires_at)
_index_where("state = 'active'", "lease_open", lease.c.person_id)

sight = _table(
    "sight",
    Column("person_id", ForeignKey("person.id"), primary_key=True),  # a lead who has seen the item's contributions
    Column("item_id", ForeignKey("item.id"), primary_key=True),
)

contribution = _table(
    "contribution",
    Column("lease_id", ForeignKey("lease.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("item_id", ForeignKey("item.id"), nullable=False, index=True),
    Column("person_id", ForeignKey("person.id"), nullable=False),
    Column("phase", String(20), nullable=False),
    Column("content", Text, nullable=True),  # null if it was withdrawn
    Column("seconds", Float, nullable=False),
    Column("pasted", Float, nullable=False, server_default="0"),  # share of the text that was pasted
    Column("guideline_version", Integer, nullable=False),
    Column("test_version", Integer, nullable=False),
    Column("right", Boolean, nullable=True),  # on an item whose answer is known
    Column("fooled", Integer, nullable=True),  # how many distractors fooled the model
    Column("at", Float, nullable=False),
    Column("editor_id", Integer, nullable=True),  # the reviewer who wrote this version
)
Index("contribution_version", contribution.c.lease_id, contribution.c.version, unique=True)
Index("contribution_person", contribution.c.person_id, contribution.c.at)
Index("contribution_phase", contribution.c.phase, contribution.c.at)

check = _table(
    "model_check",
    Column("lease_id", ForeignKey("lease.id"), nullable=False, index=True),
    Column("item_id", ForeignKey("item.id"), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("model", String(200), nullable=False),
    Column("asked", String(64), nullable=False),  # SHA-256 of what the model was given
    Column("texts", Text, nullable=False),
    Column("scores", Text, nullable=False),
    Column("fooled", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("at", Float, nullable=False),
)

flag = _table(
    "flag",
    Column("item_id", ForeignKey("item.id"), nullable=False, index=True),
    Column("contribution_id", ForeignKey("contribution.id"), nullable=True),
    Column("lease_id", ForeignKey("lease.id"), nullable=True),
    Column("person_id", ForeignKey("person.id"), nullable=True),
    Column("reason", String(30), nullable=False),
    Column("words", Text, nullable=False),
    Column("at", Float, nullable=False),
    Column("outcome", String(10), nullable=True, index=True),  # fair, unfair, edited, returned or withdrawn
    Column("reviewer_id", ForeignKey("person.id"), nullable=True),
    Column("note", Text, nullable=True),
    Column("decided_at", Float, nullable=True),
)

qualification = _table(
    "qualification",
    Column("person_id", ForeignKey("person.id"), nullable=False),
    Column("phase", String(20), nullable=False),
    Column("version", Integer, nullable=False),
    Column("answers", Text, nullable=False),
    Column("passed", Boolean, nullable=False),
    Column("reset_by", ForeignKey("person.id"), nullable=True),
    Column("at", Float, nullable=False),
)
Index("qualification_person", qualification.c.person_id, qualification.c.phase)

payment = _table(
    "payment",
    Column("person_id", ForeignKey("person.id"), nullable=False),
    Column("contribution_id", ForeignKey("contribution.id"), nullable=True),
    Column("kind", String(20), nullable=False),  # work, fooling, series
    Column("amount", Integer, nullable=False),  # minor units
    Column("state", String(10), nullable=False),  # accrued, approved, exported, settled, voided
    Column("batch_id", ForeignKey("batch.id"), nullable=True),
    Column("at", Float, nullable=False),
    sa.CheckConstraint("amount > 0", name="payment_is_positive"),
)
Index("payment_person", payment.c.person_id, payment.c.state)
Index("payment_once", payment.c.contribution_id, payment.c.kind, unique=True)
Index("payment_state", payment.c.state)
Index("payment_total", payment.c.state, payment.c.amount)

posting = _table(
    "posting",
    Column("payment_id", ForeignKey("payment.id"), nullable=False, index=True),
    Column("debit", String(10), nullable=False),  # the account it is taken from
    Column("credit", String(10), nullable=False),  # the account it goes to
    Column("amount", Integer, nullable=False),
    Column("by_id", ForeignKey("person.id"), nullable=True),
    Column("at", Float, nullable=False),
)

batch = _table(
    "batch",
    Column("by_id", ForeignKey("person.id"), nullable=True),
    Column("at", Float, nullable=False),
    Column("csv", Text, nullable=False),  # empty; earlier versions stored the exported lines
)
