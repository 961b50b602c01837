"""People's verdicts on an audit (`collect export` of a judge campaign writes them): what judges are calibrated on."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from countersight.errors import AuditError
from countersight.files import bounded_lines

LABELS = "labels.jsonl"
_MAX_LINE = 1 << 16


class PersonLabel(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one person said of one edit of an audit; None is “cannot be decided”."""

    case: str
    concept: int
    """The number of the concept in the audit, counted from 1."""
    person: str
    """A pseudonym."""
    pcs: int | None
    ncc: int | None
    pcs_reason: str = ""
    ncc_reason: str = ""
    at: str = ""
    """When, in UTC."""


def read_labels(folder: Path) -> Iterator[PersonLabel]:
    """The labels that `collect export` wrote of a judge campaign."""
    file = folder / LABELS
    if not file.is_file():
        raise AuditError(f"{folder} holds no labels of people: export them from a campaign of the flow judge")
    with open(file, "rb") as lines:
        for number, line in enumerate(bounded_lines(lines, _MAX_LINE), 1):
            try:
                yield msgspec.json.decode(line, type=PersonLabel)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise AuditError(f"{file} line {number}: {error}") from None
