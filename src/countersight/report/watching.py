"""What is kept of replies that a model did not simply write: programs and what became of them, and composed numbers."""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from countersight.asking import COMPOSED
from countersight.case import Asking, Reply, Trace, asking_of


class Written(msgspec.Struct, frozen=True):
    """A program that was written for a question: what it says in few bytes, and how it failed if it did."""

    gist: bytes
    failure: str
    reason: str


class Watched:
    """The programs and the composed answers of a run, found while its replies are read for something else."""

    def __init__(self) -> None:
        self.programs: dict[tuple[int, Asking], Written] = {}
        """By row; where a question was asked again after a failure, the last one, and an answered one for good."""
        self.composed: set[int] = set()
        """Rows whose question about the change was answered by the grammar."""

    def watch(self, replies: Iterable[Reply]) -> Iterator[Reply]:
        """The replies, as they come."""
        for reply in replies:
            if reply.trace is not None:
                self._keep(reply, reply.trace)
            if reply.finish == COMPOSED:
                self.composed.add(reply.row)
            yield reply

    def _keep(self, reply: Reply, trace: Trace) -> None:
        key = (reply.row, asking_of(reply.world, reply.telling))
        before = self.programs.get(key)
        if before is not None and not before.failure:
            return
        failure = (trace.failure or "error") if reply.state == "failed" else ""
        self.programs[key] = Written(gist_of(trace.program), failure, reply.reason)


@lru_cache(maxsize=1024)  # the runs of one report often hold the same programs
def gist_of(program: str) -> bytes:
    """What a program says, without its comments and spaces and the texts that stand in it only to be read."""
    try:
        tree = ast.parse(program)
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list):
                body[:] = [line for line in body if not _is_remark(line)] or body[:1]
        said = ast.dump(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        said = " ".join(program.split())
    return hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _is_remark(line: object) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)
