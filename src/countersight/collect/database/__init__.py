"""The database of a campaign: SQLite in its folder, or PostgreSQL by address."""

from countersight.collect.database.store import Store

__all__ = ["Store"]
