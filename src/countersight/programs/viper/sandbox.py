"""Runs untrusted Python programs in an interpreter that has access only to the tools passed to it.

The interpreter is pydantic-monty: separate processes without files, network, environment or CPython's objects, and with
limits. Each time a program calls a tool, it stops and passes the call to Countersight; it has no other access. The
operating system confines these processes as well (`confined.py`).

Monty's asynchronous pool would fit an event loop better, but its threads sometimes abort the process when it ends
(1.4.0: 8 of 25 times). So the synchronous pool runs in threads of the sandbox, and the event loop stays free.
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
from countersight.programs.limits import Limits
from countersight.programs.viper.running import LENIENCE, Running, Waiting
from countersight.programs.viper.tools import Tools
from countersight.system import cores

SCRIPT = Path(__file__).with_name("confined.py")
OWN_MEMORY = 32 * 1024 * 1024
"""The memory in bytes of an interpreter before it has read a program."""
SESSIONS = 200
"""The number of programs after which an interpreter is replaced."""
LAYERS = {"landlock": "read files", "seccomp": "make any system call", "rlimits": "take memory and time"}
"""The layers of protection, and what a program that breaks out of its interpreter could do without each of them."""


class Starter:
    """A temporary file that starts the interpreter in confinement; removed on close."""

    def __init__(self, interpreter: str, limits: Limits) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="countersight-programs-")
        self.path = Path(self._folder.name) / "interpreter"
        seconds = max(1, round(SESSIONS * 2 * limits.seconds))
        memory = 2 * limits.memory + OWN_MEMORY  # the program's, a copy of it, and the interpreter's own
        self._confined = [sys.executable, "-I", "-S", str(SCRIPT), str(memory), str(seconds)]
        # Interpreters ignore Ctrl-C; the sandbox ends them.
        command = shlex.join([*self._confined, interpreter])
        self.path.write_text(f"#!/bin/sh\ntrap '' INT QUIT\nexec {command} \"$@\"\n", encoding="utf-8")
        self.path.chmod(0o700)

    def layers(self) -> dict[str, bool]:
        """Return which layers work on this machine, as tested by a process that is confined in the same way."""
        tried = subprocess.run(self._confined, capture_output=True, env={}, timeout=60, check=False)  # noqa: S603 - ours
        return {layer: layer in tried.stdout.decode("ascii", "replace").split() for layer in LAYERS}

    def close(self) -> None:
        """Remove the file."""
        self._folder.cleanup()


def warn_of_missing(layers: dict[str, bool]) -> None:
    """Warn about layers that this machine does not support."""
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
"""The maximum number of unfinished programs: most wait for tools, and a waiting process needs about a megabyte."""
MOST_COMPUTING = 8
"""The maximum number of programs that compute at the same time, to limit memory."""
STARTING = 8
"""The number of additional threads, in which interpreters are started and ended."""
STARTS_WITHIN = 60.0
"""The number of seconds for an interpreter to start, even on a busy machine."""
INSTALL = "pip install 'countersight[programs]'"

Value = TypeVar("Value")


class Sandbox:
    """A reusable pool of interpreters."""

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
        self._threads = ThreadPoolExecutor(computing + STARTING, thread_name_prefix="programs")
        self._room = asyncio.Semaphore(MOST_OPEN)
        self._computing = asyncio.Semaphore(computing)
        self._opening = asyncio.Lock()
        self._pool: Any = None
        self._starter: Starter | None = None
        self.observed: dict[str, object] = {}
        """Whether each layer of protection works; known after the first program."""

    async def run(self, program: str, tools: Tools) -> object:
        """Return the result of a program's `execute_command(image)`; raises ProgramFailed."""
        async with self._room:
            await self._open()
            return await self._go(program, tools)

    async def close(self) -> None:
        """End the interpreters."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await self._in_thread(lambda: pool.__exit__(None, None, None))
        if self._starter is not None:
            self._starter.close()
        self._threads.shutdown(wait=False)

    async def _go(self, program: str, tools: Tools) -> object:
        """Run a program. It occupies a computing slot while it computes or uses much memory."""
        running = Running(self._monty, self._pool, self._limits, tools)
        placed = False
        try:
            await self._in_thread(running.enter)
            await self._computing.acquire()
            placed = True
            at = await self._in_thread(partial(running.start, program))
            while isinstance(at, Waiting):
                if not running.holds_much:
                    self._computing.release()
                    placed = False
                result = await at.result
                if not placed:
                    await self._computing.acquire()
                    placed = True
                at = await self._in_thread(partial(running.resume, at.snapshot, result))
            return at.value
        finally:
            try:
                await self._in_thread(running.close)
            finally:
                if placed:
                    self._computing.release()

    async def _open(self) -> None:
        async with self._opening:
            if self._pool is not None:
                return
            layers = dict.fromkeys(LAYERS, False)
            try:
                self._pool = await self._in_thread(self._confined_pool)
                assert self._starter
                layers = await self._in_thread(self._starter.layers)
            except Exception:  # confinement does not work here, so use the interpreter without it
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
        except Exception as error:  # it may fail for many reasons, such as a missing binary
            raise ModelError(f"pydantic-monty does not start ({str(error)[:200]}); {INSTALL}") from None

    def _entered(self, **further: Any) -> Any:
        pool = self._monty.Monty(
            max_processes=MOST_OPEN,
            max_checkouts_per_worker=SESSIONS,
            request_timeout=LENIENCE * self._limits.seconds + STARTS_WITHIN,
            # If the interpreter does not notice the end of its time itself, its process is killed.
            feed_duration_limit_grace=(LENIENCE - 1) * self._limits.seconds,
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
        """Run something in a thread and wait for its end, even after cancellation."""
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await asyncio.wait([future])
            raise
