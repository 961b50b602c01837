"""Runs Python programs that nobody has read, in an interpreter that has nothing but what we hand it.

The interpreter is pydantic-monty: processes of their own without files, network, environment or CPython's objects, and
with limits. Each time a program calls a tool it stops and hands the call to us; that is the only way out.

Monty's asynchronous pool would fit an event loop better, but its threads abort the process now and then as it ends
(1.4.0: 8 of 25 times). So the synchronous one is driven from threads of our own: it computes there, and the loop is
free meanwhile.
"""

import asyncio
import datetime
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from countersight.detection.vision import Patch
from countersight.machine import cores
from countersight.models.protocol import ModelError
from countersight.programs.failures import FailureKind, ProgramFailed
from countersight.programs.limits import Limits
from countersight.programs.viper.image_patch import FUNCTIONS, METHODS, SEEN_OF_A_PATCH, ImagePatch, Tools
from countersight.programs.viper.prelude import PRELUDE, prepared

MOST_OPEN = 64
"""Programs under way: most wait for their tools, and a process that waits takes about a megabyte."""
LENIENCE = 1.5
"""The interpreter stops a program when its time is over; after so many times as long we do."""
MOST_PRINTED = 16 * 1024
"""Bytes a program may print; nobody reads them."""
INSTALL = "pip install 'countersight[programs]'"

Value = TypeVar("Value")


class Waiting(NamedTuple):
    """A program that waits for a tool."""

    snapshot: Any
    result: Any
    """An awaitable of what the tool gives."""


class Done(NamedTuple):
    """A program that came to its end."""

    value: object


class Sandbox:
    """A pool of interpreters that is used again and again."""

    def __init__(self, limits: Limits) -> None:
        try:
            import pydantic_monty
        except ImportError:
            raise ModelError(
                f"Python programs need pydantic-monty to run in, which is not installed: {INSTALL}"
            ) from None
        self._monty = pydantic_monty
        self._limits = limits
        self._threads = ThreadPoolExecutor(max(2, cores()), thread_name_prefix="programs")
        self._room = asyncio.Semaphore(MOST_OPEN)
        self._opening = asyncio.Lock()
        self._pool: Any = None

    async def run(self, program: str, tools: Tools) -> object:
        """What `execute_command(image)` of a program returns; raises ProgramFailed."""
        async with self._room:
            await self._open()
            running = Running(self._monty, self._pool, self._limits, tools)
            try:
                at = await self._in_thread(partial(running.start, program))
                while isinstance(at, Waiting):
                    at = await self._in_thread(partial(running.go_on, at.snapshot, await at.result))
                return at.value
            finally:
                await self._in_thread(running.close)

    async def close(self) -> None:
        """End the interpreters."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await self._in_thread(lambda: pool.__exit__(None, None, None))
        self._threads.shutdown(wait=False)

    async def _open(self) -> None:
        async with self._opening:
            if self._pool is None:
                pool = self._monty.Monty(
                    max_processes=MOST_OPEN,
                    # Where the interpreter does not notice by itself that time is over, its process is ended.
                    request_timeout=LENIENCE * self._limits.seconds,
                    feed_duration_limit_grace=(LENIENCE - 1) * self._limits.seconds,
                )
                try:
                    await self._in_thread(pool.__enter__)
                except Exception as error:  # no binary, no process: whatever keeps it from starting
                    raise ModelError(f"pydantic-monty does not start ({str(error)[:200]}); {INSTALL}") from None
                self._pool = pool

    async def _in_thread(self, work: Callable[[], Value]) -> Value:
        """Do something in a thread and wait for its end, even when nobody wants the result any more."""
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await asyncio.wait([future])
            raise


class Running:
    """One program in one interpreter. Everything here happens in a thread, and may take as long as the limits say."""

    def __init__(self, monty: Any, pool: Any, limits: Limits, tools: Tools) -> None:
        self._monty = monty
        self._limits = limits
        self._tools = tools
        self._left = LENIENCE * limits.seconds
        """Seconds that it may still take, its comparing of patches on our side included."""
        self._class = monty.ClassType(ImagePatch, init=True)
        self._wrapped: dict[Patch, Any] = {}
        self._patches: dict[UUID, ImagePatch] = {}
        self._session = pool.checkout(
            limits={
                "max_feed_duration_secs": limits.seconds,
                "max_memory": limits.memory,
                "max_recursion_depth": limits.depth,
                "max_suspensions": limits.round_trips,
            },
            # The same program gives the same answer whenever it is run.
            os_policy={
                "sleep": "zero",
                "random_start": {"seed": 0},
                "datetime": datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC),
            },
        )
        self._entered = False

    def start(self, program: str) -> Waiting | Done:
        """Begin, and go on to the first tool that has to be waited for."""
        return self._advance(partial(self._begin, prepared(program)))

    def go_on(self, snapshot: Any, result: object) -> Waiting | Done:
        """Hand over what a tool gave, and go on to the next."""
        return self._advance(lambda: snapshot.resume({"return_value": self._wrap(result)}))

    def close(self) -> None:
        """Give the interpreter back; one that is in the middle of something is not used again."""
        if self._entered:
            with suppress(Exception):  # its process may be gone
                self._session.__exit__(None, None, None)

    def _begin(self, code: str) -> Any:
        self._session.__enter__()
        self._entered = True
        self._session.feed_run(PRELUDE)
        inputs = {"image": self._wrap(self._tools.whole), "ImagePatch": self._class}
        printed = self._monty.CollectString(MOST_PRINTED)
        return self._session.feed_start(code, inputs=inputs, print_callback=printed)

    def _advance(self, step: Callable[[], Any]) -> Waiting | Done:
        started = perf_counter()
        try:
            while True:
                snapshot = step()
                if isinstance(snapshot, self._monty.MontyComplete):
                    return Done(snapshot.output)
                if perf_counter() - started > self._left:
                    raise ProgramFailed("timeout", self._exceeded("timeout"))
                if isinstance(snapshot, self._monty.NameLookupSnapshot):
                    step = self._named(snapshot)
                    continue
                if not isinstance(snapshot, self._monty.FunctionSnapshot):
                    raise ProgramFailed("error", "it waits for something that never comes")
                result = self._called(snapshot)
                if hasattr(result, "__await__"):
                    return Waiting(snapshot, result)
                step = _resuming(snapshot, self._wrap(result))
        except self._monty.MontyError as error:
            raise self._failure(error) from None
        except ProgramFailed:
            raise
        except Exception as error:  # a program that upsets the interpreter's own bookkeeping must not upset ours
            raise ProgramFailed("error", f"the interpreter failed: {type(error).__name__}") from None
        finally:
            self._left -= perf_counter() - started

    def _called(self, snapshot: Any) -> Any:
        name = str(snapshot.function_name)
        if snapshot.is_os_function:
            if name == "import":
                raise ProgramFailed("unknown tool", f"it imports {str(snapshot.args[0])[:60]!r}, which is not there")
            raise ProgramFailed("forbidden", f"it reached for the machine: {name[:60]}")
        if snapshot.object_id is None:
            return self._tools.call(None, name, snapshot.args, snapshot.kwargs)
        if snapshot.object_id == self._class.id:
            made = "ImagePatch" if name == "__call__" else f"ImagePatch.{name}"
            return self._tools.call(None, made, snapshot.args, snapshot.kwargs)
        return self._tools.call(self._patches[snapshot.object_id], name, snapshot.args, snapshot.kwargs)

    def _named(self, snapshot: Any) -> Callable[[], Any]:
        """A name that the program does not define: a tool of ours, or nothing."""
        name = snapshot.variable_name
        if snapshot.object_id is None and name in FUNCTIONS:
            return lambda: snapshot.resume(value=FUNCTIONS[name])
        return lambda: snapshot.resume()

    def _wrap(self, value: Any) -> Any:
        """A value as it goes to the program: patches keep their identity, so that equal ones are equal there."""
        if isinstance(value, list):
            return [self._wrap(one) for one in value]
        if not isinstance(value, ImagePatch):
            return value
        wrapped = self._wrapped.get(value.patch)
        if wrapped is None:
            wrapped = self._monty.ClassInstance(
                value, eager_attrs=SEEN_OF_A_PATCH, allowed_methods=METHODS, class_type=self._class
            )
            self._wrapped[value.patch] = wrapped
            self._patches[wrapped.id] = value
        return wrapped

    def _failure(self, error: Any) -> ProgramFailed:
        """What went wrong in the interpreter, as a failure of the program."""
        said = str(error)[:400]
        if isinstance(error, self._monty.MontyCrashedError):
            kind: FailureKind = "timeout" if error.timed_out else "error"
            said = "the interpreter broke down under it"
        else:
            kind = "syntax error" if isinstance(error, self._monty.MontySyntaxError) else _kind(error.exception(), said)
        return ProgramFailed(kind, self._exceeded(kind) or said)

    def _exceeded(self, kind: FailureKind) -> str:
        """What a program did too much of, where it failed for that: the same words for the same failure."""
        limits = self._limits
        return {
            "timeout": f"it was not done within {limits.seconds:g} s",
            "memory": f"it took more than {limits.memory / 2**20:.0f} MiB, or printed too much",
            "too deep": f"its functions called each other more than {limits.depth} deep",
            "too many calls": f"it called its tools more than {limits.round_trips:,} times",
        }.get(kind, "")


def _resuming(snapshot: Any, value: object) -> Callable[[], Any]:
    return lambda: snapshot.resume({"return_value": value})


def _kind(raised: BaseException, said: str) -> FailureKind:
    match raised:
        case TimeoutError():
            return "timeout"
        case MemoryError():
            return "memory"
        case RecursionError():
            return "too deep"
        case NotImplementedError() if "syntax parser" in said:
            return "syntax error"
        case TypeError() if "execute_command returned" in said:
            return "wrong type of answer"
        case AttributeError() if "'ImagePatch'" in said:
            return "unknown tool"
        case NameError():
            return "unknown tool"
        case RuntimeError() if "suspension limit" in said:
            return "too many calls"
        case _:
            return "error"
