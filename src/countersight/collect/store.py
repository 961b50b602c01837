"""The database of a campaign, with many readers and one writer.

Every write goes through one thread, which commits all waiting writes together, so they share one wait for the disk. A
write is acknowledged after that commit. It may be run twice, so it must have no effects outside the database. On SQLite
a transaction begins with BEGIN IMMEDIATE, on PostgreSQL with an advisory lock, so a second process (a command beside
the server) waits its turn and never sees "database is locked".
"""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Table, create_engine, event, func, insert, inspect, make_url, select, text
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.schema import CreateColumn

from countersight.collect.tables import VERSION, campaign, metadata
from countersight.errors import CampaignError

T = TypeVar("T")
_Job = tuple[Callable[[Connection], Any], "Future[Any]"]

_MOST_TOGETHER = 16
"""The maximum number of writes in one commit; the first one waits for the last."""
_ADVISORY_LOCK = 0x636F756E  # "coun": an arbitrary number, the same in every version


_WRITER: dict[str, Any] = {"pool_size": 1, "max_overflow": 0}
# Readers run single queries and change nothing, so they need no transaction, which would double the cost.
_READER: dict[str, Any] = {
    "pool_size": 4,
    "max_overflow": 8,
    "isolation_level": "AUTOCOMMIT",
    "pool_reset_on_return": None,
}


class Store:
    """The open database of a campaign."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._readers = _engine(url, writing=False)
        self.writers = _engine(url, writing=True)
        """Serialises writes outside the writer thread."""
        try:
            _migrate(self.writers)
        except SQLAlchemyError as error:
            raise CampaignError(f"the database {_safe(url)} cannot be opened: {_first_line(error)}") from None
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
        self._thread.start()

    def read(self, question: Callable[[Connection], T]) -> T:
        """Run a short query at once."""
        with self._readers.connect() as connection:
            return question(connection)

    async def read_slowly(self, question: Callable[[Connection], T]) -> T:
        """Run a slow query without blocking others."""
        return await asyncio.to_thread(self.read, question)

    def write_now(self, job: Callable[[Connection], T]) -> T:
        """Run a write and wait until it is on disk."""
        return self._submitted(job).result()

    async def write(self, job: Callable[[Connection], T]) -> T:
        """Run a write; the data is on disk when this returns."""
        return await asyncio.wrap_future(self._submitted(job))

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Return a connection to a snapshot of the database, which does not block writers."""
        with self._readers.connect() as connection:
            if connection.dialect.name == "postgresql":
                yield connection.execution_options(isolation_level="REPEATABLE READ")
                return
            connection.exec_driver_sql("BEGIN")
            try:
                yield connection
            finally:
                connection.exec_driver_sql("ROLLBACK")

    def close(self) -> None:
        """Finish pending writes, then close the database."""
        self._jobs.put(None)
        self._thread.join()
        self._readers.dispose()
        self.writers.dispose()

    def _submitted(self, job: Callable[[Connection], T]) -> "Future[T]":
        future: Future[T] = Future()
        self._jobs.put((job, future))
        return future

    def _work(self) -> None:
        job = self._jobs.get()
        while job is not None:
            jobs = [job]
            while job is not None and len(jobs) < _MOST_TOGETHER and not self._jobs.empty():
                job = self._jobs.get()
                jobs += [job] if job else []
            # Skip jobs whose caller was cancelled; from here on they cannot be cancelled.
            self._commit([each for each in jobs if each[1].set_running_or_notify_cancel()])
            job = self._jobs.get() if job else None

    def _commit(self, jobs: list[_Job]) -> None:
        """Run writes in one transaction; if one fails, roll back and run each in its own transaction.

        Failures are rare, and a savepoint for every write would cost more than the write.
        """
        if not jobs:
            return
        try:
            with self.writers.begin() as connection:
                results = [job(connection) for job, _ in jobs]
        except Exception as error:
            if len(jobs) == 1:
                jobs[0][1].set_exception(error)
            else:
                for job in jobs:
                    self._commit([job])
            return
        for (_, future), result in zip(jobs, results, strict=True):
            future.set_result(result)


def is_unavailable(error: Exception) -> bool:
    """Whether an error means that the database cannot be used now: it is stopped, locked, or its disk is full."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    # SQLite also reports faulty statements as operational errors.
    return getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR


def insert_row(connection: Connection, table: Table, **values: Any) -> int:
    """Insert a row, and return its number."""
    key = connection.execute(insert(table).values(**values)).inserted_primary_key
    assert key is not None
    return int(key[0])


def _migrate(engine: Engine) -> None:
    """Create the tables, columns and indexes that a database lacks; refuse one that a newer version wrote."""
    with engine.begin() as connection:
        known = inspect(connection)
        there = {name: {each["name"] for each in known.get_columns(name)} for name in known.get_table_names()}
        if "version" in there.get("campaign", ()):
            version = connection.execute(select(func.max(campaign.c.version))).scalar() or VERSION
            if version > VERSION:
                raise CampaignError(
                    f"the database was written by a newer version of Countersight (table version {version}); install "
                    "that version"
                )
        metadata.create_all(connection)
        for table in (each for each in metadata.sorted_tables if each.name in there):
            for column in (each for each in table.columns if each.name not in there[table.name]):
                added = CreateColumn(column).compile(dialect=connection.dialect)
                connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {added}"))
            for index in table.indexes:
                index.create(connection, checkfirst=True)


def _engine(url: str, *, writing: bool) -> Engine:
    try:
        address = make_url(url)
        if address.drivername == "postgresql":
            address = address.set(drivername="postgresql+psycopg")
        if address.get_backend_name() not in ("sqlite", "postgresql"):
            raise CampaignError(f"{_safe(url)} is neither sqlite:///FILE nor postgresql://…")
        # Hidden parameters keep people's texts and password hashes out of error logs.
        engine = create_engine(address, hide_parameters=True, **(_WRITER if writing else _READER))
    except (SQLAlchemyError, ImportError) as error:
        raise CampaignError(f"{_safe(url)} cannot be used as a database: {_first_line(error)}") from None
    if address.get_backend_name() == "sqlite":
        _prepare_sqlite(engine)
    if writing:
        _begin_exclusively(engine, address.get_backend_name())
    return engine


def _prepare_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def connected(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # _begin_exclusively sends BEGIN
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")


def _begin_exclusively(engine: Engine, backend: str) -> None:
    if backend == "sqlite":
        begin, how = "BEGIN IMMEDIATE", {}
    else:  # one round trip; PostgreSQL cannot prepare two statements at once
        begin, how = f"BEGIN; SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})", {"prepare": False}

        @event.listens_for(engine, "connect")
        def connected(connection: Any, record: Any) -> None:
            connection.autocommit = True  # _begin_exclusively sends BEGIN

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        driver: Any = connection.connection.driver_connection
        try:
            driver.execute(begin, **how)
        except Exception as error:  # SQLAlchemy wraps only the errors of its own statements
            raise OperationalError(begin, None, error) from error


def _safe(url: str) -> str:
    """Return an address without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return "(an address that cannot be read)"


def _first_line(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
