"""Word causal questions with a language model (CELLO 4.3), given the descriptions, the graph and what not to reveal.

Rules check its wording for names that must and must not occur. The model then reads its own question and states the
role of every thing and what is asked; both must be as intended. A faulty wording is sent back, and after a few attempts
the template's wording is used. Every reply is stored, so that no request is paid for twice.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Final, Literal

import msgspec

from countersight.case import Case
from countersight.engine import ReplyStore, RetriesExhausted, RetryPolicy, StoredModel, Workers, blocking
from countersight.models import Model, Request, Turn
from countersight.suites.cello.cases import CaseDraft
from countersight.suites.cello.leaks import wording_error
from countersight.suites.cello.wording import edges_in_words

ATTEMPTS = 3
_DESCRIPTIONS = 12
_LONGEST_KEPT = 600
REPLIES = "replies.jsonl"
_UNDER_WAY = 16

Say = Callable[[tuple[Turn, ...]], Awaitable[str]]
"""Sends a conversation to the model and returns its reply; raises RetriesExhausted if there is none."""


def replies_folder(folder: Path) -> Path:
    """Return the folder in which the replies for a dataset folder are stored."""
    return folder.with_name(f"{folder.name}.wording")


def reword_all(
    model: Model, drafts: Sequence[CaseDraft], folder: Path, *, progress: Callable[[int], None]
) -> list[Case]:
    """Return the cases of the drafts, in order, each with the model's wording unless it has a fault.

    An interrupted command continues from the replies in `folder`.
    """
    cases: dict[int, Case] = {}

    async def word() -> None:
        stop, retry = asyncio.Event(), RetryPolicy(concurrency=_UNDER_WAY)
        try:
            with ReplyStore(folder / REPLIES).open() as store:
                stored = StoredModel(model, store, retry, stop)

                async def say(turns: tuple[Turn, ...]) -> str:
                    return await stored.ask(Request("wording", turns, "open"))

                async def take(numbered: tuple[int, CaseDraft]) -> None:
                    number, drafted = numbered
                    cases[number] = await reword(say, drafted, model.name)
                    progress(len(cases))

                await Workers(take, stop=stop, sync=store.sync).work(iter(enumerate(drafts)), retry.concurrency)
        finally:
            await model.close()

    blocking(word)
    return [cases[number] for number in range(len(drafts))]


async def reword(say: Say, drafted: CaseDraft, name: str) -> Case:
    """Return the case with its question worded by the named model, or with the template's wording."""
    case, asked = drafted.case, drafted.case.counterfactual
    assert asked is not None
    turns = [Turn("user", instructions(drafted))]
    gone = next((name for name, role in roles(drafted).items() if role == "gone"), None)
    written, wrong = "", ""
    for _ in range(ATTEMPTS):
        try:
            written = _only_line(await say(tuple(turns)))
            wrong = wording_error(written, forbidden=drafted.forbidden, named=drafted.named, gone=gone) or ""
            if not wrong:
                read = await say((Turn("user", role_prompt(written, drafted)),))
                wrong = role_mismatch(read, drafted) or ""
        except RetriesExhausted as failure:
            wrong = f"the model did not answer: {failure}"
            break
        if not wrong:
            worded = msgspec.structs.replace(asked, text=written)
            provenance = case.provenance | {"wording": name, "template": asked.text}
            return msgspec.structs.replace(case, counterfactual=worded, provenance=provenance)
        turns += [Turn("assistant", written), Turn("user", f"That will not do: {wrong}. Write it again.")]
    rejection: dict[str, str | int] = {"rejected": written, "rejected_because": wrong[:_LONGEST_KEPT]}
    return msgspec.structs.replace(case, provenance=case.provenance | rejection)


def instructions(drafted: CaseDraft) -> str:
    """Return the prompt for the model: descriptions, causal graph and constraints."""
    asked = drafted.case.counterfactual
    assert asked is not None
    described = [f"- {line}" for line in drafted.graph.descriptions[:_DESCRIPTIONS]]
    edges = [f"- {edge}" for edge in edges_in_words(drafted.graph)]
    parts = [
        "Word a question about a photograph so that it sounds natural to somebody who looks at it.",
        *(["What people say of the photograph:", *described] if described else []),
        "What depends on what in it:",
        *edges,
        f"The question to word: {asked.text}",
        f"Its answer must stay: {asked.right_text}",
        "Constraints:",
        "- Ask the same thing, in one or two short sentences that end with one question mark.",
    ]
    if drafted.named:
        parts.append(f"- Mention {', '.join(drafted.named)}.")
    if drafted.forbidden:
        parts.append(f"- Do not mention {', '.join(drafted.forbidden)}, nor any synonym of these.")
    if drafted.asks_stays is not None:
        stays, goes = "the thing stays, or could stay, as it is", "the thing goes, or must have gone"
        outcome = stays if drafted.asks_stays else goes
        parts.append(f"- Suppose the same of the same things, and ask whether {outcome}.")
    parts.append("Write the question and nothing else.")
    return "\n".join(parts)


def _only_line(text: str) -> str:
    """Return the model's reply as one line, without quotes or a label around it."""
    line = " ".join(text.split())[:_LONGEST_KEPT]
    return line.removeprefix("Question:").strip().strip('"“”').strip()


Role = Literal["gone", "kept", "changed", "asked"]
ROLES: dict[str, tuple[Role, Role, Role]] = {
    "CR": ("gone", "asked", "kept"),
    "CDE": ("gone", "asked", "kept"),
    "NDE": ("gone", "asked", "kept"),
    "NIE": ("kept", "asked", "changed"),
    "SC": ("kept", "asked", "kept"),
    "NC": ("asked", "gone", "kept"),
}
"""The intended role of the lost thing, the effect and the held thing, by task."""

REQUESTED_RELATIONS: Final = {
    "CaI": "cause",
    "CB": "cause",
    "CoI": "cause",
    "CA": "indirect cause",
    "AR": "indirect effect",
    "BAS": "control",
}
"""What a question with options asks for, by task."""
_RELATION_WORDS: Final = ("cause", "indirect cause", "effect", "indirect effect", "control")
_KEPT_IN_PLACE: Final = ("CaI", "CA", "CB", "CoI")
"""Tasks whose questions always say whether the thing stays; the others may only ask about dependence."""


def role_prompt(written: str, drafted: CaseDraft) -> str:
    """Return the prompt that asks the model for the roles of things in its own wording."""
    lines = _choice_roles(drafted) if drafted.asks_stays is None else _yes_no_roles(drafted)
    return "\n".join((f"Read this question: {written}", *lines))


def roles(drafted: CaseDraft) -> dict[str, str]:
    """Return the intended roles of the things in the question, and what it asks."""
    if drafted.asks_stays is None:
        outcome = _outcome(drafted)
        meant = {"asks": REQUESTED_RELATIONS[drafted.task.short], "wants": "does"} | (
            {"outcome": outcome} if outcome else {}
        )
        # Of two things that a question with options names, one depends on the other.
        two = len(drafted.named) == 2
        return meant | (dict(zip(drafted.named, ("cause", "effect"), strict=True)) if two else {})
    meant = dict[str, str](zip(drafted.named, ROLES[drafted.task.short], strict=False))
    return meant | {"asks": "stays" if drafted.asks_stays else "goes"}


def role_mismatch(answer: str, drafted: CaseDraft) -> str | None:
    """Return the first difference from the intended roles, as a message to the model, or None."""
    pairs = (line.strip(" -*").partition(":") for line in answer.casefold().splitlines())
    said = {name.strip().removeprefix("the "): role.strip(' .*“”"') for name, _, role in pairs}
    for name, meant in roles(drafted).items():
        if said.get(name) != meant:
            told = said.get(name, "nothing")
            if name in drafted.named:
                return f"“{name}” must be what is {meant}, but it reads as {told}"
            return f"“{name}” must be “{meant}”, but it reads as “{told}”"
    return None


def _yes_no_roles(drafted: CaseDraft) -> Iterable[str]:
    return (
        "State the role of each thing in the question, one per line, and nothing else:",
        *(f"{name}: gone, kept, changed or asked" for name in _shuffled(drafted.named, drafted)),
        "asks: stays or goes",
        "“gone” is what is supposed to be no longer there, “kept” what is supposed to stay or is held as it is, "
        "“changed” what is supposed to be as it would be without another thing, “asked” what is asked about. "
        "“stays” means: the question is whether that is still as it is, or could be; “goes”: whether it is not.",
    )


def _choice_roles(drafted: CaseDraft) -> Iterable[str]:
    *words, last = _shuffled(_RELATION_WORDS, drafted)
    about = " and ".join(drafted.named)
    return (
        f"The question names {about}. State what it asks for, one line each, and nothing else:",
        f"asks: {', '.join(words)} or {last}",
        "wants: does or does not",
        *(f"{name}: cause or effect" for name in _shuffled(drafted.named, drafted) if len(drafted.named) == 2),
        *(("outcome: stays or goes",) if _outcome(drafted) else ()),
        f"“cause” is what {about} depends on, or why it stays; “effect” what depends on {about}; either is “indirect” "
        "where the question wants it by way of another thing only; “control” is what to keep the same in a comparison. "
        "“does” means: the right option is one that is so; “does not”: one that is not. "
        "“stays” means: the question speaks of a thing that stays where it is; “goes”: of one that does not.",
    )


def _outcome(drafted: CaseDraft) -> str | None:
    """Return whether the question says that a thing stays or goes; None if it says neither."""
    asked = drafted.case.counterfactual
    assert asked is not None
    if "no longer" in asked.text:
        return "goes"
    return "stays" if drafted.task.short in _KEPT_IN_PLACE else None


def _shuffled(words: tuple[str, ...], drafted: CaseDraft) -> list[str]:
    """Return words in a random order, the same for the same question: the order must not reveal the answer."""
    asked = drafted.case.counterfactual
    assert asked is not None
    return Random(f"{drafted.graph.scene}/{asked.text}").sample(words, len(words))
