"""A task: the page of one leased item, its draft, its check against the model, and its sending."""

import random
from typing import Any

import msgspec
from sqlalchemy import Connection
from starlette.responses import Response

from countersight.collect import work
from countersight.collect.flows import Content, Form, Item, Past, Phase, phase_of
from countersight.collect.flows.cfmm import Pair, as_instance, leak_in
from countersight.collect.flows.cosim import DISTRACTORS, context_of
from countersight.collect.loop import Checked, answers_blind, check
from countersight.collect.people import Person
from countersight.collect.web.progress import balance, just_sent, own_figures
from countersight.collect.web.visit import RefusedError, Visit
from countersight.suites.cosim import change_kinds

_OWN = frozenset({"csrf", "pasted", "seconds"})
"""Fields of a form that are not part of what is contributed."""
_LONGEST_DRAFT = 20_000
_chance = random.SystemRandom()


class Task(msgspec.Struct, frozen=True):
    """Everything about a leased item that its holder may know."""

    lease: work.Lease
    item: Item
    phase: Phase
    past: Past
    proposal: work.Proposal | None = None


def load_task(visit: Visit) -> Task:
    """The task a page is about; somebody else's does not exist."""
    token = visit.request.path_params["token"]
    task = visit.store.read(lambda c: _load(c, visit, token, visit.me))
    if task is None:
        raise RefusedError(404, "There is no such task among yours. Go back to your work and take the next one.")
    return task


def _load(connection: Connection, visit: Visit, token: str, person: Person) -> Task | None:
    lease = work.lease_by_token(connection, token, person.id)
    if lease is None:
        return None
    flow = visit.campaign.flow
    phase = phase_of(flow, lease.phase)
    assert phase is not None  # leases are given in phases of the flow
    seed = f"{lease.item_id}/{person.id}" if phase.adjudicates else ""
    past = work.load_past(connection, flow, lease.item_id, phase.sees, seed)
    proposal = work.proposal_of(connection, lease.id) if phase.proposes else None
    return Task(lease, work.load_item(connection, lease.item_id), phase, past, proposal)


async def task_page(visit: Visit) -> Response:
    """The item with its form, filled with what was typed so far."""
    task = load_task(visit)
    if task.lease.state == "done":
        return visit.go("/mine")
    flow = visit.campaign.flow
    values = task.lease.draft or flow.first_draft(task.phase.name, task.item, task.past)
    return await _shown(visit, task, values)


async def _shown(
    visit: Visit,
    task: Task,
    values: dict[str, str],
    status: int = 200,
    faults: dict[str, str] | None = None,
    **more: Any,
) -> Response:
    flow, name = visit.campaign.flow, task.phase.name
    own: dict[str, Any] = {
        "checked": None,
        "kinds_proposed": (),
        "leak": "",
        "blind": None,
        "balance": {},
        "loop_words": "",
        "first_try": _first_try_waits(visit, task),
    }
    if flow.name == "cfmm" and name == "write":
        own["balance"] = await balance(visit)
        own["leak"] = leak_in(_pair(values))
    if flow.name == "cosim" and name == "distractor":
        own["loop_words"] = visit.request.app.state.loop.words
    shown = flow.shown(name, task.item, task.past)
    return visit.page(
        f"tasks/{flow.name}_{name}.html",
        status,
        **(own | shown | more),
        task=task,
        item=task.item,
        past=task.past,
        values=values,
        faults=faults or {},
        phase=task.phase,
        rules=visit.settings.phases[name],
        reasons=work.REASONS,
        sent=just_sent(visit),
        own=own_figures(visit),
    )


def _typed(visit: Visit) -> dict[str, str]:
    """What of a form belongs to the contribution, bounded."""
    return {name[:80]: value[:_LONGEST_DRAFT] for name, value in visit.form.items() if name not in _OWN}


async def submit(visit: Visit) -> Response:
    """Send the task in; on to the next one. A faulty form comes back with what is wrong, and is kept as a draft."""
    task = load_task(visit)
    if task.lease.state == "flagged":
        return visit.go("/work")
    form = Form(visit.form)
    content = visit.campaign.flow.read(task.phase.name, form, task.item, task.past)
    if form.faults and task.lease.state != "done":
        values = _typed(visit)
        await visit.store.write(lambda c: work.save_draft(c, visit.settings, task.lease, values, visit.now))
        return await _shown(visit, task, values, 422, form.faults)
    if _first_try_waits(visit, task) and task.lease.state != "done":
        return await _commit_first_try(visit, task, content)
    if task.proposal is not None:
        content = msgspec.structs.replace(content, first=task.proposal.first, proposal=task.proposal.text)
    try:
        sent, following = await visit.store.write(lambda c: _send(c, visit, task, content))
    except work.TakenError:
        values = _typed(visit)
        await visit.store.write(lambda c: work.save_draft(c, visit.settings, task.lease, values, visit.now))
        raise RefusedError(
            409, "You were away for long, and somebody else has finished this item. Please take the next one."
        ) from None
    if not sent.same:
        return await _sent_already(visit, task)
    if sent.right is not None:
        return visit.go(f"/known/{sent.contribution_id}")
    return visit.go(
        f"/task/{following.token}?sent={sent.contribution_id}" if following else f"/work?sent={sent.contribution_id}"
    )


async def _sent_already(visit: Visit, task: Task) -> Response:
    """Another window was first, with something else: say so, show what was typed here, and keep it as a draft."""
    typed = _typed(visit)
    await visit.store.write(lambda c: work.save_draft(c, visit.settings, task.lease, typed, visit.now))
    words = (
        "This task was sent already, with something else in it, and that stands. What you typed here is below. "
        "Where you take back what was sent, you find this in its place."
    )
    return visit.page("refused.html", 409, words=words, typed=typed)


def _send(
    connection: Connection, visit: Visit, task: Task, content: Content
) -> tuple[work.Submitted, work.Lease | None]:
    """Keep the contribution and give out the next item in one transaction.

    The form is kept as it was sent, so that whoever takes it back finds all of it again.
    """
    if task.lease.state == "active":
        work.save_draft(connection, visit.settings, task.lease, _typed(visit), visit.now)
    sent = work.submit(
        connection, visit.settings, visit.campaign.flow, task.lease, content, _evidence(visit, task), visit.now
    )
    following = work.claim(connection, visit.settings, visit.me.id, task.phase.name, visit.now, _chance)
    return sent, following


def _first_try_waits(visit: Visit, task: Task) -> bool:
    """Whether what is sent next is a first try, after which a model's proposal is shown."""
    return task.phase.proposes and visit.request.app.state.proposer is not None and task.proposal is None


async def _commit_first_try(visit: Visit, task: Task, content: Content) -> Response:
    """Keep the first try before the model is even asked; then show the form again, with the proposal beside it."""
    model, values, seconds = visit.request.app.state.proposer, _typed(visit), _evidence(visit, task).seconds

    def commit(connection: Connection) -> bool:
        work.save_draft(connection, visit.settings, task.lease, values, visit.now)
        return work.commit_first_try(connection, task.lease, content, seconds, model.name, visit.now)

    if await visit.store.write(commit):
        shown = visit.campaign.flow.shown(task.phase.name, task.item, task.past)
        text = await model.propose(task.item.key, shown["factual"])
        await visit.store.write(lambda c: work.keep_proposal(c, task.lease, text))
    return visit.go(f"/task/{task.lease.token}")


def _evidence(visit: Visit, task: Task) -> work.Evidence:
    """Time at the page where the browser measured it, never more than since the item was given out."""
    form = Form(visit.form)
    since = max(0.0, visit.now - task.lease.claimed_at)
    seconds = form.number("seconds", since, 0, since) or since
    if task.proposal is not None:
        seconds = min(since, seconds + task.proposal.seconds)
    return work.Evidence(seconds, form.number("pasted", 0, 0, 1))


async def draft(visit: Visit) -> Response:
    """Keep what is typed so far; it is on disk when the page says so."""
    task, values = load_task(visit), _typed(visit)
    if task.lease.state in ("done", "flagged"):
        raise RefusedError(409, "This task was sent already.")
    await visit.store.write(lambda c: work.save_draft(c, visit.settings, task.lease, values, visit.now))
    if visit.partial:
        return visit.page("parts/saved.html", at=visit.now)
    return visit.go(f"/task/{task.lease.token}")


async def release(visit: Visit) -> Response:
    """Give the item back."""
    task = load_task(visit)
    await visit.store.write(lambda c: work.release(c, visit.settings, task.lease))
    return visit.go("/work")


async def flag(visit: Visit) -> Response:
    """Flag the phase before, with a reason and in words."""
    task = load_task(visit)
    if task.lease.state == "flagged":
        return visit.go("/work?flagged=1")  # the form was sent twice
    if not task.phase.verifies or task.lease.state != "active":
        raise RefusedError(409, "There is nothing to flag here.")
    form = Form(visit.form)
    reason = form.choice("flag_reason", "why you flag it", tuple(work.REASONS))
    words = form.text("flag_words", "What is wrong with it", least=3, most=1000)
    if form.faults:
        return await _shown(visit, task, _typed(visit), 422, form.faults)
    verified = task.phase.verifies
    await visit.store.write(lambda c: work.flag(c, visit.settings, task.lease, verified, reason, words, visit.now))
    return visit.go("/work?flagged=1")


async def check_distractors(visit: Visit) -> Response:
    """Ask the model in the loop about the distractors as they are typed now."""
    task = load_task(visit)
    if visit.campaign.flow.name != "cosim" or task.phase.name != "distractor" or task.lease.state != "active":
        raise RefusedError(404, "There is no model to ask here.")
    form, values = Form(visit.form), _typed(visit)
    content = visit.campaign.flow.read(task.phase.name, form, task.item, task.past)
    await visit.store.write(lambda c: work.save_draft(c, visit.settings, task.lease, values, visit.now))
    if form.faults:
        checked = Checked("", (), 0, "First mend: " + " ".join(dict.fromkeys(form.faults.values())))
    else:
        texts = msgspec.json.encode(msgspec.to_builtins(content)).decode()
        responses = (content.response, *content.distractors)
        context = context_of(task.past)
        model = visit.request.app.state.loop
        checked = await check(visit.campaign, model, task.lease.id, task.item.id, context, responses, texts)
    if visit.partial:
        return visit.page("parts/checked.html", checked=checked, distractors=DISTRACTORS)
    return await _shown(visit, task, values, 200, form.faults, checked=checked)


async def check_leak(visit: Visit) -> Response:
    """Say, as somebody types, whether a counterfactual question gives its answer away."""
    load_task(visit)
    pair = _pair(visit.form)
    asked = as_instance(pair)
    blind = await answers_blind(visit.campaign, visit.request.app.state.loop, asked) if asked else None
    return visit.page("parts/leak.html", leak=leak_in(pair), blind=blind, values=visit.form)


def _pair(values: dict[str, str]) -> Pair:
    """A pair as it is typed so far."""
    names = ("aspect", "basic", "counterfactual", "option_a", "option_b", "basic_answer", "counterfactual_answer")
    return Pair(*(values.get(name, "")[:400] for name in names))


async def propose_kinds(visit: Visit) -> Response:
    """Propose the types of a change from its words; whoever wrote it corrects them."""
    load_task(visit)
    return visit.page("parts/kinds.html", proposed=change_kinds(visit.form.get("change", "")[:2000]))
