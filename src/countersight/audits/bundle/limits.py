"""The limits of an audit's scores, known failures of the method, and possible misuse."""

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final, Literal

import msgspec
from jinja2 import Environment, StrictUndefined, Template

from countersight.audits.calibration.sheets import DRAWINGS, Calibration
from countersight.audits.records import Manifest
from countersight.audits.score_records import AuditScores
from countersight.number_formats import count
from countersight.text import printable, several


class Limit(msgspec.Struct, frozen=True):
    """One limit to know before using the scores."""

    kind: Literal["limit", "failure mode", "misuse"]
    words: str
    of_this_audit: bool = False
    """Whether it was found in the figures of this audit; the others apply to every audit."""
    grave: bool = False
    """Whether it is essential for reading the scores; if so, it is shown in the headline."""


HEADINGS: Final[dict[str, str]] = {
    "limit": "Limits",
    "failure mode": "Known failure modes",
    "misuse": "Foreseeable misuse of the score",
}

_ALWAYS: Final = tuple(
    msgspec.convert(each, Limit)
    for each in tomllib.loads(Path(__file__).with_name("limits.toml").read_text(encoding="utf-8"))["always"]
)


def limits(
    manifest: Manifest, scores: AuditScores, calibration: Calibration | None = None, *, drawn: bool = True
) -> tuple[Limit, ...]:
    """Return all limits of the scores: those found in this audit first, then those of every audit.

    `drawn` is whether the pictures are generated drawings: a calibration on drawings does not apply to other pictures.
    """
    given = {"manifest": manifest, "scores": scores, "calibration": calibration, "drawn": drawn, "drawings": DRAWINGS}
    found = (line.partition("| ") for line in _template().render(given).splitlines())
    return (
        *(Limit("limit", words, of_this_audit=True, grave=kind == "grave") for kind, _, words in found if words),
        *_ALWAYS,
    )


@cache
def _template() -> Template:
    """Return the template of limits that an audit may have; it renders plain text, which the page escapes."""
    made = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)  # noqa: S701
    made.filters |= {"several": several, "count": count, "printable": printable}
    return made.from_string(Path(__file__).with_name("limits.jinja").read_text(encoding="utf-8"))


def headline(found: Iterable[Limit]) -> tuple[str, ...]:
    """Return the limits that are essential for reading the scores."""
    return tuple(each.words for each in found if each.grave)
