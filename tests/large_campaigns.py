"""Campaigns of thousands of items in the midst of their work: twenty items that people worked on, copied many times."""

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from answers import answer_to
from collecting import make_campaign
from making import case, dataset
from sqlalchemy import Connection, Table, func, insert, select, text

from countersight.case import Question
from countersight.cli import main
from countersight.collect import people, tables, work
from countersight.collect.campaign import Campaign
from countersight.collect.flows import Form, Phase

_SEEDS = 20
"""Items that people really work on."""
_GROUPS = 40
"""Groups of authors among whom the copies are shared out."""
_AUTHORS = 5
"""People in a group: nobody takes two parts in one item."""
_GOES_ON = 0.75
"""Share of the items of one phase on which the next has begun."""
_KEPT_TOGETHER: tuple[tuple[Table, tuple[str, ...]], ...] = (
    (tables.item, ()),
    (tables.lease, ("item_id", "contribution_id")),
    (tables.contribution, ("lease_id", "item_id")),
    (tables.flag, ("item_id", "contribution_id", "lease_id")),
    (tables.payment, ("contribution_id",)),
    (tables.posting, ("payment_id",)),
)
"""The tables that are copied, with the columns that point into others of them."""
_POINTS_AT = {"item_id": "item", "lease_id": "lease", "contribution_id": "contribution", "payment_id": "payment"}


def large_campaign(folder: Path, flow: str, items: int, database: str | None = None) -> Path:
    """A campaign of a flow with so many items, in all of its phases; its folder."""
    place = folder / "campaign"
    make_campaign(place, flow, _SEEDS, database, **_source(folder, flow))
    campaign = Campaign.open(place, database)
    try:
        campaign.store.write_now(lambda connection: _fill(connection, campaign))
        campaign.store.write_now(lambda connection: _multiply(connection, items))
    finally:
        campaign.close()
    return place


def _source(folder: Path, flow: str) -> dict[str, Any]:
    """What a campaign begins with, where it is not pictures or plain cases."""
    if flow == "cvqa":  # half of the cases have a pair to verify, half wait for somebody to write one
        numbered = Question("How many dots are there?", "3", "number")
        plain = {"factual": numbered, "change": None, "counterfactual": None, "counterfactual_image": None}
        cases = [case(number, shown=None, **(plain if number % 2 else {})) for number in range(_SEEDS)]
        return {"source": dataset(folder / "asked", cases)}
    if flow != "judge":
        return {}
    make = ["make", "cvqa-synthetic", "--size", "4", "--seed", "5", "--workers", "1", "-o", str(folder / "scenes")]
    audit = ["audit", str(folder / "scenes"), "--model", "embedded", "--editor", "exact", "--judge", "exact"]
    assert main(make) == 0
    assert main([*audit, "--extractor", "rules", "-o", str(folder / "audit")]) == 0
    return {"source": folder / "audit"}


def _fill(connection: Connection, campaign: Campaign) -> None:
    """Let the first group of authors go through every phase, on fewer items in each."""
    now, chance = time.time() - 3600, Random(11)
    names = [f"author {group}-{place}" for group in range(_GROUPS) for place in range(_AUTHORS)]
    authors = [people.add_person(connection, name, "worker", now) for name in names][:_AUTHORS]
    number = connection.execute(select(func.count()).select_from(tables.item)).scalar_one()
    for place, phase in enumerate(campaign.flow.phases):
        for _ in range(campaign.settings.phases[phase.name].people):
            author = authors.pop(0)
            for turn in range(round(number * _GOES_ON ** (place + 1))):
                _contribute(connection, campaign, author, phase, turn, now + 20 * turn, chance)


def _contribute(
    connection: Connection, campaign: Campaign, author: int, phase: Phase, turn: int, now: float, chance: Random
) -> None:
    lease = work.claim(connection, campaign, author, phase.name, now, chance)
    if lease is None:
        return
    item = work.load_item(connection, lease.item_id)
    past = work.load_past(connection, campaign.flow, item.id, phase.name)
    form = Form(answer_to(campaign.flow.name, phase.name, turn + author, item.source.get("pictures", [""])[0]))
    content = campaign.flow.read(phase.name, form, item, past)
    assert not form.faults, form.faults
    work.submit(connection, campaign, lease, content, now + 15, chance.uniform(20, 90))


def _multiply(connection: Connection, items: int) -> None:
    """Copy every item with all that was done about it until there are so many."""
    rows = {table.name: connection.execute(select(table)).mappings().all() for table, _ in _KEPT_TOGETHER}
    steps = {name: max((row["id"] for row in found), default=0) for name, found in rows.items()}
    copies = range(1, -(-items // len(rows["item"])))
    for table, pointers in _KEPT_TOGETHER:
        copied = [row for copy in copies for row in _copied(table, pointers, rows[table.name], steps, copy)]
        if copied:
            connection.execute(insert(table), copied)
        if connection.dialect.name == "postgresql":
            last = f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), (SELECT max(id) FROM {table.name}))"
            connection.execute(text(last if copied else "SELECT 1"))


def _copied(
    table: Table, pointers: tuple[str, ...], rows: Any, steps: dict[str, int], copy: int
) -> Iterator[dict[str, Any]]:
    for row in rows:
        made = dict(row) | {"id": row["id"] + copy * steps[table.name]}
        for pointer in pointers:
            if row[pointer] is not None:
                made[pointer] = row[pointer] + copy * steps[_POINTS_AT[pointer]]
        for name in ("key", "token"):
            if name in row:
                made[name] = f"{row[name][:30]}-{copy}"
        if row.get("person_id"):
            made["person_id"] = row["person_id"] + copy % _GROUPS * _AUTHORS
        yield made
