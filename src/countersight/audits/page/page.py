"""An audit as one self-contained, printable HTML page."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import numpy as np
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from countersight import __version__
from countersight.audits.bundle.cases import CaseSheet, ConceptSheet
from countersight.audits.bundle.limits import HEADINGS, Limit
from countersight.audits.bundle.manifest import BundleManifest, Session
from countersight.audits.calibration.people import ReviewLog
from countersight.audits.exclusion import same_answer
from countersight.audits.folder import AuditFolder
from countersight.audits.page import score_tables
from countersight.audits.page.score_tables import WORDS, grid, interval, number
from countersight.audits.plan import LATE, Conclusion
from countersight.audits.records import Step
from countersight.audits.score_records import AuditScores
from countersight.audits.selection import Selection
from countersight.audits.trail import AuditTrail
from countersight.editing.quality import RULE
from countersight.html import (
    Thumbnail,
    balanced_sample,
    clean,
    document,
    name,
    side_for,
    source,
    thumbnails,
    without_direction_marks,
)
from countersight.number_formats import count, percent
from countersight.picture import read_picture
from countersight.text import several

UNFOLDED: Final = 12
"""Largest number of cases shown in full; if there are more, all are folded."""
LONGEST_TEXT: Final = 4_000
"""Longest text on the page, in characters; the rest is in cases.jsonl."""
Outcome = Literal["consistent", "answer-only", "explanation-only", "neither", "in-part", "undecided", "excluded"]
_CONSTANTS: Final[dict[str, Any]] = {
    "BAD_EDIT": RULE,
    "DECIDED": {1: ("right", "✓ 1"), 0: ("wrong", "✗ 0"), None: ("missing", "– abstains")},
    "DONE": {True: ("right", "✓ yes"), False: ("wrong", "✗ no"), None: ("missing", "– cannot tell")},
    "EDITED": "edited for test",
    "HEADINGS": HEADINGS,
    "LATE": LATE,
    "UNFOLDED": UNFOLDED,
    "WORDS": WORDS,
    "version": __version__,
    "logo": Markup('<svg viewBox="0 0 40 20" aria-hidden="true"><circle cx="12" cy="10" r="7.5" class="logo-is"/>'
                   '<circle cx="27" cy="10" r="7.5" class="logo-if"/></svg>'),
}  # fmt: skip


@cache
def templates() -> Environment:
    """Return the templates of this package; values are escaped unless Markup."""
    kit = "countersight.html"  # the parts that all pages share
    loader = FunctionLoader(lambda file: source(kit if file == "kit.html" else __package__, file))
    found = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    found.filters |= {
        "clean": clean,
        "count": count,
        "cut": _cut,
        "interval": interval,
        "name": name,
        "names": lambda words: ", ".join(map(name, words)),
        "number": number,
        "outcome": outcome,
        "percent": percent,
        "settings": _settings,
        "significant": lambda value: f"{value:.4g}",
        "several": several,
        "without_direction_marks": without_direction_marks,
    }
    found.globals |= _CONSTANTS | {"grid": grid, "same_answer": same_answer}
    return found


class Sheets(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a bundle."""

    folder: AuditFolder
    audit: AuditTrail
    scores: AuditScores
    manifest: BundleManifest
    sessions: tuple[Session, ...]
    selection: Selection
    cases: tuple[CaseSheet, ...]
    limits: tuple[Limit, ...]
    reviews: ReviewLog
    conclusion: Conclusion


def render(sheets: Sheets, cases: Sequence[CaseSheet], pictures: dict[str, Thumbnail]) -> str:
    """Return the whole page, with these cases and the thumbnails of their files."""
    scores = sheets.scores
    strata = Counter((case.record.suite, case.record.group) for case in sheets.audit.cases)
    steps: dict[str, list[Step]] = {}
    for step in sheets.audit.steps:
        steps.setdefault(step.place.case, []).append(step)
    calibration = sheets.audit.calibration
    body = (
        templates()
        .get_template("body.html")
        .render(
            sheets=sheets,
            cases_shown=cases,
            pictures={file: (nth, small) for nth, (file, small) in enumerate(pictures.items())},
            steps=steps,
            strata=[(": ".join(filter(None, stratum)) or "(no group)", n) for stratum, n in sorted(strata.items())],
            excluded=score_tables.excluded_by_kind(scores),
            result_grids=list(score_tables.result_grids(scores)),
            agreement_grids=list(score_tables.agreement_grids(scores.agreement)),
            calibration_grids=[*score_tables.calibration_grids(calibration), score_tables.corrected_grid(scores)]
            if calibration
            else [],
        )
    )
    title = f"Audit of {name(sheets.manifest.audited.name)} – Countersight"
    return document(__package__, "page.html", title=title, style="page.css", script="page.js", body=Markup(body))  # noqa: S704 - escaped by the template


def outcome(test: ConceptSheet) -> Outcome:
    """Return the outcome of a test: whether the answer and the explanation follow the edit."""
    if test.excluded:
        return "excluded"
    if test.pcs is None or test.ncc is None:
        return "undecided"
    if not {test.pcs, test.ncc} <= {0.0, 1.0}:
        return "in-part"
    if test.pcs:
        return "consistent" if test.ncc else "answer-only"
    return "explanation-only" if test.ncc else "neither"


def shown(cases: Sequence[CaseSheet], most: int) -> tuple[CaseSheet, ...]:
    """Return at most `most` cases, in order, so that every outcome of every kind of concept is represented."""
    if len(cases) <= most:
        return tuple(cases)
    strata = []
    for place in range(max(1, *(len(case.tests) for case in cases))):
        names = [
            (case.tests[place].instruction.kind, outcome(case.tests[place])) if place < len(case.tests) else ("", "")
            for case in cases
        ]
        known = {stratum: nth for nth, stratum in enumerate(dict.fromkeys(names))}
        strata.append(np.array([known[stratum] for stratum in names], dtype=np.int64))
    return tuple(cases[place] for place in balanced_sample(strata, most, 0))


def list_pictures(cases: Iterable[CaseSheet]) -> list[str]:
    """Return the pictures, masks and differences mentioned in cases, each once."""
    found: dict[str, None] = {}
    for case in cases:
        found[case.picture] = None
        for test in (*case.tests, *case.uncited):
            edit = test.edit
            found |= dict.fromkeys((edit.after, edit.difference, edit.mask) if edit else ())
            found |= dict.fromkeys(dose.picture for dose in test.doses)
    found.pop("", None)
    return list(found)


def make_thumbnails(folder: Path, names: Sequence[str], done: Callable[[int], None]) -> dict[str, Thumbnail]:
    """Return a thumbnail of each picture, made once even if several cases mention it."""
    small = {}
    for called, made in zip(
        names, thumbnails(names, lambda called: read_picture(folder / called), side_for(len(names))), strict=True
    ):
        small[called] = made
        done(len(small))
    return small


def _cut(words: str) -> str:
    plain = without_direction_marks(words)
    return plain if len(plain) <= LONGEST_TEXT else f"{plain[:LONGEST_TEXT]}… (the rest is in cases.jsonl)"


def _settings(settings: dict[str, Any]) -> str:
    listed = (
        f"{name(key)} {name(value if isinstance(value, str) else msgspec.json.encode(value).decode())}"
        for key, value in settings.items()
    )
    return ", ".join(listed) or "none"
