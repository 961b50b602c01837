"""Run each step of an audit once, and log it. A step is identified by the hash of its inputs, and is never repeated."""

import asyncio
import datetime
import hashlib
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

import msgspec

from countersight.audits.manifest import Actor
from countersight.audits.records import Failed, Output, RecordedTurn, Stage, Step, StepPlace, Usage
from countersight.audits.step_log import LOG, encode_step
from countersight.engine import Journal, RetriesExhausted, Stopped, Tally, process_all
from countersight.errors import CountersightError
from countersight.text import several


class AuditTally(Tally):
    """The progress of one audit. It is counted in cases, because the number of steps depends on the explanation."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = self.earlier_steps = self.failed_steps = 0
        self.left_out = 0
        """The number of cases without a picture, or without a question about the original picture."""
        self._incomplete: set[str] = set()

    def count_step(self, step: Step) -> None:
        """Count a step that was done or failed."""
        if isinstance(step.output, Failed):
            self.failed_steps += 1
            self._incomplete.add(step.place.case)
            self._note_reason(f"{step.stage}: {step.output.reason}")
        else:
            self.steps += 1
        self.spend(step.spent.tokens_in, step.spent.tokens_out, step.spent.cost)

    def count_case(self, case: str) -> None:
        """Count a case whose steps are done; the case failed if one of them did."""
        if case in self._incomplete:
            self.failed += 1
        else:
            self.answered += 1

    def summary(self) -> str:
        """Return a summary of what happened, in a few lines."""
        done, earlier = self.steps + self.earlier_steps, self.earlier_steps
        lines = [f"{several(self.done, 'case')}: {done:,} steps done, {self.failed_steps:,} failed"]
        if earlier:
            lines[0] += f" ({earlier:,} were done before)"
        lines += self._spent()
        if self.left_out:
            why = "no picture, or no factual question that can be asked without options"
            lines.append(f"{several(self.left_out, 'case')} left out: {why}")
        return "\n".join([*lines, *self._troubles(LOG)])


FORMAT = 1
"""The version of steps; it is increased when the same inputs no longer give the same output."""


class StepMeter:
    """Collects what a step in progress costs, and its conversation with a model."""

    def __init__(self) -> None:
        self.spent = Usage(attempts=0)
        self.asked: tuple[RecordedTurn, ...] = ()

    def add_turns(self, turns: tuple[RecordedTurn, ...]) -> None:
        """Record a conversation: the recorded one, continued, or a further one."""
        self.asked = turns if turns[: len(self.asked)] == self.asked else (*self.asked, *turns)


METER: ContextVar[StepMeter] = ContextVar("METER")
"""The meter of the step that is in progress in this task."""
Work = Callable[[], Awaitable[Output]]


@contextmanager
def metered() -> Iterator[StepMeter]:
    """Meter the models and editors that are asked in this block."""
    token = METER.set(StepMeter())
    try:
        yield METER.get()
    finally:
        METER.reset(token)


class StepFailed(Exception):  # noqa: N818 - it names what happened
    """Raised if a step has no output, so that dependent steps cannot be done; the reason is in the log."""


class StepRunner(Protocol):
    """An interface for doing steps: a running audit, or a replayed one."""

    async def do(self, stage: Stage, place: StepPlace, by: Actor, inputs: object, work: Work) -> Output:
        """Return the output of a step; raises StepFailed if there is none."""
        ...


class Steps:
    """Runs steps and logs them; a step that was done before is not repeated."""

    def __init__(self, journal: Journal, before: Iterable[Step], tally: AuditTally, stop: asyncio.Event) -> None:
        self._journal = journal
        self._tally = tally
        self._stop = stop
        self._done: dict[str, Output] = {}
        self._doing: dict[str, asyncio.Future[Output]] = {}
        self._count = 0
        self._previous = ""
        for step in before:
            if not isinstance(step.output, Failed):
                self._done[step.inputs] = step.output
            self._count, self._previous = step.n + 1, step.hash

    async def do(self, stage: Stage, place: StepPlace, by: Actor, inputs: object, work: Work) -> Output:
        """Return the output of a step: the earlier one if it was done before, else computed and logged.

        `inputs` is everything that the output depends on, except the actor and the place in the audit. Raises
        StepFailed if there is no output, and Stopped if the user stops the audit first.
        """
        key = hash_of((FORMAT, stage, place, by, inputs))
        if key in self._done:
            self._tally.earlier_steps += 1
            return self._done[key]
        if key in self._doing:  # the cases of one picture share its control edit
            self._tally.earlier_steps += 1
            output = await asyncio.shield(self._doing[key])
        else:
            output = await self._do(key, stage, place, by, work)
        if isinstance(output, Failed):
            raise StepFailed(output.reason)
        return output

    async def _do(self, key: str, stage: Stage, place: StepPlace, by: Actor, work: Work) -> Output:
        if self._stop.is_set():
            raise Stopped
        future: asyncio.Future[Output] = asyncio.get_running_loop().create_future()
        self._doing[key] = future
        try:
            with metered() as meter:
                try:
                    output = await work()
                except RetriesExhausted as given_up:
                    output = Failed(str(given_up))
                except (CountersightError, OSError, StepFailed, Stopped):
                    raise
                except Exception as error:  # an error in another package's judge or extractor fails only this step
                    output = Failed(f"{by.name} raised {type(error).__name__}: {error}")
            self._write(key, stage, place, by, output, meter)
            future.set_result(output)
            return output
        except BaseException as error:
            future.set_exception(error if isinstance(error, Exception) else Stopped())
            future.exception()  # avoids a warning if no other task awaits it
            raise
        finally:
            del self._doing[key]

    def sync(self) -> None:
        """Sync the log to disk, so that a power loss does not lose steps."""
        self._journal.sync()

    def _write(self, key: str, stage: Stage, place: StepPlace, by: Actor, output: Output, meter: StepMeter) -> None:
        failed = isinstance(output, Failed)
        step = Step(
            n=self._count,
            stage=stage,
            place=place,
            inputs=key,
            output=output,
            by=by.name,
            asked=() if failed else meter.asked,
            spent=meter.spent if meter.spent.attempts else Usage(),
            at=datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
            previous=self._previous,
        )
        line, digest = encode_step(step)
        self._journal.write(line)
        self._count, self._previous = self._count + 1, digest
        if not failed:
            self._done[key] = output
        self._tally.count_step(step)


def hash_of(inputs: object) -> str:
    """Return the SHA-256 of any value that JSON can represent; equal values have equal hashes."""
    return hashlib.sha256(msgspec.json.encode(inputs, order="sorted")).hexdigest()


async def run_items(
    take: Callable[[int, Any], Awaitable[None]],
    items: Iterator[tuple[int, Any]],
    steps: Steps,
    tally: AuditTally,
    concurrency: int,
    stop: asyncio.Event,
) -> None:
    """Run the steps of several items (which have an id) at a time; when stopped, finish the current ones.

    Raises an error if every further step would also fail.
    """

    async def take_one(that: tuple[int, Any]) -> None:
        row, item = that
        await take(row, item)
        tally.count_case(item.id)

    tally.limit = concurrency
    await process_all(items, take_one, concurrency=concurrency, stop=stop, sync=steps.sync)
