"""plan.json: the intended audit, written before its first step, and the deviations of an audit from it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from countersight import __version__
from countersight.audits.criteria import check_criterion
from countersight.audits.folder import digest_of
from countersight.audits.manifest import METHOD_WORDS, STRENGTHS, AuditMethod, Manifest
from countersight.audits.records import decode_record, encode_record
from countersight.audits.score_records import AuditScores
from countersight.audits.signing import sign
from countersight.errors import AuditError
from countersight.files import write_whole
from countersight.text import several

PLAN: Final = "plan.json"
PLAN_SIGNATURE: Final = f"{PLAN}.sig"
LARGEST: Final = 1 << 20
LATE: Final = "the audit was started before the plan was written"


class AuditPlan(AuditMethod, frozen=True, omit_defaults=True, kw_only=True):
    """plan.json: the intended audit, written before its first step."""

    dataset: str
    """The fingerprint of the dataset."""
    name: str
    judges: tuple[str, ...] = ()
    checkers: tuple[str, ...] = ()
    model: str = ""
    extractor: str = ""
    editor: str = ""
    criteria: tuple[str, ...] = ()
    """Criteria such as "CCS lower end at least 0.8"."""
    written: str = ""
    countersight: str = ""


def write_plan(file: Path, plan: AuditPlan, key: Path | None = None) -> str:
    """Write a plan with the current time, signed if there is a key; return its SHA-256 for others to record.

    An existing plan is kept if it is the same, and is never replaced by a different one.
    """
    for words in plan.criteria:
        check_criterion(words)
    if not 1 <= plan.strength <= STRENGTHS:
        raise AuditError(f"strength must be a whole number from 1 to {STRENGTHS}")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    dated = msgspec.structs.replace(plan, written=now, countersight=__version__)
    alike = msgspec.convert(msgspec.to_builtins(dated), AuditPlan)  # so that defaults are omitted
    if file.exists():
        there = read_plan(file)
        if msgspec.structs.replace(there, written=now, countersight=__version__) != alike:
            raise AuditError(f"{file} is another plan, which is not replaced; choose another file")
        data = file.read_bytes()
    else:
        data = encode_record(alike)
        write_whole(file, data)
    if key is not None:
        write_whole(file.with_name(f"{file.name}.sig"), sign(data, key))
    return digest_of(data)


def read_plan(file: Path) -> AuditPlan:
    """Return the plan in a file; raises AuditError if it is damaged or has a criterion that cannot be decided."""
    try:
        with open(file, "rb") as data:
            plan = decode_record(data.read(LARGEST), AuditPlan, file)
    except OSError as error:
        raise AuditError(f"{file} cannot be read ({error.strerror}); write one with: countersight audit plan") from None
    for words in plan.criteria:
        check_criterion(words)
    return plan


def deviations(plan: AuditPlan, manifest: Manifest, scores: AuditScores, selected: int | None) -> Iterator[str]:
    """Yield every deviation of an audit from its plan."""
    for what, planned, done in (
        ("dataset", plan.dataset, manifest.dataset.fingerprint),
        ("model", plan.model or manifest.model.name, manifest.model.name),
        ("extractor", plan.extractor or manifest.extractor.name, manifest.extractor.name),
        ("editor", plan.editor or manifest.editor.name, manifest.editor.name),
        *((what, *(getattr(of, name) or "all" for of in (plan, manifest))) for name, what in METHOD_WORDS.items()),
    ):
        if planned != done:
            yield f"the {what} is {done} instead of {planned}"
    for what, names, parties in (
        ("judge", plan.judges, manifest.judges),
        ("checker", plan.checkers, manifest.checkers),
    ):
        present = [party.name for party in parties]
        yield from (f"the {what} {name} was dropped" for name in names if name not in present)
        yield from (f"the {what} {name} was added" for name in present if name not in names)
    for what, intended, actual in (
        ("the control edits were", plan.control, manifest.control),
        ("the edits of uncited objects were", plan.uncited, manifest.uncited),
        ("the restriction to descriptive questions was", plan.descriptive, manifest.descriptive),
    ):
        if intended != actual:
            yield f"{what} {'added' if actual else 'dropped'}"
    if selected is not None and scores.cases < selected:
        yield f"{selected - scores.cases:,} of {several(selected, 'case')} were not audited"
    if plan.written and manifest.started < plan.written:
        yield LATE


def plan_of(folder: Path, manifest: Manifest) -> AuditPlan | None:
    """Return the plan of an audit from its folder; raises AuditError if it is a different one."""
    if not manifest.plan:
        return None
    file = folder / PLAN
    plan = read_plan(file)
    if digest_of(file.read_bytes()) != manifest.plan:
        raise AuditError(f"{PLAN} is not the plan that audit.json names")
    return plan
