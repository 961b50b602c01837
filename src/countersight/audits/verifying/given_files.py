"""Check the files of a bundle that cannot be derived: log, selection and calibration, and the form of all records."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from countersight import __version__
from countersight.audits.auditing import pictures_of
from countersight.audits.calibration.calibrating import NAME, calibration_of
from countersight.audits.calibration.calibration_file import CALIBRATION, Calibration, misfit
from countersight.audits.folder import MANIFEST, PICTURES, digest_of
from countersight.audits.manifest import Manifest
from countersight.audits.orders import ORDERS
from countersight.audits.plan import PLAN, AuditPlan
from countersight.audits.records import Step
from countersight.audits.seal import (
    SEAL,
    Bundle,
    content,
)
from countersight.audits.selection import SELECTION, Selected, Selection, decode_selection, select
from countersight.audits.sessions import SESSIONS, Session
from countersight.audits.step_log import LOG, LONGEST_LINE
from countersight.audits.trail import AuditTrail
from countersight.audits.verifying.findings import Finding, difference
from countersight.dataset import Dataset
from countersight.editing import EditOrder
from countersight.errors import AuditError
from countersight.files import bounded_lines
from countersight.text import several

RECORDS: Final[dict[str, type[msgspec.Struct]]] = {
    SEAL: Bundle,
    MANIFEST: Manifest,
    SELECTION: Selection,
    SESSIONS: Session,
    LOG: Step,
    PLAN: AuditPlan,
    ORDERS: EditOrder,
    CALIBRATION: Calibration,
}
"""Records that are not derived; each must be exactly as it was written, without unknown fields."""
MOST_LISTED: Final = 5
"""The maximum number of cases named in a finding."""


def other_version(bundle: Bundle) -> str:
    """Return a remark if another version wrote the audit."""
    wrote = bundle.countersight
    return "" if wrote == __version__ else f"; written by {wrote}, this is {__version__}"


def check_log(audit: AuditTrail, bundle: Bundle, files: frozenset[str]) -> Iterator[Finding]:
    """Check the end of the log, and that the bundle has exactly the log's pictures, each named by its digest."""
    steps = audit.steps
    if (len(steps), steps[-1].hash if steps else "") != (bundle.steps, bundle.last_step):
        was = several(bundle.steps, "step")
        yield Finding("broken", LOG, f"its {len(steps):,} steps are not the {was} that were sealed")
    mentioned = set(pictures_of(steps))
    there = {PurePosixPath(name).stem: name for name in files if name.startswith(f"{PICTURES}/")}
    for stem in sorted(mentioned | there.keys()):
        if stem not in there:
            yield Finding("missing", f"{PICTURES}/{stem}", "a step refers to it")
        elif stem not in mentioned:
            yield Finding("added", there[stem], "no step refers to it")
        elif bundle.files[there[stem]].sha256 != stem:
            yield Finding("altered", there[stem], "its content does not match the digest in its name")


def check_selection(audit: AuditTrail, dataset: Dataset | None) -> Iterator[Finding]:
    """Check that the log has the selected cases and no others; if the dataset is known, check the selection, too."""
    if not audit.cases:
        yield Finding("not verified", LOG, "it contains no case, so nothing was audited")
    manifest, reference = audit.manifest, audit.manifest.dataset
    try:
        selection = decode_selection(content(audit.path / SELECTION))
    except AuditError as error:
        yield Finding("broken", SELECTION, str(error))
        return
    whole = manifest.cases is None
    made = msgspec.structs.replace(
        selection,
        fingerprint=reference.fingerprint,
        rows=reference.rows,
        unreadable=reference.rows - selection.left_out - len(selection.cases) if whole else selection.unreadable,
        descriptive=manifest.descriptive,
    )
    if dataset is not None:
        selected = select(dataset, manifest.cases, descriptive=manifest.descriptive)
        made = msgspec.structs.replace(selected, card=selection.card)
        if dataset.count != reference.rows:
            rows = several(dataset.count, "row")
            yield Finding("broken", MANIFEST, f"the dataset has {rows}, not {reference.rows:,}")
    if apart := difference(msgspec.to_builtins(selection), msgspec.to_builtins(made)):
        yield Finding("broken", SELECTION, apart)
    there = {Selected(step.place.row, step.place.case) for step in audit.steps if step.stage == "case"}
    if missing := [each for each in selection.cases if each not in there]:
        why = "the audit was not finished, or they were removed"
        yield Finding("missing", LOG, f"{_list_cases(missing, len(selection.cases))} are not in the log: {why}")
    if added := sorted(there - set(selection.cases), key=lambda each: each.row):
        yield Finding("added", LOG, f"cases that were not selected: {_list_cases(added, len(there))}")


def _list_cases(cases: list[Selected], of: int) -> str:
    listed = ", ".join(each.case for each in cases[:MOST_LISTED]) + (", …" if len(cases) > MOST_LISTED else "")
    return f"{len(cases):,} of {several(of, 'case')} ({listed})"


def check_calibration(audit: AuditTrail) -> Iterator[Finding]:
    """Check that the calibration is the one named in audit.json, and that it belongs to the audit's judges.

    In the bundle of a calibration, it must also follow from the log.
    """
    calibration, file = audit.calibration, audit.path / CALIBRATION
    if audit.manifest.calibration != (digest_of(content(file)) if calibration else ""):
        yield Finding("broken", CALIBRATION, "it is not the calibration that audit.json names")
    if calibration and (fault := misfit(calibration, audit.manifest)):
        yield Finding("broken", CALIBRATION, f"it {fault}")
    if audit.manifest.model.name == NAME and calibration_of(audit) != calibration:
        yield Finding("broken", CALIBRATION, "its figures do not follow from the verdicts in its log")


def check_records(folder: Path, bundle: Bundle, files: frozenset[str]) -> Iterator[Finding]:
    """Yield findings for records with content that no audit writes."""
    for name in RECORDS.keys() & files:
        with open(folder / name, "rb") as file:
            lines = bounded_lines(file, LONGEST_LINE) if name.endswith("l") else iter([file.read()])
            strange = next((number for number, line in enumerate(lines, 1) if not _is_written(line, name)), None)
        if strange is not None:
            words = f"line {strange} contains something that an audit does not write{other_version(bundle)}"
            yield Finding("not verified" if other_version(bundle) else "broken", name, words)


def _is_written(line: bytes, name: str) -> bool:
    """Whether a line has nothing but the fields of its record, each once.

    Their order, and whether defaults are written, may differ between versions.
    """
    try:
        record, plain = msgspec.json.decode(line, type=RECORDS[name]), msgspec.json.format(line, indent=-1)
        written = msgspec.json.encode(record)
        if written == plain:
            return True
        given, made = msgspec.json.decode(line), msgspec.json.decode(written)
        once = len(msgspec.json.encode(given)) == len(plain)
        known = given.keys() <= set(RECORDS[name].__struct_fields__)
        return once and known and all(given.get(field) == value for field, value in made.items())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
