"""Runs one program in one interpreter, and names the kind of its failure.

Everything here runs in a thread, within the time limits.
"""

import datetime
import os
import secrets
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple
from uuid import UUID

from countersight.detection import Patch
from countersight.errors import AskingFailed
from countersight.programs.limits import FailureKind, Limits, ProgramFailed
from countersight.programs.viper.prelude import prepare_program, write_prelude
from countersight.programs.viper.tools import FUNCTIONS, METHODS, SEEN_OF_A_PATCH, ImagePatch, Tools

_SYSTEM_MODULES: Final = frozenset(
    {"os", "sys", "io", "posix", "pathlib", "shutil", "tempfile", "glob", "subprocess", "multiprocessing", "ctypes"}
    | {"socket", "ssl", "urllib", "http", "ftplib", "smtplib", "requests", "aiohttp", "httpx", "signal", "threading"}
)
"""Modules that access files, the network or the machine."""


LENIENCE = 1.5
"""The process is killed after this multiple of the interpreter's own time limit."""
MOST_PRINTED = 16 * 1024
"""The maximum number of bytes that a program may print; the output is discarded."""
LITTLE = 8 * 1024 * 1024
"""Interpreters that use more bytes of memory than this are closed, not kept waiting or reused."""


class Waiting(NamedTuple):
    """A program that waits for a tool."""

    snapshot: Any
    result: Any
    """An awaitable of the tool's result."""


class Done(NamedTuple):
    """A finished program."""

    value: object


class Running:
    """A program and its interpreter."""

    def __init__(self, monty: Any, pool: Any, limits: Limits, tools: Tools) -> None:
        self._monty = monty
        self._limits = limits
        self._tools = tools
        self._left = LENIENCE * limits.seconds
        """The remaining seconds; comparisons of patches, which run in this process, also count."""
        self._answer = f"answer_{secrets.token_hex(8)}"
        """The function that checks a program's result, under a random name that the program cannot replace."""
        self._class = monty.ClassType(ImagePatch, init=True)
        self._calls = 0
        self._undefined: set[str] = set()
        """Undefined names that the program used."""
        self._wrapped: dict[Patch, Any] = {}
        self._patches: dict[UUID, ImagePatch] = {}
        self._session = pool.checkout(
            limits={
                "max_feed_duration_secs": limits.seconds,
                "max_memory": limits.memory,
                "max_recursion_depth": limits.depth,
                "max_suspensions": limits.round_trips,
            },
            # The same program must always give the same answer.
            os_policy={
                "sleep": "zero",
                "random_start": {"seed": 0},
                "datetime": datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC),
            },
        )
        self._pid: int | None = None

    @property
    def holds_much(self) -> bool:
        """Whether its interpreter uses too much memory to be kept while it waits."""
        return self._pid is not None and resident_memory(self._pid) > LITTLE

    def enter(self) -> None:
        """Get an interpreter; its start does not count as the program's time."""
        try:
            self._session.__enter__()
        except Exception as error:
            raise AskingFailed(f"no interpreter could be started: {str(error)[:200]}", again=True) from None
        self._pid = self._session.worker_pid or 0

    def start(self, program: str) -> Waiting | Done:
        """Start the program and run it to the first tool call that must be awaited."""
        return self._advance(partial(self._begin, prepare_program(program, self._answer)))

    def resume(self, snapshot: Any, result: object) -> Waiting | Done:
        """Pass on a tool's result and run to the next call."""
        return self._advance(lambda: snapshot.resume({"return_value": self._wrap(result)}))

    def close(self) -> None:
        """Return the interpreter to the pool; it is killed if it uses too much memory or is still busy."""
        if self._pid is None:
            return
        with suppress(Exception):  # the process may be gone
            if self.holds_much:
                os.kill(self._pid, signal.SIGKILL)
            self._session.__exit__(None, None, None)

    def _begin(self, code: str) -> Any:
        self._session.feed_run(write_prelude(self._answer))
        inputs = {"image": self._wrap(self._tools.whole), "ImagePatch": self._class}
        printed = self._monty.CollectString(MOST_PRINTED)
        return self._session.feed_start(code, inputs=inputs, print_callback=printed)

    def _advance(self, step: Callable[[], Any]) -> Waiting | Done:
        started = perf_counter()
        try:
            while True:
                snapshot = step()
                if isinstance(snapshot, self._monty.MontyComplete):
                    return Done(_check_result(snapshot.output))
                self._calls += 1
                if perf_counter() - started > self._left:
                    raise self._failure("timeout")
                if isinstance(snapshot, self._monty.NameLookupSnapshot):
                    step = self._resolve_name(snapshot)
                    continue
                if not isinstance(snapshot, self._monty.FunctionSnapshot):
                    raise ProgramFailed("error", "it waits forever")
                result = self._call_tool(snapshot)
                if hasattr(result, "__await__"):
                    return Waiting(snapshot, result)
                step = _resume_with(snapshot, self._wrap(result))
        except self._monty.MontyError as error:
            raise self._failure_of(error) from None
        except ProgramFailed:
            raise
        except Exception as error:  # a program may break the internal state of the interpreter
            raise ProgramFailed("error", f"the interpreter failed: {type(error).__name__}") from None
        finally:
            self._left -= perf_counter() - started

    def _call_tool(self, snapshot: Any) -> Any:
        name = str(snapshot.function_name)
        if snapshot.is_os_function:
            if name == "import":
                module = str(snapshot.args[0])[:60]
                kind: FailureKind = "forbidden" if module.partition(".")[0] in _SYSTEM_MODULES else "unknown tool"
                raise ProgramFailed(kind, f"it imports {module!r}, which is not available")
            raise ProgramFailed("forbidden", f"it tried to access the system: {name[:60]}")
        if snapshot.object_id is None:
            return self._tools.call(None, name, snapshot.args, snapshot.kwargs)
        if snapshot.object_id == self._class.id:
            made = "ImagePatch" if name == "__call__" else f"ImagePatch.{name}"
            return self._tools.call(None, made, snapshot.args, snapshot.kwargs)
        return self._tools.call(self._patches[snapshot.object_id], name, snapshot.args, snapshot.kwargs)

    def _resolve_name(self, snapshot: Any) -> Callable[[], Any]:
        """Resolve a name that the program does not define: a tool, or nothing."""
        name = snapshot.variable_name
        if snapshot.object_id is None and name in FUNCTIONS:
            return lambda: snapshot.resume(value=FUNCTIONS[name])
        if name == "cropped_image" and snapshot.object_id in self._patches:
            return lambda: snapshot.resume(value=self._wrap(self._patches[snapshot.object_id]))
        self._undefined.add(str(name))
        return lambda: snapshot.resume()

    def _failure_of(self, error: Any) -> ProgramFailed:
        """Return an error of the interpreter as a failure of the program."""
        if isinstance(error, self._monty.MontyCrashedError):
            return self._failure("timeout" if error.timed_out else "error", "its interpreter crashed")
        raised, frames = error.exception(), error.traceback()
        said = str(error)[:400]
        match raised:
            case SyntaxError() | NotImplementedError() if frames and frames[-1].function_name is None:
                return self._failure("syntax error", said)  # not started: later errors are raised in a function
            case TimeoutError() if not frames:  # a limit stops a program anywhere; only its own errors have a location
                return self._failure("timeout")
            case MemoryError():
                return self._failure("memory")
            case RecursionError():
                return self._failure("too deep")
            case RuntimeError() if self._calls >= self._limits.round_trips:
                return self._failure("too many calls")
            case NameError() | AttributeError() if any(f"'{name}'" in str(raised) for name in self._undefined):
                return self._failure("unknown tool", said)
            case AttributeError() if str(raised).startswith("module 'os' "):
                return self._failure("forbidden", said)
        return self._failure("error", said)

    def _failure(self, kind: FailureKind, said: str = "") -> ProgramFailed:
        """Return a failure; a limit that was exceeded is always described in the same words."""
        limits = self._limits
        limit = {
            "timeout": f"it did not finish within {limits.seconds:g} s",
            "memory": f"it took more than {limits.memory / 2**20:.0f} MiB, or printed too much",
            "too deep": f"its calls were nested deeper than {limits.depth}",
            "too many calls": f"it called its tools more than {limits.round_trips:,} times",
        }
        return ProgramFailed(kind, limit.get(kind, said))

    def _wrap(self, value: Any) -> Any:
        """Convert a value for the program; equal patches are the same object."""
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


def _resume_with(snapshot: Any, value: object) -> Callable[[], Any]:
    return lambda: snapshot.resume({"return_value": value})


def _check_result(output: Any) -> object:
    """Return the value of the last line, which Countersight adds; raises ProgramFailed if its type is not simple."""
    if len(output) == 1:
        return output[0]
    raise ProgramFailed("wrong type of answer", f"execute_command returned something of type {str(output[1])[:40]}")


def resident_memory(pid: int) -> int:
    """Return the bytes of memory that a process uses exclusively; 0 if unknown."""
    try:
        _, all_pages, shared, *_ = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return 0
    return (int(all_pages) - int(shared)) * os.sysconf("SC_PAGESIZE")
