"""Backup and restore: a consistent copy of a campaign, whatever its database.

A copy is a campaign folder with a SQLite database, so it can be opened as it is, or restored into PostgreSQL.
"""

import shutil
from contextlib import closing
from pathlib import Path

from sqlalchemy import func, insert, select, text

from countersight.collect import tables
from countersight.collect.campaign import (
    DATABASE,
    PICTURES,
    SECRET,
    SETTINGS,
    Campaign,
    make_private,
    remember_database,
)
from countersight.collect.settings import GUIDELINES
from countersight.collect.store import Store
from countersight.errors import CampaignError
from countersight.files import Staging

_MANY = 1_000


def _database(folder: Path) -> Store:
    """Open the SQLite database in a campaign folder, readable only by its owner."""
    make_private(folder / DATABASE)
    return Store(f"sqlite:///{(folder / DATABASE).resolve()}")


def back_up(campaign: Path, folder: Path, database: str | None = None) -> None:
    """Copy a campaign into a new folder, even while people work in it."""
    with closing(Campaign.open(campaign, database)) as opened, Staging(folder) as staging:
        with closing(_database(staging)) as copy:
            _copy(opened.store, copy)
        _copy_files(campaign, staging)  # pictures are never removed, so those of all copied items exist


def restore(backup: Path, folder: Path, database: str | None = None) -> None:
    """Restore a campaign folder from a copy, with its SQLite database or into an empty one at an address."""
    if not (backup / DATABASE).is_file():
        raise CampaignError(
            f"{backup} is not a backup made by `countersight collect backup`: it contains no {DATABASE}"
        )
    with Staging(folder) as staging:
        _copy_files(backup, staging)
        with closing(_database(backup)) as copy, closing(Store(database) if database else _database(staging)) as target:
            if target.read(lambda c: c.execute(select(func.count()).select_from(tables.person)).scalar_one()):
                raise CampaignError("the database already contains people: name an empty one")
            _copy(copy, target)
        if database:
            remember_database(staging, database)


def _copy_files(source: Path, target: Path) -> None:
    for name in (PICTURES, GUIDELINES, "locale"):
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name)
    for name in (SETTINGS, SECRET):
        if (source / name).is_file():
            shutil.copy2(source / name, target / name)


def _copy(source: Store, target: Store) -> None:
    """Copy all rows from one snapshot, in one transaction."""
    with source.snapshot() as reading, target.writers.begin() as writing:
        for table in tables.metadata.sorted_tables:
            rows = reading.execution_options(yield_per=_MANY).execute(select(table)).mappings()
            for part in rows.partitions(_MANY):
                writing.execute(insert(table), [dict(row) for row in part])
            if writing.dialect.name == "postgresql" and "id" in table.c:
                place = f"pg_get_serial_sequence('{table.name}', 'id')"
                writing.execute(text(f"SELECT setval({place}, coalesce(max(id), 0) + 1, false) FROM {table.name}"))  # noqa: S608
