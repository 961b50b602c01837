"""Store the replies of a language model that words questions as they arrive, so that nothing is paid for twice."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from countersight.case import Case, Reply
from countersight.engine import Client, Journal, RetryPolicy, Tally, Workers, appending, begun, blocking, read_journal
from countersight.errors import CountersightError
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

    What the model says goes into `folder` as it comes. Who is stopped, or whose key is refused at the last question,
    goes on from there with the same command.
    """

    async def worded() -> list[Case]:
        try:
            return await _Wording(model, folder, progress).all(drafts)
        finally:
            await model.close()

    return blocking(worded)


class _Wording:
    def __init__(self, model: Model, folder: Path, progress: Callable[[int], None]) -> None:
        self._model = model
        self._folder = folder
        self._progress = progress
        self._said = {reply.case: reply.text for reply in read_journal(folder / REPLIES)}
        self._cases: dict[int, Case] = {}

    async def all(self, drafts: Sequence[Drafted]) -> list[Case]:
        stop = asyncio.Event()
        retry = RetryPolicy(concurrency=_UNDER_WAY)
        tally = Tally()
        tally.before = len(self._said)
        self._asker: Client[Request, str] = Client(self._put, retry, stop, tally)
        lock = begun(self._folder, REPLIES, "a folder of answers to wording", CountersightError)
        with appending(lock, self._folder / REPLIES) as journal:
            self._journal: Journal = journal

            async def take(numbered: tuple[int, Drafted]) -> None:
                number, drafted = numbered
                self._cases[number] = await reword(self._say, drafted, self._model.name)
                self._progress(len(self._cases))

            await Workers(take, stop=stop, sync=journal.sync).work(iter(enumerate(drafts)), retry.concurrency)
        return [self._cases[number] for number in range(len(drafts))]

    async def _say(self, turns: tuple[Turn, ...]) -> str:
        """What the model says to a conversation; what it said to the same one before, where it did."""
        key = _key(self._model.name, turns)
        if key not in self._said:
            answered = await self._asker.ask(Request(key, turns, "open"))
            self._journal.append(Reply(key, 0, "counterfactual", text=answered.answer, seconds=answered.seconds))
            self._said[key] = answered.answer
        return self._said[key]

    async def _put(self, request: Request) -> str:
        return (await self._model.reply(request)).text


def _key(model: str, turns: tuple[Turn, ...]) -> str:
    text = "\0".join((model, *(f"{turn.role}\0{turn.text}" for turn in turns)))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
