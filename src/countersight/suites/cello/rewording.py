"""Word causal questions with a language model (CELLO 4.3), given descriptions, the graph and forbidden names.

Rules check the model's wording for required and forbidden names. The model is then asked whether its question means
the same as the template's. A faulty wording is sent back, and after a few attempts the template's wording is used.
Every reply is stored, so that no request is paid for twice.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from countersight.case import Case, Question
from countersight.engine import ReplyStore, RetriesExhausted, RetryPolicy, StoredModel, blocking, process_all
from countersight.models import Model, Request, Turn
from countersight.reading import answer_in
from countersight.suites.cello.cases import CaseDraft
from countersight.suites.cello.wording import edges_in_words, wording_error

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

                drafted = iter(enumerate(drafts))
                await process_all(drafted, take, concurrency=retry.concurrency, stop=stop, sync=store.sync)
        finally:
            await model.close()

    blocking(word)
    return [cases[number] for number in range(len(drafts))]


async def reword(say: Say, drafted: CaseDraft, name: str) -> Case:
    """Return the case with its question worded by the named model, or with the template's wording."""
    case, asked = drafted.case, drafted.case.counterfactual
    assert asked is not None
    turns = [Turn("user", instructions(drafted))]
    written, wrong = "", ""
    for _ in range(ATTEMPTS):
        try:
            written = _only_line(await say(tuple(turns)))
            wrong = wording_error(written, forbidden=drafted.forbidden, named=drafted.named) or ""
            if not wrong and not _is_yes(await say((Turn("user", comparison(asked.text, written)),))):
                wrong = "it does not suppose and ask the same as the question to word"
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
        *(["What people say about the photograph:", *described] if described else []),
        "What depends on what in the photograph:",
        *edges,
        f"The question to word: {asked.text}",
        f"Its answer must stay: {asked.right_text}",
        "Constraints:",
        "- Suppose and ask the same about the same things, in one or two short sentences with one question mark.",
    ]
    if drafted.named:
        parts.append(f"- Mention {', '.join(drafted.named)}.")
    if drafted.forbidden:
        parts.append(f"- Do not mention {', '.join(drafted.forbidden)}, nor any synonym of these.")
    parts.append("Write the question and nothing else.")
    return "\n".join(parts)


def comparison(template: str, written: str) -> str:
    """Return the prompt that asks the model whether a wording means the same as the template."""
    return (
        "Here are two questions about the same photograph.\n"
        f"First question: {template}\n"
        f"Second question: {written}\n"
        "Do both suppose exactly the same, and ask exactly the same about the same things, so that whatever answer is "
        "right for the first question is also right for the second? Answer yes or no."
    )


def _is_yes(reply: str) -> bool:
    return answer_in(reply, Question("", "", "boolean")) == "yes"


def _only_line(text: str) -> str:
    """Return the model's reply as one line, without quotes or a label around it."""
    line = " ".join(text.split())[:_LONGEST_KEPT]
    return line.removeprefix("Question:").strip().strip('"“”').strip()
