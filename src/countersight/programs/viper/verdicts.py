"""Of which kind a program's failure is: told from what happened, never from what the program says of itself."""

import re
import unicodedata
from typing import Any, Final

from countersight.programs.failures import FailureKind, ProgramFailed
from countersight.programs.limits import Limits

_SPEAKING: Final = re.compile(r"\b(?:eval|exec)\b")
"""Built-in functions that make a name of any text, `eval("Memory" + "Error")`, which is nowhere written."""


class OutOfTime(ProgramFailed):
    """A program that was not done with its computing in time."""

    def __init__(self, limits: Limits) -> None:
        super().__init__("timeout", f"it was not done within {limits.seconds:g} s")


class Evidence:
    """What our side saw of a program: its text, the names it looked for in vain, and how often it called."""

    def __init__(self, program: str, limits: Limits) -> None:
        self._written = unicodedata.normalize("NFKC", program)  # as names are compared by an interpreter
        self._limits = limits
        self._missed: set[str] = set()
        self.calls = 0

    def missed(self, name: str) -> None:
        """Note a name that the program looked for and nobody has."""
        self._missed.add(name)

    def failure(self, monty: Any, error: Any) -> ProgramFailed:
        """What went wrong in the interpreter, as a failure of the program."""
        if isinstance(error, monty.MontyCrashedError):
            return OutOfTime(self._limits) if error.timed_out else ProgramFailed("error", "its interpreter broke down")
        kind = self._kind(error.exception(), error.traceback())
        if kind == "timeout":
            return OutOfTime(self._limits)
        return ProgramFailed(kind, self._exceeded(kind) or str(error)[:400])

    def _kind(self, raised: BaseException, frames: list[Any]) -> FailureKind:
        limit_reached = not frames  # a limit stops a program anywhere; only what it raises itself has a place
        match raised:
            case SyntaxError() | NotImplementedError() if frames and frames[-1].function_name is None:
                return "syntax error"  # it was not begun: what is raised later is raised in a function or the module
            case TimeoutError() if limit_reached:
                return "timeout"
            case MemoryError() if limit_reached or not self._names("MemoryError"):
                return "memory"
            case RecursionError() if not self._names("RecursionError"):
                return "too deep"
            case RuntimeError() if self.calls >= self._limits.round_trips:
                return "too many calls"
            case NameError() | AttributeError() if any(f"'{name}'" in str(raised) for name in self._missed):
                return "unknown tool"
            case _:
                return "error"

    def _names(self, error: str) -> bool:
        """Whether the program speaks of such an error, or of any at all, and so may have raised it itself."""
        return error in self._written or _SPEAKING.search(self._written) is not None

    def _exceeded(self, kind: FailureKind) -> str:
        """What a program did too much of, where it failed for that: the same words for the same failure."""
        limits = self._limits
        return {
            "memory": f"it took more than {limits.memory / 2**20:.0f} MiB, or printed too much",
            "too deep": f"its functions called each other more than {limits.depth} deep",
            "too many calls": f"it called its tools more than {limits.round_trips:,} times",
        }.get(kind, "")
