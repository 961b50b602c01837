"""Manage a campaign from the command line: create it, add items to it, invite people, back it up and restore it."""

import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, text

from countersight.case import Case
from countersight.collect import people, tables
from countersight.collect.audit_log import record
from countersight.collect.campaign import (
    DATABASE,
    PICTURES,
    SECRET,
    SETTINGS,
    Campaign,
    keep_picture,
    make_private,
    remember_database,
)
from countersight.collect.flows import FLOWS, NewItem, Sources
from countersight.collect.flows.new_items import dataset_at
from countersight.collect.pay import balances
from countersight.collect.settings import GUIDELINES, settings_text
from countersight.collect.store import Store
from countersight.collect.work import add_items
from countersight.dataset import read_card
from countersight.engine import LOCK, lock_folder
from countersight.errors import CampaignError
from countersight.files import Staging
from countersight.suggestions import unknown
from countersight.text import several

_MANY = 1_000
"""The number of rows that are copied at a time."""


class Added(msgspec.Struct, frozen=True):
    """The number of items that were added."""

    items: int
    known: int
    """The number of items with a known answer, which check people's care and are not exported."""

    def __str__(self) -> str:
        known = f" and {several(self.known, 'item')} with a known answer" if self.known else ""
        return several(self.items, "item") + known


def new_campaign(
    folder: Path, flow: str, sources: Sources, *, title: str, language: str = "en", database: str | None = None
) -> Added:
    """Create a campaign folder for a flow; return how many items it has. Invalid pictures and rows are skipped."""
    if flow not in FLOWS:
        raise CampaignError(unknown("flow", flow, FLOWS))
    with Staging(folder) as staging:
        (staging / PICTURES).mkdir()
        # A verified dataset keeps the licence of its source.
        source = sources.source if flow in ("cvqa", "verify") else None
        card = read_card(dataset_at(source).path)[0] if source else {}
        text = settings_text(flow, title, language, card.get("license", ""))
        (staging / SETTINGS).write_text(text, encoding="utf-8")
        with closing(Campaign.open(staging, database)) as campaign:
            made = _add(campaign, sources)
        if not (made.items or made.known):
            raise CampaignError("the campaign would be empty: no picture and no case could be used")
    return made


def add_to_campaign(campaign: Campaign, sources: Sources) -> Added:
    """Add pictures or cases to a campaign, even while it is served; return how many items were added."""
    made = _add(campaign, sources)
    details = {**msgspec.to_builtins(made), "from": str(sources.pictures or sources.source or sources.gold)}
    campaign.store.write_now(lambda c: record(c, None, "add", "", details, time.time()))
    return made


def _add(campaign: Campaign, sources: Sources) -> Added:
    """Add items to a campaign, in one write."""
    for name in ("pictures", "source", "gold"):
        if getattr(sources, name) and name not in campaign.flow.uses:
            raise CampaignError(f"the flow {campaign.flow.name} does not use `{name}`: leave it out")
    columns = select(tables.item.c.key, tables.item.c.source)
    rows = campaign.store.read(lambda c: c.execute(columns).all())
    known: dict[str, dict[str, Any]] = {row.key: msgspec.json.decode(row.source) for row in rows}
    new = campaign.flow.new_items(sources, partial(keep_picture, campaign.path), known)
    items = list(_named(new, known, sources.on_bad))
    campaign.store.write_now(lambda c: add_items(c, campaign, items, time.time()))
    known_answers = sum(item.gold is not None for item in items)
    return Added(len(items) - known_answers, known_answers)


def _named(
    items: Iterable[NewItem], known: dict[str, dict[str, Any]], on_bad: Callable[[str], None]
) -> Iterator[NewItem]:
    """Yield the items that are not `known` yet; an item whose name is taken by another item gets a new name."""
    known = dict(known)
    for item in items:
        name, number = item.key, 1
        while name in known and _visible(known[name]) != _visible(item.source):
            number += 1
            name = f"{item.key[:190]}-{number}"
        if name in known:
            on_bad(f"{item.key}: this item is already in the campaign")
            continue
        known[name] = item.source
        if name == item.key:
            yield item
            continue
        on_bad(f"{item.key}: another item has this name, so this one is called {name}")
        source = item.source
        if isinstance(source.get("case"), dict):  # exports use the id as the name
            source = source | {"case": source["case"] | {"id": name}}
        yield msgspec.structs.replace(item, key=name, source=source)


def _visible(source: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of an item that people see, whatever its origin."""
    seen = {name: value for name, value in source.items() if name not in ("dataset", "fingerprint", "row", "files")}
    if isinstance(seen.get("case"), dict):
        case = msgspec.convert(seen["case"], Case)
        seen["case"] = (case.factual, case.change, case.counterfactual, case.shown, case.context)
    return seen


def invite_person(campaign: Campaign, name: str, role: people.Role | None = None) -> tuple[str, people.Person | None]:
    """Create an account (a worker's by default), or a new link for an existing account.

    Return the token of the one-time link, and the account if it existed. A new link never changes a role.
    """

    def invite(connection: Connection) -> tuple[str, people.Person | None]:
        there, now = people.account_named(connection, name), time.time()
        if there and role not in (None, there.role):
            raise CampaignError(f"{there.name} has an account with the role {there.role}: a link does not change roles")
        if there:
            record(connection, None, "link", there.id, {}, now)
            return people.new_link(connection, there.id, now), there
        invited, token = people.invite(connection, name, role or "worker", now)
        record(connection, None, "invite", invited, {"role": role or "worker"}, now)
        return token, None

    return campaign.store.write_now(invite)


def make_token(campaign: Campaign, name: str) -> str:
    """Return a new API token of a lead, found by name or pseudonym; others cannot use the API."""

    def make(connection: Connection) -> str:
        person, now = people.find_person(connection, name), time.time()
        if not person.is_at_least("lead"):
            raise CampaignError(f"{person.name} is a {person.role}: only leads can use the API, so no token was made")
        record(connection, None, "make_token", person.id, {}, now)
        return people.begin_session(connection, person.id, now, "command line")

    return campaign.store.write_now(make)


def forget_person(campaign: Campaign, name: str) -> tuple[str, int]:
    """Delete the identity of a person, found by name or pseudonym; contributions stay under the pseudonym.

    Return the pseudonym, and the earnings that were not exported, in minor units.
    """

    def forget(connection: Connection) -> tuple[str, int]:
        person, now = people.find_person(connection, name), time.time()
        people.forget(connection, campaign.secret, person.id, now)
        record(connection, None, "forget", person.id, {}, now)
        earned = balances(connection, person.id)
        return person.pseudonym, earned.get("accrued", 0) + earned.get("approved", 0)

    return campaign.store.write_now(forget)


def list_people(campaign: Campaign) -> list[people.Person]:
    """Return all accounts."""
    return campaign.store.read(people.everybody)


def _database(folder: Path) -> Store:
    """Open the SQLite database in a campaign folder, readable only by its owner."""
    make_private(folder / DATABASE)
    return Store(f"sqlite:///{(folder / DATABASE).resolve()}")


def back_up(campaign: Path, folder: Path, database: str | None = None) -> None:
    """Copy a campaign into a new folder, even while people work in it.

    The copy always has a SQLite database: it can be opened directly, or restored into PostgreSQL.
    """
    with closing(Campaign.open(campaign, database)) as opened, Staging(folder) as staging:
        with closing(_database(staging)) as copy:
            _copy(opened.store, copy)
        _copy_files(campaign, staging)  # pictures are never removed, so those of all copied items exist


def restore(backup: Path, folder: Path, database: str | None = None) -> bool:
    """Restore a campaign from a backup, with its SQLite database or into the empty database at the address `database`.

    Return whether the backup has never been served. The folder of a stopped campaign is copied in its current state.
    """
    if not (backup / DATABASE).is_file():
        raise CampaignError(
            f"{backup} is not a backup made by `countersight collect backup`: it contains no {DATABASE}"
        )
    served = (backup / LOCK).exists()
    if served:
        try:
            lock_folder(backup, CampaignError).close()
        except CampaignError:
            raise CampaignError(
                f"{backup} is not a backup but a campaign whose server is running: copy it with "
                "`countersight collect backup`"
            ) from None
    with Staging(folder) as staging:
        _copy_files(backup, staging)
        with closing(_database(backup)) as copy, closing(Store(database) if database else _database(staging)) as target:
            if target.read(lambda c: c.execute(select(func.count()).select_from(tables.person)).scalar_one()):
                raise CampaignError("the database already contains people: use an empty database")
            _copy(copy, target)
        if database:
            remember_database(staging, database)
    return not served


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
        writing.execute(delete(tables.campaign))  # of a campaign that could not be made
        for table in tables.metadata.sorted_tables:
            rows = reading.execution_options(yield_per=_MANY).execute(select(table)).mappings()
            for part in rows.partitions(_MANY):
                writing.execute(insert(table), [dict(row) for row in part])
            if writing.dialect.name == "postgresql" and "id" in table.c:
                place = f"pg_get_serial_sequence('{table.name}', 'id')"
                writing.execute(text(f"SELECT setval({place}, coalesce(max(id), 0) + 1, false) FROM {table.name}"))  # noqa: S608
