"""Words the questions of drafts with a language model, whose replies are stored as they arrive."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from countersight.case import Case
from countersight.engine import ReplyStore, RetryPolicy, StoredModel, Workers, blocking
from countersight.models import Model, Request, Turn
from countersight.suites.cello.cases import Drafted
from countersight.suites.cello.rewording import reword

REPLIES = "replies.jsonl"
_UNDER_WAY = 16


def kept_beside(folder: Path) -> Path:
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
