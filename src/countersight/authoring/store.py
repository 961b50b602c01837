"""Store every model reply on disk before it is used, so that no request is made twice."""

import asyncio
import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import msgspec

from countersight.case import Reply
from countersight.engine import (
    Client,
    RetriesExhausted,
    RetryPolicy,
    Tally,
    appending,
    begun,
    read_journal,
    read_manifest,
    write_manifest,
)
from countersight.errors import CountersightError
from countersight.models import Answer, Model, Request

ANSWERS = "answers.jsonl"
_PLAN = "build.json"


class BuildPlan(msgspec.Struct, frozen=True):
    """The plan of a build; replies stored for another plan are not reused."""

    suite: str
    questions: str
    fingerprint: str
    """Digest of the questions and annotations."""
    writer: str
    groups: tuple[str, ...]
    size: int
    seed: int
    blind: str = ""


class BuildContext:
    """The working folder of a build, next to the dataset: the requests and replies so far.

    It is named after the dataset and goes away when the dataset is there.
    """

    def __init__(self, output: Path, plan: BuildPlan) -> None:
        self.path = output.with_name(f"{output.name}.building")
        self.plan = plan
        self.tally = Tally()

    @contextmanager
    def open(self) -> Iterator[Self]:
        """Open the folder for this process alone; an existing folder must have the same plan."""
        lock = begun(self.path, _PLAN, "a build", CountersightError, ANSWERS)
        try:
            with appending(lock, self.path / ANSWERS) as self._journal:
                self._agree()
                replies = read_journal(self.path / ANSWERS)
                self._known = {reply.case: reply for reply in replies if reply.state == "answered"}
                yield self
        finally:
            if not self.is_begun:
                self.remove()

    def _agree(self) -> None:
        plan = self.path / _PLAN
        before = read_manifest(plan, BuildPlan, "a build", CountersightError) if plan.exists() else self.plan
        if before != self.plan and self.is_begun:
            raise CountersightError(
                f"{self.path} belongs to another build (writer {before.writer}, seed {before.seed}, {before.size} "
                f"pairs of {before.questions}); repeat that build, or choose another name for `out`"
            )
        write_manifest(plan, self.plan)

    @property
    def is_begun(self) -> bool:
        """Whether anything was answered, so that the build can be continued."""
        return (self.path / ANSWERS).stat().st_size > 0

    @property
    def answered(self) -> int:
        """The number of answers, including those of earlier processes."""
        return len(self._known)

    def known(self, key: str) -> Reply | None:
        """Return the stored answer with this key, or None."""
        return self._known.get(key)

    def keep(self, reply: Reply) -> None:
        """Store an answer durably."""
        self._journal.append(reply)
        self.tally.count(reply)
        if reply.state == "answered":
            self._known[reply.case] = reply

    def spent(self) -> tuple[float, int, int]:
        """Return dollars, input tokens and output tokens, including those of earlier processes."""
        replies = list(read_journal(self.path / ANSWERS))
        return (
            sum(reply.cost for reply in replies),
            sum(reply.tokens_in for reply in replies),
            sum(reply.tokens_out for reply in replies),
        )

    def finish(self, staging: Path) -> None:
        """Copy the answers into the finished dataset."""
        if (self.path / ANSWERS).stat().st_size:
            shutil.copyfile(self.path / ANSWERS, staging / ANSWERS)

    def remove(self) -> None:
        """Remove the working folder once the dataset exists."""
        shutil.rmtree(self.path, ignore_errors=True)


class CachedModel:
    """A model whose answers are stored as they arrive."""

    def __init__(self, model: Model, workshop: BuildContext, retry: RetryPolicy) -> None:
        self.name = model.name
        self._workshop = workshop
        self._asker = Client(model.reply, retry, asyncio.Event(), workshop.tally)

    async def ask(self, request: Request) -> Reply:
        """Return the stored or new answer to a request; a failed one has the reason and is requested again later."""
        key = f"{request.key}#{_digest(request)}"
        if known := self._workshop.known(key):
            return known
        try:
            done = await self._asker.ask(request)
        except RetriesExhausted as given_up:
            reply = Reply(key, 0, "counterfactual", state="failed", reason=str(given_up), attempts=given_up.attempts)
        else:
            reply = _reply(key, done.answer, done.seconds, done.attempts)
        self._workshop.keep(reply)
        return reply


def _reply(key: str, answer: Answer, seconds: float, attempts: int) -> Reply:
    return Reply(
        key,
        0,
        "counterfactual",
        text=answer.text,
        finish=answer.finish,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        cost=answer.cost,
        seconds=seconds,
        attempts=attempts,
        model=answer.model,
    )


def _digest(request: Request) -> str:
    said = "\0".join((*(turn.text for turn in request.turns), str(request.vote)))
    return hashlib.blake2b(said.encode(), digest_size=8).hexdigest()
