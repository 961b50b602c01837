"""changes.json: the differences from an earlier audit of the same system, and their effect on the scores."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.audits.bundle.listing import content
from countersight.audits.bundle.manifest import reported_models
from countersight.audits.bundle.seal import SEAL, read_seal
from countersight.audits.bundle.sessions import read_sessions
from countersight.audits.pooling import Mean
from countersight.audits.records import decode_record
from countersight.audits.score_differences import ScoreDifference, by_case, difference
from countersight.audits.score_records import MEASURES, AuditScores, Measure
from countersight.audits.scores import score
from countersight.audits.trail import AuditTrail, read_audit
from countersight.errors import AuditError

CHANGES: Final = "changes.json"


class Changed(msgspec.Struct, frozen=True):
    """One changed setting, before and after."""

    what: str
    was: str
    now: str


class Shift(msgspec.Struct, frozen=True):
    """A score before and now, with the difference over the cases that are scored in both audits."""

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
    """The content of changes.json."""

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
    then, now = _settings(before), _settings(audit)
    old, new = ({case.case: case.record.picture for case in each.cases} for each in (before, audit))
    then_ccs, now_ccs = by_case(earlier, "ccs"), by_case(scores, "ccs")
    return ChangeRecord(
        log_head=audit.steps[-1].hash if audit.steps else "",
        earlier=against.resolve().name,
        earlier_started=before.manifest.started,
        earlier_seal=read_seal(against)[1] if sealed else "",
        changed=tuple(
            Changed(what, then.get(what, ""), now.get(what, ""))
            for what in then | now
            if then.get(what, "") != now.get(what, "")
        ),
        cases_added=len(new.keys() - old.keys()),
        cases_removed=len(old.keys() - new.keys()),
        pictures_changed=sum(new[case] != old[case] for case in new.keys() & old.keys()),
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
    record = decode_record(content(file), ChangeRecord, file)
    if not audit.steps or record.log_head != audit.steps[-1].hash:
        return None
    now = {name: msgspec.structs.replace(was, now=getattr(scores.kept, name)) for name, was in record.scores.items()}
    return msgspec.structs.replace(record, scores=now)


def _settings(audit: AuditTrail) -> dict[str, str]:
    """Return every setting of audit.json by its name, and what servers and machines reported."""
    found = dict(_flat(msgspec.to_builtins(audit.manifest)))
    found["reported model version"] = ", ".join(reported_models(audit.steps).get(audit.manifest.model.name, ()))
    found["packages"] = ", ".join(dict.fromkeys(each.packages_sha256 for each in read_sessions(audit.path)))
    return found


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Return every value in a nested record, by its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if f"{name}{key}" not in ("started", "dataset.path"):
                yield from _flat(inner, f"{name}{key}.")
    else:
        yield name.removesuffix("."), value if isinstance(value, str) else msgspec.json.encode(value).decode()
