"""A reviewer's pages: flags, disputes, and the whole history of the item they are about."""

from typing import Any

import msgspec
from markupsafe import Markup
from sqlalchemy import Connection, Row, select
from starlette.responses import Response

from countersight.collect import work
from countersight.collect.database import tables
from countersight.collect.flows import Flow, Form, phase_of
from countersight.collect.flows.cosim import edited
from countersight.collect.web.comparing import compared
from countersight.collect.web.visit import RefusedError, Visit


class Entry(msgspec.Struct, frozen=True):
    """One version of one contribution, as reviewers and leads see it."""

    id: int
    phase: str
    version: int
    pseudonym: str
    at: float
    seconds: float
    pasted: float
    content: dict[str, Any] | None
    """None where it was withdrawn."""
    stands: bool
    guideline_version: int


async def queue(visit: Visit) -> Response:
    """Everything that waits for a decision."""
    flags = visit.store.read(lambda c: work.open_flags(c, visit.me.id))
    return visit.page("review.html", flags=flags, reasons=work.REASONS | work.FOUND)


async def flag_page(visit: Visit) -> Response:
    """One flag, with the item it is about."""
    return _shown(visit, _flag(visit), {})


def _flag(visit: Visit) -> work.Flag:
    number = int(visit.request.path_params["number"])
    found = visit.store.read(lambda c: work.flag_for(c, number, visit.me.id))
    if found is None:
        raise RefusedError(404, "This flag was decided, or is about an item you took part in.")
    return found


def _shown(visit: Visit, found: work.Flag, faults: dict[str, str], status: int = 200) -> Response:
    item = visit.store.read(lambda c: work.load_item(c, found.item_id))
    entries = visit.store.read(lambda c: history(c, visit.campaign.flow, found.item_id))
    return visit.page(
        "flag.html", status, flag=found, item=item, entries=entries, reasons=work.REASONS | work.FOUND, faults=faults,
        pictures=item_pictures(item.source), edit=edit_of(visit, found.item_id),
    )  # fmt: skip


async def decide(visit: Visit) -> Response:
    """Keep the decision, with its reason."""
    found, form = _flag(visit), Form(visit.form)
    fair = form.choice("outcome", "whether it is fair", ("fair", "unfair"))
    note = form.text("note", "The reason", least=2, most=1000)
    if form.faults:
        return _shown(visit, found, form.faults, 422)
    decided = await visit.store.write(
        lambda c: work.decide(c, visit.settings, found, visit.me.id, fair == "fair", note, visit.now)
    )
    if not decided:
        raise RefusedError(409, "Another reviewer has decided this meanwhile, or its author took it back.")
    return visit.go("/review")


def edit_of(visit: Visit, item_id: int) -> tuple[Markup, Markup] | None:
    """The right response of an item before and after its last phase edited it, side by side; None where none did."""
    if visit.campaign.flow.name != "cosim":
        return None
    phases = ("change", "distractor")
    found = edited(visit.store.read(lambda c: work.load_past(c, visit.campaign.flow, item_id, phases)))
    return compared(*found) if found else None


def history(connection: Connection, flow: Flow, item_id: int) -> list[Entry]:
    """Every version of every contribution to an item, in order."""
    made = tables.contribution
    rows = connection.execute(
        select(made, tables.person.c.pseudonym, tables.lease.c.contribution_id.label("counts"))
        .join(tables.person, tables.person.c.id == made.c.person_id)
        .join(tables.lease, tables.lease.c.id == made.c.lease_id)
        .where(made.c.item_id == item_id)
        .order_by(made.c.id)
    )
    return [_entry(flow, row) for row in rows]


def _entry(flow: Flow, row: Row[Any]) -> Entry:
    phase = phase_of(flow, row.phase)
    content = msgspec.json.decode(row.content) if row.content else None
    title = phase.title if phase else row.phase
    return Entry(
        row.id, title, row.version, row.pseudonym, row.at, row.seconds, row.pasted, content, row.counts == row.id,
        row.guideline_version,
    )  # fmt: skip


def item_pictures(source: dict[str, Any]) -> list[str]:
    """The pictures an item is about."""
    named = [source.get(name) for name in ("picture", "before", "after")]
    return [name for name in (*source.get("pictures", ()), *named) if name]
