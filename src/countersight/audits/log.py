"""The log of an audit: one step a line, appended, each line chained to the one before by its hash.

A step is in the file before the next one builds on it, so a process killed at any instant loses nothing. What a kill
can leave behind is a last line that was cut off; it is dropped, and its step done again. Any other damage is a change
of the evidence: it is named, and nothing is built on it.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from countersight.audits.records import Step
from countersight.errors import AuditError

LOG = "steps.jsonl"

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Step)
_TAIL = len(b',"hash":"') + 64 + len(b'"}')


def encode_step(step: Step) -> tuple[bytes, str]:
    """The line of a step, whose last member is the SHA-256 of all that stands before it; and that hash."""
    body = _encoder.encode(msgspec.structs.replace(step, hash=""))[:-1]
    digest = hashlib.sha256(body).hexdigest()
    return b'%s,"hash":"%s"}\n' % (body, digest.encode()), digest


def decode_step(line: bytes) -> Step | None:
    """The step on a line, or None where the line is not as it was written."""
    line = line.removesuffix(b"\n")
    body, tail = line[:-_TAIL], line[-_TAIL:]
    if tail != b',"hash":"%s"}' % hashlib.sha256(body).hexdigest().encode():
        return None
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def read_steps(path: Path) -> Iterator[Step]:
    """Every step of a log, its chain checked; a line that was changed, taken out or put in raises AuditError.

    A last line without an end is what a kill leaves behind, and no step.
    """
    if not path.exists():
        return
    previous = ""
    with open(path, "rb") as file:
        for number, line in enumerate(file):
            if not line.endswith(b"\n"):
                return
            step = decode_step(line)
            if step is None or (step.n, step.previous) != (number, previous):
                what = "was changed" if step is None else "does not follow from the line before"
                raise AuditError(
                    f"{path} line {number + 1} {what} since it was written; what stands before it is as it was: "
                    "cut the file there to go on from that point"
                )
            previous = step.hash
            yield step
