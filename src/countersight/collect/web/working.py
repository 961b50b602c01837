"""Pages for workers: available work, guidelines, tests, past contributions, and the page of one task."""

import random
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, select
from starlette.responses import Response

from countersight.collect import pay, tables, work
from countersight.collect.figures import group_counts, people_figures
from countersight.collect.flows import Content, Field, Form, Item, Past, Phase
from countersight.collect.flows.cfmm import WrittenPair, leak_in
from countersight.collect.flows.cosim import is_hard
from countersight.collect.hamlet import ModelCheck, check
from countersight.collect.people import has_completed
from countersight.collect.web.accounts import arrive
from countersight.collect.web.rendering import task_template
from countersight.collect.web.visit import FORMS, MOST_DIGITS, RefusedError, Visit

_OWN = frozenset({"csrf", "pasted", "seconds"})
"""Form fields that are not part of the contribution."""
_LONGEST_DRAFT = 20_000
_SHOWN = 50
_MOST_COUNTED = 200
"""The number up to which waiting items are counted."""
_chance = random.SystemRandom()


class LeasedTask(msgspec.Struct, frozen=True):
    """Everything about a leased item that its holder may see."""

    lease: work.Lease
    item: Item
    phase: Phase
    past: Past


def load_task(visit: Visit, token: str = "", person_id: int = 0) -> LeasedTask:
    """Return the task of a page, or the one with a token and a holder; other people's tasks are not found."""
    token, person_id, flow = token or visit.request.path_params["token"], person_id or visit.me.id, visit.campaign.flow

    def load(connection: Connection) -> LeasedTask:
        lease = work.lease_by_token(connection, token, person_id)
        if lease is None:
            raise RefusedError(404, "You have no such task. Go back to your work and take the next one.")
        phase = flow.phase(lease.phase)
        seed = f"{lease.item_id}/{person_id}" if phase.adjudicates else ""
        past = work.load_past(connection, flow, lease.item_id, phase.name, seed)
        return LeasedTask(lease, work.load_item(connection, lease.item_id), phase, past)

    return visit.store.read(load)


def _typed(visit: Visit) -> dict[str, str]:
    """The fields of a form that belong to the contribution, limited in length."""
    return {name[:80]: value[:_LONGEST_DRAFT] for name, value in visit.form.items() if name not in _OWN}


async def save_draft(visit: Visit, task: LeasedTask) -> dict[str, str]:
    """Store what was typed as the draft of a task; return it."""
    fields = _typed(visit)
    await visit.store.write(lambda c: work.save_draft(c, visit.campaign, task.lease, fields, visit.now))
    return fields


async def task_page(visit: Visit) -> Response:
    """Show the item with its form, filled with the draft."""
    task = load_task(visit)
    if task.lease.state == "done":
        return visit.go("/mine")
    return await show_task(visit, task, _values(visit, task))


def _values(visit: Visit, task: LeasedTask) -> dict[str, str]:
    """Return the initial values of the form of a task: those of the saved draft, or else those of the phase."""
    return task.lease.draft or visit.campaign.flow.first_draft(task.phase.name, task.item, task.past)


async def show_task(
    visit: Visit,
    task: LeasedTask,
    values: dict[str, str],
    status: int = 200,
    faults: dict[str, str] | None = None,
    further: Sequence[Field] = (),
    **more: Any,
) -> Response:
    """Return the page of a task; with `editing` and a further field, for a reviewer who edits a submission."""
    flow, name, me = visit.campaign.flow, task.phase.name, visit.me.id
    own: dict[str, Any] = {
        "checked": None,
        "leak": "",
        "balance": {},
        "full": full_groups(visit, task),
        "model": "",
        "editing": None,
        "new_guidelines": visit.store.read(lambda c: work.has_new_guidelines(c, visit.campaign, me, name)),
    }
    if flow.name == "cfmm" and name == "write":
        own["balance"] = (await visit.site.figure("balance", lambda c: group_counts(c, flow)))[0]
        own["leak"] = leak_in(_pair(values), visit.settings.grammar)
    if flow.name == "cosim" and name == "distractor":
        own["model"] = visit.request.app.state.loop.name
    own |= {"fields": [*flow.fields(name, task.item, task.past), *further], "flag_fields": FORMS["flag"]}
    own |= flow.shown(name, task.item, task.past)
    return visit.render(
        task_template(flow.name, name),
        status,
        **(own | more),
        task=task,
        item=task.item,
        past=task.past,
        values=values,
        faults=faults or {},
        phase=task.phase,
        rules=visit.settings.phases[name],
        sent=just_sent(visit),
    )


def just_sent(visit: Visit) -> dict[str, Any] | None:
    """Return the contribution that the visitor has just submitted: the browser deletes its copy of the draft."""
    sent = visit.request.query_params.get("sent", "")
    if not (sent.isascii() and sent.isdigit() and len(sent) <= MOST_DIGITS):
        return None
    made, lease = tables.contribution.c, tables.lease
    question = select(lease.c.token).join(tables.contribution, made.lease_id == lease.c.id)
    own = (made.id == int(sent), made.person_id == visit.me.id)
    token = visit.store.read(lambda c: c.execute(question.where(*own)).scalar())
    return {"number": int(sent), "token": token, "may_undo": undoable(visit, [int(sent)])} if token else None


def undoable(visit: Visit, contributions: Sequence[int]) -> set[int]:
    """Return which of these contributions the visitor may withdraw now."""
    return visit.store.read(lambda c: work.undoable(c, visit.campaign, contributions, visit.me.id, visit.now))


async def submit(visit: Visit) -> Response:
    """Submit the task and continue with the next. An invalid form is returned with its errors, and saved as a draft."""
    task, flow = load_task(visit), visit.campaign.flow
    if task.lease.state == "flagged":
        return visit.go("/work")
    form = visit.read()
    content = flow.read(task.phase.name, form, task.item, task.past)
    _refuse_full_groups(visit, task, form, content)
    if form.faults and task.lease.state != "done":
        return await show_task(visit, task, await save_draft(visit, task), 422, form.faults)

    since = max(0.0, visit.now - task.lease.claimed_at)
    seconds = form.number("seconds", since, 0, since) or since
    pasted = form.number("pasted", 0, 0, 1)

    def send(connection: Connection) -> tuple[work.Submitted, work.Lease | None]:
        """Store the contribution and assign the next item in one transaction."""
        if task.lease.state == "active":  # so that a withdrawn contribution can be edited as it was sent
            work.save_draft(connection, visit.campaign, task.lease, _typed(visit), visit.now)
        sent = work.submit(connection, visit.campaign, task.lease, content, visit.now, seconds, pasted)
        if has_completed(connection, visit.settings, visit.me):  # the page Work shows the code of Prolific
            return sent, None
        return sent, work.claim(connection, visit.campaign, visit.me.id, task.phase.name, visit.now, _chance)

    try:
        sent, following = await visit.store.write(send)
    except work.TakenError:
        await save_draft(visit, task)
        raise RefusedError(
            409, "You were away for a long time, and somebody else has finished this item. Please take the next one."
        ) from None
    if not sent.same:  # another window sent something else first
        words = visit.say(
            "This task was already sent with different content, and that version counts. Your text is shown below. "
            "If you take back what was sent, this text replaces it."
        )
        return visit.render("refused.html", 409, words=words, typed=await save_draft(visit, task))
    place = f"/task/{following.token}" if following else "/work"
    return visit.go(f"{place}?sent={sent.contribution_id}")


def full_groups(visit: Visit, task: LeasedTask) -> set[str]:
    """Return the groups that already have enough items, overall or by this person.

    Empty if the group of the item is decided in another phase, or when returned work is corrected.
    """
    flow, settings, full = visit.campaign.flow, visit.settings, set[str]()
    if task.phase.name != flow.grouped_in or task.lease.note or task.lease.state == "done":
        return full
    for quotas, person in ((settings.quotas, None), (settings.person_quotas, visit.me.id)):
        if quotas:
            counts = visit.store.read(lambda c, person=person: group_counts(c, flow, person))  # type: ignore[misc]
            full |= {group for group, most in quotas.items() if counts.get(group, 0) >= most}
    return full


def _refuse_full_groups(visit: Visit, task: LeasedTask, form: Form, content: Content) -> None:
    """Record an error if all groups of a contribution already have enough items."""
    full = set() if form.faults else full_groups(visit, task)
    groups = visit.campaign.flow.groups(content) if full else ()
    if groups and full.issuperset(groups):
        field = "aspect" if "aspect" in form.values else "change"
        form.fail(field, "There are enough of “{group}”: choose another.", group=", ".join(map(visit.say, groups)))


async def draft(visit: Visit) -> Response:
    """Save the draft; it is on disk when the page confirms it."""
    task = load_task(visit)
    if task.lease.state in ("done", "flagged"):
        raise RefusedError(409, "This task was already sent.")
    await save_draft(visit, task)
    return visit.render("parts/saved.html", at=visit.now) if visit.partial else visit.go(f"/task/{task.lease.token}")


async def release(visit: Visit) -> Response:
    """Release the item."""
    task = load_task(visit)
    await visit.store.write(lambda c: work.release(c, visit.campaign, task.lease))
    return visit.go(f"/work?gone={task.lease.token}")


async def flag(visit: Visit) -> Response:
    """Flag the previous phase, with a reason and a comment."""
    task = load_task(visit)
    if task.lease.state != "flagged":  # otherwise the form was sent twice
        if not task.phase.verifies or task.lease.state != "active":
            raise RefusedError(409, "There is nothing to flag here.")
        form = visit.read()
        reason, words = form.read(FORMS["flag"]).values()
        if form.faults:
            return await show_task(visit, task, _values(visit, task) | visit.form, 422, form.faults)
        await visit.store.write(lambda c: work.flag(c, visit.campaign, task.lease, reason, words, visit.now))
    return visit.go(f"/work?flagged=1&gone={task.lease.token}")


async def check_distractors(visit: Visit) -> Response:
    """Ask the model in the loop about the current distractors."""
    task = load_task(visit)
    if not (task.phase.checked and is_hard(task.item)) or task.lease.state != "active":
        raise RefusedError(404, "There is no model to ask here.")
    form, values = visit.read(), await save_draft(visit, task)
    content = visit.campaign.flow.read(task.phase.name, form, task.item, task.past)
    if form.faults:
        note = " ".join((visit.say("First correct this:"), *dict.fromkeys(form.faults.values())))
        checked = ModelCheck("", (), 0, note)
    else:
        texts = msgspec.json.encode(msgspec.to_builtins(content)).decode()
        instance = visit.campaign.flow.instance({**task.past, task.phase.name: [content]})
        checked = await check(visit.campaign, visit.request.app.state.loop, task.lease, instance, texts)
    if visit.partial:
        return visit.render("parts/checked.html", checked=checked)
    return await show_task(visit, task, values, 200, form.faults, checked=checked)


async def check_leak(visit: Visit) -> Response:
    """Check, while somebody types, whether a counterfactual question reveals its answer."""
    load_task(visit)
    leak = leak_in(_pair(visit.form), visit.settings.grammar)
    return visit.render("parts/leak.html", leak=leak, values=visit.form)


def _pair(values: dict[str, str]) -> WrittenPair:
    """Return a pair as typed so far."""
    names = ("aspect", "basic", "counterfactual", "option_a", "option_b", "basic_answer", "counterfactual_answer")
    return WrittenPair(*(values.get(name, "")[:400] for name in names))


async def front(visit: Visit) -> Response:
    """Redirect from the first page: admit people from Prolific, send others to their work."""
    if "PROLIFIC_PID" in visit.request.query_params:
        return await arrive(visit)
    return visit.go("/work" if visit.person else "/login")


async def home(visit: Visit) -> Response:
    """Show the available work."""
    me, settings, asked = visit.me, visit.settings, visit.request.query_params
    return visit.render(
        "home.html",
        phases=visit.store.read(lambda c: [_phase_work(c, visit, phase) for phase in visit.campaign.flow.phases]),
        most=_MOST_COUNTED,
        bonus=visit.store.read(lambda c: pay.next_bonus(c, settings.pay, me.id)),
        own=visit.store.read(lambda c: people_figures(c, me.id - 1, 1))[0],
        complete=visit.store.read(lambda c: has_completed(c, settings, me)),
        sent=just_sent(visit),
        flagged="flagged" in asked,
        gone=asked.get("gone", "")[:40],
        empty=asked.get("empty", "")[:20],
    )


def _phase_work(connection: Connection, visit: Visit, phase: Phase) -> dict[str, Any]:
    """Return what a person's first page shows about a phase."""
    me, campaign = visit.me.id, visit.campaign
    lease = work.current_lease(connection, me, phase.name)
    return {
        "phase": phase,
        "pay": campaign.settings.phases[phase.name].pay,
        "standing": work.test_result(connection, campaign, me, phase.name)[0],
        "waiting": work.count_free(connection, me, phase.name, _MOST_COUNTED),
        "token": lease.token if lease else "",
        "returned": bool(lease and lease.note),
        "full": work.is_full(connection, campaign, me, phase.name),
    }


def _phase(visit: Visit) -> Phase:
    name = visit.request.path_params["phase"]
    if name not in visit.campaign.flow.names:
        raise RefusedError(404, "There is no such phase.")
    return visit.campaign.flow.phase(name)


async def guidelines(visit: Visit) -> Response:
    """Show the guidelines of a phase, with examples."""
    phase = _phase(visit)
    return visit.render("guidelines.html", phase=phase, rules=visit.settings.phases[phase.name])


async def qualification_page(visit: Visit, right: tuple[bool, ...] = ()) -> Response:
    """Show the qualification test of a phase, with the result of the last try: which answers were right."""
    phase = _phase(visit)
    how, left = visit.store.read(lambda c: work.test_result(c, visit.campaign, visit.me.id, phase.name))
    if how == "qualified":
        return visit.go("/work")
    shown = {"phase": phase, "rules": visit.settings.phases[phase.name], "standing": how, "left": left}
    return visit.render("test.html", 422 if right else 200, **shown, right=right)


async def take_test(visit: Visit) -> Response:
    """Grade a qualification test."""
    name, form = _phase(visit).name, visit.read()
    test = visit.settings.phases[name].test
    if test is None:
        return visit.go("/work")
    answers = [int(form.number(f"q{number}", 0, 0, 999)) for number in range(len(test.questions))]
    right = await visit.store.write(lambda c: work.take_test(c, visit.campaign, visit.me.id, name, answers, visit.now))
    return await qualification_page(visit, right)


async def next_task(visit: Visit) -> Response:
    """Take the next item of a phase, or continue with the open one."""
    phase = _phase(visit)
    standing, _ = visit.store.read(lambda c: work.test_result(c, visit.campaign, visit.me.id, phase.name))
    if standing != "qualified":
        return visit.go(f"/test/{phase.name}")
    lease = await visit.store.write(
        lambda c: work.claim(c, visit.campaign, visit.me.id, phase.name, visit.now, _chance)
    )
    return visit.go(f"/task/{lease.token}" if lease else f"/work?empty={phase.name}")


async def mine(visit: Visit) -> Response:
    """List a person's contributions, the latest first, with those that can still be withdrawn."""
    made, lease, item = tables.contribution, tables.lease.c, tables.item.c
    columns = (item.key, item.state.label("item_state"), lease.contribution_id, lease.state.label("seat"))
    question = (
        select(made, *columns)
        .join(tables.item, item.id == made.c.item_id)
        .join(tables.lease, lease.id == made.c.lease_id)
        .where(made.c.person_id == visit.me.id)
        .order_by(made.c.at.desc())
        .limit(_SHOWN)
    )
    rows = visit.store.read(lambda c: c.execute(question).all())
    balances = visit.store.read(lambda c: pay.balances(c, visit.me.id))
    return visit.render("mine.html", rows=rows, balances=balances, may_undo=undoable(visit, [row.id for row in rows]))


async def undo(visit: Visit) -> Response:
    """Withdraw a contribution and open it again."""
    taken = await visit.store.write(lambda c: work.undo(c, visit.campaign, visit.number, visit.me.id, visit.now))
    if taken is None:
        raise RefusedError(409, "It is too late to take this back, or others have continued with the item.")
    return visit.go(f"/task/{taken.token}")
