"""A campaign is a folder: `campaign.toml`, the pictures, and a SQLite file unless another database is used.

The address of another database is stored in the folder, without its password.
"""

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

import msgspec
from sqlalchemy import URL, Connection, delete, insert, make_url, select
from sqlalchemy.exc import ArgumentError

from countersight.collect import tables
from countersight.collect.flows import Flow, flow_named
from countersight.collect.settings import GUIDELINES, LOCALE, Settings, read_catalog, read_settings
from countersight.collect.store import Store
from countersight.errors import CampaignError
from countersight.picture import Picture

SETTINGS = "campaign.toml"
PICTURES = "pictures"
SECRET = "secret.key"  # noqa: S105 - the name of the file
DATABASE = "campaign.sqlite"
ADDRESS = "database.txt"
_HIDDEN = "***"
SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
_GUIDE = re.compile(r"[\w-]{1,80}\.(?:png|jpe?g|gif|webp)", re.ASCII | re.IGNORECASE)
_NAME = re.compile(rf"[0-9a-f]{{32}}\.(?:{'|'.join(SUFFIXES.values())})")


class Campaign(msgspec.Struct, frozen=True):
    """An open campaign: its settings, its flow and its database."""

    path: Path
    settings: Settings
    flow: Flow
    store: Store
    secret: bytes
    """The key that signs tokens; it never leaves the folder."""

    @classmethod
    def open(cls, path: Path | str, database: str | None = None) -> Self:
        """Open a campaign folder with its database: the recorded one, or the one at an address.

        A campaign that has a database is never opened with an empty one.
        """
        path = Path(path)
        settings = read_settings(path / SETTINGS)
        flow = flow_named(settings.flow)
        for fault in _faults(settings, flow, path):
            raise CampaignError(f"{path / SETTINGS}: {fault}")
        known = DATABASE if (path / DATABASE).is_file() else ""  # the existing database, for messages
        if (path / ADDRESS).is_file():
            known = (path / ADDRESS).read_text(encoding="utf-8").strip()
        url = database or remembered_database(path)
        if url is None:
            make_private(path / DATABASE)
        make_private(path / SECRET, secrets.token_bytes(32))
        secret, store = (path / SECRET).read_bytes(), Store(url or f"sqlite:///{(path / DATABASE).resolve()}")
        try:
            store.write_now(lambda connection: _belong(connection, secret, settings.title, known if database else ""))
            if database and (path / ADDRESS).is_file() and _place(database) != _place(known):
                raise CampaignError(
                    f"the database of {path} is {known}, and --database or COUNTERSIGHT_DATABASE names another one: "
                    f"use the same host, port and name, or if the database was moved, change {path / ADDRESS}"
                )
        except CampaignError:
            store.close()
            raise
        if database:
            remember_database(path, database)
        return cls(path, settings, flow, store, secret)

    def close(self) -> None:
        """Close the database after finishing all pending writes."""
        self.store.close()

    def picture_file(self, name: str) -> Path | None:
        """Return the file of a picture in the campaign or its guidelines; None if there is no such file."""
        folder = PICTURES if _NAME.fullmatch(name) else GUIDELINES
        file = self.path / folder / name
        return file if _GUIDE.fullmatch(name) and file.is_file() else None


def _faults(settings: Settings, flow: Flow, folder: Path) -> Iterator[str]:
    """Yield the errors in parsed settings, such as names that the flow does not define."""
    for phase in flow.phases:
        if phase.name not in settings.phases:
            yield f"the section [phases.{phase.name}] is missing; the flow {flow.name} needs it"
        elif settings.phases[phase.name].people > 1 and not phase.several:
            yield f"[phases.{phase.name}] people: only one person can do this phase of an item"
    for language in settings.languages:
        if language != "en" and not (read_catalog(LOCALE, language) or read_catalog(folder / "locale", language)):
            yield f"languages: there is no translation for {language!r}"
    for name, quotas in (("quotas", settings.quotas), ("person_quotas", settings.person_quotas)):
        for group in quotas.keys() - set(flow.balance):
            groups = ", ".join(flow.balance) or "none"
            yield f"[{name}] {group!r} is not a group of {flow.name} (groups: {groups})"


def remember_database(folder: Path, url: str) -> None:
    """Record the address of a campaign's database in its folder, with *** instead of a password."""
    address = _address(url)
    if "password" in address.query:
        address = address.update_query_dict({"password": _HIDDEN})
    make_private(folder / ADDRESS)
    (folder / ADDRESS).write_text(address.render_as_string(hide_password=True) + "\n", encoding="utf-8")


def remembered_database(folder: Path) -> str | None:
    """Return the recorded database address; None for SQLite. Raises if it needs a password."""
    if not (folder / ADDRESS).is_file():
        return None
    url = (folder / ADDRESS).read_text(encoding="utf-8").strip()
    address = _address(url)
    if _HIDDEN in (address.password, address.query.get("password")):
        raise CampaignError(
            f"the database of {folder} is {url}, and its password is not stored: pass the full address with "
            "--database, or set COUNTERSIGHT_DATABASE"
        )
    return url


def _address(url: str) -> URL:
    try:
        return make_url(url)
    except ArgumentError:
        raise CampaignError("the address of the database is invalid: it must have the form postgresql://…") from None


def _place(url: str) -> tuple[object, ...]:
    """Return where a database is: its host, port and name, but not how to log in."""
    address = _address(url)
    host = address.host or address.query.get("host")
    port = str(address.port or address.query.get("port") or 5432)
    return address.get_backend_name(), host, port, address.database


def _belong(connection: Connection, secret: bytes, title: str, known: str) -> None:
    """Mark the database as this campaign's; refuse another campaign's database, or an empty one instead of its own."""
    mark = hashlib.sha256(b"campaign" + secret).hexdigest()
    whose = connection.execute(select(tables.campaign)).first()
    if connection.execute(select(tables.item.c.id).limit(1)).first() is None:
        if known and (whose is None or whose.mark != mark):
            raise CampaignError(
                f"this database is empty, and the campaign's database is {known}: leave --database and "
                "COUNTERSIGHT_DATABASE out, or move the campaign with backup and restore --database"
            )
        connection.execute(delete(tables.campaign))  # of a campaign that could not be made
        whose = None
    if whose is None:
        connection.execute(insert(tables.campaign).values(mark=mark, title=title))
    elif whose.mark != mark:
        raise CampaignError(
            f"this database belongs to the campaign {whose.title!r}: use a separate database for every campaign"
        )


def make_private(file: Path, content: bytes = b"") -> None:
    """Create a file readable only by its owner, if it is missing; errors are reported when it is opened."""
    with suppress(OSError), os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as made:
        made.write(content)


def keep_picture(campaign: Path, picture: Picture) -> str:
    """Store a checked picture in a campaign folder, and return its name there: the digest of its bytes."""
    name = f"{hashlib.sha256(picture.data).hexdigest()[:32]}.{SUFFIXES[picture.mime]}"
    file = campaign / PICTURES / name
    if not file.exists():
        file.write_bytes(picture.data)
    return name
