"""changes.json: the differences from an earlier audit of the same system, and their effect on the scores."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.audits.bundle.files import content
from countersight.audits.bundle.manifest import run_manifest
from countersight.audits.bundle.seal import SEAL, read_seal
from countersight.audits.bundle.sessions import read_sessions
from countersight.audits.clusters import Mean
from countersight.audits.scores import MEASURES, AuditScores, Measure, ScoreDifference, by_case, difference, score
from countersight.audits.trail import AuditTrail, read_audit
from countersight.errors import AuditError

CHANGES: Final = "changes.json"
LONGEST: Final = 2_000
"""Longest text stored for either side of a change, in characters."""


class Changed(msgspec.Struct, frozen=True):
    """One changed setting, before and after."""

    what: str
    was: str
    now: str


class Shift(msgspec.Struct, frozen=True):
    """A score before and now, and the difference over the cases scored in both audits."""

    was: Mean
    now: Mean
    difference: ScoreDifference | None
    """Now minus before, case by case; None if no case is in both."""


class Flip(msgspec.Struct, frozen=True):
    """A case whose CCS changed."""

    case: str
    was: float
    now: float


class ChangeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """changes.json."""

    log_head: str
    """Hash of the last step of the audit that this record belongs to."""
    earlier: str
    """The folder of the earlier audit."""
    earlier_started: str
    earlier_seal: str
    """SHA-256 of its bundle.json; empty if it has none."""
    changed: tuple[Changed, ...]
    cases_added: int
    cases_removed: int
    pictures_changed: int
    """Cases in both audits with different pictures."""
    scores: dict[Measure, Shift]
    flips: tuple[Flip, ...]


def change_record(audit: AuditTrail, scores: AuditScores, against: Path) -> ChangeRecord:
    """Compare an audit with an earlier one."""
    before = read_audit(against)
    if before.path.resolve() == audit.path.resolve():
        raise AuditError(f"{against} is the audit itself; name an earlier audit for `against`")
    earlier = score(before)
    sealed = (against / SEAL).exists()
    pictures = {case.case: case.record.picture for case in before.cases}
    now = {case.case: case.record.picture for case in audit.cases}
    then_ccs, now_ccs = by_case(earlier, "ccs"), by_case(scores, "ccs")
    return ChangeRecord(
        log_head=audit.steps[-1].hash if audit.steps else "",
        earlier=against.resolve().name,
        earlier_started=before.manifest.started,
        earlier_seal=read_seal(against)[1] if sealed else "",
        changed=tuple(_changed(before, audit)),
        cases_added=len(now.keys() - pictures.keys()),
        cases_removed=len(pictures.keys() - now.keys()),
        pictures_changed=sum(now[case] != pictures[case] for case in now.keys() & pictures.keys()),
        scores={
            measure: Shift(
                getattr(earlier.kept, measure), getattr(scores.kept, measure), difference(scores, earlier, measure)
            )
            for measure in MEASURES
        },
        flips=tuple(
            Flip(case, then_ccs[case][1], value)
            for case, (_, value) in now_ccs.items()
            if case in then_ccs and then_ccs[case][1] != value
        ),
    )


def stored_record(audit: AuditTrail, scores: AuditScores) -> ChangeRecord | None:
    """Return the existing change record with the current scores, if the audit has not continued since."""
    file = audit.path / CHANGES
    if not file.exists():
        return None
    try:
        record = msgspec.json.decode(content(file), type=ChangeRecord)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AuditError(f"{file} is damaged: {error}; remove it, or name the earlier audit with `against`") from None
    if not audit.steps or record.log_head != audit.steps[-1].hash:
        return None
    now = {name: msgspec.structs.replace(was, now=getattr(scores.kept, name)) for name, was in record.scores.items()}
    return msgspec.structs.replace(record, scores=now)


def _changed(before: AuditTrail, audit: AuditTrail) -> Iterator[Changed]:
    """Every setting of audit.json that differs, by its name there, and what servers and machines report."""
    then, now = (dict(_settings(each)) for each in (before, audit))
    for what in then | now:
        was, new = (told.get(what, "")[:LONGEST] for told in (then, now))
        if was != new:
            yield Changed(what, was, new)


def _settings(audit: AuditTrail) -> Iterator[tuple[str, str]]:
    yield from _flat(msgspec.to_builtins(audit.manifest))
    yield "reported model version", ", ".join(run_manifest(audit, ()).audited.returned)
    yield "packages", ", ".join(dict.fromkeys(session.packages_sha256 for session in read_sessions(audit.path)))


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Return every value in a record, by its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if f"{name}{key}" not in ("started", "dataset.path"):
                yield from _flat(inner, f"{name}{key}.")
    else:
        yield name.removesuffix("."), value if isinstance(value, str) else msgspec.json.encode(value).decode()
