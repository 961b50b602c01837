"""Pages for reviewers: flags, disputes, and the whole history of their items."""

import random
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, select
from starlette.responses import Response

from countersight.case import LETTERS, Case
from countersight.collect import tables, work
from countersight.collect.flows import Content, Field, Form, Item
from countersight.collect.flows.cosim import DISTRACTORS, SIDES, edited
from countersight.collect.web.visit import FORMS, MOST_DIGITS, RefusedError, Visit
from countersight.collect.web.working import LeasedTask, load_task, save_draft, show_task

REASONS: Final = {**FORMS["flag"][0].options, **work.FOUND}  # type: ignore[attr-defined]
"""All reasons for which an item waits for a reviewer."""


async def queue(visit: Visit) -> Response:
    """List everything that waits for a decision."""
    flags = visit.store.read(lambda c: work.open_flags(c, visit.me.id))
    empty = "empty" in visit.request.query_params
    return visit.render("review.html", flags=flags, reasons=REASONS, empty=empty)


def _flag(visit: Visit) -> work.Flag:
    found = visit.store.read(lambda c: work.open_flags(c, visit.me.id, visit.number))
    if not found:
        raise RefusedError(404, "This flag was already decided, or you took part in its item.")
    return found[0]


async def _seen_flag(visit: Visit) -> work.Flag:
    """Return the flag of a page, and record that the reviewer saw its item, so they never get it as a task."""
    found = _flag(visit)
    await visit.store.write(lambda c: work.record_view(c, found.item_id, visit.me.id))
    return found


async def flag_page(visit: Visit, faults: dict[str, str] | None = None) -> Response:
    """Show one flag with its item, and the errors in an invalid form."""
    found = await _seen_flag(visit)
    item = visit.store.read(lambda c: work.load_item(c, found.item_id))
    entries = history(visit, found.item_id)
    return visit.render(
        "flag.html",
        422 if faults else 200,
        flag=found,
        entries=entries,
        reasons=REASONS,
        fields=decision_fields(found),
        values=visit.form,
        faults=faults or {},
        edit=edit_of(visit, found.item_id),
        **describe_source(item),
    )


def decision_fields(found: work.Flag) -> tuple[Field, ...]:
    """Return the fields of a decision about a flag."""
    form = "edited" if found.reason == "edited" else "person" if found.by_person else "program"
    return FORMS[form] + FORMS["reason"]


async def decide(visit: Visit) -> Response:
    """Store the decision, with its reason."""
    found, form = _flag(visit), visit.read()
    outcome, note = form.read(decision_fields(found)).values()
    number = int(form.number("contribution", found.contribution_id or 0, 0, 10**MOST_DIGITS))
    author = visit.store.read(lambda c: work.author_of(c, found, number))
    if author is None and (number or outcome == "returned"):
        form.fail("contribution", "Choose the contribution in question.")
    elif outcome == "returned" and author != "open":
        form.fail("outcome", "Its author can no longer correct it: edit it yourself, or remove it.")
    if form.faults:
        return await flag_page(visit, form.faults)
    return await _decided(visit, found, outcome, note, number)  # type: ignore[arg-type]


_LOGGED: Final[dict[work.Outcome, str]] = {
    "unfair": "keep",
    "fair": "remove",
    "edited": "edit",
    "returned": "send back",
}
"""The name of each decision in the audit log."""


async def _decided(
    visit: Visit, found: work.Flag, outcome: work.Outcome, note: str, number: int, content: Content = None
) -> Response:
    visit.noted["outcome"] = _LOGGED[outcome]
    visit.noted["item"] = visit.store.read(lambda c: work.load_item(c, found.item_id)).key
    decided = await visit.write(
        "edit" if outcome == "edited" else "decide",
        lambda c: work.decide(c, visit.campaign, found, visit.me.id, outcome, note, visit.now, number, content),
    )
    if not decided:
        raise RefusedError(
            409, "Another reviewer has decided about this contribution meanwhile, or its author has withdrawn it."
        )
    return visit.go("/review")


async def sample(visit: Visit) -> Response:
    """Draw a finished item for review, or take the one that the form names."""
    number = int(visit.read().number("item", 0, 0, 10**MOST_DIGITS))

    def draw(connection: Connection) -> int:
        drawn = work.sample(connection, visit.campaign, visit.me.id, visit.now, _chance, number)
        if drawn:
            (found,) = work.open_flags(connection, visit.me.id, drawn)
            visit.noted["item"] = work.load_item(connection, found.item_id).key
        return drawn or False  # which is not logged

    drawn = await visit.write("sample", draw)
    if number and not drawn:
        raise RefusedError(409, "This item already waits for a decision, or you worked on it yourself.")
    return visit.go(f"/review/{drawn}" if drawn else "/review?empty=1")


async def edit_page(visit: Visit) -> Response:
    """Show the form of a contribution for editing by a reviewer."""
    await _seen_flag(visit)
    task, editing = _edited_task(visit)
    flow, values = visit.campaign.flow, task.lease.draft or {}
    this = tables.contribution.c.id == editing["contribution"]
    (sent,) = visit.store.read(lambda c: list(work.contributions(c, flow, this)))
    form = Form(values, visit.settings.grammar)
    if flow.read(task.phase.name, form, task.item, task.past) != sent.content:  # deleted, or typed after it was sent
        content = msgspec.to_builtins(sent.content)
        content |= dict(zip(DISTRACTORS, content.get("distractors", ()), strict=False))
        content |= dict(zip(SIDES, content.get("box") or (), strict=False))
        content |= {f"kind:{kind}": 1 for kind in content.get("kinds", ())}
        values = {name: str(value) for name, value in content.items() if isinstance(value, str | int | float)}
    return await show_task(visit, task, values, further=FORMS["edit"], editing=editing)


async def edit(visit: Visit) -> Response:
    """Store a reviewer's version of a contribution, which decides the flag."""
    found, (task, editing), form = _flag(visit), _edited_task(visit), visit.read()
    content = visit.campaign.flow.read(task.phase.name, form, task.item, task.past)
    note = form.value(*FORMS["edit"])
    if form.faults:
        return await show_task(visit, task, visit.form, 422, form.faults, further=FORMS["edit"], editing=editing)
    await save_draft(visit, task)
    return await _decided(visit, found, "edited", note, editing["contribution"], content)


def _edited_task(visit: Visit) -> tuple[LeasedTask, dict[str, int]]:
    found, number = _flag(visit), int(visit.request.path_params["contribution"])
    if visit.store.read(lambda c: work.author_of(c, found, number)) is None:
        raise RefusedError(404, "This contribution does not belong to the item of this flag.")
    lease = tables.lease.c
    seat = select(lease.token, lease.person_id).where(lease.contribution_id == number)
    task = load_task(visit, *visit.store.read(lambda c: c.execute(seat).one()))
    return task, {"flag": found.id, "contribution": number}


_AUDIT_TEXTS = ("question", "changed", "answer", "why", "answer_again", "why_again")
_chance = random.SystemRandom()


def edit_of(visit: Visit, item_id: int) -> tuple[str, str] | None:
    """Return the right response before and after the last phase edited it; None if it did not."""
    return edited(visit.store.read(lambda c: work.load_past(c, visit.campaign.flow, item_id)))


def history(visit: Visit, item_id: int) -> list[dict[str, Any]]:
    """Return every version of every contribution to an item, in order."""
    flow, of_item = visit.campaign.flow, tables.contribution.c.item_id == item_id
    found: list[dict[str, Any]] = msgspec.to_builtins(
        visit.store.read(lambda c: list(work.contributions(c, flow, of_item)))
    )
    return found


def describe_source(item: Item) -> dict[str, Any]:
    """Return the source of an item, for reviewers and leads: its pictures, and its case or texts."""
    source = item.source
    named = [source.get(name) for name in ("picture", "before", "after")]
    pictures = {name: source.get("files", {}).get(name, "") for name in (*source.get("pictures", ()), *named) if name}
    case = msgspec.convert(source["case"], Case) if isinstance(source.get("case"), dict) else None
    texts = {name: source[name] for name in _AUDIT_TEXTS if source.get(name)}
    return {"item": item, "pictures": pictures, "case": case, "texts": texts, "letters": LETTERS, "supposes": True}
