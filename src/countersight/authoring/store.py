"""Store every model reply on disk before it is used, so that no request is made twice."""

import asyncio
import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from countersight.case import Reply
from countersight.engine import Client, RetriesExhausted, RetryPolicy, Tally, appending, begun, read_journal
from countersight.errors import CountersightError
from countersight.models import Model, Request

ANSWERS = "answers.jsonl"


class ReplyStore:
    """The folder with the replies so far, next to the dataset; removed when the dataset exists."""

    def __init__(self, output: Path) -> None:
        self.path = output.with_name(f"{output.name}.building")
        self.tally = Tally()

    @contextmanager
    def open(self) -> Iterator[Self]:
        """Open the folder for this process alone."""
        lock = begun(self.path, ANSWERS, "a build", CountersightError)
        try:
            with appending(lock, self.path / ANSWERS) as self._journal:
                replies = read_journal(self.path / ANSWERS)
                self._known = {reply.case: reply for reply in replies if reply.state == "answered"}
                yield self
        finally:
            if not self.is_begun:
                self.remove()

    @property
    def is_begun(self) -> bool:
        """Whether there is any reply, so that the build can be continued."""
        return (self.path / ANSWERS).stat().st_size > 0

    def known(self, key: str) -> Reply | None:
        """Return the stored answer with this key, or None."""
        return self._known.get(key)

    def keep(self, reply: Reply) -> None:
        """Store a reply durably."""
        self._journal.append(reply)
        self.tally.count(reply)
        if reply.state == "answered":
            self._known[reply.case] = reply

    def finish(self, staging: Path) -> None:
        """Copy the replies into the finished dataset."""
        if self.is_begun:
            shutil.copyfile(self.path / ANSWERS, staging / ANSWERS)

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)


class CachedModel:
    """A model whose replies are stored as they arrive."""

    def __init__(self, model: Model, store: ReplyStore, retry: RetryPolicy) -> None:
        self.name = model.name
        self._store = store
        self._client = Client(model.reply, retry, asyncio.Event(), store.tally)

    async def ask(self, request: Request) -> Reply:
        """Return the stored or new reply to a request; a failed one has the reason and is requested again later."""
        said = "\0".join((self.name, *(turn.text for turn in request.turns), str(request.vote)))
        key = f"{request.key}#{hashlib.blake2b(said.encode(), digest_size=8).hexdigest()}"
        if known := self._store.known(key):
            return known
        try:
            done = await self._client.ask(request)
        except RetriesExhausted as error:
            reply = Reply(key, 0, "counterfactual", state="failed", reason=str(error), attempts=error.attempts)
        else:
            reply = Reply(
                key,
                0,
                "counterfactual",
                text=done.answer.text,
                finish=done.answer.finish,
                tokens_in=done.answer.tokens_in,
                tokens_out=done.answer.tokens_out,
                cost=done.answer.cost,
                seconds=done.seconds,
                attempts=done.attempts,
                model=done.answer.model,
            )
        self._store.keep(reply)
        return reply
