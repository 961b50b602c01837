"""Alembic looks for this file; migrations are run by countersight.collect.database.migrating."""
