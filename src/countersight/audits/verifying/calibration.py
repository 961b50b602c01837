"""Repeat the calibration of an audit's judges: every different result is a finding."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from countersight.audits.bundle.listing import content
from countersight.audits.calibration.calibrating import Respondents, calibration_of, make_tests
from countersight.audits.calibration.people import people_calibration, read_labels
from countersight.audits.calibration.sheet import Calibration
from countersight.audits.calibration.storing import CALIBRATION, CALIBRATION_FOLDER, LABELS, TAKEN, misfit
from countersight.audits.folder import MANIFEST, PICTURES, digest_of
from countersight.audits.log import LOG
from countersight.audits.trail import AuditTrail, read_audit
from countersight.audits.verifying.comparison import Finding
from countersight.audits.verifying.opened import OpenedBundle
from countersight.audits.verifying.replay import replay_stages
from countersight.errors import AuditError

LARGEST: Final = 10_000
"""Largest number of tests of a calibration that is repeated."""


def replay_calibration(opened: OpenedBundle) -> Iterator[Finding]:
    """Repeat the calibration of the judges (tests, verdicts and sheets), and return the findings."""
    calibration, named = opened.audit.calibration, opened.audit.manifest.calibration
    if calibration is None:
        if named:
            yield Finding("missing", CALIBRATION, "audit.json names a calibration, but it is missing")
        return
    if named and named != digest_of(content(opened.path / CALIBRATION)):
        yield Finding("broken", CALIBRATION, "it is not the calibration that audit.json names")
    if fault := misfit(calibration, opened.audit.manifest):
        yield Finding("broken", CALIBRATION, f"it {fault}")
    missing = [name for name in (f"{CALIBRATION_FOLDER}/{each}" for each in TAKEN) if name not in opened.files]
    if missing:
        yield Finding("missing", missing[0], "without its log, the calibration cannot be recomputed")
        return
    try:
        judged = read_audit(opened.again.path / CALIBRATION_FOLDER)
        for found in (_by_people if calibration.people else _by_script)(opened, calibration, judged):
            inside = found.file in (LOG, MANIFEST, LABELS)
            yield msgspec.structs.replace(found, file=f"{CALIBRATION_FOLDER}/{found.file}") if inside else found
    except AuditError as error:
        yield Finding("broken", CALIBRATION_FOLDER, str(error))


def _by_script(opened: OpenedBundle, calibration: Calibration, judged: AuditTrail) -> Iterator[Finding]:
    """Repeat a calibration with scripted respondents: make its tests from the seed and repeat the stages."""
    manifest, size = judged.manifest, judged.manifest.dataset.rows
    if not 0 < size <= LARGEST:
        yield Finding("broken", CALIBRATION, f"there is no calibration of {size:,} tests")
        return
    (judged.path / PICTURES).mkdir(exist_ok=True)  # only the log of a calibration is stored: redraw its pictures
    with TemporaryDirectory() as base:
        dataset = make_tests(Path(base) / "tests", size, manifest.seed)
        if manifest.dataset.fingerprint != dataset.fingerprint:
            yield Finding("broken", CALIBRATION_FOLDER, f"its tests are not those of its seed{opened.other_version}")
            return
        yield from replay_stages(judged, dataset, opened.unlike(), Respondents(dataset, manifest.seed))
    if calibration_of(judged) != calibration:
        yield Finding("broken", CALIBRATION, "its figures do not follow from the verdicts in its log")


def _by_people(opened: OpenedBundle, calibration: Calibration, judged: AuditTrail) -> Iterator[Finding]:
    """Repeat a calibration on people's labels of an audit's tests."""
    try:
        made = people_calibration(judged, list(read_labels(judged.path)))
    except AuditError as error:
        yield Finding("broken", LABELS, str(error))
        return
    one, other, own = judged.manifest, opened.audit.manifest, opened.audit.steps[: len(judged.steps)]
    same = (one.dataset.fingerprint, one.started) == (other.dataset.fingerprint, other.started)
    if same and [a.hash for a in judged.steps] != [b.hash for b in own]:
        yield Finding("broken", LOG, "the log of the audit has changed since people labelled it")
    if (made.judges, made.people, made.domain) != (calibration.judges, calibration.people, calibration.domain):
        yield Finding("broken", CALIBRATION, "its figures do not follow from people's labels and its log")
