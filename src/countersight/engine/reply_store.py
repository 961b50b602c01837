"""Stores every reply of a model on disk before it is used, so that no request is sent twice."""

import asyncio
import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from msgspec.structs import asdict

from countersight.case import Reply
from countersight.engine.journal import Journal, create_locked_folder, read_journal
from countersight.engine.outcome import Tally
from countersight.engine.retry import Client, RetriesExhausted, RetryPolicy
from countersight.errors import CountersightError
from countersight.models import Model, Request


class ReplyStore:
    """A file of stored replies, outside the run folder."""

    def __init__(self, file: Path, tally: Tally | None = None) -> None:
        self.file = file
        self.tally = tally or Tally()

    @contextmanager
    def open(self) -> Iterator[Self]:
        """Open the folder with an exclusive lock; remove it at the end if it contains no replies."""
        lock = create_locked_folder(self.file.parent, self.file.name, "a folder of stored replies", CountersightError)
        try:
            with lock, Journal(self.file) as journal:
                self.append, self.sync = journal.append, journal.sync
                self._known = {reply.case: reply for reply in read_journal(self.file) if reply.state == "answered"}
                self.tally.before = len(self._known)
                yield self
        finally:
            if not self.file.stat().st_size:
                shutil.rmtree(self.file.parent, ignore_errors=True)

    def known(self, key: str) -> Reply | None:
        """Return the stored answer with this key, or None."""
        return self._known.get(key)

    def keep(self, reply: Reply) -> None:
        """Store a reply durably."""
        self.append(reply)
        self.tally.count(reply)
        if reply.state == "answered":
            self._known[reply.case] = reply


class StoredModel:
    """A model whose replies are stored as they arrive."""

    def __init__(self, model: Model, store: ReplyStore, retry: RetryPolicy, stop: asyncio.Event | None = None) -> None:
        self.name = model.name
        self._store = store
        self._client = Client(model.reply, retry, stop or asyncio.Event(), store.tally)

    async def ask(self, request: Request) -> str:
        """Return the stored or new reply to a request. If it raises RetriesExhausted, a later call tries again."""
        turns = (f"{turn.role}\0{turn.text}" for turn in request.turns)
        conversation = "\0".join((self.name, *turns, str(request.vote)))
        key = f"{request.key}#{hashlib.blake2b(conversation.encode(), digest_size=16).hexdigest()}"
        if known := self._store.known(key):
            return known.text
        try:
            done = await self._client.ask(request)
        except RetriesExhausted as error:
            reason = str(error)
            self._store.keep(Reply(key, 0, "counterfactual", state="failed", reason=reason, attempts=error.attempts))
            raise
        answer = asdict(done.answer)
        self._store.keep(Reply(key, 0, "counterfactual", seconds=done.seconds, attempts=done.attempts, **answer))
        return done.answer.text
