"""The limits of an audit's scores: those found in its results (limits.txt), and those of every audit (limits.toml)."""

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

import msgspec
from jinja2 import Environment, StrictUndefined, Template

from countersight.audits.calibration.calibration_file import DRAWINGS, Calibration
from countersight.audits.ccs import HALVES
from countersight.audits.manifest import Manifest
from countersight.audits.score_records import AuditScores
from countersight.text import printable, several

_BOUNDS: Final[dict[str, Any]] = {
    "LOW_AGREEMENT": 0.4,  # judges with a Krippendorff's alpha below this disagree
    "OFTEN": 0.2,  # largest share of votes, or of answers after the control edit, that may change
    "RARELY": 0.05,  # largest share of tests that judges may pass although the answer did not change
    "INFLUENCED": 0.1,  # largest loss of a judge's accuracy through prompt injections
    "LOW_SPECIFICITY": 0.8,
    "FEW_PICTURES": 30,
    "MANY_EXCLUDED": 0.2,
    "DRAWINGS": DRAWINGS,
    "HALVES": HALVES,
}
"""The constants that `limits.txt` compares the results with."""


class Limit(msgspec.Struct, frozen=True):
    """One limitation of the scores."""

    kind: Literal["limit", "failure mode", "misuse"]
    words: str
    of_this_audit: bool = False
    """Whether the limit was found in this audit; others apply to every audit."""
    grave: bool = False
    """Whether the limit is essential for interpreting the scores, and is therefore shown at the top of the page."""


def limits(
    manifest: Manifest, scores: AuditScores, calibration: Calibration | None = None, *, drawn: bool = True
) -> tuple[Limit, ...]:
    """Return all limits of the scores: those found in this audit first, then those of every audit.

    `drawn`: whether the pictures are generated drawings. A calibration on drawings does not apply to other pictures.
    """
    found = _found().render(audit=manifest, scores=scores, calibration=calibration, drawn=drawn, **_BOUNDS)
    lines = (line.strip() for line in found.splitlines())
    return (*(_limit(line) for line in lines if line), *_always())


def _limit(line: str) -> Limit:
    return Limit("limit", line.removeprefix("! "), of_this_audit=True, grave=line.startswith("! "))


def headline(found: Iterable[Limit]) -> tuple[str, ...]:
    """Return the limits that are essential for interpreting the scores."""
    return tuple(each.words for each in found if each.grave)


@cache
def _found() -> Template:
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)  # noqa: S701 - not HTML
    environment.filters |= {"printable": printable, "several": several}
    return environment.from_string((files(__package__) / "limits.txt").read_text(encoding="utf-8"))


def _always() -> Iterator[Limit]:
    text = (files(__package__) / "limits.toml").read_text(encoding="utf-8")
    return (msgspec.convert(each, Limit) for each in tomllib.loads(text)["always"])
