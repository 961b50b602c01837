"""steps.jsonl: the log of an audit, one step per line, each chained to the line before by its hash."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from countersight.audits.records import Step
from countersight.errors import AuditError
from countersight.files import bounded_lines

LOG = "steps.jsonl"
LONGEST_LINE: Final = 64 * 1024**2
"""The maximum length of a line of the log in bytes; audits never write longer lines."""
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Step)
_TAIL = len(b',"hash":"') + 64 + len(b'"}')


def encode_step(step: Step) -> tuple[bytes, str]:
    """Return a step as a line that ends with the SHA-256 of everything before it, and that hash."""
    body = _encoder.encode(msgspec.structs.replace(step, hash=""))[:-1]
    digest = hashlib.sha256(body).hexdigest()
    return b'%s,"hash":"%s"}\n' % (body, digest.encode()), digest


def decode_step(line: bytes) -> Step | None:
    """Return the step on a line, or None if the line was changed."""
    line = line.removesuffix(b"\n")
    body, tail = line[:-_TAIL], line[-_TAIL:]
    if tail != b',"hash":"%s"}' % hashlib.sha256(body).hexdigest().encode():
        return None
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def read_steps(path: Path) -> Iterator[Step]:
    """Return every step of a log after checking its chain; raises AuditError if a line was changed, removed or added.

    An incomplete last line, left behind by a killed process, is ignored.
    """
    if not path.exists():
        return
    previous = ""
    with open(path, "rb") as file:
        for number, line in enumerate(bounded_lines(file, LONGEST_LINE)):
            if not line.endswith(b"\n"):
                return
            step = decode_step(line)
            if step is None or (step.n, step.previous) != (number, previous):
                what = "was changed after it was written" if step is None else "is not chained to the line before"
                raise AuditError(
                    f"{path} line {number + 1} {what}; the lines before it are intact. To "
                    "continue from there, delete this line and all lines after it"
                )
            previous = step.hash
            yield step
