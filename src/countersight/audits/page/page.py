"""An audit as one self-contained, printable HTML page."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import numpy as np
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from countersight import __version__
from countersight.audits.answer_changes import same_answer
from countersight.audits.conclusion import Conclusion
from countersight.audits.limits import Limit
from countersight.audits.manifest import Actor
from countersight.audits.page import score_tables
from countersight.audits.page.score_tables import WORDS, grid, interval, number
from countersight.audits.plan import LATE
from countersight.audits.records import EditRecord, Failed, ModelReply, Step
from countersight.audits.reviews import ReviewLog
from countersight.audits.score_records import AuditScores, ConceptScore
from countersight.audits.selection import Selection
from countersight.audits.sessions import Session
from countersight.audits.trail import AuditTrail, CaseTrail, ConceptTrail
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
"""The maximum number of cases shown in full; if there are more, all are collapsed."""
LONGEST_TEXT: Final = 4_000
"""The maximum length of a text on the page, in characters; the rest is in cases.jsonl."""
Outcome = Literal[
    "consistent", "answer-only", "explanation-only", "neither", "in-part", "undecided", "failed", "excluded"
]
_CONSTANTS: Final[dict[str, Any]] = {
    "BAD_EDIT": RULE,
    "DECIDED": {1: ("right", "✓ 1"), 0: ("wrong", "✗ 0"), None: ("missing", "– abstains")},
    "DONE": {True: ("right", "✓ yes"), False: ("wrong", "✗ no"), None: ("missing", "– cannot tell")},
    "EDITED": "edited for test",
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

    audit: AuditTrail
    scores: AuditScores
    sessions: tuple[Session, ...]
    selection: Selection
    cases: tuple[CaseTrail, ...]
    limits: tuple[Limit, ...]
    reviews: ReviewLog
    conclusion: Conclusion


def render(sheets: Sheets, cases: Sequence[CaseTrail], pictures: dict[str, Thumbnail]) -> str:
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
            participants=list(_participants(sheets.audit)),
            effort=list(_effort(sheets.audit.steps)),
            strata=[(": ".join(filter(None, stratum)) or "(no group)", n) for stratum, n in sorted(strata.items())],
            excluded=score_tables.excluded_by_kind(scores),
            result_grids=list(score_tables.result_grids(scores)),
            agreement_grids=list(score_tables.agreement_grids(scores.agreement)),
            calibration_grids=[*score_tables.calibration_grids(calibration), score_tables.corrected_grid(scores)]
            if calibration
            else [],
        )
    )
    title = f"Audit of {name(sheets.audit.manifest.model.name)} – Countersight"
    return document(__package__, "page.html", title=title, style="page.css", script="page.js", body=Markup(body))  # noqa: S704 - escaped by the template


def _participants(audit: AuditTrail) -> Iterator[tuple[str, Actor, tuple[str, ...]]]:
    """Return the role of each participant, and the model versions reported in its replies, in order."""
    returned: dict[str, dict[str, None]] = {}
    for step in audit.steps:
        named = step.output.model if isinstance(step.output, ModelReply) else step.spent.model
        if isinstance(step.output, EditRecord):
            named = str(step.output.log.get("model", ""))
        if named:
            returned.setdefault(step.by, {})[named] = None
    made = audit.manifest
    roles = [("audited model", made.model), ("extractor", made.extractor), ("editor", made.editor)]
    roles += [("judge", judge) for judge in made.judges] + [("checker", checker) for checker in made.checkers]
    return ((role, party, tuple(returned.get(party.name, ()))) for role, party in roles if party.name)


def _effort(steps: Iterable[Step]) -> Iterator[list[object]]:
    """Return the number, failures, retries, tokens, cost and time of the steps of each stage."""
    by_stage: dict[str, list[Step]] = {}
    for step in steps:
        by_stage.setdefault(step.stage, []).append(step)
    for stage, done in by_stage.items():
        spent = [step.spent for step in done]
        cost = sum(each.cost for each in spent)
        yield [
            stage,
            len(done),
            sum(isinstance(step.output, Failed) for step in done),
            sum(max(0, each.attempts - 1) for each in spent),
            sum(each.tokens_in for each in spent),
            sum(each.tokens_out for each in spent),
            f"${cost:,.4f}" if cost else "–",
            f"{sum(each.seconds for each in spent):,.1f}",
        ]


def outcome(test: ConceptTrail | ConceptScore) -> Outcome:
    """Return the outcome of a test: whether the answer and the explanation follow the edit."""
    if test.excluded:
        return "excluded"
    if test.pcs is None or test.ncc is None:
        return "failed" if test.failures else "undecided"
    if not {test.pcs, test.ncc} <= {0.0, 1.0}:
        return "in-part"
    if test.pcs:
        return "consistent" if test.ncc else "answer-only"
    return "explanation-only" if test.ncc else "neither"


def shown(cases: Sequence[CaseTrail], most: int) -> tuple[CaseTrail, ...]:
    """Return at most `most` cases, in order, so that every outcome of every kind of concept is represented."""
    if len(cases) <= most:
        return tuple(cases)
    strata = []
    for place in range(max(1, *(len(case.concepts) for case in cases))):
        tests = [case.concepts[place] if place < len(case.concepts) else None for case in cases]
        names = [(test.instruction.kind, outcome(test)) if test else ("", "") for test in tests]
        known = {stratum: nth for nth, stratum in enumerate(dict.fromkeys(names))}
        strata.append(np.array([known[stratum] for stratum in names], dtype=np.int64))
    return tuple(cases[place] for place in balanced_sample(strata, most, 0))


def list_pictures(cases: Iterable[CaseTrail]) -> list[str]:
    """Return the pictures, masks and differences of the cases, each once."""
    found: dict[str, None] = {}
    for case in cases:
        found[case.record.picture] = None
        for test in (*case.concepts, *case.uncited):
            edit = test.edit
            found |= dict.fromkeys((edit.after, test.difference, edit.mask) if edit else ())
            found |= dict.fromkeys(dose.picture for dose in test.doses)
    found.pop("", None)
    return list(found)


def make_thumbnails(folder: Path, names: Sequence[str], done: Callable[[int], None]) -> dict[str, Thumbnail]:
    """Return one thumbnail of each picture, even if several cases use it."""
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
