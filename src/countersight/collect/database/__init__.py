"""The database of a campaign: SQLite in its folder, or PostgreSQL by address."""

from countersight.collect.database.store import Store, insert_row

__all__ = ["Store", "insert_row"]
