"""What is kept of replies that a model did not simply write: programs and what became of them, and composed numbers."""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from countersight.case import Reply
from countersight.engine import COMPOSED


class Written(msgspec.Struct, frozen=True):
    """A program that was written for a question: what it says in few bytes, and how it failed if it did."""

    gist: bytes
    failure: str
    reason: str


class Watched:
    """The programs and the composed answers of a run, found while its replies are read for something else."""

    def __init__(self) -> None:
        self.programs: dict[int, Written] = {}
        """By their replies' place in the journal; which of several counts is scoring's to say."""
        self.composed: set[int] = set()
        """Rows whose question about the change was answered by the grammar."""

    def watch(self, replies: Iterable[Reply]) -> Iterator[Reply]:
        """The replies, as they come."""
        for place, reply in enumerate(replies):
            if reply.trace is not None:
                failure = (reply.trace.failure or "error") if reply.state == "failed" else ""
                self.programs[place] = Written(gist_of(reply.trace.program), failure, reply.reason)
            if reply.finish == COMPOSED:
                self.composed.add(reply.row)
            yield reply


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
