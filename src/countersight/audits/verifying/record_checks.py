"""Checks of what is not derived: the end of the log, pictures, the selection, times, and the bytes of records."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import Final

import msgspec

from countersight.audits.auditing import pictures_of
from countersight.audits.bundle.listing import content
from countersight.audits.bundle.seal import SEAL, Bundle
from countersight.audits.bundle.sessions import SESSIONS, Session, digest_of_packages
from countersight.audits.calibration.sheet import Calibration
from countersight.audits.calibration.storing import CALIBRATION, CALIBRATION_FOLDER
from countersight.audits.folder import MANIFEST, PICTURES
from countersight.audits.log import LOG, LONGEST_LINE
from countersight.audits.orders import ORDERS
from countersight.audits.plan import PLAN, AuditPlan
from countersight.audits.records import Manifest, Step
from countersight.audits.selection import SELECTION, Selected, Selection, decode_selection, select
from countersight.audits.verifying.comparison import Finding, What, difference
from countersight.audits.verifying.opened import OpenedBundle
from countersight.editing import EditOrder
from countersight.errors import AuditError
from countersight.files import bounded_lines
from countersight.text import several

MOST_LISTED: Final = 5
"""Largest number of cases named in a finding."""
SLACK: Final = timedelta(days=1)
"""Largest difference of clocks between machines that work on one audit."""
RECORDS: Final[dict[str, type[msgspec.Struct]]] = {
    SEAL: Bundle,
    MANIFEST: Manifest,
    SELECTION: Selection,
    SESSIONS: Session,
    LOG: Step,
    PLAN: AuditPlan,
    ORDERS: EditOrder,
    CALIBRATION: Calibration,
    f"{CALIBRATION_FOLDER}/{MANIFEST}": Manifest,
    f"{CALIBRATION_FOLDER}/{LOG}": Step,
}
"""Records that are not derived: each must be exactly as written, without unknown fields."""


def check_pictures(opened: OpenedBundle) -> Iterator[Finding]:
    """Check that the log ends as sealed, and that the pictures are those it mentions, each named by its digest."""
    steps, bundle = opened.audit.steps, opened.bundle
    if (len(steps), steps[-1].hash if steps else "") != (bundle.steps, bundle.last_step):
        was = several(bundle.steps, "step")
        yield Finding("broken", LOG, f"it has {len(steps):,} steps and another end; sealed were {was}")
    mentioned = set(pictures_of(steps))
    there = {PurePosixPath(name).stem: name for name in opened.files if name.startswith(f"{PICTURES}/")}
    for stem in sorted(mentioned | there.keys()):
        if stem not in there:
            yield Finding("missing", f"{PICTURES}/{stem}", "a step refers to it")
        elif stem not in mentioned:
            yield Finding("added", there[stem], "no step refers to it")
        elif bundle.files[there[stem]].sha256 != stem:
            yield Finding("altered", there[stem], "its content does not match the digest in its name")


def check_selection(opened: OpenedBundle) -> Iterator[Finding]:
    """Check that the log has the selected cases and no others, and that the selection follows the rule."""
    if not opened.audit.cases:
        yield Finding("not verified", LOG, "it contains no case, so nothing was audited")
    manifest, dataset = opened.audit.manifest, opened.dataset
    try:
        selection = decode_selection(content(opened.path / SELECTION))
    except AuditError as error:
        yield Finding("broken", SELECTION, str(error))
        return
    reference = manifest.dataset
    made = msgspec.structs.replace(
        selection, fingerprint=reference.fingerprint, rows=reference.rows, descriptive=manifest.descriptive
    )
    if dataset is not None:
        made = select(dataset, manifest.cases, descriptive=manifest.descriptive)
        if dataset.count != reference.rows:
            yield Finding(
                "broken", MANIFEST, f"the dataset has {several(dataset.count, 'row')}, not {reference.rows:,}"
            )
    rows, by_rule = [each.row for each in selection.cases], selection.expected_rows(manifest.cases)
    if apart := difference(msgspec.to_builtins(selection), msgspec.to_builtins(made)):
        yield Finding("broken", SELECTION, apart)
    elif len(rows) != (expected := selection.expected(manifest.cases)) or by_rule not in (None, rows):
        yield Finding("broken", SELECTION, f"it has {several(len(rows), 'case')}; the rule selects {expected:,} others")
    there = {Selected(step.place.row, step.place.case) for step in opened.audit.steps if step.stage == "case"}
    if missing := [each for each in selection.cases if each not in there]:
        why = "the audit was not finished, or they were removed"
        yield Finding("missing", LOG, f"{_list_cases(missing, len(selection.cases))} are not in the log: {why}")
    if added := sorted(there - set(selection.cases), key=lambda each: each.row):
        yield Finding("added", LOG, f"cases that were not selected: {_list_cases(added, len(there))}")


def _list_cases(cases: list[Selected], of: int) -> str:
    listed = ", ".join(each.case for each in cases[:MOST_LISTED]) + (", …" if len(cases) > MOST_LISTED else "")
    return f"{len(cases):,} of {several(of, 'case')} ({listed})"


def check_times(opened: OpenedBundle) -> Iterator[Finding]:
    """Yield a finding for the first time that is invalid, or that is long before the time of an earlier step."""
    latest = datetime.min.replace(tzinfo=UTC)
    steps = [(LOG, f"line {step.n + 1}", step.at) for step in opened.audit.steps if step.at]
    for file, where, at in (*steps, (SEAL, "the seal", opened.bundle.sealed)):
        try:
            time = datetime.fromisoformat(at)
            time = time if time.tzinfo else time.replace(tzinfo=UTC)
        except ValueError:
            yield Finding("broken", file, f"{where}: {at[:40]!r} is not a time")
            return
        if latest - time > SLACK:
            yield Finding("broken", file, f"{where} is of {at}, long before a step that it follows")
            return
        latest = max(time, latest)


def check_records(opened: OpenedBundle) -> Iterator[Finding]:
    """Yield findings for records with content that no audit writes: re-encoding a record must give the same bytes."""
    what: What = "not verified" if opened.other_version else "broken"
    for name, kind in RECORDS.items():
        if name not in opened.files:
            continue
        with open(opened.path / name, "rb") as file:
            for number, data in enumerate(
                bounded_lines(file, LONGEST_LINE) if name.endswith("l") else [file.read()], 1
            ):
                try:
                    record = msgspec.json.decode(data, type=kind)
                    same = msgspec.json.encode(record) == msgspec.json.format(data, indent=-1)
                    if isinstance(record, Session):
                        same = same and record.packages_sha256 == digest_of_packages(record.packages)
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    same = False
                if not same:
                    words = f"line {number} contains something that an audit does not write{opened.other_version}"
                    yield Finding(what, name, words)
                    break
