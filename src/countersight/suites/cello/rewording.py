"""Causal questions worded by a language model (CELLO 4.3): told the descriptions, the graph in words and what not to
say. What it writes is checked by rules, for names that must and must not be there, and then by asking back: shown its
own question alone, the model must give every thing the role that it was meant to have, and say the same of what is
asked. What does not come back the same is sent back, and after so many attempts the template stands. Every answer is
kept as it comes: nothing is paid for twice.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from countersight.case import Case
from countersight.engine import ReplyStore, RetriesExhausted, RetryPolicy, StoredModel, Workers, blocking
from countersight.models import Model, Request, Turn
from countersight.suites.cello.cases import Drafted
from countersight.suites.cello.leaks import fault
from countersight.suites.cello.role_check import role_mismatch, role_prompt, roles
from countersight.suites.cello.wording import edges_in_words

ATTEMPTS = 3
_DESCRIPTIONS = 12
_LONGEST_KEPT = 600
REPLIES = "replies.jsonl"
_UNDER_WAY = 16

Say = Callable[[tuple[Turn, ...]], Awaitable[str]]
"""Sends a conversation to the model and returns its reply; raises RetriesExhausted if there is none."""


def replies_folder(folder: Path) -> Path:
    """Return where the replies are stored during and after the making of a dataset folder."""
    return folder.with_name(f"{folder.name}.wording")


def reword_all(model: Model, drafts: Sequence[Drafted], folder: Path, *, progress: Callable[[int], None]) -> list[Case]:
    """Return the cases of the drafts, in order, worded by the model if its wording has no fault.

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

                async def take(numbered: tuple[int, Drafted]) -> None:
                    number, drafted = numbered
                    cases[number] = await reword(say, drafted, model.name)
                    progress(len(cases))

                await Workers(take, stop=stop, sync=store.sync).work(iter(enumerate(drafts)), retry.concurrency)
        finally:
            await model.close()

    blocking(word)
    return [cases[number] for number in range(len(drafts))]


async def reword(say: Say, drafted: Drafted, name: str) -> Case:
    """Return the case with its question worded by the named model, or with the template's wording."""
    case, asked = drafted.case, drafted.case.counterfactual
    assert asked is not None
    turns = [Turn("user", instructions(drafted))]
    gone = next((name for name, role in roles(drafted).items() if role == "gone"), None)
    written, wrong = "", ""
    for _ in range(ATTEMPTS):
        try:
            written = _only_line(await say(tuple(turns)))
            wrong = fault(written, forbidden=drafted.forbidden, named=drafted.named, gone=gone) or ""
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
    beside: dict[str, str | int] = {"rejected": written, "rejected_because": wrong[:_LONGEST_KEPT]}
    return msgspec.structs.replace(case, provenance=case.provenance | beside)


def instructions(drafted: Drafted) -> str:
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
    """What the model wrote, without the quotes and the label it may have put around it."""
    line = " ".join(text.split())[:_LONGEST_KEPT]
    return line.removeprefix("Question:").strip().strip('"“”').strip()
