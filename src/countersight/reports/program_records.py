"""Record the programs and the composed answers of a run while its replies are read."""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from countersight.case import Reply
from countersight.engine import COMPOSED


class ProgramRecord(msgspec.Struct, frozen=True):
    """A program written for a question: a digest of its content, and how it failed if it did."""

    digest: bytes
    failure: str
    reason: str


class ReplyRecorder:
    """The programs and the composed answers of a run, collected while its replies are read."""

    def __init__(self) -> None:
        self.programs: dict[int, ProgramRecord] = {}
        """Programs by the number of their reply in the journal; scoring decides which of several replies counts."""
        self.composed: set[int] = set()
        """Rows whose counterfactual question was answered by the grammar."""

    def watch(self, replies: Iterable[Reply]) -> Iterator[Reply]:
        """Yield the given replies unchanged, and record their programs on the way."""
        for place, reply in enumerate(replies):
            if reply.trace is not None:
                failure = (reply.trace.failure or "error") if reply.state == "failed" else ""
                self.programs[place] = ProgramRecord(program_digest(reply.trace.program), failure, reply.reason)
            if reply.finish == COMPOSED:
                self.composed.add(reply.row)
            yield reply


@lru_cache(maxsize=1024)  # the runs of one report often contain the same programs
def program_digest(program: str) -> bytes:
    """Return a digest of a program that ignores its comments, docstrings and whitespace."""
    try:
        tree = ast.parse(program)
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list):
                body[:] = [line for line in body if not _is_remark(line)] or body[:1]
        normalized = ast.dump(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        normalized = " ".join(program.split())
    return hashlib.blake2b(normalized.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _is_remark(line: object) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)
