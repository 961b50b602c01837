"""Runs Python programs that nobody has read, in an interpreter that has nothing but what we hand it.

The interpreter is pydantic-monty: processes of their own without files, network, environment or CPython's objects, and
with limits. Each time a program calls a tool it stops and hands the call to us; that is the only way out. The system
confines these processes once more (`confined.py`).

Monty's asynchronous pool would fit an event loop better, but its threads abort the process now and then as it ends
(1.4.0: 8 of 25 times). So the synchronous one is driven from threads of our own: it computes there, and the loop is
free meanwhile.
"""

import asyncio
import logging
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from countersight.errors import ModelError
from countersight.programs.failures import Limits
from countersight.programs.viper.image_patch import Tools
from countersight.programs.viper.running import LENIENCE, LITTLE, OutOfTime, Running, Waiting
from countersight.system import cores

SCRIPT = Path(__file__).with_name("confined.py")
OWN_MEMORY = 32 * 1024 * 1024
"""Bytes an interpreter takes before it has read a program."""
SESSIONS = 200
"""Programs an interpreter runs before another takes its place."""
LAYERS = {"landlock": "read files", "seccomp": "make any system call", "rlimits": "take memory and time"}
"""What the system adds to the interpreter's own walls, with what a program that broke out could do without it."""


def most_memory(limits: Limits) -> int:
    """Bytes of data one interpreter can have: what its program may, once more while that is copied, and its own."""
    return 2 * limits.memory + OWN_MEMORY


class Starter:
    """A file to start in the place of the interpreter; it is gone when this is closed."""

    def __init__(self, interpreter: str, limits: Limits) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="countersight-programs-")
        self.path = Path(self._folder.name) / "interpreter"
        seconds = max(1, round(SESSIONS * 2 * limits.seconds))
        self._confined = [sys.executable, "-I", "-S", str(SCRIPT), str(most_memory(limits)), str(seconds)]
        # Ctrl-C is for whoever runs the programs: the interpreters end when they are told to.
        command = shlex.join([*self._confined, interpreter])
        self.path.write_text(f"#!/bin/sh\ntrap '' INT QUIT\nexec {command} \"$@\"\n", encoding="utf-8")
        self.path.chmod(0o700)

    def layers(self) -> dict[str, bool]:
        """Which layers hold on this machine: a process that is confined in the same way tries to get past each."""
        tried = subprocess.run(self._confined, capture_output=True, env={}, timeout=60, check=False)  # noqa: S603 - ours
        return {layer: layer in tried.stdout.decode("ascii", "replace").split() for layer in LAYERS}

    def close(self) -> None:
        """Take the file away."""
        self._folder.cleanup()


def warn_of_missing(layers: dict[str, bool]) -> None:
    """Say on the terminal which layers this machine does not have."""
    missing = [layer for layer, holds in layers.items() if not holds]
    if missing:
        could = ", ".join(LAYERS[layer] for layer in missing)
        logging.getLogger("countersight").warning(
            "countersight: on this machine generated programs run without %s, so a program that breaks out of its "
            "interpreter could %s; see SECURITY.md",
            ", ".join(missing),
            could,
        )


MOST_OPEN = 64
"""Programs under way: most wait for their tools, and a process that waits takes about a megabyte."""
MOST_COMPUTING = 8
"""Programs that compute at a time, in each of the two lanes, however many cores there are: they bound the memory."""
STARTING = 8
"""Threads beside those that compute: interpreters are started, and ended, in them."""
STARTS_WITHIN = 60.0
"""Seconds in which an interpreter begins to answer, where everything else on the machine computes too."""
FIRST_GO = 0.25
"""Seconds that a program has at first. Nearly all need a few thousandths; the others begin again in a lane of their
own, so that those which need long, or never end, hold nobody up."""
INSTALL = "pip install 'countersight[programs]'"

Value = TypeVar("Value")


class Sandbox:
    """A pool of interpreters that is used again and again."""

    def __init__(self, limits: Limits) -> None:
        try:
            import pydantic_monty
        except ImportError:
            raise ModelError(
                f"generated Python programs run in pydantic-monty, which is not installed: {INSTALL}"
            ) from None
        self._monty = pydantic_monty
        self._limits = limits
        computing = min(max(2, cores()), MOST_COMPUTING)
        self._threads = ThreadPoolExecutor(2 * computing + STARTING, thread_name_prefix="programs")
        self._room = asyncio.Semaphore(MOST_OPEN)
        self._quick, self._slow = asyncio.Semaphore(computing), asyncio.Semaphore(computing)
        self._opening = asyncio.Lock()
        self._pool: Any = None
        self._starter: Starter | None = None
        self.observed: dict[str, object] = {}
        """Which layers of the system confine the interpreters here, known once a program was run."""

    @property
    def most_memory(self) -> int:
        """Bytes that all interpreters together can have: some compute, the others wait and hold little."""
        computing = 2 * min(max(2, cores()), MOST_COMPUTING)
        return computing * most_memory(self._limits) + MOST_OPEN * LITTLE

    async def run(self, program: str, tools: Tools) -> object:
        """What `execute_command(image)` of a program returns; raises ProgramFailed."""
        async with self._room:
            await self._open()
            try:
                return await self._go(program, tools, self._quick, first=min(FIRST_GO, self._limits.seconds))
            except OutOfTime:
                tools.begin_again()
            return await self._go(program, tools, self._slow)

    async def close(self) -> None:
        """End the interpreters."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await self._in_thread(lambda: pool.__exit__(None, None, None))
        if self._starter is not None:
            self._starter.close()
        self._threads.shutdown(wait=False)

    async def _go(self, program: str, tools: Tools, lane: asyncio.Semaphore, first: float | None = None) -> object:
        """Run a program from the beginning; it has a place in its lane while it computes, or holds much memory."""
        running = Running(self._monty, self._pool, self._limits, tools, first)
        placed = False
        try:
            await self._in_thread(running.enter)
            await lane.acquire()
            placed = True
            at = await self._in_thread(partial(running.start, program))
            while isinstance(at, Waiting):
                if not running.holds_much:
                    lane.release()
                    placed = False
                result = await at.result
                if not placed:
                    await lane.acquire()
                    placed = True
                at = await self._in_thread(partial(running.go_on, at.snapshot, result))
            return at.value
        finally:
            try:
                await self._in_thread(running.close)
            finally:
                if placed:
                    lane.release()

    async def _open(self) -> None:
        async with self._opening:
            if self._pool is not None:
                return
            layers = dict.fromkeys(LAYERS, False)
            try:
                self._pool = await self._in_thread(self._confined_pool)
                assert self._starter
                layers = await self._in_thread(self._starter.layers)
            except Exception:  # a system that starts nothing of the kind: the interpreter alone must do
                self._pool = self._pool or await self._in_thread(self._plain_pool)
            self.observed = dict(layers)
            warn_of_missing(layers)

    def _confined_pool(self) -> Any:
        from pydantic_monty._binary import find_monty_binary

        self._starter = Starter(find_monty_binary(), self._limits)
        return self._entered(binary_path=self._starter.path)

    def _plain_pool(self) -> Any:
        try:
            return self._entered()
        except Exception as error:  # no binary, no process: whatever keeps it from starting
            raise ModelError(f"pydantic-monty does not start ({str(error)[:200]}); {INSTALL}") from None

    def _entered(self, **further: Any) -> Any:
        pool = self._monty.Monty(
            max_processes=MOST_OPEN,
            max_checkouts_per_worker=SESSIONS,
            request_timeout=LENIENCE * self._limits.seconds + STARTS_WITHIN,
            # Where the interpreter does not notice by itself that time is over, its process is ended.
            feed_duration_limit_grace=(LENIENCE - 1) * self._limits.seconds,
            turn_duration_limit_grace=FIRST_GO,
            **further,
        )
        pool.__enter__()
        try:
            with pool.checkout() as session:
                session.feed_run("0")
        except Exception:
            pool.__exit__(None, None, None)
            raise
        return pool

    async def _in_thread(self, work: Callable[[], Value]) -> Value:
        """Do something in a thread and wait for its end, even when nobody wants the result any more."""
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await asyncio.wait([future])
            raise
