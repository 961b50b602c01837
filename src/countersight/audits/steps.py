"""Steps that are done once: a step is known by the hash of its inputs, and one that was done is never done again."""

import asyncio
import datetime
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Generic, Protocol, TypeVar

import msgspec

from countersight.audits.folder import LOG, encode_step
from countersight.audits.records import Actor, Failed, Output, RecordedTurn, Stage, Step, StepPlace, Usage
from countersight.engine import Journal, RetriesExhausted, Stopped, Tally, Workers
from countersight.errors import CountersightError
from countersight.text import several


class AuditTally(Tally):
    """Counts of one audit, step by step."""

    def __init__(self) -> None:
        super().__init__()
        self.cases = 0
        self.left_out = 0
        """Cases without a picture, or without a question about the picture as it is."""

    def found(self) -> None:
        """A step had been done before."""
        self.before += 1

    def did(self, step: Step) -> None:
        """A step was done, or failed."""
        if isinstance(step.output, Failed):
            self._failed(f"{step.stage}: {step.output.reason}")
        else:
            self.answered += 1
        self.spend(step.spent.tokens_in, step.spent.tokens_out, step.spent.cost)

    def summary(self) -> str:
        """What happened, in a few lines."""
        lines = [f"{several(self.cases, 'case')}: {self.before + self.answered:,} steps done, {self.failed:,} failed"]
        if self.before:
            lines[0] += f" ({self.before:,} were done before)"
        lines += self._spent()
        if self.left_out:
            why = "no picture, or no factual question that can be asked without options"
            lines.append(f"{several(self.left_out, 'case')} left out: {why}")
        return "\n".join([*lines, *self._troubles(LOG)])


FORMAT = 1
"""Counted up when the same inputs would no longer give the same output."""


class StepResult(msgspec.Struct, frozen=True):
    """What came of the work of a step, and what it took."""

    output: Output
    spent: Usage = Usage()
    asked: tuple[RecordedTurn, ...] = ()


class StepFailed(Exception):  # noqa: N818 - it names what happened
    """A step has no output, so that nothing that builds on it can be done; it is in the log, with its reason."""


class DoesSteps(Protocol):
    """Anything that does steps: an audit at work, or one that is replayed."""

    async def do(
        self, stage: Stage, place: StepPlace, by: Actor, inputs: object, work: Callable[[], Awaitable[StepResult]]
    ) -> Output:
        """The output of a step; raises StepFailed where there is none."""
        ...


class Steps:
    """Does steps, or finds what came of them when they were done before, and writes every one to the log."""

    def __init__(self, journal: Journal, before: Iterable[Step], tally: AuditTally, stop: asyncio.Event) -> None:
        self._journal = journal
        self._tally = tally
        self._stop = stop
        self._done: dict[str, Output] = {}
        self._doing: dict[str, asyncio.Future[Output]] = {}
        self.taken: Counter[str] = Counter()
        """Steps done or found for each case."""
        self._count = 0
        self._previous = ""
        for step in before:
            if not isinstance(step.output, Failed):
                self._done[step.inputs] = step.output
            self._count, self._previous = step.n + 1, step.hash

    async def do(
        self,
        stage: Stage,
        place: StepPlace,
        by: Actor,
        inputs: object,
        work: Callable[[], Awaitable[StepResult]],
    ) -> Output:
        """The output of a step: found if it was done before, else result out and written down.

        `inputs` is all the output depends on beside who does it and where in the audit. Raises StepFailed where there
        is no output, and Stopped where the user stops before there is one.
        """
        key = hash_of((FORMAT, stage, place, by, inputs))
        self.taken[place.case] += 1
        if key in self._done:
            self._tally.found()
            return self._done[key]
        if key in self._doing:  # the cases of one picture share its control edit
            self._tally.found()
            output = await asyncio.shield(self._doing[key])
        else:
            output = await self._do(key, stage, place, by, work)
        if isinstance(output, Failed):
            raise StepFailed(output.reason)
        return output

    async def _do(
        self, key: str, stage: Stage, place: StepPlace, by: Actor, work: Callable[[], Awaitable[StepResult]]
    ) -> Output:
        if self._stop.is_set():
            raise Stopped
        future: asyncio.Future[Output] = asyncio.get_running_loop().create_future()
        self._doing[key] = future
        try:
            try:
                result = await work()
            except RetriesExhausted as given_up:
                result = StepResult(Failed(str(given_up)), Usage(attempts=given_up.attempts))
            except (CountersightError, OSError, StepFailed, Stopped):
                raise
            except Exception as error:  # a judge or an extractor of somebody else's fails its step and no other
                result = StepResult(Failed(f"{by.name} raised {type(error).__name__}: {error}"))
            self._write(key, stage, place, by, result)
            future.set_result(result.output)
            return result.output
        except BaseException as error:
            future.set_exception(error if isinstance(error, Exception) else Stopped())
            future.exception()  # nobody may wait for it: that is no mistake
            raise
        finally:
            del self._doing[key]

    def sync(self) -> None:
        """Bring what was written to the disk itself, against a loss of power."""
        self._journal.sync()

    def _write(self, key: str, stage: Stage, place: StepPlace, by: Actor, result: StepResult) -> None:
        step = Step(
            n=self._count,
            stage=stage,
            place=place,
            inputs=key,
            output=result.output,
            by=by.name,
            asked=result.asked,
            spent=result.spent,
            at=datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
            previous=self._previous,
        )
        line, digest = encode_step(step)
        self._journal.write(line)
        self._count, self._previous = self._count + 1, digest
        if not isinstance(result.output, Failed):
            self._done[key] = result.output
        self._tally.did(step)


def hash_of(inputs: object) -> str:
    """SHA-256 of anything that JSON can hold, the same for the same content."""
    return hashlib.sha256(msgspec.json.encode(inputs, order="sorted")).hexdigest()


class HasId(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> str:
        """By which its steps know it."""
        ...


One = TypeVar("One", bound=HasId)


class Runner(Generic[One]):
    """Takes one after the other through its steps, so many at a time; what stops it lets the others finish theirs."""

    def __init__(
        self,
        take: Callable[[int, One], Awaitable[None]],
        steps: Steps,
        tally: AuditTally,
        full: int,
        stop: asyncio.Event,
    ) -> None:
        """`take` is told the row of each; `full` is the most steps one can take."""
        self._take = take
        self._steps = steps
        self._tally = tally
        self._full = full
        self._stop = stop

    async def run(self, those: Iterator[tuple[int, One]], concurrency: int) -> None:
        """Until none is left, or the work is stopped; raises where every further step would fail too."""
        self._tally.limit = concurrency
        await Workers(self._through, stop=self._stop, sync=self._steps.sync).work(those, concurrency)
        self._tally.total = self._tally.done

    async def _through(self, that: tuple[int, One]) -> None:
        row, one = that
        self._tally.cases += 1
        await self._take(row, one)
        self._tally.total -= self._full - self._steps.taken.pop(one.id, 0)
